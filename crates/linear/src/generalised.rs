//! Weighted and generalised least squares with prior knowledge.

use didact_core::{Error, Result};
use didact_math::linalg::{Cholesky, Qr};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, concatenate};

/// What is known about the noise of the targets.
#[derive(Clone, Debug, PartialEq)]
pub enum Noise {
    /// Independent, all of this variance: ordinary least squares.
    Variance(f64),
    /// Independent, a variance each: weighted least squares.
    Variances(Array1<f64>),
    /// The n×n covariance Σ between the targets: generalised least squares.
    Covariance(Array2<f64>),
}

/// What is believed about the weights before the data: mean and covariance.
#[derive(Clone, Debug, PartialEq)]
pub struct Prior {
    /// The mean X₀.
    pub mean: Array1<f64>,
    /// The covariance Σ₀, not its inverse.
    pub covariance: Array2<f64>,
}

/// The weights of least generalised squares.
#[derive(Clone, Debug, PartialEq)]
pub struct GeneralisedEstimate {
    /// The weights X.
    pub weights: Array1<f64>,
    /// Their covariance (AᵀΣ⁻¹A + Σ₀⁻¹)⁻¹, as the noise was given.
    pub covariance: Array2<f64>,
    /// (B − AX)ᵀΣ⁻¹(B − AX), about n − m where noise and model are right.
    pub weighted_residual_squares: f64,
    /// The residuals B − AX.
    pub residuals: Array1<f64>,
}

impl GeneralisedEstimate {
    /// The factor by which the noise is larger than it was given: the weighted squares divided
    /// by the degrees of freedom n − m. Times this the covariance is that of libraries which
    /// learn the size of the noise.
    pub fn scale(&self) -> f64 {
        let freedom = self.residuals.len() as f64 - self.weights.len() as f64;
        self.weighted_residual_squares / freedom
    }
}

/// Solves A·X ≈ B for noise of any covariance: X = (AᵀΣ⁻¹A + Σ₀⁻¹)⁻¹(AᵀΣ⁻¹B + Σ₀⁻¹X₀).
///
/// Rows and targets are whitened by the Cholesky factor of Σ and solved by an orthogonal
/// reduction; no inverse of Σ is formed. Prior knowledge adds rows of its own. There is no
/// intercept unless A has a column of ones.
///
/// ```
/// use didact_linear::{Noise, generalised_least_squares};
/// use ndarray::array;
/// let a = array![[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]];
/// let b = array![1.0, 3.0, 5.0];
/// let found = generalised_least_squares(a.view(), b.view(), &Noise::Variance(1.0), None)?;
/// assert!((found.weights[1] - 2.0).abs() < 1e-12);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn generalised_least_squares(
    a: ArrayView2<'_, f64>,
    b: ArrayView1<'_, f64>,
    noise: &Noise,
    prior: Option<&Prior>,
) -> Result<GeneralisedEstimate> {
    let (n, m) = a.dim();
    if b.len() != n || n == 0 || m == 0 {
        return Err(Error::data(format!(
            "there are {} targets for {n} rows of {m} columns; \
             give one target per row and at least one row and column",
            b.len()
        )));
    }
    let column = b.to_owned().insert_axis(Axis(1));
    let (mut design, mut target) = whiten(a, column, noise)?;
    let whitened = (design.clone(), target.clone());
    if let Some(prior) = prior {
        let shape_fits = prior.mean.len() == m && prior.covariance.dim() == (m, m);
        if !shape_fits {
            return Err(Error::parameter(
                "prior",
                format!("for {} weights", prior.mean.len()),
                format!("A has {m} columns; mean and covariance must have as many"),
            ));
        }
        let factor = named(Cholesky::new(prior.covariance.view()), "prior.covariance")?;
        let own = factor.half_solve(Array2::eye(m).view());
        let expected = own.dot(&prior.mean).insert_axis(Axis(1));
        design = concatenate![Axis(0), design, own];
        target = concatenate![Axis(0), target, expected];
    }
    let qr = Qr::new(design.view())?;
    let weights = qr.solve(target.view())?.remove_axis(Axis(1));
    // (RᵀR)⁻¹ in the order of the columns of R.
    let covariance = covariance_of(&qr, m)?;
    let left = &whitened.1.column(0) - &whitened.0.dot(&weights);
    Ok(GeneralisedEstimate {
        weighted_residual_squares: left.dot(&left),
        residuals: &b - &a.dot(&weights),
        weights,
        covariance,
    })
}

fn named<T>(factor: Result<T>, name: &str) -> Result<T> {
    factor.map_err(|_| {
        Error::parameter(
            name,
            "not positive definite",
            "a covariance must be symmetric with positive variances in every direction",
        )
    })
}

/// L⁻¹A and L⁻¹B, where LLᵀ is the covariance of the noise.
fn whiten(
    a: ArrayView2<'_, f64>,
    b: Array2<f64>,
    noise: &Noise,
) -> Result<(Array2<f64>, Array2<f64>)> {
    let n = a.nrows();
    let variances = match noise {
        Noise::Covariance(covariance) => {
            if covariance.dim() != (n, n) {
                return Err(Error::parameter(
                    "noise",
                    format!("a matrix of shape {:?}", covariance.dim()),
                    format!("there are {n} rows; the covariance must be {n}×{n}"),
                ));
            }
            let factor = named(Cholesky::new(covariance.view()), "noise")?;
            return Ok((factor.half_solve(a), factor.half_solve(b.view())));
        }
        Noise::Variance(variance) => Array1::from_elem(n, *variance),
        Noise::Variances(variances) => variances.clone(),
    };
    if variances.len() != n {
        return Err(Error::parameter(
            "noise",
            format!("{} variances", variances.len()),
            format!("there are {n} rows; give a variance for each"),
        ));
    }
    if let Some(bad) = variances.iter().find(|v| !(**v > 0.0 && v.is_finite())) {
        let requirement = "every variance must be positive and finite";
        return Err(Error::parameter("noise", bad, requirement));
    }
    let roots = variances.mapv(|variance| variance.sqrt().recip());
    let column = roots.insert_axis(Axis(1));
    Ok((&a * &column, b * &column))
}

/// (AᵀA)⁻¹ from the triangular factor of A.
fn covariance_of(qr: &Qr, m: usize) -> Result<Array2<f64>> {
    // Rows of R⁻¹ by back substitution.
    let mut inverse = Array2::<f64>::zeros((m, m));
    for column in 0..m {
        for row in (0..=column).rev() {
            let mut value = f64::from(row == column);
            for inner in row + 1..=column {
                value -= qr.r[[row, inner]] * inverse[[inner, column]];
            }
            inverse[[row, column]] = value / qr.r[[row, row]];
        }
    }
    let product = inverse.dot(&inverse.t());
    let mut covariance = Array2::zeros((m, m));
    for i in 0..m {
        for j in 0..m {
            covariance[[qr.order[i], qr.order[j]]] = product[[i, j]];
        }
    }
    match covariance.iter().all(|value| value.is_finite()) {
        true => Ok(covariance),
        false => Err(Error::numerical(
            "the covariance of the weights overflows because columns nearly depend on each other; \
             leave out one of them",
        )),
    }
}
