//! The variances of each class, in one pass over mixed rows.

use didact_core::{Classes, Error, Labelled, Result, Run, ensure_belongs, parallel};
use didact_math::linalg::Variances;
use ndarray::{Array1, ArrayView2};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Weight, means and centred squares of the columns in each class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassVariances {
    pub(crate) classes: Classes,
    pub(crate) variances: Vec<Variances>,
}

impl ClassVariances {
    pub(crate) fn new(data: &Labelled<'_>, run: &Run) -> Result<Self> {
        let x = data.samples.dense()?;
        let chunk = ((1 << 18) / x.ncols())
            .clamp(64, 4096)
            .max(8 * data.classes.len());
        let variances = parallel::reduce(
            x.nrows(),
            chunk,
            run,
            &|rows| Ok(summarise_piece(data, x, rows)),
            &|left, right| {
                left.into_iter()
                    .zip(right)
                    .map(|(left, right)| left.merge(right))
                    .collect()
            },
        )?;
        let empty = || vec![Variances::empty(x.ncols()); data.classes.len()];
        let variances = variances.unwrap_or_else(empty);
        let mut numbers = variances
            .iter()
            .flat_map(|class| class.mean.iter().chain(&class.sum_squares));
        match numbers.all(|number| number.is_finite()) {
            true => Ok(ClassVariances {
                classes: data.classes.clone(),
                variances,
            }),
            false => Err(Error::numerical(
                "the sums of squares of the columns overflow; \
                 divide the columns by a power of ten so that their values stay below 1e150",
            )),
        }
    }

    /// Fails when the classes have different columns, as in a damaged summary.
    pub(crate) fn check(&self) -> Result<()> {
        let columns = self.variances.first().map_or(0, |class| class.mean.len());
        let sound = |class: &Variances| class.is_consistent() && class.mean.len() == columns;
        ensure_belongs(
            self.variances.len() == self.classes.len() && self.variances.iter().all(sound),
        )
    }

    pub(crate) fn merge(self, other: Self) -> Result<Self> {
        let columns = |summary: &Self| summary.variances.first().map(|class| class.mean.len());
        if self.classes != other.classes || columns(&self) != columns(&other) {
            return Err(Error::data(
                "the chunks have different classes or different columns",
            ));
        }
        let pairs = self.variances.into_iter().zip(other.variances);
        Ok(ClassVariances {
            classes: self.classes,
            variances: pairs.map(|(left, right)| left.merge(right)).collect(),
        })
    }
}

/// Two passes over rows that are still in the cache: sums about the first row of each class, which
/// are exact for constant columns and accurate far from zero, then squares about the means.
fn summarise_piece(
    data: &Labelled<'_>,
    x: ArrayView2<'_, f64>,
    rows: Range<usize>,
) -> Vec<Variances> {
    let (classes, d) = (data.classes.len(), x.ncols());
    let mut weights = vec![0.0; classes];
    let mut first: Vec<Option<&[f64]>> = vec![None; classes];
    let mut sums = vec![0.0; classes * d];
    let row_of = |row: usize| x.row(row).to_slice().expect("checked rows are contiguous");
    // A row of weight zero is absent, however large it is.
    let counting = |rows: Range<usize>| {
        rows.map(|row| (row, data.labels[row], data.samples.weight(row)))
            .filter(|&(_, _, weight)| weight > 0.0)
    };
    for (row, label, weight) in counting(rows.clone()) {
        let values = row_of(row);
        weights[label] += weight;
        let first = *first[label].get_or_insert(values);
        for ((sum, value), first) in sums[label * d..][..d].iter_mut().zip(values).zip(first) {
            *sum += weight * (value - first);
        }
    }
    for label in (0..classes).filter(|&label| weights[label] > 0.0) {
        let first = first[label].expect("a class with weight has a row");
        for (sum, first) in sums[label * d..][..d].iter_mut().zip(first) {
            *sum = *sum / weights[label] + first;
        }
    }
    let means = sums;
    let mut squares = vec![0.0; classes * d];
    for (row, label, weight) in counting(rows) {
        let means = &means[label * d..][..d];
        for ((square, value), mean) in squares[label * d..][..d]
            .iter_mut()
            .zip(row_of(row))
            .zip(means)
        {
            let difference = value - mean;
            *square += weight * difference * difference;
        }
    }
    let each = means
        .chunks_exact(d)
        .zip(squares.chunks_exact(d))
        .zip(weights);
    each.map(|((mean, squares), weight)| Variances {
        weight,
        mean: Array1::from(mean.to_vec()),
        sum_squares: Array1::from(squares.to_vec()),
    })
    .collect()
}
