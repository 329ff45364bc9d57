//! Ways to measure how far apart two rows are.

use super::formulas::{Jaccard, aligned, chi_square, cosine, cosine_sparse, minkowski};
use super::squared::squared_euclidean;
use didact_core::{Error, Result, Rows};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How the distance between two rows is measured.
///
/// ```
/// use didact_math::distance::Metric;
/// let (a, b) = ([0.0, 0.0], [3.0, 4.0]);
/// assert_eq!(Metric::Euclidean.between(&a, &b), 5.0);
/// assert_eq!(Metric::Manhattan.between(&a, &b), 7.0);
/// assert_eq!(Metric::Chebyshev.between(&a, &b), 4.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// The length of the straight line, √Σ(aᵢ−bᵢ)².
    #[default]
    Euclidean,
    /// Its square, Σ(aᵢ−bᵢ)².
    SquaredEuclidean,
    /// The way along the axes, Σ|aᵢ−bᵢ|.
    Manhattan,
    /// The largest difference, max|aᵢ−bᵢ|.
    Chebyshev,
    /// The general length (Σ|aᵢ−bᵢ|ᵖ)^(1/p).
    Minkowski {
        /// The exponent; 1 is Manhattan, 2 Euclidean.
        #[schemars(range(min = 1))]
        p: f64,
    },
    /// One minus the cosine of the angle, 1 − a·b/(‖a‖‖b‖); a row of zeros is at distance one
    /// from every row.
    Cosine,
    /// The number of columns in which the rows differ.
    Hamming,
    /// The difference of histograms, ½·Σ(aᵢ−bᵢ)²/(aᵢ+bᵢ), for values not below zero; columns
    /// that are empty in both count nothing.
    ChiSquare,
    /// One minus the weighted Jaccard similarity, 1 − Σmin(aᵢ,bᵢ)/Σmax(aᵢ,bᵢ), for values not
    /// below zero; two rows of zeros are equal.
    Jaccard,
}

impl fmt::Display for Metric {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Metric::Euclidean => "euclidean",
            Metric::SquaredEuclidean => "squared-euclidean",
            Metric::Manhattan => "manhattan",
            Metric::Chebyshev => "chebyshev",
            Metric::Minkowski { p } => return write!(formatter, "minkowski with p = {p}"),
            Metric::Cosine => "cosine",
            Metric::Hamming => "hamming",
            Metric::ChiSquare => "chi-square",
            Metric::Jaccard => "jaccard",
        };
        formatter.write_str(name)
    }
}

impl Metric {
    /// The distance between two rows of equal length.
    ///
    /// # Panics
    /// When the lengths differ.
    pub fn between(&self, a: &[f64], b: &[f64]) -> f64 {
        self.distance_of(self.ranking(a, b))
    }

    /// The distance between two sparse rows, given as increasing columns and their values.
    pub fn between_sparse(&self, a: (&[u32], &[f64]), b: (&[u32], &[f64])) -> f64 {
        self.distance_of(self.ranking_sparse(a, b))
    }

    /// Fails when an exponent is below one: then near and far lose their meaning.
    pub fn check(&self) -> Result<()> {
        match *self {
            Metric::Minkowski { p } if !(p >= 1.0 && p.is_finite()) => {
                Err(Error::parameter("p", p, "it must be at least 1 and finite"))
            }
            _ => Ok(()),
        }
    }

