//! Density by the radius of the ball that holds the nearest rows.

use crate::magnitude::check_magnitude;
use crate::norm::Norm;
use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Attribute, Error, Features, Fit, LogDensity, Model, Result, Rows, Run, Samples,
    Value,
};
use didact_math::neighbors::{Index, SearchAlgorithm};
use ndarray::Array1;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Estimates a density by the volume of the ball that holds the k nearest rows.
///
/// p(x) = (k/n)/V(r) with the distance r of the k-th nearest of n rows and the volume V of a ball of
/// that radius: π^(d/2)·rᵈ/Γ(d/2+1) for the Euclidean distance. Where windows fix the volume and
/// count, this fixes the count and measures the volume, so it is as fine as the data are dense. It is
/// no density in the strict sense: its tails are so heavy that the integral diverges.
///
/// A training row is one of its own neighbours, as any other row in its place would find it there;
/// [`leave_one_out`](KNeighborsDensityModel::leave_one_out) does not count it. Where the k nearest rows
/// are all equal to x, their ball has no volume; it grows on to the next row, which then counts too.
/// Only where all rows are equal the density is infinite.
///
/// ```
/// use didact_core::{Fit, LogDensity, Samples};
/// use didact_neighbors::KNeighborsDensity;
/// let x = ndarray::array![[0.0], [1.0], [3.0], [7.0]];
/// let model = KNeighborsDensity { n_neighbors: 2, ..KNeighborsDensity::default() }
///     .fit(Samples::from(&x))?;
/// // The second nearest row of 0.5 is ½ away: (2/4)/(2·½).
/// assert!((model.score_samples(&ndarray::array![[0.5]])?[0].exp() - 0.5).abs() < 1e-15);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct KNeighborsDensity {
    /// How many rows the ball holds.
    #[schemars(range(min = 1))]
    pub n_neighbors: usize,
    /// How distance is measured.
    pub metric: Norm,
    /// How neighbours are searched; the answer is the same.
    pub algorithm: SearchAlgorithm,
    /// How many rows a leaf of a search tree holds at most.
    #[schemars(range(min = 1))]
    pub leaf_size: usize,
}

impl Default for KNeighborsDensity {
    fn default() -> Self {
        KNeighborsDensity {
            n_neighbors: 5,
            metric: Norm::Euclidean,
            algorithm: SearchAlgorithm::Auto,
            leaf_size: 30,
        }
    }
}

/// The training rows, searchable, and how many of them a ball must hold.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KNeighborsDensityModel {
    index: Index<'static>,
    norm: Norm,
    n_neighbors: usize,
}

impl Fit<Samples<'_>> for KNeighborsDensity {
    type Model = KNeighborsDensityModel;

    fn learn(&self, data: Samples<'_>, run: &Run) -> Result<KNeighborsDensityModel> {
        self.metric.check()?;
        let n_rows = data.n_rows();
        if self.n_neighbors > n_rows {
            return Err(Error::parameter(
                "n_neighbors",
                self.n_neighbors,
                match n_rows {
                    1 => "there is only 1 sample to learn from; ask for 1".to_owned(),
                    _ => format!("there are only {n_rows} rows; ask for at most {n_rows}"),
                },
            ));
        }
        check_magnitude(data.rows(), self.metric.metric())?;
        Ok(KNeighborsDensityModel {
            index: Index::build(
                data.rows(),
                self.metric.metric(),
                self.algorithm,
                self.leaf_size,
                run,
            )?
            .into_owned(),
            norm: self.metric,
            n_neighbors: self.n_neighbors,
        })
    }
}

