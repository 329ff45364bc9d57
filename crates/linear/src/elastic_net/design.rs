//! What coordinate descent asks of the data, from moments or from columns.

use crate::least_squares::{Intercept, System};
use crate::rows::CountingMeasured;
use didact_core::{Csr, Error, Result, Rows, Run, parallel};
use didact_math::linalg::{CrossMoments, Variances, rows_times_vector, sparse_transpose};
use didact_math::numeric::dot;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2};

/// Up to this many columns their products fit into the cache, whatever the number of rows.
const FEW_COLUMNS: usize = 500;

/// Products of more columns than this take more memory than the columns are worth.
const MOST_GRAM_COLUMNS: usize = 4000;

/// The columns of the design, centred where there is an intercept.
pub(super) enum Columns {
    /// Their products G = XᵀX and c = Xᵀy, and yᵀy.
    Products(System<'static>),
    /// One column after the other, every row times the root of its weight.
    Dense {
        columns: Array2<f64>,
        targets: Array2<f64>,
    },
    /// The transposed rows; what centring subtracts is kept beside them.
    Sparse {
        columns: Csr,
        /// Σ w·x of each column, zero where nothing is centred.
        sums: Vec<f64>,
        weights: Option<Array1<f64>>,
        targets: Array2<f64>,
        mean: Array1<f64>,
    },
}

/// The design and the means that lead back to the original columns.
pub(super) struct Design {
    pub(super) columns: Columns,
    /// ‖xⱼ‖² of each column.
    pub(super) curvature: Vec<f64>,
    pub(super) mean_x: Array1<f64>,
    pub(super) mean_y: Array1<f64>,
    /// Σ(y − ȳ)² of each target.
    pub(super) total_squares: Array1<f64>,
    pub(super) weight: f64,
}

impl Design {
    pub(super) fn new(data: &CountingMeasured<'_>, centre: bool, run: &Run) -> Result<Self> {
        let rows = data.samples.rows();
        let (n, d) = (rows.n_rows(), rows.n_columns());
        let design = match d <= FEW_COLUMNS || (d <= n && d <= MOST_GRAM_COLUMNS) {
            true => Design::of_products(data, centre, run)?,
            false => Design::of_columns(data, centre, run)?,
        };
        match design.curvature.iter().position(|value| !value.is_finite()) {
            None => Ok(design),
            Some(j) => Err(Error::numerical(format!(
                "the sum of squares of column {j} overflows; \
                 divide the column by a power of ten so that its values stay below 1e150"
            ))),
        }
    }

    fn of_products(data: &CountingMeasured<'_>, centre: bool, run: &Run) -> Result<Self> {
        let (rows, weights) = (data.samples.rows(), data.samples.weights());
        let moments = CrossMoments::summarise(rows, data.targets.view(), weights, run)?;
        let intercept = match centre {
            true => Intercept::Free,
            false => Intercept::Absent,
        };
        let system = System::new(&moments, intercept);
        Ok(Design {
            curvature: system.gram().diag().to_vec(),
            mean_x: moments.mean_x().to_owned(),
            mean_y: moments.mean_y().to_owned(),
            total_squares: moments.scatter_yy().diag().to_owned(),
            weight: moments.weight(),
            columns: Columns::Products(system.into_owned()),
        })
    }

    fn of_columns(data: &CountingMeasured<'_>, centre: bool, run: &Run) -> Result<Self> {
        let (rows, weights) = (data.samples.rows(), data.samples.weights());
        let x_totals = Variances::summarise(rows, weights, run)?;
        let y_totals = Variances::summarise(Rows::Dense(data.targets.view()), weights, run)?;
        let zero = |means: &Array1<f64>| match centre {
            true => means.clone(),
            false => Array1::zeros(means.len()),
        };
        let (shift_x, shift_y) = (zero(&x_totals.mean), zero(&y_totals.mean));
        let targets = &data.targets - &shift_y;
        let weight = data.samples.total_weight();
        let squares = match centre {
            true => x_totals.sum_squares,
            false => x_totals.sum_squares + &(&x_totals.mean * &x_totals.mean * weight),
        };
        let columns = match rows {
            Rows::Dense(x) => dense_columns(x, shift_x.view(), weights, targets, run)?,
            Rows::Sparse(x) => Columns::Sparse {
                columns: sparse_transpose(x)?,
                sums: shift_x.iter().map(|mean| mean * weight).collect(),
                weights: weights.map(|weights| weights.to_owned()),
                targets,
                mean: shift_x,
            },
        };
        Ok(Design {
            columns,
            curvature: squares.to_vec(),
            mean_x: x_totals.mean,
            mean_y: y_totals.mean,
            total_squares: y_totals.sum_squares,
            weight,
        })
    }