    /// Fails when the rows hold a value that the metric cannot measure: one that is not finite,
    /// or is negative where the metric compares histograms or weighted sets.
    pub fn check_rows(&self, rows: Rows<'_>) -> Result<()> {
        let needs_weights = matches!(self, Metric::ChiSquare | Metric::Jaccard);
        let fault = |values: &[f64]| {
            // The sum of x·0 is NaN exactly when some x is not finite, and it vectorises.
            let probe: f64 = values.iter().map(|value| value * 0.0).sum();
            let is_negative = needs_weights && values.iter().any(|&value| value < 0.0);
            if probe == 0.0 && !is_negative {
                return None;
            }
            let is_wrong = |value: &f64| !value.is_finite() || (needs_weights && *value < 0.0);
            values.iter().position(is_wrong)
        };
        for row in 0..rows.n_rows() {
            let (column, value) = match rows {
                Rows::Dense(dense) => {
                    let values = dense.row(row);
                    let place = match values.as_slice() {
                        Some(values) => fault(values),
                        None => fault(&values.to_vec()),
                    };
                    let Some(column) = place else { continue };
                    (column, values[column])
                }
                Rows::Sparse(sparse) => {
                    let (columns, values) = sparse.row(row);
                    let Some(place) = fault(values) else { continue };
                    (columns[place] as usize, values[place])
                }
            };
            if !value.is_finite() {
                let hint = "distances need finite numbers";
                return Err(Error::NotFinite {
                    row,
                    column,
                    value,
                    hint,
                });
            }
            return Err(Error::data(format!(
                "row {row}, column {column} is {value}; \
                 the {self} distance needs values not below 0"
            )));
        }
        Ok(())
    }

    /// Whether balls and boxes around rows bound this distance well, so that trees help.
    pub(crate) fn suits_trees(&self) -> bool {
        matches!(
            self,
            Metric::Euclidean
                | Metric::SquaredEuclidean
                | Metric::Manhattan
                | Metric::Chebyshev
                | Metric::Minkowski { .. }
        )
    }

    /// A number that orders pairs like the distance does and is cheaper to find.
    pub(crate) fn ranking(&self, a: &[f64], b: &[f64]) -> f64 {
        match *self {
            Metric::Euclidean | Metric::SquaredEuclidean => squared_euclidean(a, b),
            Metric::Cosine => cosine(a, b),
            _ => {
                assert_eq!(a.len(), b.len(), "the rows have different lengths");
                self.fold(a.iter().copied().zip(b.iter().copied()))
            }
        }
    }

    /// [`Metric::ranking`] of sparse rows.
    pub(crate) fn ranking_sparse(&self, a: (&[u32], &[f64]), b: (&[u32], &[f64])) -> f64 {
        match *self {
            Metric::Cosine => cosine_sparse(a, b),
            // Columns that are zero in both rows change none of these sums.
            _ => self.fold(aligned(a, b)),
        }
    }

    fn fold(&self, pairs: impl Iterator<Item = (f64, f64)> + Clone) -> f64 {
        let differences = pairs.clone().map(|(a, b)| (a - b).abs());
        match *self {
            Metric::Manhattan => differences.sum(),
            Metric::Chebyshev => differences.fold(0.0, f64::max),
            Metric::Minkowski { p } => minkowski(differences, p),
            Metric::Hamming => pairs.filter(|(a, b)| a != b).count() as f64,
            Metric::ChiSquare => pairs.map(|(a, b)| chi_square(a, b)).sum::<f64>() / 2.0,
            Metric::Jaccard => pairs.collect::<Jaccard>().distance(),
            _ => differences.map(|difference| difference * difference).sum(),
        }
    }

    /// The distance that a ranking number stands for.
    pub(crate) fn distance_of(self, ranking: f64) -> f64 {
        match self {
            Metric::Euclidean => ranking.sqrt(),
            _ => ranking,
        }
    }

    /// The ranking number of a distance.
    pub(crate) fn ranking_of(self, distance: f64) -> f64 {
        match self {
            Metric::Euclidean => distance * distance,
            _ => distance,
        }
    }

    /// A length to which the triangle inequality applies, from a ranking number; the metrics
    /// that have none are searched without a tree.
    pub(crate) fn length_of(self, ranking: f64) -> f64 {
        match self {
            Metric::SquaredEuclidean => ranking.sqrt(),
            _ => self.distance_of(ranking),
        }
    }

