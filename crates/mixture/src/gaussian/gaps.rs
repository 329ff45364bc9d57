//! Rows with missing values: what the values that are there say of each component and of the gaps.
//!
//! With the observed columns o and the missing ones m of a row, component k says of the row
//! N(x_o; μ_o, Σ_oo), and of the gap N(μ_m + G·(x_o − μ_o), Σ_mm − G·Σ_om) with G = Σ_mo·Σ_oo⁻¹. The
//! expected moments of the gap take the place of its values, which is the exact E-step.

use super::components::{Components, Whitening};
use didact_core::Result;
use didact_math::linalg::{Cholesky, a_times_bt};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};
use std::f64::consts::TAU;

/// The components seen from the observed columns of rows that have the same gaps.
pub(super) struct View<'a> {
    components: &'a Components,
    observed: Vec<usize>,
    missing: Vec<usize>,
    /// ln πₖ − ½(|o|·ln 2π + ln|Σ_oo|) of each component.
    constants: Vec<f64>,
    /// Of each component, or of all; none where the columns are independent.
    parts: Vec<Part>,
}

/// What a covariance says between the two groups of columns.
struct Part {
    /// L⁻¹ with LLᵀ = Σ_oo.
    whitening: Array2<f64>,
    /// G = Σ_mo·Σ_oo⁻¹.
    gain: Array2<f64>,
    /// Σ_mm − G·Σ_om.
    left: Array2<f64>,
}

impl<'a> View<'a> {
    /// The view of rows like this one.
    pub(super) fn of(components: &'a Components, row: ArrayView1<'_, f64>) -> Result<Self> {
        let (missing, observed): (Vec<usize>, Vec<usize>) =
            (0..row.len()).partition(|&column| row[column].is_nan());
        let mut view = View {
            components,
            observed,
            missing,
            constants: Vec::new(),
            parts: Vec::new(),
        };
        let log_determinants = match &components.whitening {
            Whitening::Dense(factors) => {
                let mut determinants = Vec::new();
                for component in 0..factors.len() {
                    let (part, determinant) = view.part(component)?;
                    view.parts.push(part);
                    determinants.push(determinant);
                }
                determinants
            }
            Whitening::Diagonal(scales) => {
                let of = |row: ArrayView1<'_, f64>| -> f64 {
                    let logs = view.observed.iter().map(|&column| -2.0 * row[column].ln());
                    logs.sum()
                };
                scales.rows().into_iter().map(of).collect()
            }
        };
        let constant = view.observed.len() as f64 * TAU.ln();
        let weights = components.weights.iter().enumerate();
        view.constants = weights
            .map(|(component, weight)| {
                let determinant = log_determinants[component.min(log_determinants.len() - 1)];
                weight.ln() - 0.5 * (constant + determinant)
            })
            .collect();
        Ok(view)
    }

    fn part(&self, component: usize) -> Result<(Part, f64)> {
        let d = self.components.n_features();
        let matrix = self.components.covariances.matrix(component, d);
        let select = |rows: &[usize], columns: &[usize]| {
            matrix.select(Axis(0), rows).select(Axis(1), columns)
        };
        let mut left = select(&self.missing, &self.missing);
        if self.observed.is_empty() {
            let part = Part {
                whitening: Array2::zeros((0, 0)),
                gain: Array2::zeros((d, 0)),
                left,
            };
            return Ok((part, 0.0));
        }
        let (factor, _) = Cholesky::with_jitter(select(&self.observed, &self.observed).view())?;
        let cross = select(&self.observed, &self.missing);
        let gain = factor.solve(cross.view()).reversed_axes();
        left -= &a_times_bt(gain.view(), cross.t());
        // Rounding leaves the triangles apart, and may leave less than no variance.
        let mirrored = left.t().to_owned();
        left += &mirrored;
        left *= 0.5;
        left.diag_mut().mapv_inplace(|variance| variance.max(0.0));
        let identity = Array2::eye(self.observed.len());
        let part = Part {
            whitening: factor.half_solve(identity.view()),
            gain,
            left,
        };
        Ok((part, factor.log_determinant()))
    }

    fn part_of(&self, component: usize) -> Option<&Part> {
        self.parts
            .get(component.min(self.parts.len().saturating_sub(1)))
    }

    /// The columns that are missing.
    pub(super) fn missing(&self) -> &[usize] {
        &self.missing
    }

    /// x_o − μ_o.
    fn centred(&self, component: usize, row: ArrayView1<'_, f64>) -> Array1<f64> {
        let means = self.components.means.row(component);
        let differences = self
            .observed
            .iter()
            .map(|&column| row[column] - means[column]);
        differences.collect()
    }

    /// ln πₖ N(x_o; μ_o, Σ_oo) of a row for every component.
    pub(super) fn joint_log_densities(&self, row: ArrayView1<'_, f64>, output: &mut [f64]) {
        for (component, output) in output.iter_mut().enumerate() {
            let centred = self.centred(component, row);
            let square: f64 = match (&self.components.whitening, self.part_of(component)) {
                (Whitening::Diagonal(scales), _) => {
                    let terms = self.observed.iter().zip(&centred);
                    terms
                        .map(|(&column, value)| (value * scales[[component, column]]).powi(2))
                        .sum()
                }
                (_, Some(part)) => {
                    let whitened = part.whitening.dot(&centred);
                    whitened.iter().map(|value| value * value).sum()
                }
                (Whitening::Dense(_), None) => unreachable!("a dense covariance has a part"),
            };
            *output = self.constants[component] - 0.5 * square;
        }
    }

    /// What a component expects of x − μₖ, gaps and all.
    pub(super) fn completed(&self, component: usize, row: ArrayView1<'_, f64>) -> Array1<f64> {
        let centred = self.centred(component, row);
        let mut completed = Array1::zeros(row.len());
        for (&column, &value) in self.observed.iter().zip(&centred) {
            completed[column] = value;
        }
        if let Some(part) = self.part_of(component) {
            let expected = part.gain.dot(&centred);
            for (&column, &value) in self.missing.iter().zip(&expected) {
                completed[column] = value;
            }
        }
        completed
    }

    /// Adds `weight` times the covariance that a component leaves to the gap.
    pub(super) fn add_uncertainty(&self, component: usize, weight: f64, scatter: &mut Array2<f64>) {
        let Some(part) = self.part_of(component) else {
            return;
        };
        for (i, &row) in self.missing.iter().enumerate() {
            for (j, &column) in self.missing.iter().enumerate() {
                scatter[[row, column]] += weight * part.left[[i, j]];
            }
        }
    }

    /// The variance that a component leaves to a missing column where columns are independent.
    pub(super) fn variance(&self, component: usize, column: usize) -> f64 {
        match &self.components.whitening {
            Whitening::Diagonal(scales) => scales[[component, column]].powi(-2),
            Whitening::Dense(_) => unreachable!("dense covariances have parts"),
        }
    }
}

/// Rows in groups that have the same gaps, so that what depends on the gaps alone is found once.
pub(super) fn by_gaps(rows: ArrayView2<'_, f64>, members: &[usize]) -> Vec<Vec<usize>> {
    let gaps = |row: usize| -> Vec<usize> {
        let values = rows.row(row);
        let missing = (0..values.len()).filter(|&column| values[column].is_nan());
        missing.collect()
    };
    let mut groups = std::collections::BTreeMap::<Vec<usize>, Vec<usize>>::new();
    for &row in members {
        groups.entry(gaps(row)).or_default().push(row);
    }
    groups.into_values().collect()
}
