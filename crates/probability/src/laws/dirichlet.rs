//! Probabilities of several categories that are themselves uncertain.

use super::sampling::log_gamma;
use crate::check::{self, law};
use crate::laws::Beta;
use crate::observations::check_weights;
use crate::special::{digamma, log_beta_of, trigamma, x_log_y};
use crate::{Density, Draw, Entropy, FitLikelihood, Modal, Mode, Moments};
use didact_core::random::Generator;
use didact_core::{Error, Result};
use didact_math::numeric::log_softmax_in_place;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2};

/// How far the entries of a point may sum from one before it lies off the simplex.
const ROUNDING: f64 = 1e-9;

law! {
    /// The Dirichlet law of K probabilities: Γ(Σα)/∏Γ(αₖ)·∏θₖ^(αₖ−1) on the simplex.
    ///
    /// ```
    /// use didact_probability::{Density, laws::Dirichlet};
    /// use ndarray::array;
    /// let law = Dirichlet::new(array![2.0, 3.0, 5.0])?;
    /// assert!((law.density(array![0.2, 0.3, 0.5].view()) - 8.505).abs() < 1e-12);
    /// assert_eq!(law.density(array![0.2, 0.3, 0.4].view()), 0.0); // does not sum to one
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    pub struct Dirichlet {
        concentration: Array1<f64>,
    }
}

impl Dirichlet {
    /// The law with these concentrations α, all positive.
    pub fn new(concentration: Array1<f64>) -> Result<Self> {
        check::positive_all("concentration", concentration.view())?;
        Ok(Dirichlet { concentration })
    }

    /// The law of `categories` categories with the same concentration for each.
    pub fn symmetric(categories: usize, concentration: f64) -> Result<Self> {
        Dirichlet::new(Array1::from_elem(categories, concentration))
    }

    /// The concentrations α.
    pub fn concentration(&self) -> ArrayView1<'_, f64> {
        self.concentration.view()
    }

    /// Σα, which says how sure the law is.
    pub fn total(&self) -> f64 {
        self.concentration.sum()
    }

    /// The law of one probability alone: Beta(αₖ, Σα − αₖ).
    pub fn marginal(&self, k: usize) -> Result<Beta> {
        let n = self.concentration.len();
        if k >= n || n < 2 {
            return Err(Error::parameter(
                "k",
                k,
                format!("it must be less than the {n} categories, of which two are needed"),
            ));
        }
        let others = self
            .concentration
            .iter()
            .enumerate()
            .filter(|(i, _)| *i != k);
        Beta::new(self.concentration[k], others.map(|(_, alpha)| alpha).sum())
    }
}

impl Density<ArrayView1<'_, f64>> for Dirichlet {
    fn log_density(&self, x: ArrayView1<'_, f64>) -> f64 {
        let off = x.len() != self.concentration.len()
            || (x.sum() - 1.0).abs() > ROUNDING
            || x.iter().any(|value| value.is_nan() || *value < 0.0);
        if off {
            return f64::NEG_INFINITY;
        }
        let powers = x.iter().zip(&self.concentration);
        let sum: f64 = powers.map(|(&x, &alpha)| x_log_y(alpha - 1.0, x)).sum();
        sum - log_beta_of(self.concentration.iter().copied())
    }
}

impl Moments for Dirichlet {
    type Mean = Array1<f64>;
    type Variance = Array2<f64>;

    fn mean(&self) -> Option<Array1<f64>> {
        Some(&self.concentration / self.total())
    }

    /// −αᵢαⱼ/(α²(α+1)) off the diagonal and αᵢ(α−αᵢ)/(α²(α+1)) on it, with α the total.
    fn variance(&self) -> Option<Array2<f64>> {
        let (alpha, total) = (&self.concentration, self.total());
        let k = alpha.len();
        Some(Array2::from_shape_fn((k, k), |(i, j)| {
            let product = match i == j {
                true => alpha[i] / total * (total - alpha[i]) / total,
                false => -(alpha[i] / total) * (alpha[j] / total),
            };
            product / (total + 1.0)
        }))
    }
}

impl Modal<Array1<f64>> for Dirichlet {
    /// (αₖ−1)/(Σα−K), where no αₖ is below one.
    fn mode(&self) -> Mode<Array1<f64>> {
        let alpha = &self.concentration;
        match alpha {
            _ if alpha.len() == 1 => Mode::At(Array1::ones(1)),
            _ if alpha.iter().any(|alpha| *alpha < 1.0) => Mode::Boundary,
            _ if alpha.iter().all(|alpha| *alpha == 1.0) => Mode::Everywhere,
            _ => {
                let excess = alpha.mapv(|alpha| alpha - 1.0);
                let total = excess.sum();
                Mode::At(excess / total)
            }
        }
    }
}