impl KNeighborsDensityModel {
    /// The radius of the ball of each row: the distance of the k-th nearest training row, or of the
    /// first one that differs where these are all equal to the row.
    pub fn radii<'a>(&self, rows: impl Into<Samples<'a>>) -> Result<Array1<f64>> {
        let samples = rows.into();
        didact_core::abilities::check_rows(self, samples.rows())?;
        let balls = self.balls(samples.rows(), self.n_neighbors)?;
        Ok(balls.into_iter().map(|(_, radius)| radius).collect())
    }

    /// The log-density of each training row as the others see it: its ball holds k of them.
    pub fn leave_one_out(&self) -> Result<Array1<f64>> {
        let others = self.index.n_rows() - 1;
        if self.n_neighbors > others {
            return Err(Error::parameter(
                "n_neighbors",
                self.n_neighbors,
                format!("there are only {others} other rows; ask for at most {others}"),
            ));
        }
        // Nearest of all is the row itself, or one equal to it, which is as far away.
        let balls = self
            .balls(self.index.rows(), self.n_neighbors + 1)?
            .into_iter();
        let without = balls.map(|(count, radius)| (count - 1, radius)).collect();
        self.densities(without, others)
    }

    /// How many rows the ball of each row holds, and its radius.
    fn balls(&self, rows: Rows<'_>, k: usize) -> Result<Vec<(usize, f64)>> {
        check_magnitude(rows, self.index.metric())?;
        let found = self.index.nearest(rows, k, &Run::new())?;
        let reach = found.distances.column(k - 1);
        reach
            .iter()
            .enumerate()
            .map(|(row, &radius)| match radius > 0.0 {
                true => Ok((k, radius)),
                false => self.grown(rows.slice(row..row + 1), k),
            })
            .collect()
    }

    /// The ball of a row that is equal to its `k` nearest ones, grown to the first that differs.
    fn grown(&self, row: Rows<'_>, k: usize) -> Result<(usize, f64)> {
        let n = self.index.n_rows();
        let mut k = k;
        loop {
            k = (2 * k).min(n);
            let found = self.index.nearest(row, k, &Run::new())?;
            let other = found.distances.iter().position(|&distance| distance > 0.0);
            match other {
                Some(place) => return Ok((place + 1, found.distances[[0, place]])),
                None if k == n => return Ok((n, 0.0)),
                None => {}
            }
        }
    }

    /// ln (k/n)/V of balls that hold k rows.
    fn densities(&self, balls: Vec<(usize, f64)>, n_rows: usize) -> Result<Array1<f64>> {
        let d = self.n_features();
        let unit = self.norm.log_unit_ball(d);
        let one = |(count, radius): (usize, f64)| {
            (count as f64 / n_rows as f64).ln() - unit - d as f64 * radius.ln()
        };
        Ok(balls.into_iter().map(one).collect())
    }
}

impl Features for KNeighborsDensityModel {
    fn n_features(&self) -> usize {
        self.index.rows().n_columns()
    }
}

impl LogDensity for KNeighborsDensityModel {
    fn log_density(&self, rows: Rows<'_>) -> Result<Array1<f64>> {
        let balls = self.balls(rows, self.n_neighbors)?;
        self.densities(balls, self.index.n_rows())
    }
}