    /// The residual of all weights zero, for one target.
    pub(super) fn start(&self, target: usize) -> Residual<'_> {
        match &self.columns {
            Columns::Products(system) => {
                let cross = system.cross().column(target).to_vec();
                Residual::Products {
                    gram: system.gram(),
                    slopes: cross.clone(),
                    cross,
                    squares: system.squares()[target],
                }
            }
            Columns::Dense { columns, targets } => Residual::Dense {
                columns: columns.view(),
                values: targets.column(target).to_vec(),
                target: targets.column(target).to_vec(),
            },
            Columns::Sparse {
                columns,
                sums,
                weights,
                targets,
                mean,
            } => Residual::Sparse {
                columns,
                sums,
                mean: mean.view(),
                weights: weights.as_ref().map(|weights| weights.view()),
                values: targets.column(target).to_vec(),
                offset: 0.0,
                target: targets.column(target).to_vec(),
            },
        }
    }
}

fn dense_columns(
    x: ArrayView2<'_, f64>,
    mean: ArrayView1<'_, f64>,
    weights: Option<ArrayView1<'_, f64>>,
    mut targets: Array2<f64>,
    run: &Run,
) -> Result<Columns> {
    let (n, d) = x.dim();
    let roots = weights.map(|weights| weights.mapv(f64::sqrt));
    let mut columns = Array2::zeros((d, n));
    let output = columns.as_slice_mut().expect("a new array is contiguous");
    // Eight columns share the lines of the cache that their rows lie in.
    parallel::fill(output, n, 8, run, |range, piece| {
        for row in 0..n {
            let root = roots.as_ref().map_or(1.0, |roots| roots[row]);
            for (place, j) in range.clone().enumerate() {
                piece[place * n + row] = (x[[row, j]] - mean[j]) * root;
            }
        }
        Ok(())
    })?;
    if let Some(roots) = &roots {
        for (mut target, root) in targets.rows_mut().into_iter().zip(roots) {
            target *= *root;
        }
    }
    Ok(Columns::Dense { columns, targets })
}

/// The residual r = y − Xw, as far as it is known; the weights are kept by the caller.
pub(super) enum Residual<'a> {
    /// Only its products with the columns.
    Products {
        gram: ArrayView2<'a, f64>,
        cross: Vec<f64>,
        slopes: Vec<f64>,
        squares: f64,
    },
    /// Its values.
    Dense {
        columns: ArrayView2<'a, f64>,
        values: Vec<f64>,
        target: Vec<f64>,
    },
    /// Its values up to a common offset.
    Sparse {
        columns: &'a Csr,
        sums: &'a [f64],
        mean: ArrayView1<'a, f64>,
        weights: Option<ArrayView1<'a, f64>>,
        values: Vec<f64>,
        offset: f64,
        target: Vec<f64>,
    },
}

