//! Every path of a short sequence, one by one: the definition, to check the recursions against.

use super::model::HmmModel;
use didact_core::{Error, Result, Run, Samples};
use didact_math::numeric::log_sum_exp;

/// The most paths that are enumerated.
const MOST_PATHS: u128 = 1 << 20;

/// What looking at every path of states shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Enumeration {
    /// The path that maximises p(x, h), the first in dictionary order among equals.
    pub best_path: Vec<usize>,
    /// ln p(x, h) of that path.
    pub best_log_probability: f64,
    /// ln p(x), the sum over all paths.
    pub log_likelihood: f64,
}

impl HmmModel {
    /// Looks at every path of states through one short sequence: Kⁿ of them, a million at most.
    pub fn enumerate<'a>(&self, items: impl Into<Samples<'a>>) -> Result<Enumeration> {
        let items = items.into();
        let (n, k) = (items.n_rows(), self.n_states());
        let paths = (k as u128).checked_pow(n.try_into().unwrap_or(u32::MAX));
        let Some(paths) = paths.filter(|&paths| paths <= MOST_PATHS) else {
            return Err(Error::data(format!(
                "{n} items and {k} states have more than {MOST_PATHS} paths; \
                 use the forward and Viterbi recursions instead"
            )));
        };
        let emissions = self.log_emissions(&items)?;
        let mut path = vec![0; n];
        let mut scores = Vec::with_capacity(paths as usize);
        let mut best = (path.clone(), f64::NEG_INFINITY);
        for _ in 0..paths {
            let score = self.path_score(&emissions, &path);
            if score > best.1 {
                best = (path.clone(), score);
            }
            scores.push(score);
            advance(&mut path, k);
        }
        Ok(Enumeration {
            best_path: best.0,
            best_log_probability: best.1,
            log_likelihood: log_sum_exp(&scores),
        })
    }

    /// ln p(x, h) of one sequence and one path of states; minus infinity where impossible.
    pub fn joint_log_probability<'a>(
        &self,
        items: impl Into<Samples<'a>>,
        path: &[usize],
    ) -> Result<f64> {
        let items = items.into();
        if path.len() != items.n_rows() {
            return Err(Error::data(format!(
                "the path has {} states for {} items",
                path.len(),
                items.n_rows()
            )));
        }
        if let Some(state) = path.iter().find(|&&state| state >= self.n_states()) {
            return Err(Error::data(format!(
                "the path has the state {state} but there are only {}",
                self.n_states()
            )));
        }
        Ok(self.path_score(&self.log_emissions(&items)?, path))
    }

    /// ln b_j(x_t), row by row.
    pub(crate) fn log_emissions(&self, items: &Samples<'_>) -> Result<Vec<f64>> {
        let values = self.values(items.rows())?;
        let engine = self.engine()?;
        let evaluated = engine
            .scorer
            .evaluate(values, self.n_states(), 0, &Run::new())?;
        let mut logarithms = vec![0.0; items.n_rows() * self.n_states()];
        evaluated.copy_logarithms(0, &mut logarithms);
        Ok(logarithms)
    }

    fn path_score(&self, emissions: &[f64], path: &[usize]) -> f64 {
        let k = self.n_states();
        let mut score = path
            .first()
            .map_or(0.0, |&first| self.startprob[first].ln());
        for (t, &state) in path.iter().enumerate() {
            score += emissions[t * k + state];
        }
        for step in path.windows(2) {
            score += self.transmat[[step[0], step[1]]].ln();
        }
        match (&self.stopprob, path.last()) {
            (Some(stop), Some(&last)) => score + stop[last].ln(),
            _ => score,
        }
    }
}

/// The next path in dictionary order.
fn advance(path: &mut [usize], n_states: usize) {
    for state in path.iter_mut().rev() {
        *state += 1;
        if *state < n_states {
            return;
        }
        *state = 0;
    }
}
