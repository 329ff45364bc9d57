//! From the joint log-densities of classes and row to labels and class probabilities.

use didact_core::{Result, Rows, Run, parallel};
use didact_math::numeric::{argmax, log_sum_exp};
use ndarray::{Array1, Array2, ArrayView1};

/// Fills a score for each row and class: `score` is given the number of a row, the row and the
/// place for its scores. `work` values and classes are one piece for a thread.
pub(crate) fn score_rows(
    rows: Rows<'_>,
    classes: usize,
    work: usize,
    score: impl Fn(usize, &[f64], &mut [f64]) -> Result<()> + Sync + Send,
) -> Result<Array2<f64>> {
    let x = rows.dense()?;
    let width = classes.max(1);
    let mut scores = Array2::zeros((x.nrows(), classes));
    let output = scores.as_slice_mut().expect("a new array is contiguous");
    let chunk = (work / (width * x.ncols())).clamp(16, 4096);
    parallel::fill(output, width, chunk, &Run::new(), |range, piece| {
        for (row, scores) in range.zip(piece.chunks_exact_mut(width)) {
            let x = x.row(row).to_slice().expect("checked rows are contiguous");
            score(row, x, scores)?;
        }
        Ok(())
    })?;
    Ok(scores)
}

/// Whether a row is so far from every class that all densities, logarithms included, are out of
/// range; nothing is left to say then but the class probabilities.
fn is_beyond(joint: ArrayView1<'_, f64>) -> bool {
    joint.iter().all(|&score| score == f64::NEG_INFINITY)
}

/// The most probable class of each row, the lowest where several are equally probable.
pub(crate) fn labels(joint: &Array2<f64>, class_prior: &Array1<f64>) -> Vec<usize> {
    let favourite = argmax(class_prior.iter().copied()).unwrap_or(0);
    let best = |row: ArrayView1<'_, f64>| match is_beyond(row) {
        true => favourite,
        false => argmax(row.iter().copied()).unwrap_or(favourite),
    };
    joint.rows().into_iter().map(best).collect()
}

/// The probability of each class given the row.
pub(crate) fn probabilities(mut joint: Array2<f64>, class_prior: &Array1<f64>) -> Array2<f64> {
    for mut row in joint.rows_mut() {
        if is_beyond(row.view()) {
            row.assign(class_prior);
            continue;
        }
        // Relative to the largest, because near 10⁹ a logarithm of the sum has lost its digits.
        let largest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        row.mapv_inplace(|score| match score == largest {
            // Certain classes share what there is: ∞ − ∞ would be NaN.
            true => 1.0,
            false => (score - largest).exp(),
        });
        let total = row.sum();
        row /= total;
    }
    joint
}

/// ln p(x) = ln Σ_c p(x, c).
pub(crate) fn log_densities(joint: &Array2<f64>) -> Array1<f64> {
    let row = |row: ArrayView1<'_, f64>| match row.as_slice() {
        Some(scores) => log_sum_exp(scores),
        None => log_sum_exp(&row.to_vec()),
    };
    joint.rows().into_iter().map(row).collect()
}

/// The abilities of a model with the method `joint_log_densities` and the field `class_prior`:
/// label, class probabilities and density all follow from ln p(x, c).
macro_rules! joint_model {
    ($model:ty, $($classes:ident).+ $(, $law:ident: $bound:path)?) => {
        impl$(<$law: $bound>)? didact_core::Classify for $model {
            fn classes(&self) -> &didact_core::Classes {
                &self.$($classes).+
            }

            fn classify(&self, rows: didact_core::Rows<'_>) -> didact_core::Result<Vec<usize>> {
                let joint = self.joint_log_densities(rows)?;
                Ok($crate::posterior::labels(&joint, &self.class_prior))
            }
        }

        impl$(<$law: $bound>)? didact_core::Probabilities for $model {
            fn probabilities(
                &self,
                rows: didact_core::Rows<'_>,
            ) -> didact_core::Result<ndarray::Array2<f64>> {
                let joint = self.joint_log_densities(rows)?;
                Ok($crate::posterior::probabilities(joint, &self.class_prior))
            }
        }

        impl$(<$law: $bound>)? didact_core::LogDensity for $model {
            fn log_density(
                &self,
                rows: didact_core::Rows<'_>,
            ) -> didact_core::Result<ndarray::Array1<f64>> {
                let joint = self.joint_log_densities(rows)?;
                Ok($crate::posterior::log_densities(&joint))
            }
        }
    };
}
pub(crate) use joint_model;
