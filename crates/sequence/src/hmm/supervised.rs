//! Learning from sequences whose states are known: counting.
//!
//! The same counts and the same step as Baum–Welch, with certainty in place of posteriors.

use super::emission::{Emission, count_symbols, symbol_of};
use super::gaussian::Covariances;
use super::initial::check_magnitude;
use super::model::HmmModel;
use super::parameters::Hmm;
use super::scaled::ITEMS_PER_CHECK;
use super::statistics::Statistics;
use didact_core::{Error, Fit, LabelledSequences, Model, Result, Run};
use ndarray::{Array1, Array2, ArrayView2};

impl Fit<LabelledSequences<'_>> for Hmm {
    type Model = HmmModel;

    fn learn(&self, data: LabelledSequences<'_>, run: &Run) -> Result<HmmModel> {
        let base = self.blank_model(&data, run)?;
        let mut counts = Statistics::zeros(&base);
        let rows = data.sequences.samples.dense()?;
        let values = rows.as_slice().expect("samples keep dense rows contiguous");
        let (k, d) = (data.classes.len(), rows.ncols());
        let mut certainty = Vec::new();
        for range in data.sequences.ranges() {
            run.check()?;
            let labels = &data.labels[range.clone()];
            certainty.clear();
            certainty.resize(labels.len() * k, 0.0);
            counts.add_path(labels, &mut certainty);
            counts.add_items(
                &base,
                &values[range.start * d..range.end * d],
                &certainty,
                run,
            )?;
        }
        let model = counts.maximise(base, self)?;
        model.validate()?;
        Ok(model)
    }
}

impl Hmm {
    /// A model in which everything is possible and nothing is known: what a class without items
    /// keeps.
    fn blank_model(&self, data: &LabelledSequences<'_>, run: &Run) -> Result<HmmModel> {
        let k = data.classes.len();
        if k == 0 {
            return Err(Error::data(
                "there are no classes; every item needs a label",
            ));
        }
        let rows = data.sequences.samples.dense()?;
        let emission = match self.emits_symbols(count_symbols(rows), rows.nrows()) {
            true => self.blank_symbols(rows, k)?,
            false => self.blank_gaussians(rows, data.labels, k, run)?,
        };
        let steps = k + usize::from(self.stop_state);
        let equal = (steps as f64).recip();
        let mut model = HmmModel::assemble(
            Array1::from_elem(k, (k as f64).recip()),
            Array2::from_elem((k, k), equal),
            self.stop_state.then(|| Array1::from_elem(k, equal)),
            emission,
        );
        model.state_names = Some(data.classes.clone());
        Ok(model)
    }

    fn blank_symbols(&self, rows: ArrayView2<'_, f64>, k: usize) -> Result<Emission> {
        if rows.ncols() != 1 {
            return Err(Error::data(format!(
                "the rows have {} columns; categorical emissions take one column of symbols",
                rows.ncols()
            )));
        }
        let mut seen = 0;
        for (row, &value) in rows.iter().enumerate() {
            seen = seen.max(symbol_of(value, row)? + 1);
        }
        let n_symbols = self.n_symbols.unwrap_or(seen);
        if n_symbols < seen {
            return Err(Error::parameter(
                "n_symbols",
                n_symbols,
                format!("the data have symbols up to {}", seen - 1),
            ));
        }
        let equal = (n_symbols as f64).recip();
        let probabilities = Array2::from_elem((k, n_symbols), equal);
        Ok(Emission::Categorical {
            probabilities,
            unknown: self.unknown,
        })
    }

    /// Every state at the mean of its items, so that moments about it lose nothing, with the
    /// covariance of all items.
    fn blank_gaussians(
        &self,
        rows: ArrayView2<'_, f64>,
        labels: &[usize],
        k: usize,
        run: &Run,
    ) -> Result<Emission> {
        let d = rows.ncols();
        let mut means = Array2::<f64>::zeros((k + 1, d));
        let mut squares = Array1::<f64>::zeros(d);
        let mut counts = vec![0.0_f64; k + 1];
        for (place, (row, &label)) in rows.rows().into_iter().zip(labels).enumerate() {
            if place % ITEMS_PER_CHECK == 0 {
                run.check()?;
            }
            check_magnitude(row.iter(), place)?;
            // The last row is the mean of all items.
            for group in [label, k] {
                counts[group] += 1.0;
                for column in 0..d {
                    let difference = row[column] - means[[group, column]];
                    means[[group, column]] += difference / counts[group];
                    if group == k {
                        squares[column] += difference * (row[column] - means[[k, column]]);
                    }
                }
            }
        }
        let overall = means.row(k).to_owned();
        for state in (0..k).filter(|&state| counts[state] == 0.0) {
            means.row_mut(state).assign(&overall);
        }
        let variances = squares.mapv(|square| (square / counts[k]).max(self.min_covar));
        let covariance = Array2::from_diag(&variances);
        let covariances = Covariances::common(self.covariance_type, &covariance, k);
        let means = means.slice(ndarray::s![..k, ..]).to_owned();
        Ok(Emission::Gaussian { means, covariances })
    }
}