impl Entropy for Dirichlet {
    fn entropy(&self) -> f64 {
        let (alpha, total) = (&self.concentration, self.total());
        let sum: f64 = alpha
            .iter()
            .map(|alpha| (alpha - 1.0) * digamma(*alpha))
            .sum();
        log_beta_of(alpha.iter().copied()) + (total - alpha.len() as f64) * digamma(total) - sum
    }
}

impl Draw<Array1<f64>> for Dirichlet {
    fn draw(&self, generator: &mut Generator) -> Array1<f64> {
        // Normalised gamma variables, by their logarithms: tiny concentrations underflow.
        let mut logs: Vec<f64> = self
            .concentration
            .iter()
            .map(|&alpha| log_gamma(alpha, generator))
            .collect();
        log_softmax_in_place(&mut logs);
        logs.into_iter().map(f64::exp).collect()
    }
}

impl FitLikelihood<ArrayView2<'_, f64>> for Dirichlet {
    /// Each row is one set of probabilities; none of them may be zero.
    fn fit_weighted(data: &ArrayView2<'_, f64>, weights: Option<&[f64]>) -> Result<Self> {
        let total = check_weights(data.nrows(), weights)?;
        let mut means = vec![0.0; data.ncols()];
        for (i, row) in data.rows().into_iter().enumerate() {
            let weight = weights.map_or(1.0, |weights| weights[i]);
            if weight == 0.0 {
                continue;
            }
            let sums = (row.sum() - 1.0).abs() <= ROUNDING;
            if !sums || row.iter().any(|x| x.is_nan() || *x <= 0.0) {
                return Err(Error::data(format!(
                    "row {i} is no set of positive probabilities that sum to 1"
                )));
            }
            for (mean, x) in means.iter_mut().zip(row) {
                *mean += weight / total * x.ln();
            }
        }
        Dirichlet::new(most_likely_concentration(&means)?.into())
    }
}

