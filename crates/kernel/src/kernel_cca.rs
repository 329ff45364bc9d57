//! Canonical correlation in the spaces of kernels, of two or more views.

use crate::anchors::{Anchors, ensure_finite};
use didact_core::{Error, Result, Rows, Run, Samples, parameters};
use didact_math::kernel::{Gamma, Kernel, KernelCentring, KernelChoice};
use didact_math::linalg::{at_times_b, matmul, symmetric_eigen_within};
use ndarray::{Array1, Array2, ArrayView2, Axis, s};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Finds functions of two or more views of the same rows that correlate most.
///
/// With the centred kernels K₁ … K_L of the views, δ = M·κ/2 and Tᵢ = (Kᵢ + δI)⁻¹·Kᵢ, the blocks
/// R_ij = Tᵢ·Tⱼ beside ones on the diagonal have eigenvalues between 0 and L. The first kernel
/// canonical correlation is one less the smallest of them, within [0, 1]; for two views it is the
/// largest singular value of T₁·T₂. The largest eigenvalues belong to the functions on which all
/// views agree, fᵢ(x) = Σⱼ αᵢⱼ·k̃(x, xⱼ).
///
/// Without the price κ the correlation of any two views is one as soon as their kernels tell all rows
/// apart, whether they depend on each other or not; a larger κ asks for smoother functions. With the
/// linear kernel and a vanishing κ it is canonical correlation.
///
/// ```
/// use didact_core::Run;
/// use didact_kernel::KernelCca;
/// let t: Vec<f64> = (0..40).map(|i| i as f64 / 20.0 - 1.0).collect();
/// let x = ndarray::Array2::from_shape_fn((40, 1), |(i, _)| t[i]);
/// // No line shows that y depends on x, but a curve does.
/// let y = ndarray::Array2::from_shape_fn((40, 1), |(i, _)| t[i] * t[i]);
/// let model = KernelCca::default().fit(&[x.view(), y.view()], &Run::new())?;
/// assert!(model.correlation() > 0.8);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct KernelCca {
    /// How many components to find at most.
    #[schemars(range(min = 1))]
    pub n_components: usize,
    /// The price κ of functions that are not smooth.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub regularization: f64,
    /// How alike two rows are; for all views.
    pub kernel: KernelChoice,
    /// A kernel for each view, in place of the one for all.
    pub kernels: Option<Vec<Kernel>>,
    /// The rate of the kernels poly, rbf, sigmoid, laplacian and chi-square.
    pub gamma: Gamma,
    /// The power of the kernel poly.
    #[schemars(range(min = 1))]
    pub degree: u32,
    /// The constant of the kernels poly and sigmoid.
    pub coef0: f64,
}

impl Default for KernelCca {
    fn default() -> Self {
        KernelCca {
            n_components: 2,
            regularization: 0.02,
            kernel: KernelChoice::default(),
            kernels: None,
            gamma: Gamma::Scale,
            degree: 3,
            coef0: 0.0,
        }
    }
}

/// Functions of each view, by coefficients at the training rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelCcaModel {
    views: Vec<View>,
    eigenvalues: Array1<f64>,
}

/// What is known of a view.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct View {
    anchors: Anchors,
    centring: KernelCentring,
    /// A column per component.
    coefficients: Array2<f64>,
}

/// A centred kernel by its eigenvectors, those without variance left out.
struct Spectrum {
    vectors: Array2<f64>,
    /// λ/(λ+δ).
    shrunk: Array1<f64>,
    /// 1/(λ+δ).
    inverse: Array1<f64>,
}

