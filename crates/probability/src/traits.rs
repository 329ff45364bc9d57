//! What a law can do, a small trait each.

use crate::special::{log_one_minus_exp, log_subtract_exp};
use didact_core::random::Generator;
use didact_core::{Error, Result};

/// Says how likely a value is: the density of a continuous law, the probability of a discrete
/// one.
///
/// ```
/// use didact_probability::{Density, laws::Poisson};
/// let calls = Poisson::new(2.0)?;
/// assert!((calls.density(0) - (-2.0_f64).exp()).abs() < 1e-15);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub trait Density<X> {
    /// The natural logarithm of the density or probability; minus infinity where it is zero.
    fn log_density(&self, x: X) -> f64;

    /// The density or probability.
    fn density(&self, x: X) -> f64 {
        self.log_density(x).exp()
    }
}

/// A probability on one side of a value, by its natural logarithm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tail {
    /// ln P(X ≤ x).
    Lower(f64),
    /// ln P(X > x).
    Upper(f64),
}

impl Tail {
    /// The tail below the quantile of `p`, on the side where `p` has more digits.
    fn of_lower(p: f64) -> Result<Self> {
        match p {
            _ if !(0.0..=1.0).contains(&p) => Err(Error::parameter(
                "probability",
                p,
                "it must be between 0 and 1",
            )),
            _ if p > 0.5 => Ok(Tail::Upper((1.0 - p).ln())),
            _ => Ok(Tail::Lower(p.ln())),
        }
    }

    /// The same place seen from the other side.
    pub fn flip(self) -> Self {
        match self {
            Tail::Lower(log) => Tail::Upper(log),
            Tail::Upper(log) => Tail::Lower(log),
        }
    }

    /// ln P(X ≤ x), whichever side is known.
    pub fn lower(self) -> f64 {
        match self {
            Tail::Lower(log) => log,
            Tail::Upper(log) => log_one_minus_exp(log),
        }
    }

    /// ln P(X > x), whichever side is known.
    pub fn upper(self) -> f64 {
        self.flip().lower()
    }
}

/// Says how likely values up to x, or beyond x, are.
///
/// Both tails keep their digits: survival is never computed as one minus the rest.
///
/// ```
/// use didact_probability::{Cumulative, laws::Normal};
/// let noise = Normal::with_deviation(0.0, 1.0)?;
/// assert!((noise.survival(10.0) / 7.619_853_024_160_527e-24 - 1.0).abs() < 1e-13);
/// assert!((noise.upper_quantile(7.619_853_024_160_527e-24)? - 10.0).abs() < 1e-13);
/// assert!((noise.between(-1.0, 1.0) - 0.682_689_492_137_086).abs() < 1e-15);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub trait Cumulative<X: Copy> {
    /// ln P(X ≤ x) and ln P(X > x).
    fn log_tails(&self, x: X) -> (f64, f64);

    /// The value at which the given tail is reached; for discrete laws the smallest x with
    /// P(X ≤ x) at least that large.
    fn at_tail(&self, tail: Tail) -> X;

    /// P(X ≤ x).
    fn cumulative(&self, x: X) -> f64 {
        self.log_cumulative(x).exp()
    }

    /// P(X > x).
    fn survival(&self, x: X) -> f64 {
        self.log_survival(x).exp()
    }

    /// ln P(X ≤ x).
    fn log_cumulative(&self, x: X) -> f64 {
        self.log_tails(x).0
    }

    /// ln P(X > x).
    fn log_survival(&self, x: X) -> f64 {
        self.log_tails(x).1
    }

    /// P(low < X ≤ high), from the side where the difference keeps its digits; zero where the
    /// interval is empty.
    fn between(&self, low: X, high: X) -> f64 {
        let (below_low, above_low) = self.log_tails(low);
        let (below_high, above_high) = self.log_tails(high);
        match below_low < above_low {
            _ if below_high <= below_low && above_high >= above_low => 0.0,
            true => log_subtract_exp(below_high, below_low).exp(),
            false => log_subtract_exp(above_low, above_high).exp(),
        }
    }

    /// The value below which the share `p` lies.
    fn quantile(&self, p: f64) -> Result<X> {
        Tail::of_lower(p).map(|tail| self.at_tail(tail))
    }

    /// The value above which the share `q` lies, also where 1 − q is rounded to one.
    fn upper_quantile(&self, q: f64) -> Result<X> {
        Tail::of_lower(q).map(|tail| self.at_tail(tail.flip()))
    }

    /// The value with half of the probability on either side.
    fn median(&self) -> X {
        self.at_tail(Tail::Lower(-std::f64::consts::LN_2))
    }
}