impl Model for KNeighborsDensityModel {
    const ABILITIES: Abilities<Self> = Abilities::none().log_density();

    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "n_samples_fit",
            meaning: "Number of training rows.",
            get: |model| Value::from(model.index.n_rows()),
        },
        Attribute {
            name: "n_neighbors",
            meaning: "How many rows a ball holds.",
            get: |model| Value::from(model.n_neighbors),
        },
        Attribute {
            name: "effective_metric",
            meaning: "How distance is measured.",
            get: |model| Value::from(model.index.metric().to_string()),
        },
    ];

    fn validate(&self) -> Result<()> {
        self.norm.check()?;
        let finite = match self.index.rows() {
            Rows::Dense(dense) => dense.iter().all(|value| value.is_finite()),
            Rows::Sparse(_) => false,
        };
        let agree = self.norm.metric() == self.index.metric();
        ensure_consistent(finite && agree && (1..=self.index.n_rows()).contains(&self.n_neighbors))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, array};

    fn fitted(x: &Array2<f64>, k: usize, metric: Norm) -> KNeighborsDensityModel {
        let parameters = KNeighborsDensity {
            n_neighbors: k,
            metric,
            ..KNeighborsDensity::default()
        };
        parameters.fit(Samples::from(x)).unwrap()
    }

    // 003:P40 003:P43: k/(N·2r) in one column, k/(N·πr²) and the volumes of other norms in two.
    #[test]
    fn the_density_is_the_share_of_rows_by_the_volume_of_their_ball() {
        let line = array![[0.0], [1.0], [3.0], [7.0], [8.0]];
        let density = |x: &Array2<f64>, k, metric, point: Array2<f64>| {
            let model = fitted(x, k, metric);
            model.score_samples(&point).unwrap()[0].exp()
        };
        // The third nearest of 2 is 0, two away: 3/(5·2·2).
        let found = density(&line, 3, Norm::Euclidean, array![[2.0]]);
        assert!((found - 3.0 / 20.0).abs() < 1e-15);
        let plane = array![[3.0, 4.0], [1.0, 0.0], [9.0, 9.0], [-9.0, 9.0]];
        let origin = array![[0.0, 0.0]];
        let pi = std::f64::consts::PI;
        for (metric, volume) in [
            (Norm::Euclidean, 25.0 * pi),
            (Norm::Manhattan, 2.0 * 49.0),
            (Norm::Chebyshev, 64.0),
        ] {
            let found = density(&plane, 2, metric, origin.clone());
            assert!((found - 0.5 / volume).abs() < 1e-15, "{metric:?}");
        }
    }

    #[test]
    fn a_training_row_counts_itself_unless_it_is_left_out() {
        let x = array![[0.0], [1.0], [3.0]];
        let model = fitted(&x, 2, Norm::Euclidean);
        // 2/(3·2·r) with itself and the nearest other row, 1, 1 and 2 away.
        let own = model.score_samples(&x).unwrap().mapv(f64::exp);
        for (found, expected) in own.iter().zip([1.0, 1.0, 0.5]) {
            assert!((found - expected / 3.0).abs() < 1e-15);
        }
        let model = fitted(&x, 1, Norm::Euclidean);
        // 1/(2·2·r) with the distances 1, 1 and 2 to the nearest other row.
        let others = model.leave_one_out().unwrap().mapv(f64::exp);
        for (found, expected) in others.iter().zip([0.25, 0.25, 0.125]) {
            assert!((found - expected).abs() < 1e-15);
        }
        assert_eq!(model.radii(&array![[2.5]]).unwrap(), array![0.5]);
    }

    // 003:P43: the radius is zero at duplicates; there the ball grows on to a row that differs.
    #[test]
    fn a_ball_of_equal_rows_grows_to_the_next_one() {
        let x = array![[2.0], [2.0], [2.0], [5.0], [9.0]];
        let model = fitted(&x, 2, Norm::Euclidean);
        let found = model.score_samples(&x).unwrap().mapv(f64::exp);
        // Four rows within three of 2.
        assert!((found[0] - (4.0 / 5.0) / 6.0).abs() < 1e-15);
        assert!((found[3] - (2.0 / 5.0) / 6.0).abs() < 1e-15);
        assert_eq!(
            model.radii(&array![[2.0], [5.5]]).unwrap(),
            array![3.0, 3.5]
        );
        // Of the others, the two equal ones and the next.
        let others = model.leave_one_out().unwrap().mapv(f64::exp);
        assert!((others[0] - (3.0 / 4.0) / 6.0).abs() < 1e-15);
        let same = array![[1.0], [1.0], [1.0]];
        let infinite = fitted(&same, 2, Norm::Euclidean)
            .score_samples(&same)
            .unwrap();
        assert!(infinite.iter().all(|&density| density == f64::INFINITY));
    }

    // 003:P43: p falls like 1/|x| in one column, so that its integral grows with ln of the end.
    #[test]
    fn the_integral_diverges() {
        let x = array![[-1.0], [0.0], [1.0]];
        let model = fitted(&x, 2, Norm::Euclidean);
        let integral = |from: f64, to: f64| {
            let steps = 20_000;
            let step = (to - from) / f64::from(steps);
            let points =
                Array2::from_shape_fn((steps as usize, 1), |(i, _)| from + (i as f64 + 0.5) * step);
            model.score_samples(&points).unwrap().mapv(f64::exp).sum() * step
        };
        let (near, far) = (integral(10.0, 100.0), integral(100.0, 1000.0));
        // (2/3)/2·ln of the quotient of the ends, each moved by the second nearest row at 0.
        let tail = 10_f64.ln() / 3.0;
        assert!(
            (near - tail).abs() < 1e-3 && (far - tail).abs() < 1e-3,
            "{near} {far} {tail}"
        );
    }

    #[test]
    fn more_neighbours_than_rows_and_balls_that_are_not_convex_are_refused() {
        let x = array![[0.0], [1.0]];
        let refuse = |parameters: KNeighborsDensity| {
            parameters.fit(Samples::from(&x)).unwrap_err().to_string()
        };
        assert!(refuse(KNeighborsDensity::default()).starts_with("n_neighbors is 5; "));
        let concave = KNeighborsDensity {
            n_neighbors: 1,
            metric: Norm::Minkowski { p: 0.5 },
            ..KNeighborsDensity::default()
        };
        assert!(concave.fit(Samples::from(&x)).is_err());
    }
}