    /// The ranking number of such a length.
    pub(crate) fn ranking_of_length(self, length: f64) -> f64 {
        match self {
            Metric::SquaredEuclidean => length * length,
            _ => self.ranking_of(length),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use didact_testing::{random_matrix, random_sparse};

    pub(crate) const ALL: [Metric; 9] = [
        Metric::Euclidean,
        Metric::SquaredEuclidean,
        Metric::Manhattan,
        Metric::Chebyshev,
        Metric::Minkowski { p: 3.0 },
        Metric::Cosine,
        Metric::Hamming,
        Metric::ChiSquare,
        Metric::Jaccard,
    ];

    #[test]
    fn distances_are_those_found_by_hand() {
        let (a, b) = ([1.0, 6.0, 3.0], [4.0, 2.0, 3.0]);
        // Differences 3, 4, 0; a·b = 25, ‖a‖² = 46, ‖b‖² = 29; ½(9/5 + 16/8); 1 − 6/13.
        let expected = [
            5.0,
            25.0,
            7.0,
            4.0,
            91f64.cbrt(),
            1.0 - 25.0 / (46.0 * 29.0_f64).sqrt(),
            2.0,
            1.9,
            7.0 / 13.0,
        ];
        for (metric, expected) in ALL.iter().zip(expected) {
            assert!(
                (metric.between(&a, &b) - expected).abs() < 1e-12 * expected,
                "{metric:?}"
            );
            assert_eq!(metric.between(&a, &a), 0.0);
        }
    }

    #[test]
    fn sparse_rows_are_as_far_apart_as_the_same_rows_written_out() {
        let dense = random_sparse(12, 20, 0.3, 1)
            .view()
            .to_dense()
            .mapv(f64::abs);
        let sparse = didact_core::Csr::from_dense(dense.view());
        for metric in ALL {
            for i in 0..12 {
                for j in 0..12 {
                    let written = metric.between(
                        dense.row(i).to_slice().unwrap(),
                        dense.row(j).to_slice().unwrap(),
                    );
                    let found = metric.between_sparse(sparse.view().row(i), sparse.view().row(j));
                    assert!(
                        (found - written).abs() <= 1e-12 * (1.0 + written),
                        "{metric:?} {i} {j}"
                    );
                }
            }
        }
    }

    #[test]
    fn cosine_keeps_its_digits_for_nearly_parallel_rows_and_knows_zero() {
        // The angle is 1e-7 up to rounding, so the distance is 5e-15; 1 − cos would give 4.9e-15.
        let distance = Metric::Cosine.between(&[1.0, 0.0], &[1.0, 1e-7]);
        assert!((distance / 5e-15 - 1.0).abs() < 1e-6, "{distance:e}");
        assert_eq!(Metric::Cosine.between(&[0.0, 0.0], &[1.0, 2.0]), 1.0);
        assert_eq!(Metric::Cosine.between(&[1.0, 0.0], &[-2.0, 0.0]), 2.0);
        // Values whose squares vanish or overflow have a direction all the same.
        let right_angle = Metric::Cosine.between(&[1e-200, 0.0], &[0.0, 1e200]);
        assert!((right_angle - 1.0).abs() < 1e-15);
    }

    #[test]
    fn minkowski_contains_its_special_cases() {
        let rows = random_matrix(2, 9, 2);
        let (a, b) = (rows.row(0).to_vec(), rows.row(1).to_vec());
        for (p, metric) in [(1.0, Metric::Manhattan), (2.0, Metric::Euclidean)] {
            let general = Metric::Minkowski { p }.between(&a, &b);
            assert!((general / metric.between(&a, &b) - 1.0).abs() < 1e-12);
        }
        let error = Metric::Minkowski { p: 0.5 }
            .check()
            .unwrap_err()
            .to_string();
        assert_eq!(error, "p is 0.5; it must be at least 1 and finite");
    }

    #[test]
    fn the_two_points_of_the_first_figure_have_their_printed_distances() {
        // 000a:SIM-02 000a:SIM-03 000a:SIM-04 000a:SIM-05 000a:fx-T2 000a:fx-D1: [1,1] and
        // [3,2]; the text's "Euclidean" is the squared one, its Minkowski lacks the outer root.
        let (a, b) = ([1.0, 1.0], [3.0, 2.0]);
        assert_eq!(Metric::SquaredEuclidean.between(&a, &b), 5.0);
        assert_eq!(Metric::Euclidean.between(&a, &b), 5.0_f64.sqrt());
        assert_eq!(Metric::Manhattan.between(&a, &b), 3.0);
        assert_eq!(Metric::Chebyshev.between(&a, &b), 2.0);
        let cubic = Metric::Minkowski { p: 3.0 }.between(&a, &b);
        assert!((cubic - 2.080_083_823_051_904).abs() < 1e-12);
    }

    #[test]
    fn minkowski_takes_absolute_values_and_tends_to_chebyshev_without_overflow() {
        // 001:CLU-09: without the absolute value the odd power of −2 and 2 would cancel.
        let cubic = Metric::Minkowski { p: 3.0 }.between(&[0.0, 0.0], &[2.0, -2.0]);
        assert!((cubic - 16f64.cbrt()).abs() < 1e-12);
        // 002a:MET01 003:P45: for huge p the powers overflow, the distance does not.
        let (a, b) = ([0.0, 0.0, 0.0], [1000.0, -999.0, 1e-3]);
        for p in [200.0, 1e4, 1e300] {
            let distance = Metric::Minkowski { p }.between(&a, &b);
            assert!((distance / 1000.0 - 1.0).abs() < 1e-2, "{p}: {distance}");
        }
        let tiny = Metric::Minkowski { p: 4.0 }.between(&[0.0], &[1e-200]);
        assert!((tiny / 1e-200 - 1.0).abs() < 1e-12);
    }

    #[test]
    fn histograms_and_weighted_sets_have_their_printed_distances() {
        // 000a:SIM-11 000a:fx-T5: ½(0.01/1.1 + 0.01/0.3 + 0.04/0.6) = 3/55; 000a:fx-T7: 1 − 2/3.
        let (p, q) = ([0.5, 0.1, 0.4], [0.6, 0.2, 0.2]);
        assert!((Metric::ChiSquare.between(&p, &q) - 3.0 / 55.0).abs() < 1e-15);
        assert!((Metric::Jaccard.between(&p, &q) - 1.0 / 3.0).abs() < 1e-15);
        // Columns empty in both count nothing; disjoint distributions are at distance one.
        let padded = Metric::ChiSquare.between(&[0.5, 0.1, 0.4, 0.0], &[0.6, 0.2, 0.2, 0.0]);
        assert!((padded - 3.0 / 55.0).abs() < 1e-15);
        assert_eq!(
            Metric::ChiSquare.between(&[0.3, 0.7, 0.0], &[0.0, 0.0, 1.0]),
            1.0
        );
        assert_eq!(Metric::Jaccard.between(&[0.0; 3], &[0.0; 3]), 0.0);
    }

    #[test]
    fn values_that_a_metric_cannot_measure_are_named() {
        let rows = ndarray::array![[1.0, 2.0], [3.0, -4.0]];
        let complaint = |metric: Metric| metric.check_rows(Rows::Dense(rows.view()));
        assert!(complaint(Metric::Euclidean).is_ok());
        for metric in [Metric::ChiSquare, Metric::Jaccard] {
            let message = complaint(metric).unwrap_err().to_string();
            let expected =
                format!("row 1, column 1 is -4; the {metric} distance needs values not below 0");
            assert_eq!(message, expected);
        }
        let broken = didact_core::Csr::from_rows(&[vec![], vec![(3, f64::NAN)]], 4).unwrap();
        let error = Metric::Hamming.check_rows(Rows::Sparse(broken.view()));
        assert!(matches!(
            error,
            Err(Error::NotFinite {
                row: 1,
                column: 3,
                ..
            })
        ));
    }

    #[test]
    fn squares_that_overflow_are_infinitely_far_and_not_nan() {
        assert_eq!(
            Metric::Euclidean.between(&[1e200], &[-1e200]),
            f64::INFINITY
        );
    }
}