impl Spectrum {
    fn new(centred: ArrayView2<'_, f64>, delta: f64, run: &Run) -> Result<Self> {
        let eigen = symmetric_eigen_within(centred, run)?;
        let largest = eigen.values.first().copied().unwrap_or(0.0);
        let floor = f64::EPSILON * centred.nrows() as f64 * largest;
        let rank = eigen
            .values
            .iter()
            .take_while(|&&value| value > floor)
            .count();
        if rank == 0 {
            return Err(Error::data(
                "the rows of a view are all alike to its kernel; give views whose rows differ",
            ));
        }
        let values = eigen.values.slice(s![..rank]);
        Ok(Spectrum {
            vectors: eigen.vectors.slice(s![.., ..rank]).to_owned(),
            shrunk: values.mapv(|value| value / (value + delta)),
            inverse: values.mapv(|value| (value + delta).recip()),
        })
    }
}

impl KernelCca {
    /// Learns from views with a row for each thing and as many rows each.
    pub fn fit(&self, views: &[ArrayView2<'_, f64>], run: &Run) -> Result<KernelCcaModel> {
        parameters::check(self)?;
        let n = self.check(views)?;
        let delta = n as f64 * self.regularization / 2.0;
        let all: Vec<usize> = (0..n).collect();
        let mut parts = Vec::with_capacity(views.len());
        for (index, view) in views.iter().enumerate() {
            let view = view.as_standard_layout();
            let samples = Samples::from(view.view());
            let kernel = match &self.kernels {
                Some(kernels) => {
                    kernels[index].check()?;
                    kernels[index].clone()
                }
                None => self
                    .kernel
                    .resolve(self.gamma, self.degree, self.coef0, &samples)?,
            };
            let anchors = Anchors::new(kernel, samples.rows(), &all);
            let gram = anchors.gram(run)?;
            let centring = KernelCentring::new(gram.view())?;
            let centred = centring.centred(gram.view())?;
            parts.push((
                anchors,
                centring,
                Spectrum::new(centred.view(), delta, run)?,
            ));
        }
        let spectra: Vec<&Spectrum> = parts.iter().map(|(_, _, spectrum)| spectrum).collect();
        let starts = starts(&spectra);
        let eigen = symmetric_eigen_within(blocks(&spectra, &starts).view(), run)?;
        // As many pairs as the smallest view has directions.
        let most = spectra
            .iter()
            .map(|spectrum| spectrum.shrunk.len())
            .min()
            .unwrap_or(0);
        let count = self.n_components.min(most);
        let mut made = Vec::with_capacity(parts.len());
        for (index, (anchors, centring, spectrum)) in parts.into_iter().enumerate() {
            let own = eigen
                .vectors
                .slice(s![starts[index]..starts[index + 1], ..count]);
            let scaled = &own * &spectrum.inverse.view().insert_axis(Axis(1));
            let coefficients = matmul(spectrum.vectors.view(), scaled.view());
            ensure_finite(&coefficients)?;
            made.push(View {
                anchors,
                centring,
                coefficients,
            });
        }
        Ok(KernelCcaModel {
            views: made,
            eigenvalues: eigen.values,
        })
    }

    fn check(&self, views: &[ArrayView2<'_, f64>]) -> Result<usize> {
        let n = views.first().map_or(0, |view| view.nrows());
        if views.len() < 2 {
            return Err(Error::data(format!(
                "there are {} views; canonical correlation needs at least two",
                views.len()
            )));
        }
        if let Some(view) = views.iter().position(|view| view.nrows() != n || n < 2) {
            return Err(Error::data(format!(
                "view {view} has {} rows and view 0 has {n}; give as many of all views, at least 2",
                views[view].nrows()
            )));
        }
        if let Some(kernels) = self
            .kernels
            .as_ref()
            .filter(|list| list.len() != views.len())
        {
            return Err(Error::parameter(
                "kernels",
                format!("a list of {}", kernels.len()),
                format!("there are {} views; give a kernel for each", views.len()),
            ));
        }
        Ok(n)
    }
}

/// Where the directions of each view begin, and where the last of them end.
fn starts(spectra: &[&Spectrum]) -> Vec<usize> {
    let mut starts = vec![0];
    for spectrum in spectra {
        starts.push(starts[starts.len() - 1] + spectrum.shrunk.len());
    }
    starts
}

/// R in the directions of the kernels: D_i·QᵢᵀQⱼ·D_j beside the identity.
fn blocks(spectra: &[&Spectrum], starts: &[usize]) -> Array2<f64> {
    let mut blocks = Array2::eye(starts[starts.len() - 1]);
    for i in 0..spectra.len() {
        for j in 0..i {
            let angles = at_times_b(spectra[i].vectors.view(), spectra[j].vectors.view());
            let block = angles
                * spectra[i].shrunk.view().insert_axis(Axis(1))
                * spectra[j].shrunk.view().insert_axis(Axis(0));
            let (own, other) = (starts[i]..starts[i + 1], starts[j]..starts[j + 1]);
            blocks
                .slice_mut(s![own.clone(), other.clone()])
                .assign(&block);
            blocks.slice_mut(s![other, own]).assign(&block.t());
        }
    }
    blocks
}

impl KernelCcaModel {
    /// The first kernel canonical correlation, one less the smallest eigenvalue of the blocks.
    pub fn correlation(&self) -> f64 {
        let smallest = self.eigenvalues.last().copied().unwrap_or(1.0);
        (1.0 - smallest).clamp(0.0, 1.0)
    }

    /// The eigenvalues of the blocks, largest first: 1 ± ρ for two views, and at most their number.
    pub fn eigenvalues(&self) -> &Array1<f64> {
        &self.eigenvalues
    }

    /// The coefficients of the functions of a view at its training rows, a column per component.
    pub fn dual_coef(&self, view: usize) -> Result<&Array2<f64>> {
        self.view(view).map(|view| &view.coefficients)
    }

    /// The values of the functions of a view at rows of it, a column per component.
    pub fn transform(&self, view: usize, rows: ArrayView2<'_, f64>) -> Result<Array2<f64>> {
        let View {
            anchors,
            centring,
            coefficients,
        } = self.view(view)?;
        if rows.ncols() != anchors.n_columns() {
            return Err(Error::Columns {
                expected: anchors.n_columns(),
                found: rows.ncols(),
            });
        }
        let centre = |values: &mut [f64]| {
            let row = ArrayView2::from_shape((1, values.len()), &*values).expect("one row");
            let centred = centring.centred(row).expect("as many as training rows");
            values.copy_from_slice(centred.as_slice().expect("a fresh matrix is contiguous"));
        };
        let rows = rows.as_standard_layout();
        anchors.combine(
            Rows::Dense(rows.view()),
            coefficients.view(),
            centre,
            &Run::new(),
        )
    }

    fn view(&self, view: usize) -> Result<&View> {
        self.views.get(view).ok_or_else(|| {
            Error::parameter(
                "view",
                view,
                format!("there are {} views, counted from 0", self.views.len()),
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_math::kernel::KernelName;
    use didact_math::linalg::thin_svd;
    use didact_testing::random_matrix;

    fn with(regularization: f64, gamma: f64) -> KernelCca {
        KernelCca {
            regularization,
            gamma: Gamma::Value(gamma),
            ..KernelCca::default()
        }
    }

    fn correlation(parameters: &KernelCca, views: &[&Array2<f64>]) -> f64 {
        let views: Vec<ArrayView2<'_, f64>> = views.iter().map(|view| view.view()).collect();
        parameters.fit(&views, &Run::new()).unwrap().correlation()
    }

    /// Rows so far apart that a Gaussian kernel of rate one is the identity, and K̃ = H.
    fn apart(n: usize) -> Array2<f64> {
        Array2::from_shape_fn((n, 1), |(row, _)| 100.0 * row as f64)
    }

    // 002a:EX24 002a:KC02: K = H gives ρ = (1 + Mκ/2)⁻², for M = 60 and κ = 0.02 0.390625.
    #[test]
    fn kernels_of_rows_all_apart_have_the_published_correlation() {
        let x = apart(60);
        assert!((correlation(&with(0.02, 1.0), &[&x, &x]) - 0.390625).abs() < 1e-12);
        for (n, kappa) in [(10, 0.1), (30, 1.0)] {
            let x = apart(n);
            let expected = (1.0 + n as f64 * kappa / 2.0_f64).powi(-2);
            assert!((correlation(&with(kappa, 1.0), &[&x, &x]) - expected).abs() < 1e-12);
        }
    }

    // 002a:KC03: three equal views have λ_min = 1 − ρ and λ_max = 1 + 2ρ; only the smallest keeps ρ
    // within one.
    #[test]
    fn several_views_are_judged_by_the_smallest_eigenvalue() {
        let x = apart(20);
        let kappa = 0.009;
        let model = with(kappa, 1.0)
            .fit(&[x.view(), x.view(), x.view()], &Run::new())
            .unwrap();
        let rho = (1.0 + 20.0 * kappa / 2.0).powi(-2);
        let values = model.eigenvalues();
        assert!((values[0] - (1.0 + 2.0 * rho)).abs() < 1e-12);
        assert!((values[values.len() - 1] - (1.0 - rho)).abs() < 1e-12);
        assert!((model.correlation() - rho).abs() < 1e-12);
        assert!(values[0] - 1.0 > 1.0);
    }

    // 002a:KC01 002a:KC03: the blocks are those of K₁K₂ beside (K + δ)², and not beside (K² + δ)² or
    // with K_L·K_L on the diagonal: the spectrum of two views is symmetric about one.
    #[test]
    fn two_views_solve_the_eigenproblem_of_the_text_as_corrected() {
        let (x, y) = (random_matrix(15, 2, 1), random_matrix(15, 1, 2));
        let parameters = with(0.1, 0.5);
        let model = parameters.fit(&[x.view(), y.view()], &Run::new()).unwrap();
        let values = model.eigenvalues();
        let n = values.len();
        for (low, high) in (0..model.eigenvalues().len())
            .map(|i| (values[n - 1 - i], values[i]))
            .take(5)
        {
            assert!((low + high - 2.0).abs() < 1e-10);
        }
        // ρ is the value of α_xᵀK_xK_yα_y where α_xᵀ(K_x+δ)²α_x = 1 and the same for y.
        let delta = 15.0 * 0.1 / 2.0;
        let kernel = |rows: &Array2<f64>| {
            let gram = Array2::from_shape_fn((15, 15), |(i, j)| {
                let gap = &rows.row(i) - &rows.row(j);
                (-0.5 * gap.dot(&gap)).exp()
            });
            let centring = Array2::<f64>::eye(15) - 1.0 / 15.0;
            centring.dot(&gram).dot(&centring)
        };
        let (k_x, k_y) = (kernel(&x), kernel(&y));
        let (a, b) = (
            model.dual_coef(0).unwrap().column(0).to_owned(),
            model.dual_coef(1).unwrap().column(0).to_owned(),
        );
        let length = |k: &Array2<f64>, a: &Array1<f64>| {
            let image = k.dot(a) + a * delta;
            image.dot(&image)
        };
        let rho = k_x.dot(&a).dot(&k_y.dot(&b)) / (length(&k_x, &a) * length(&k_y, &b)).sqrt();
        assert!(
            (rho - model.correlation()).abs() < 1e-10,
            "{rho} {}",
            model.correlation()
        );
    }

    // 002a:KC01: the linear kernel with a vanishing price is canonical correlation.
    #[test]
    fn the_linear_kernel_gives_canonical_correlations() {
        let x = random_matrix(40, 3, 3);
        let noise = random_matrix(40, 2, 4);
        let y = Array2::from_shape_fn((40, 2), |(i, j)| x[[i, j]] + 0.8 * noise[[i, j]]);
        let parameters = KernelCca {
            kernel: KernelName::Linear.into(),
            ..with(1e-9, 1.0)
        };
        let found = correlation(&parameters, &[&x, &y]);
        let basis = |rows: &Array2<f64>| {
            let centred = rows - &rows.mean_axis(Axis(0)).unwrap();
            thin_svd(centred.view()).unwrap().u
        };
        let expected = thin_svd(basis(&x).t().dot(&basis(&y)).view())
            .unwrap()
            .singular_values[0];
        assert!((found - expected).abs() < 1e-7, "{found} {expected}");
    }

    // 002a:KC01 002a:KC02: without a price anything correlates; with a growing one independent views
    // do less and less.
    #[test]
    fn a_vanishing_price_makes_independent_views_correlate() {
        let (x, y) = (random_matrix(60, 1, 5), random_matrix(60, 1, 6));
        let sweep: Vec<f64> = [1e-10, 1e-4, 1e-2, 1.0, 100.0]
            .iter()
            .map(|&kappa| correlation(&with(kappa, 5.0), &[&x, &y]))
            .collect();
        assert!(sweep[0] > 0.99, "{sweep:?}");
        assert!(sweep.windows(2).all(|pair| pair[0] > pair[1]), "{sweep:?}");
        assert!(sweep[4] < 0.01, "{sweep:?}");
        let square = x.mapv(|value| value * value);
        let moderate = with(0.02, 2.0);
        let gap = correlation(&moderate, &[&x, &square]) - correlation(&moderate, &[&x, &y]);
        assert!(gap > 0.2, "{gap}");
    }

    // 002a:KC04: at a fixed price the correlation rises with the width and then falls to nothing.
    #[test]
    fn the_correlation_does_not_grow_with_the_width_for_ever() {
        let x = random_matrix(60, 1, 7);
        let y = &x.mapv(|value| value * value) + &(random_matrix(60, 1, 8) * 0.1);
        let widths = [0.01, 0.1, 0.5, 1.0, 10.0, 100.0];
        let sweep: Vec<f64> = widths
            .iter()
            .map(|sigma| correlation(&with(0.02, 0.5 / (sigma * sigma)), &[&x, &y]))
            .collect();
        let best = (0..6)
            .max_by(|&a, &b| sweep[a].total_cmp(&sweep[b]))
            .unwrap();
        assert!((1..5).contains(&best), "{sweep:?}");
        assert!(sweep[5] < 0.05, "{sweep:?}");
    }

    #[test]
    fn training_rows_have_uncorrelated_functions_that_new_rows_share() {
        let x = random_matrix(30, 2, 9);
        let y = x.mapv(|value| value.sin());
        let model = with(0.05, 0.5)
            .fit(&[x.view(), y.view()], &Run::new())
            .unwrap();
        let together = model.transform(0, x.view()).unwrap();
        let alone = model.transform(0, x.slice(s![3..4, ..])).unwrap();
        assert_eq!(alone.row(0), together.row(3));
        assert!(
            together
                .sum_axis(Axis(0))
                .iter()
                .all(|sum| sum.abs() < 1e-10)
        );
        assert!(model.transform(2, x.view()).is_err());
        assert!(model.transform(0, random_matrix(3, 5, 1).view()).is_err());
    }

    #[test]
    fn views_that_do_not_fit_together_are_named() {
        let (x, y) = (random_matrix(5, 1, 1), random_matrix(4, 1, 2));
        let refuse = |parameters: &KernelCca, views: &[ArrayView2<'_, f64>]| {
            parameters.fit(views, &Run::new()).unwrap_err().to_string()
        };
        let usual = KernelCca::default();
        assert!(refuse(&usual, &[x.view()]).starts_with("there are 1 views; "));
        assert!(refuse(&usual, &[x.view(), y.view()]).starts_with("view 1 has 4 rows"));
        let kernels = KernelCca {
            kernels: Some(vec![Kernel::Linear]),
            ..KernelCca::default()
        };
        assert!(refuse(&kernels, &[x.view(), x.view()]).starts_with("kernels is a list of 1; "));
        let same = Array2::ones((5, 1));
        assert!(refuse(&usual, &[x.view(), same.view()]).contains("all alike"));
    }
}
