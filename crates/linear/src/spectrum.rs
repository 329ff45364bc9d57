//! The principal directions of the columns and how the targets go along with them.

use crate::least_squares::{Intercept, System};
use crate::rows::CountingMeasured;
use didact_core::{Result, Rows, Run};
use didact_math::linalg::{CrossMoments, Variances, at_times_b, symmetric_eigen, thin_svd};
use ndarray::{Array1, Array2, Axis, s};

/// Rows and targets with their means subtracted, every row times the root of its weight.
pub(crate) struct Centred {
    pub(crate) x: Array2<f64>,
    pub(crate) y: Array2<f64>,
    pub(crate) mean_x: Array1<f64>,
    pub(crate) mean_y: Array1<f64>,
    /// Σ(y − ȳ)² of each target, or Σy² where nothing is subtracted.
    pub(crate) squares_y: Array1<f64>,
    pub(crate) weight: f64,
}

impl Centred {
    /// Subtracts the means where `centre` asks for it; else they are zero.
    pub(crate) fn new(data: &CountingMeasured<'_>, centre: bool, run: &Run) -> Result<Self> {
        let weights = data.samples.weights();
        let mut x = data.samples.rows().to_dense().into_owned();
        let mut y = data.targets.to_owned();
        let (mut mean_x, mut mean_y) = (Array1::zeros(x.ncols()), Array1::zeros(y.ncols()));
        if centre {
            mean_x = Variances::summarise(data.samples.rows(), weights, run)?.mean;
            mean_y = Variances::summarise(Rows::Dense(data.targets.view()), weights, run)?.mean;
            x -= &mean_x;
            y -= &mean_y;
        }
        if let Some(weights) = weights {
            let roots = weights.mapv(f64::sqrt);
            let column = roots.view().insert_axis(Axis(1));
            x *= &column;
            y *= &column;
        }
        Ok(Centred {
            squares_y: y.mapv(|value| value * value).sum_axis(Axis(0)),
            x,
            y,
            mean_x,
            mean_y,
            weight: data.samples.total_weight(),
        })
    }
}

/// XᵀX = Vᵀ·diag(s²)·V as far as its rank reaches, with V·Xᵀy and what leads back.
pub(crate) struct Spectrum {
    /// The directions v, a row each, in falling order of s².
    pub(crate) directions: Array2<f64>,
    /// s² of each direction.
    pub(crate) squares: Array1<f64>,
    /// vᵀXᵀy, a row for each direction and a column for each target.
    pub(crate) along: Array2<f64>,
    pub(crate) mean_x: Array1<f64>,
    pub(crate) mean_y: Array1<f64>,
    /// yᵀy of each target, about its mean where means are subtracted.
    pub(crate) squares_y: Array1<f64>,
    pub(crate) weight: f64,
}

impl Spectrum {
    /// From moments with many rows, else from the rows themselves.
    pub(crate) fn of(data: &CountingMeasured<'_>, centre: bool, run: &Run) -> Result<Self> {
        let rows = data.samples.rows();
        if rows.n_columns() <= rows.n_rows() {
            let weights = data.samples.weights();
            let moments = CrossMoments::summarise(rows, data.targets.view(), weights, run)?;
            return Spectrum::of_moments(&moments, centre);
        }
        let centred = Centred::new(data, centre, run)?;
        run.check()?;
        let svd = thin_svd(centred.x.view())?;
        let values = &svd.singular_values;
        let largest = values.first().copied().unwrap_or(0.0);
        let negligible = 16.0 * f64::EPSILON * values.len().max(8) as f64 * largest;
        let rank = values.iter().take_while(|&&s| s > negligible).count();
        let mut along = at_times_b(svd.u.slice(s![.., ..rank]), centred.y.view());
        for (mut row, s) in along.rows_mut().into_iter().zip(values) {
            row *= *s;
        }
        Ok(Spectrum {
            directions: svd.vt.slice(s![..rank, ..]).to_owned(),
            squares: values.slice(s![..rank]).mapv(|s| s * s),
            along,
            mean_x: centred.mean_x,
            mean_y: centred.mean_y,
            squares_y: centred.squares_y,
            weight: centred.weight,
        })
    }

    /// From moments alone.
    pub(crate) fn of_moments(moments: &CrossMoments, centre: bool) -> Result<Self> {
        let intercept = match centre {
            true => Intercept::Free,
            false => Intercept::Absent,
        };
        let system = System::new(moments, intercept);
        let eigen = symmetric_eigen(system.gram())?;
        let largest = eigen.values.first().copied().unwrap_or(0.0).max(0.0);
        let negligible = 16.0 * f64::EPSILON * eigen.values.len().max(8) as f64 * largest;
        let rank = eigen
            .values
            .iter()
            .take_while(|&&value| value > negligible)
            .count();
        let directions = eigen.vectors.slice(s![.., ..rank]).t().to_owned();
        let zero = |means: ndarray::ArrayView1<'_, f64>| match centre {
            true => means.to_owned(),
            false => Array1::zeros(means.len()),
        };
        Ok(Spectrum {
            along: directions.dot(&system.cross()),
            directions,
            squares: eigen.values.slice(s![..rank]).to_owned(),
            mean_x: zero(moments.mean_x()),
            mean_y: zero(moments.mean_y()),
            squares_y: system.squares().clone(),
            weight: moments.weight(),
        })
    }
}

/// Learns in pieces by way of the moments of rows and targets, which `$fit` turns into a model.
macro_rules! learns_from_moments {
    ($algorithm:ty, $model:ty, $fit:expr) => {
        impl didact_core::LearnInPieces<didact_core::Measured<'_>> for $algorithm {
            type State = ();
            type Summary = didact_math::linalg::CrossMoments;

            fn start(&self) -> didact_core::Result<()> {
                Ok(())
            }

            fn summarise(
                &self,
                _: &(),
                chunk: didact_core::Measured<'_>,
                _: usize,
                run: &didact_core::Run,
            ) -> didact_core::Result<didact_math::linalg::CrossMoments> {
                crate::least_squares::Problem::summarise(chunk, run)
            }

            fn check_summary(
                &self,
                _: &(),
                summary: &didact_math::linalg::CrossMoments,
            ) -> didact_core::Result<()> {
                didact_core::ensure_belongs(summary.is_consistent())
            }

            fn merge(
                &self,
                left: didact_math::linalg::CrossMoments,
                right: didact_math::linalg::CrossMoments,
            ) -> didact_core::Result<didact_math::linalg::CrossMoments> {
                crate::least_squares::Problem::merge(left, right)
            }

            fn step(
                &self,
                _: (),
                summary: didact_math::linalg::CrossMoments,
                run: &didact_core::Run,
            ) -> didact_core::Result<didact_core::Next<(), $model>> {
                if summary.weight() == 0.0 {
                    return Err(didact_core::Error::data(
                        "no row counts; give at least one a weight above zero",
                    ));
                }
                let fit: fn(
                    &$algorithm,
                    &didact_math::linalg::CrossMoments,
                    &didact_core::Run,
                ) -> didact_core::Result<$model> = $fit;
                Ok(didact_core::Next::Done(fit(self, &summary, run)?))
            }
        }
    };
}
pub(crate) use learns_from_moments;