/// Mean and variance.
///
/// ```
/// use didact_probability::{Moments, laws::{Cauchy, Gamma}};
/// let waiting = Gamma::new(3.0, 2.0)?; // shape and rate
/// assert_eq!((waiting.mean(), waiting.variance()), (Some(1.5), Some(0.75)));
/// assert_eq!(Cauchy::new(0.0, 1.0)?.mean(), None);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub trait Moments {
    /// A number, or a vector or matrix.
    type Mean;
    /// A number, a covariance matrix, or a matrix of variances.
    type Variance;

    /// The mean, where the integral exists.
    fn mean(&self) -> Option<Self::Mean>;

    /// The variance or covariance, where the integral exists; it may be infinite.
    fn variance(&self) -> Option<Self::Variance>;
}

/// Where a density is highest.
#[derive(Clone, Debug, PartialEq)]
pub enum Mode<X> {
    /// At this value, where the density is finite.
    At(X),
    /// Without bound near this value.
    Unbounded(X),
    /// At several values alike, or without bound near each.
    Several(Vec<X>),
    /// Without bound along part of the boundary.
    Boundary,
    /// Everywhere alike: there is no most likely value.
    Everywhere,
}

impl<X> Mode<X> {
    /// The one most likely value, unless there are several, or every value is one.
    pub fn point(self) -> Option<X> {
        match self {
            Mode::At(x) | Mode::Unbounded(x) => Some(x),
            Mode::Several(_) | Mode::Boundary | Mode::Everywhere => None,
        }
    }
}

/// Knows its most likely value.
///
/// ```
/// use didact_probability::{Modal, Mode, laws::Beta};
/// assert_eq!(Beta::new(3.0, 2.0)?.mode(), Mode::At(2.0 / 3.0));
/// assert_eq!(Beta::new(1.0, 1.0)?.mode(), Mode::Everywhere);
/// assert_eq!(Beta::new(0.5, 0.5)?.mode(), Mode::Several(vec![0.0, 1.0]));
/// # Ok::<(), didact_core::Error>(())
/// ```
pub trait Modal<X> {
    /// Where the density is highest.
    fn mode(&self) -> Mode<X>;
}

/// Knows its entropy.
///
/// ```
/// use didact_probability::{Entropy, laws::Bernoulli};
/// assert!((Bernoulli::new(0.5)?.entropy() - 2.0_f64.ln()).abs() < 1e-15);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub trait Entropy {
    /// −E ln p(X) in nats; for continuous laws the differential entropy, which may be negative.
    fn entropy(&self) -> f64;
}

/// Can be drawn from.
///
/// ```
/// use didact_core::random::generator;
/// use didact_probability::{Draw, laws::Exponential};
/// let times = Exponential::new(0.5)?.draw_many(3, &mut generator(1, 0));
/// assert!(times.len() == 3 && times.iter().all(|time| *time > 0.0));
/// # Ok::<(), didact_core::Error>(())
/// ```
pub trait Draw<X> {
    /// A value drawn at random.
    fn draw(&self, generator: &mut Generator) -> X;

    /// Independent values drawn at random.
    fn draw_many(&self, n: usize, generator: &mut Generator) -> Vec<X> {
        (0..n).map(|_| self.draw(generator)).collect()
    }
}

/// Can be fitted to data by maximum likelihood.
///
/// ```
/// use didact_probability::{FitLikelihood, laws::Normal};
/// let law = Normal::fit(&[1.0, 3.0])?;
/// assert_eq!((law.location(), law.deviation()), (2.0, 1.0)); // divided by n
/// let law = Normal::fit_weighted(&[1.0, 3.0, 9.0], Some(&[1.0, 1.0, 0.0]))?;
/// assert_eq!(law.location(), 2.0);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub trait FitLikelihood<D: ?Sized>: Sized {
    /// The law that makes the data most likely, each value as often as its weight says.
    fn fit_weighted(data: &D, weights: Option<&[f64]>) -> Result<Self>;

    /// The law that makes the data most likely.
    fn fit(data: &D) -> Result<Self> {
        Self::fit_weighted(data, None)
    }
}
