//! The moments of each class, in pieces that can be merged.

use didact_core::{Classes, Error, Labelled, Result, Run, Samples, ensure_belongs};
use didact_math::linalg::Moments;
use ndarray::{Array1, Array2};
use serde::{Deserialize, Serialize};

/// The weight and mean of each class, and the scatter of the rows about the means of their
/// classes: of every class, or of all classes together where that is enough.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassMoments {
    pub(crate) classes: Classes,
    pub(crate) weights: Array1<f64>,
    /// A row per class.
    pub(crate) means: Array2<f64>,
    /// One matrix per class, or one for all.
    pub(crate) scatters: Vec<Array2<f64>>,
}

/// The rows of a class that count, and their weights.
pub(crate) fn rows_of_class(data: &Labelled<'_>, class: usize) -> Samples<'static> {
    let own: Vec<usize> = (0..data.labels.len())
        .filter(|&row| data.labels[row] == class && data.samples.weight(row) > 0.0)
        .collect();
    data.samples.select(&own)
}

impl ClassMoments {
    /// Sums up the rows; `pooled` keeps one scatter for all classes.
    pub(crate) fn new(data: &Labelled<'_>, pooled: bool, run: &Run) -> Result<Self> {
        let (k, d) = (data.classes.len(), data.samples.n_columns());
        let mut moments = ClassMoments {
            classes: data.classes.clone(),
            weights: Array1::zeros(k),
            means: Array2::zeros((k, d)),
            scatters: vec![Array2::zeros((d, d)); if pooled { 1 } else { k }],
        };
        for class in 0..k {
            run.check()?;
            let rows = rows_of_class(data, class);
            if rows.n_rows() > 0 {
                moments.add(class, Moments::summarise(rows.rows(), rows.weights(), run)?);
            }
        }
        Ok(moments)
    }

    /// The weights and means alone, for methods that read the rows themselves.
    pub(crate) fn means_only(data: &Labelled<'_>, run: &Run) -> Result<Self> {
        let (k, d) = (data.classes.len(), data.samples.n_columns());
        let mut moments = ClassMoments {
            classes: data.classes.clone(),
            weights: Array1::zeros(k),
            means: Array2::zeros((k, d)),
            scatters: Vec::new(),
        };
        for class in 0..k {
            let rows = rows_of_class(data, class);
            if rows.n_rows() > 0 {
                let found =
                    didact_math::linalg::Variances::summarise(rows.rows(), rows.weights(), run)?;
                moments.weights[class] = found.weight;
                moments.means.row_mut(class).assign(&found.mean);
            }
        }
        Ok(moments)
    }

    fn add(&mut self, class: usize, moments: Moments) {
        let pooled = self.scatters.len() < self.weights.len();
        let place = if pooled { 0 } else { class };
        self.weights[class] = moments.weight;
        self.means.row_mut(class).assign(&moments.mean);
        self.scatters[place] += &moments.scatter;
    }

    pub(crate) fn n_columns(&self) -> usize {
        self.means.ncols()
    }

    /// The sum of all weights.
    pub(crate) fn total(&self) -> f64 {
        self.weights.sum()
    }

    /// The classes that have rows.
    pub(crate) fn present(&self) -> Vec<usize> {
        (0..self.weights.len())
            .filter(|&class| self.weights[class] > 0.0)
            .collect()
    }

    /// The scatter of all rows about the means of their classes.
    pub(crate) fn within(&self) -> Array2<f64> {
        let d = self.n_columns();
        let zero = Array2::zeros((d, d));
        self.scatters
            .iter()
            .fold(zero, |sum, scatter| sum + scatter)
    }

    pub(crate) fn merge(mut self, other: Self) -> Result<Self> {
        if self.classes != other.classes
            || self.means.dim() != other.means.dim()
            || self.scatters.len() != other.scatters.len()
        {
            return Err(Error::data(
                "the chunks have different classes or different columns",
            ));
        }
        for (left, right) in self.scatters.iter_mut().zip(&other.scatters) {
            *left += right;
        }
        let pooled = self.scatters.len() < self.weights.len();
        for class in 0..self.weights.len() {
            let (own, more) = (self.weights[class], other.weights[class]);
            if more == 0.0 {
                continue;
            }
            // The scatter about the common mean (Chan, Golub and LeVeque 1979).
            let share = more / (own + more);
            let shift = &other.means.row(class) - &self.means.row(class);
            if own > 0.0 {
                let factor = own * share;
                let scatter = &mut self.scatters[if pooled { 0 } else { class }];
                for (mut row, &left) in scatter.rows_mut().into_iter().zip(&shift) {
                    row.zip_mut_with(&shift, |value, &right| *value += factor * (left * right));
                }
            }
            let mut mean = self.means.row_mut(class);
            mean.zip_mut_with(&shift, |mean, &shift| *mean += share * shift);
            self.weights[class] = own + more;
        }
        Ok(self)
    }

    /// Fails when the parts do not belong together, as in a damaged summary.
    pub(crate) fn check(&self, pooled: bool) -> Result<()> {
        let (k, d) = self.means.dim();
        let matrices = if pooled { 1 } else { k };
        let mut numbers = self.means.iter().chain(self.scatters.iter().flatten());
        ensure_belongs(
            k > 0
                && d > 0
                && k == self.classes.len()
                && self.weights.len() == k
                && self.weights.iter().all(|w| *w >= 0.0 && w.is_finite())
                && self.scatters.len() == matrices
                && self.scatters.iter().all(|scatter| scatter.dim() == (d, d))
                && numbers.all(|number| number.is_finite()),
        )
    }
}
