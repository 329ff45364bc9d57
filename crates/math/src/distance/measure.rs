//! Distances and similarities under one name.

use super::{Metric, pairwise, pairwise_self};
use crate::kernel::{Kernel, kernel_matrix, kernel_matrix_self};
use didact_core::{Result, Rows, Run};
use ndarray::Array2;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether large values mean far apart or alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Orientation {
    /// Small means alike; a row is at zero from itself.
    Distance,
    /// Large means alike.
    Similarity,
}

/// A distance or a similarity of rows; it always says which.
///
/// ```
/// use didact_math::distance::{Measure, Metric, Orientation};
/// let measure = Measure::from(Metric::Euclidean);
/// assert_eq!(measure.orientation(), Orientation::Distance);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// A distance.
    Distance(Metric),
    /// A similarity.
    Similarity(Kernel),
}

impl From<Metric> for Measure {
    fn from(metric: Metric) -> Self {
        Measure::Distance(metric)
    }
}

impl From<Kernel> for Measure {
    fn from(kernel: Kernel) -> Self {
        Measure::Similarity(kernel)
    }
}

impl Measure {
    /// Whether large values mean far apart or alike.
    pub fn orientation(&self) -> Orientation {
        match self {
            Measure::Distance(_) => Orientation::Distance,
            Measure::Similarity(_) => Orientation::Similarity,
        }
    }

    /// The measure of every row of x (rows of the answer) and every row of y (columns).
    pub fn pairwise(&self, x: Rows<'_>, y: Rows<'_>, run: &Run) -> Result<Array2<f64>> {
        match self {
            Measure::Distance(metric) => pairwise(x, y, *metric, run),
            Measure::Similarity(kernel) => kernel_matrix(x, y, kernel, run),
        }
    }

    /// The measure of all pairs of rows of x, exactly symmetric. `diagonal` replaces what a row
    /// has with itself, as graphs without loops need it.
    pub fn matrix(&self, x: Rows<'_>, diagonal: Option<f64>, run: &Run) -> Result<Array2<f64>> {
        let mut matrix = match self {
            Measure::Distance(metric) => pairwise_self(x, *metric, run)?,
            Measure::Similarity(kernel) => kernel_matrix_self(x, kernel, run)?,
        };
        if let Some(value) = diagonal {
            matrix.diag_mut().fill(value);
        }
        Ok(matrix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_testing::random_matrix;

    #[test]
    fn every_measure_declares_its_orientation_and_the_diagonal_is_a_choice() {
        // 000a:SIM-06 000a:UNS-09 001:CLU-13: D has diagonal 0, S has 1, a graph has 0.
        let x = random_matrix(6, 2, 1);
        let rows = Rows::Dense(x.view());
        let run = Run::new();
        let distance = Measure::from(Metric::Euclidean);
        let similarity = Measure::from(Kernel::Rbf { gamma: 0.5 });
        assert_eq!(distance.orientation(), Orientation::Distance);
        assert_eq!(similarity.orientation(), Orientation::Similarity);
        let diagonal = |measure: &Measure, chosen| {
            let matrix = measure.matrix(rows, chosen, &run).unwrap();
            assert_eq!(matrix, matrix.t());
            matrix[[3, 3]]
        };
        assert_eq!(diagonal(&distance, None), 0.0);
        assert_eq!(diagonal(&similarity, None), 1.0);
        assert_eq!(diagonal(&similarity, Some(0.0)), 0.0);
        let all = similarity.pairwise(rows, rows, &run).unwrap();
        let symmetric = similarity.matrix(rows, None, &run).unwrap();
        didact_testing::assert_close(&all, &symmetric, 1e-12);
    }
}