/// The concentrations α with ψ(αₖ) − ψ(Σα) = the mean of ln θₖ, by Newton's method; the Hessian
/// is a diagonal plus a constant and costs nothing to invert (Minka 2000).
pub(crate) fn most_likely_concentration(mean_logs: &[f64]) -> Result<Vec<f64>> {
    let k = mean_logs.len() as f64;
    let geometric: Vec<f64> = mean_logs.iter().map(|log| log.exp()).collect();
    let total: f64 = geometric.iter().sum();
    // Jensen: the geometric means sum to less than one unless all rows are equal.
    if total.is_nan() || total >= 1.0 - 1e-14 || mean_logs.len() < 2 {
        return Err(Error::data(
            "all sets of probabilities are equal; the concentration would be infinite",
        ));
    }
    let sure = (0.5 * (k - 1.0) / -total.ln()).clamp(1e-3, 1e12);
    let mut alpha: Vec<f64> = geometric.iter().map(|g| sure * g / total).collect();
    for _ in 0..1000 {
        let sum: f64 = alpha.iter().sum();
        let z = trigamma(sum);
        let gradient: Vec<f64> = alpha
            .iter()
            .zip(mean_logs)
            .map(|(a, log)| digamma(sum) - digamma(*a) + log)
            .collect();
        let curvature: Vec<f64> = alpha.iter().map(|a| -trigamma(*a)).collect();
        let ratio: f64 = gradient.iter().zip(&curvature).map(|(g, q)| g / q).sum();
        let inverse: f64 = curvature.iter().map(|q| 1.0 / q).sum();
        let shared = ratio / (1.0 / z + inverse);
        let mut moved = 0.0_f64;
        for (i, a) in alpha.iter_mut().enumerate() {
            let step = (gradient[i] - shared) / curvature[i];
            // A step that would leave the positive numbers halves the parameter instead.
            let next = if step < *a { *a - step } else { 0.5 * *a };
            moved = moved.max((next - *a).abs() / *a);
            *a = next;
        }
        if moved < 1e-13 {
            return Ok(alpha);
        }
    }
    Ok(alpha)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quadrature::integrate;
    use crate::testing::{assert_close, assert_relative};
    use didact_core::random::generator;
    use ndarray::array;

    // 000b:P15, 000b:TV-20
    #[test]
    fn the_printed_values_are_found() {
        let law = Dirichlet::new(array![2.0, 3.0, 5.0]).unwrap();
        assert_relative(
            law.log_density(array![0.2, 0.3, 0.5].view()),
            2.14065422585,
            1e-11,
        );
        let covariance = law.variance().unwrap();
        assert_relative(covariance[[0, 1]], -0.00545454545, 1e-8);
        // The printed covariance holds off the diagonal only; there it would be −0.0036.
        assert_relative(covariance[[0, 0]], 0.0145454545, 1e-8);
        assert!(covariance.sum().abs() < 1e-16);
    }

    // 000b:P15, 003:P08
    #[test]
    fn two_categories_are_a_beta_law_and_marginals_are_beta_laws() {
        let (law, beta) = (
            Dirichlet::new(array![2.5, 0.7]).unwrap(),
            Beta::new(2.5, 0.7).unwrap(),
        );
        for x in [0.1, 0.6, 0.95] {
            assert_relative(
                law.log_density(array![x, 1.0 - x].view()),
                beta.log_density(x),
                1e-13,
            );
        }
        assert_relative(law.entropy(), beta.entropy(), 1e-13);
        let three = Dirichlet::new(array![2.0, 3.0, 5.0]).unwrap();
        let marginal = three.marginal(0).unwrap();
        assert_eq!((marginal.a(), marginal.b()), (2.0, 8.0));
        // ∫ over the second probability at θ₀ = 0.3.
        let integral = integrate(0.0, 0.7, |y| three.density(array![0.3, y, 0.7 - y].view()));
        assert_relative(integral.unwrap(), marginal.density(0.3), 1e-11);
        assert!(three.marginal(3).is_err());
    }

    // 003:P08
    #[test]
    fn the_mode_needs_every_concentration_above_one() {
        let mode = |alpha: Array1<f64>| Dirichlet::new(alpha).unwrap().mode();
        match mode(array![2.0, 3.0, 5.0]) {
            Mode::At(point) => {
                assert_close(&point, &array![1.0 / 7.0, 2.0 / 7.0, 4.0 / 7.0], 1e-15)
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(mode(array![1.0, 1.0, 1.0]), Mode::Everywhere);
        assert_eq!(mode(array![0.5, 3.0, 3.0]), Mode::Boundary);
        assert_eq!(mode(array![0.5, 3.0]).point(), None);
        let error = Dirichlet::new(array![1.0, 0.0]).unwrap_err().to_string();
        assert_eq!(
            error,
            "concentration[1] is 0; it must be greater than 0 and finite"
        );
    }

    // 003:P08
    #[test]
    fn draws_lie_on_the_simplex_and_have_the_mean_and_covariance_of_the_law() {
        let law = Dirichlet::new(array![0.4, 3.0, 1.6]).unwrap();
        let (mean, covariance) = (law.mean().unwrap(), law.variance().unwrap());
        let n = 8000;
        let draws = law.draw_many(n, &mut generator(3, 0));
        assert!(draws.iter().all(|x| (x.sum() - 1.0).abs() < 1e-12));
        for i in 0..3 {
            let found = draws.iter().map(|x| x[i]).sum::<f64>() / n as f64;
            assert!((found - mean[i]).abs() < 5.0 * (covariance[[i, i]] / n as f64).sqrt());
        }
        // Concentrations at which gamma variables themselves underflow.
        let tiny = Dirichlet::symmetric(3, 1e-4)
            .unwrap()
            .draw(&mut generator(1, 0));
        assert!((tiny.sum() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_fit_solves_its_equations() {
        let law = Dirichlet::new(array![0.8, 4.0, 2.0]).unwrap();
        let draws = law.draw_many(500, &mut generator(9, 0));
        let rows = Array2::from_shape_fn((500, 3), |(i, j)| draws[i][j]);
        let fitted = Dirichlet::fit(&rows.view()).unwrap();
        let total = digamma(fitted.total());
        for k in 0..3 {
            let mean = rows.column(k).mapv(f64::ln).mean().unwrap();
            let found = digamma(fitted.concentration()[k]) - total;
            assert!((found - mean).abs() < 1e-11);
        }
        assert!(Dirichlet::fit(&array![[0.5, 0.5], [0.5, 0.5]].view()).is_err());
        assert!(Dirichlet::fit(&array![[0.5, 0.4]].view()).is_err());
    }
}
