//! Canonical correlation of more than two views.

use didact_core::{Error, Result, Rows, Run, StopReason, Trace, TraceWriter, parameters};
use didact_math::linalg::{
    Moments, Svd, at_times_b, matmul, symmetric_eigen_within, symmetric_power, thin_svd,
};
use ndarray::{Array1, Array2, Array3, ArrayView2, Axis, concatenate, s};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the weights of several views are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MultiSetMethod {
    /// By sweeps over the views that never lower the sum of correlations, from the relaxed
    /// solution on.
    #[default]
    Exact,
    /// By one eigenproblem in which the variates of a view need only be scaled together.
    Relaxed,
}

/// Finds weights for each of several views of the same rows so that the variates of all views
/// agree: the least Σ‖X_kW_k − X_lW_l‖² with W_kᵀC_kkW_k = I.
///
/// For two views this is [`Cca`](crate::Cca). For more, no eigenproblem solves it; the exact
/// method sweeps over the views, each of which has a solution in closed form while the others
/// are held, and the relaxed one solves the eigenproblem of the blocks C_kl, k ≠ l, beside
/// diag(C_kk), whose eigenvalues are at most the number of views less one.
///
/// ```
/// use didact_core::Run;
/// use didact_projection::MultiSetCca;
/// use ndarray::array;
/// let a = array![[1.0], [2.0], [4.0], [5.0]];
/// let (b, c) = (&a * -2.0, &a + 7.0);
/// let model = MultiSetCca::default().fit(&[a.view(), b.view(), c.view()], &Run::new())?;
/// // Every pair of views correlates perfectly in the only component.
/// assert!(model.correlations().iter().all(|rho| (rho - 1.0).abs() < 1e-9));
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MultiSetCca {
    /// How many components to find at most; fewer where a view has fewer columns.
    #[schemars(range(min = 1))]
    pub n_components: usize,
    /// Exact by sweeps, or relaxed.
    pub method: MultiSetMethod,
    /// The ridge that is added to every variance.
    #[schemars(range(min = 0))]
    pub regularization: f64,
    /// At most this many sweeps over the views.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// The sweeps end when the sum of correlations grows by no larger share.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tol: f64,
}

impl Default for MultiSetCca {
    fn default() -> Self {
        MultiSetCca {
            n_components: 2,
            method: MultiSetMethod::Exact,
            regularization: 0.0,
            max_iter: 1000,
            tol: 1e-12,
        }
    }
}

/// Weights for each of several views.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MultiSetModel {
    means: Vec<Array1<f64>>,
    weights: Vec<Array2<f64>>,
    correlations: Array3<f64>,
    cross_terms: f64,
    objective: f64,
    eigenvalues: Array1<f64>,
    trace: Option<Trace>,
}

impl MultiSetModel {
    /// The weights of the columns of each view, a row per component.
    pub fn weights(&self) -> &[Array2<f64>] {
        &self.weights
    }

    /// For each component (first axis) the correlations of the variates of all pairs of views.
    pub fn correlations(&self) -> &Array3<f64> {
        &self.correlations
    }

    /// The largest |covariance| of variates of different components and different views; zero
    /// for two views, but in general not for more.
    pub fn cross_terms(&self) -> f64 {
        self.cross_terms
    }

    /// Σ‖X_kW_k − X_lW_l‖²/n over the ordered pairs of views.
    pub fn objective(&self) -> f64 {
        self.objective
    }

    /// The leading eigenvalues of the relaxed problem.
    pub fn eigenvalues(&self) -> &Array1<f64> {
        &self.eigenvalues
    }

    /// The sum of covariances after each sweep of the exact method.
    pub fn trace(&self) -> Option<&Trace> {
        self.trace.as_ref()
    }

    /// The variates of a view, a column per component.
    pub fn transform(&self, view: usize, rows: ArrayView2<'_, f64>) -> Result<Array2<f64>> {
        let (Some(mean), Some(weights)) = (self.means.get(view), self.weights.get(view)) else {
            return Err(Error::parameter(
                "view",
                view,
                format!(
                    "it must be less than {}, the number of views",
                    self.means.len()
                ),
            ));
        };
        if rows.ncols() != mean.len() {
            return Err(Error::Columns {
                expected: mean.len(),
                found: rows.ncols(),
            });
        }
        Ok(matmul((&rows - mean).view(), weights.t()))
    }
}

/// The covariances of whitened views: every view has the identity as its own.
struct Whitened {
    /// C_kk^(−½) of each view.
    roots: Vec<Array2<f64>>,
    /// S_kC_klS_l of all pairs, in one matrix.
    covariance: Array2<f64>,
    /// Where each view begins, and the number of all columns.
    starts: Vec<usize>,
}