impl Residual<'_> {
    /// xⱼᵀr.
    pub(super) fn slope(&self, j: usize) -> f64 {
        match self {
            Residual::Products { slopes, .. } => slopes[j],
            Residual::Dense {
                columns, values, ..
            } => {
                let column = columns.row(j);
                dot(column.to_slice().expect("columns are contiguous"), values)
            }
            Residual::Sparse {
                columns,
                sums,
                weights,
                values,
                offset,
                ..
            } => {
                // r is centred, so centring the column changes nothing: Σw(x − m)r = Σw·x·r.
                let (places, entries) = columns.view().row(j);
                let each = places.iter().zip(entries);
                let product: f64 = match weights {
                    None => each.map(|(&i, x)| x * values[i as usize]).sum(),
                    Some(weights) => each
                        .map(|(&i, x)| x * weights[i as usize] * values[i as usize])
                        .sum(),
                };
                product + offset * sums[j]
            }
        }
    }

    /// Adds `change` to the weight of column j.
    pub(super) fn shift(&mut self, j: usize, change: f64) {
        match self {
            Residual::Products { gram, slopes, .. } => {
                let row = gram.row(j);
                let row = row.to_slice().expect("a Gram matrix is contiguous");
                subtract_scaled(slopes, change, row);
            }
            Residual::Dense {
                columns, values, ..
            } => {
                let column = columns.row(j);
                let column = column.to_slice().expect("columns are contiguous");
                subtract_scaled(values, change, column);
            }
            Residual::Sparse {
                columns,
                mean,
                values,
                offset,
                ..
            } => {
                let (places, entries) = columns.view().row(j);
                for (&i, x) in places.iter().zip(entries) {
                    values[i as usize] -= change * x;
                }
                *offset += change * mean[j];
            }
        }
    }

    /// All xⱼᵀr, freed of the rounding that many shifts leave where that is cheap.
    pub(super) fn slopes(&mut self, weights: &[f64], run: &Run) -> Result<Vec<f64>> {
        match self {
            Residual::Products {
                gram,
                cross,
                slopes,
                ..
            } => {
                slopes.copy_from_slice(cross);
                for (j, &w) in weights.iter().enumerate().filter(|(_, w)| **w != 0.0) {
                    let row = gram.row(j);
                    let row = row.to_slice().expect("a Gram matrix is contiguous");
                    subtract_scaled(slopes, w, row);
                }
                Ok(slopes.clone())
            }
            Residual::Dense {
                columns, values, ..
            } => {
                let values = ArrayView1::from(values.as_slice());
                Ok(rows_times_vector(Rows::Dense(columns.view()), values, run)?.to_vec())
            }
            Residual::Sparse { .. } => {
                let mut slopes = vec![0.0; weights.len()];
                let this = &*self;
                parallel::fill(&mut slopes, 1, 1024, run, |range, piece| {
                    for (j, slope) in range.zip(piece) {
                        *slope = this.slope(j);
                    }
                    Ok(())
                })?;
                Ok(slopes)
            }
        }
    }

    /// ‖r‖² and rᵀy.
    pub(super) fn squares(&self, w: &[f64]) -> (f64, f64) {
        match self {
            Residual::Products {
                cross,
                slopes,
                squares,
                ..
            } => {
                // ‖r‖² = yᵀy − wᵀ(c + Xᵀr) and rᵀy = yᵀy − wᵀc.
                let explained = dot(w, cross);
                let remaining = squares - explained;
                ((remaining - dot(w, slopes)).max(0.0), remaining)
            }
            Residual::Dense { values, target, .. } => (dot(values, values), dot(values, target)),
            Residual::Sparse {
                weights,
                values,
                offset,
                target,
                ..
            } => {
                let mut sums = (0.0, 0.0);
                for (i, (value, y)) in values.iter().zip(target).enumerate() {
                    let (weight, r) = (weights.map_or(1.0, |w| w[i]), value + offset);
                    sums.0 += weight * r * r;
                    sums.1 += weight * r * y;
                }
                sums
            }
        }
    }

    /// The products of some columns with each other.
    pub(super) fn gram_of(&self, support: &[usize], curvature: &[f64]) -> Array2<f64> {
        let size = support.len();
        let mut products = Array2::zeros((size, size));
        let mut scattered = Vec::new();
        for (a, &i) in support.iter().enumerate() {
            products[[a, a]] = curvature[i];
            if let Residual::Sparse {
                columns,
                weights,
                values,
                ..
            } = self
            {
                scattered.clear();
                scattered.resize(values.len(), 0.0);
                let (places, entries) = columns.view().row(i);
                for (&row, x) in places.iter().zip(entries) {
                    let weight = weights.map_or(1.0, |w| w[row as usize]);
                    scattered[row as usize] = weight * x;
                }
            }
            for (b, &j) in support.iter().enumerate().take(a) {
                let product = match self {
                    Residual::Products { gram, .. } => gram[[i, j]],
                    Residual::Dense { columns, .. } => {
                        let (x, y) = (columns.row(i), columns.row(j));
                        dot(
                            x.to_slice().expect("columns are contiguous"),
                            y.to_slice().expect("columns are contiguous"),
                        )
                    }
                    Residual::Sparse {
                        columns,
                        sums,
                        mean,
                        ..
                    } => {
                        let (places, entries) = columns.view().row(j);
                        let each = places.iter().zip(entries);
                        let plain: f64 = each.map(|(&i, x)| x * scattered[i as usize]).sum();
                        plain - sums[i] * mean[j]
                    }
                };
                products[[a, b]] = product;
                products[[b, a]] = product;
            }
        }
        products
    }
}

fn subtract_scaled(target: &mut [f64], factor: f64, values: &[f64]) {
    for (target, value) in target.iter_mut().zip(values) {
        *target -= factor * value;
    }
}
