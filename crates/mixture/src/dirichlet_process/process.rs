//! The Dirichlet process: its moments, its posterior, and its draws.

use super::{check_concentration, stick_breaking};
use didact_core::Result;
use didact_core::random::Generator;
use rand::RngExt;

/// DP(α, G₀), or its posterior after some values have been seen.
///
/// For every partition of the space (G(A₁), …, G(A_m)) ~ Dir(α·G₀(A₁), …, α·G₀(A_m)). After the values
/// θ₁, …, θ_n the posterior is DP(α + n, (α·G₀ + Σδ_θᵢ)/(α + n)), a Dirichlet process again.
///
/// ```
/// use didact_mixture::DirichletProcess;
/// let prior: DirichletProcess<f64> = DirichletProcess::new(4.0)?;
/// // A set of base measure 1/4: mean 1/4 and variance ¼·¾/5.
/// assert_eq!(prior.mean(0.25, |_| false), 0.25);
/// assert!((prior.variance(0.25, |_| false) - 0.0375).abs() < 1e-15);
/// // Four values, three of them in the set.
/// let posterior = prior.observe(&[0.1, 0.2, 0.2, 9.0]);
/// assert_eq!(posterior.mean(0.25, |value| *value < 1.0), 0.5);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct DirichletProcess<T> {
    concentration: f64,
    observed: Vec<T>,
}

/// The first atoms of a draw and their weights, which add up to a little less than one.
#[derive(Clone, Debug, PartialEq)]
pub struct DirichletProcessDraw<T> {
    /// The weights, in the order of the stick.
    pub weights: Vec<f64>,
    /// The atom of each weight; values that were observed occur repeatedly.
    pub atoms: Vec<T>,
}

impl<T: Clone> DirichletProcess<T> {
    /// A process with the concentration α before anything is seen.
    pub fn new(concentration: f64) -> Result<Self> {
        check_concentration(concentration)?;
        Ok(DirichletProcess {
            concentration,
            observed: Vec::new(),
        })
    }

    /// The process after these values, too, have been seen.
    pub fn observe(&self, values: &[T]) -> Self {
        let mut observed = self.observed.clone();
        observed.extend_from_slice(values);
        DirichletProcess {
            concentration: self.concentration,
            observed,
        }
    }

    /// The concentration: α plus the number of values seen.
    pub fn concentration(&self) -> f64 {
        self.concentration + self.observed.len() as f64
    }

    /// E G(A) for a set whose base measure G₀(A) is given, with the values that it contains.
    pub fn mean(&self, base: f64, contains: impl Fn(&T) -> bool) -> f64 {
        let inside = self.observed.iter().filter(|value| contains(value)).count();
        (self.concentration * base + inside as f64) / self.concentration()
    }

    /// Var G(A) = E G(A)·(1 − E G(A))/(α + n + 1).
    pub fn variance(&self, base: f64, contains: impl Fn(&T) -> bool) -> f64 {
        let mean = self.mean(base, contains);
        mean * (1.0 - mean) / (self.concentration() + 1.0)
    }

    /// A draw, cut off after `atoms` pieces of the stick; `base` draws from G₀.
    pub fn draw(
        &self,
        atoms: usize,
        generator: &mut Generator,
        mut base: impl FnMut(&mut Generator) -> T,
    ) -> Result<DirichletProcessDraw<T>> {
        let weights = stick_breaking(self.concentration(), atoms, generator)?;
        let atom = |_: &f64| {
            let place = generator.random::<f64>() * self.concentration();
            match place < self.observed.len() as f64 {
                true => self.observed[place as usize].clone(),
                false => base(generator),
            }
        };
        let atoms = weights.iter().map(atom).collect();
        Ok(DirichletProcessDraw { weights, atoms })
    }
}

impl<T> DirichletProcessDraw<T> {
    /// G(A), the weight of the atoms in a set.
    pub fn measure(&self, contains: impl Fn(&T) -> bool) -> f64 {
        let pairs = self.weights.iter().zip(&self.atoms);
        let inside = pairs.filter(|(_, atom)| contains(atom));
        inside.map(|(weight, _)| *weight).sum()
    }
}