impl Whitened {
    fn block(&self, k: usize, l: usize) -> ArrayView2<'_, f64> {
        let range = |view: usize| self.starts[view]..self.starts[view + 1];
        self.covariance.slice(s![range(k), range(l)])
    }

    fn n_views(&self) -> usize {
        self.roots.len()
    }

    /// Σ_{l≠k} of the covariances of view k with the variates of the others.
    fn pull(&self, k: usize, bases: &[Array2<f64>]) -> Array2<f64> {
        let mut pull = Array2::zeros(bases[k].dim());
        for (l, basis) in bases.iter().enumerate().filter(|(l, _)| *l != k) {
            pull += &matmul(self.block(k, l), basis.view());
        }
        pull
    }

    /// Σ_{k≠l} tr(Q_kᵀ·C_kl·Q_l).
    fn agreement(&self, bases: &[Array2<f64>]) -> f64 {
        let views = 0..self.n_views();
        views
            .map(|k| (&self.pull(k, bases) * &bases[k]).sum())
            .sum()
    }
}

impl MultiSetCca {
    /// Finds the weights of views that have the same rows in the same order.
    pub fn fit(&self, views: &[ArrayView2<'_, f64>], run: &Run) -> Result<MultiSetModel> {
        parameters::check(self)?;
        check_views(views)?;
        let joined = concatenate(Axis(1), views).expect("the views have as many rows");
        let joined = joined.as_standard_layout().into_owned();
        let moments = Moments::summarise(Rows::Dense(joined.view()), None, run)?;
        let covariance = &moments.scatter / moments.weight;
        let whitened = self.whiten(views, &covariance)?;
        let narrowest = views.iter().map(|view| view.ncols()).min().unwrap_or(1);
        let count = self.n_components.min(narrowest);
        let (eigenvalues, relaxed) = relaxed(&whitened, count, run)?;
        let (bases, trace) = match self.method {
            MultiSetMethod::Relaxed => (relaxed, None),
            MultiSetMethod::Exact => {
                let (bases, trace) = self.sweep(&whitened, relaxed, run)?;
                (ordered(&whitened, bases)?, Some(trace))
            }
        };
        let weights: Vec<Array2<f64>> = whitened
            .roots
            .iter()
            .zip(&bases)
            .map(|(root, basis)| at_times_b(basis.view(), root.view()))
            .collect();
        let mut model = MultiSetModel {
            means: split(&moments.mean, &whitened.starts),
            weights,
            correlations: Array3::zeros((count, views.len(), views.len())),
            cross_terms: 0.0,
            objective: 0.0,
            eigenvalues,
            trace,
        };
        model.describe(&covariance, &whitened.starts);
        Ok(model)
    }

    fn whiten(&self, views: &[ArrayView2<'_, f64>], covariance: &Array2<f64>) -> Result<Whitened> {
        let mut starts = vec![0];
        for view in views {
            starts.push(starts[starts.len() - 1] + view.ncols());
        }
        let mut roots = Vec::new();
        for (view, range) in starts.windows(2).enumerate() {
            let own = range[0]..range[1];
            let mut own = covariance.slice(s![own.clone(), own]).to_owned();
            if own.diag().iter().all(|variance| *variance <= 0.0) {
                return Err(Error::data(format!(
                    "the columns of view {view} do not vary, so nothing correlates with them; \
                     give at least two different rows"
                )));
            }
            own.diag_mut()
                .mapv_inplace(|variance| variance + self.regularization);
            roots.push(symmetric_power(own.view(), -0.5)?);
        }
        let mut white = covariance.clone();
        for (k, rows) in starts.windows(2).enumerate() {
            for (l, columns) in starts.windows(2).enumerate() {
                let place = s![rows[0]..rows[1], columns[0]..columns[1]];
                let half = matmul(roots[k].view(), covariance.slice(place));
                white
                    .slice_mut(place)
                    .assign(&matmul(half.view(), roots[l].view()));
            }
        }
        Ok(Whitened {
            roots,
            covariance: white,
            starts,
        })
    }

    /// Turns each view in its turn towards all the others: with T the pull of the others and
    /// T = UΣVᵀ, the best orthonormal basis is UVᵀ.
    fn sweep(
        &self,
        whitened: &Whitened,
        mut bases: Vec<Array2<f64>>,
        run: &Run,
    ) -> Result<(Vec<Array2<f64>>, Trace)> {
        for basis in &mut bases {
            *basis = nearest_orthonormal(basis.view())?;
        }
        let mut trace = TraceWriter::new(run, "agreement", Some(self.max_iter));
        let mut before = whitened.agreement(&bases);
        while trace.n_iter() < self.max_iter {
            for k in 0..bases.len() {
                bases[k] = nearest_orthonormal(whitened.pull(k, &bases).view())?;
            }
            let after = whitened.agreement(&bases);
            trace.record(after)?;
            if after - before <= self.tol * after.abs() {
                return Ok((bases, trace.finish(StopReason::Converged)));
            }
            before = after;
        }
        Ok((bases, trace.finish(StopReason::IterationLimit)))
    }
}

fn check_views(views: &[ArrayView2<'_, f64>]) -> Result<()> {
    if views.len() < 2 {
        return Err(Error::data(format!(
            "there are {} views; canonical correlation needs at least 2",
            views.len()
        )));
    }
    for (index, view) in views.iter().enumerate() {
        if view.nrows() != views[0].nrows() || view.is_empty() {
            return Err(Error::data(format!(
                "view {index} has {} rows and {} columns; every view must have the {} rows of \
                 the first, and at least one column",
                view.nrows(),
                view.ncols(),
                views[0].nrows()
            )));
        }
        if let Some(((row, column), value)) =
            view.indexed_iter().find(|(_, value)| !value.is_finite())
        {
            return Err(Error::data(format!(
                "row {row}, column {column} of view {index} is {value}; \
                 every value must be a finite number"
            )));
        }
    }
    Ok(())
}

/// The leading eigenvectors of the covariance of the whitened views without the diagonal blocks,
/// cut into views and each column scaled to length one.
fn relaxed(
    whitened: &Whitened,
    count: usize,
    run: &Run,
) -> Result<(Array1<f64>, Vec<Array2<f64>>)> {
    let mut between = whitened.covariance.clone();
    for range in whitened.starts.windows(2) {
        between
            .slice_mut(s![range[0]..range[1], range[0]..range[1]])
            .fill(0.0);
    }
    let eigen = symmetric_eigen_within(between.view(), run)?;
    let bases = whitened.starts.windows(2).map(|range| {
        let mut basis = eigen
            .vectors
            .slice(s![range[0]..range[1], ..count])
            .to_owned();
        for mut column in basis.columns_mut() {
            let length = column.dot(&column).sqrt();
            if length > 0.0 {
                column /= length;
            }
        }
        basis
    });
    Ok((eigen.values.slice(s![..count]).to_owned(), bases.collect()))
}

/// U·Vᵀ of the singular vectors: the orthonormal basis nearest to the columns.
fn nearest_orthonormal(matrix: ArrayView2<'_, f64>) -> Result<Array2<f64>> {
    let Svd { u, vt, .. } = thin_svd(matrix)?;
    Ok(matmul(u.view(), vt.view()))
}

/// The same bases turned together so that the components agree in falling order.
fn ordered(whitened: &Whitened, bases: Vec<Array2<f64>>) -> Result<Vec<Array2<f64>>> {
    let count = bases[0].ncols();
    let mut agreement = Array2::zeros((count, count));
    for (k, basis) in bases.iter().enumerate() {
        agreement += &at_times_b(basis.view(), whitened.pull(k, &bases).view());
    }
    let symmetric = (&agreement + &agreement.t()) / 2.0;
    let turn = didact_math::linalg::symmetric_eigen(symmetric.view())?.vectors;
    let turned = bases.iter().map(|basis| matmul(basis.view(), turn.view()));
    Ok(turned.collect())
}

fn split(joined: &Array1<f64>, starts: &[usize]) -> Vec<Array1<f64>> {
    let ranges = starts.windows(2);
    ranges
        .map(|range| joined.slice(s![range[0]..range[1]]).to_owned())
        .collect()
}

impl MultiSetModel {
    /// Works out what the weights achieve.
    fn describe(&mut self, covariance: &Array2<f64>, starts: &[usize]) {
        let views = self.weights.len();
        let between = |k: usize, l: usize| {
            let block = covariance.slice(s![starts[k]..starts[k + 1], starts[l]..starts[l + 1]]);
            matmul(
                matmul(self.weights[k].view(), block).view(),
                self.weights[l].t(),
            )
        };
        let variances: Vec<Array1<f64>> = (0..views)
            .map(|k| between(k, k).diag().to_owned())
            .collect();
        let (mut cross_terms, mut objective) = (0.0_f64, 0.0);
        for (k, l) in (0..views).flat_map(|k| (0..views).map(move |l| (k, l))) {
            let terms = between(k, l);
            for ((i, j), term) in terms.indexed_iter() {
                if i == j {
                    let scale = (variances[k][i] * variances[l][i]).sqrt();
                    let rho = if scale > 0.0 { term / scale } else { 0.0 };
                    self.correlations[[i, k, l]] = rho.clamp(-1.0, 1.0);
                    objective += variances[k][i] + variances[l][i] - 2.0 * term;
                } else if k != l {
                    cross_terms = cross_terms.max(term.abs());
                }
            }
        }
        (self.cross_terms, self.objective) = (cross_terms, objective);
    }
}
