//! The components from products of columns alone.
//!
//! Deflating the rows and multiplying them again gives the same products as deflating the
//! products XᵀY, so the rows need not be changed: the rotations r turn the original columns into
//! components.

use didact_core::{Error, Result, Run};
use didact_math::linalg::symmetric_eigen;
use ndarray::{Array1, Array2, ArrayView1, Axis};

/// What is known about how the columns vary.
pub(super) enum Variation {
    /// XᵀX.
    Products(Array2<f64>),
    /// X itself, where it has more columns than rows.
    Rows(Array2<f64>),
}

impl Variation {
    /// XᵀX·r.
    fn times(&self, r: ArrayView1<'_, f64>) -> Array1<f64> {
        match self {
            Variation::Products(gram) => gram.dot(&r),
            Variation::Rows(x) => x.t().dot(&x.dot(&r)),
        }
    }
}

/// The search for components.
pub(super) struct Components;

/// What was found, a row for each component; `y_loadings` has a row for each target.
pub(super) struct Rotation {
    pub(super) weights: Array2<f64>,
    pub(super) loadings: Array2<f64>,
    pub(super) rotations: Array2<f64>,
    pub(super) y_loadings: Array2<f64>,
    /// tᵀt of each component.
    pub(super) squares: Array1<f64>,
}

impl Components {
    pub(super) fn find(
        variation: Variation,
        mut cross: Array2<f64>,
        most: usize,
        run: &Run,
    ) -> Result<Rotation> {
        let (d, targets) = cross.dim();
        if cross.iter().any(|value| !value.is_finite()) {
            return Err(Error::numerical(
                "the products of columns and targets overflow; \
                 divide the columns by a power of ten so that their values stay below 1e150",
            ));
        }
        let whole = norm(&cross);
        let mut rotation = Rotation {
            weights: Array2::zeros((0, d)),
            loadings: Array2::zeros((0, d)),
            rotations: Array2::zeros((0, d)),
            y_loadings: Array2::zeros((targets, 0)),
            squares: Array1::zeros(0),
        };
        let mut squares = Vec::new();
        while squares.len() < most.min(d) {
            run.check()?;
            // What is left is rounding: the rows have nothing more to say about the targets.
            if norm(&cross) <= 1e-13 * whole || whole == 0.0 {
                break;
            }
            let w = leading(&cross)?;
            let mut r = w.clone();
            for (loading, before) in rotation
                .loadings
                .rows()
                .into_iter()
                .zip(rotation.rotations.rows())
            {
                r.scaled_add(-loading.dot(&w), &before);
            }
            let turned = variation.times(r.view());
            let square = r.dot(&turned);
            if !(square > 1e-14 * r.dot(&r) * f64::EPSILON && square.is_finite()) {
                break;
            }
            let loading = turned / square;
            let y_loading = cross.t().dot(&r) / square;
            let outer = loading.view().insert_axis(Axis(1));
            cross -= &(outer.dot(&y_loading.view().insert_axis(Axis(0))) * square);
            push(&mut rotation.weights, &w);
            push(&mut rotation.loadings, &loading);
            push(&mut rotation.rotations, &r);
            rotation
                .y_loadings
                .push_column(y_loading.view())
                .expect("a loading per target");
            squares.push(square);
        }
        rotation.squares = Array1::from(squares);
        Ok(rotation)
    }
}

fn push(rows: &mut Array2<f64>, row: &Array1<f64>) {
    rows.push_row(row.view()).expect("a value per column");
}

fn norm(matrix: &Array2<f64>) -> f64 {
    let largest = matrix
        .iter()
        .fold(0.0_f64, |most, value| most.max(value.abs()));
    match largest > 0.0 {
        true => {
            largest
                * matrix
                    .iter()
                    .map(|v| (v / largest).powi(2))
                    .sum::<f64>()
                    .sqrt()
        }
        false => 0.0,
    }
}

/// The direction of the columns that goes along best with some direction of the targets: the
/// first left singular vector of XᵀY, of length one, its largest entry positive.
fn leading(cross: &Array2<f64>) -> Result<Array1<f64>> {
    let scaled = cross / norm(cross);
    let mut w = match scaled.ncols() {
        1 => scaled.column(0).to_owned(),
        _ => {
            let eigen = symmetric_eigen(scaled.t().dot(&scaled).view())?;
            scaled.dot(&eigen.vectors.column(0))
        }
    };
    w /= w.dot(&w).sqrt();
    let largest = w
        .iter()
        .fold(0.0_f64, |most, &value| match value.abs() > most.abs() {
            true => value,
            false => most,
        });
    if largest < 0.0 {
        w.mapv_inplace(|value| -value);
    }
    Ok(w)
}
