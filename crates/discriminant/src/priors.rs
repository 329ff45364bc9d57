//! The probability of each class before a row is seen.

use didact_core::random::Generator;
use didact_core::{Classes, Drawn, Error, Result};
use ndarray::{Array1, Array2, ArrayViewMut1};
use rand::RngExt;

/// How the class probabilities are found.
pub(crate) struct ClassPrior<'a> {
    /// The parameter that holds the given probabilities.
    pub(crate) parameter: &'static str,
    /// The probabilities that somebody gave.
    pub(crate) given: Option<&'a [f64]>,
    /// Whether every class is held equally probable.
    pub(crate) uniform: bool,
    /// Rows to pretend to have seen of every class.
    pub(crate) smoothing: f64,
    /// Whether nothing is known of a class without rows, so that it cannot be expected.
    pub(crate) needs_rows: bool,
}

impl ClassPrior<'_> {
    /// The probabilities of classes with these weights of rows.
    pub(crate) fn probabilities(
        &self,
        counts: &Array1<f64>,
        classes: &Classes,
    ) -> Result<Array1<f64>> {
        if counts.iter().all(|&count| count == 0.0) {
            return Err(Error::data(
                "no row counts; give at least one a weight above zero",
            ));
        }
        let hopeless = |count: f64| count == 0.0 && self.needs_rows;
        let Some(given) = self.given else {
            let smoothed = counts.mapv(|count| match (hopeless(count), self.uniform) {
                (true, _) => 0.0,
                (false, true) => 1.0,
                (false, false) => count + self.smoothing,
            });
            let total = smoothed.sum();
            return Ok(smoothed / total);
        };
        self.check(given, classes)?;
        let unknown = (0..given.len()).find(|&class| given[class] > 0.0 && hopeless(counts[class]));
        if let Some(class) = unknown {
            let name = &classes.names()[class];
            return Err(self.complain(
                class,
                given,
                format!("the class {name} has no rows; its probability must be 0"),
            ));
        }
        let total: f64 = given.iter().sum();
        Ok(Array1::from(given.to_vec()) / total)
    }

    fn check(&self, given: &[f64], classes: &Classes) -> Result<()> {
        if given.len() != classes.len() {
            let count = classes.len();
            return Err(Error::parameter(
                self.parameter,
                format!("a list of {}", given.len()),
                format!("there are {count} classes; give one probability for each"),
            ));
        }
        if let Some(class) = given
            .iter()
            .position(|prior| *prior < 0.0 || prior.is_nan())
        {
            let requirement = "a probability must not be negative".to_owned();
            return Err(self.complain(class, given, requirement));
        }
        let total: f64 = given.iter().sum();
        if (total - 1.0).abs() > 1e-8 || !total.is_finite() {
            return Err(Error::parameter(
                self.parameter,
                format!("{given:?}"),
                format!("the probabilities add up to {total}; they must add up to 1"),
            ));
        }
        Ok(())
    }

    fn complain(&self, class: usize, given: &[f64], requirement: String) -> Error {
        let name = format!("{}[{class}]", self.parameter);
        Error::parameter(name, given[class], requirement)
    }
}

/// A class drawn with the given probabilities.
pub(crate) fn draw_class(probabilities: &Array1<f64>, generator: &mut Generator) -> usize {
    let mut left: f64 = generator.random::<f64>();
    for (class, probability) in probabilities.iter().enumerate() {
        left -= probability;
        if left < 0.0 && *probability > 0.0 {
            return class;
        }
    }
    // Rounding may leave a crumb at the end.
    let last = probabilities.iter().rposition(|&share| share > 0.0);
    last.unwrap_or(0)
}

/// Rows of `n_columns` values: the class of each is drawn first, then `draw` fills the row.
pub(crate) fn draw_rows(
    n_rows: usize,
    n_columns: usize,
    class_prior: &Array1<f64>,
    generator: &mut Generator,
    mut draw: impl FnMut(usize, ArrayViewMut1<'_, f64>, &mut Generator) -> Result<()>,
) -> Result<Drawn> {
    let mut rows = Array2::zeros((n_rows, n_columns));
    let mut labels = Vec::with_capacity(n_rows);
    for row in rows.rows_mut() {
        let class = draw_class(class_prior, generator);
        draw(class, row, generator)?;
        labels.push(class);
    }
    Ok(Drawn { rows, labels })
}
