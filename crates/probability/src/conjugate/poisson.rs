//! The gamma prior of a Poisson rate.

use super::{Conjugate, EventCounts, PointEstimates, Statistic};
use crate::laws::{Gamma, NegativeBinomial, Poisson};
use crate::special::log_gamma_ratio;
use crate::{Density, Modal, Mode};
use didact_core::Result;

impl Conjugate<u64> for Gamma {
    type Statistic = EventCounts;
    type Parameter = f64;
    type Likelihood = Poisson;
    type Predictive = NegativeBinomial;

    fn no_data(&self) -> EventCounts {
        EventCounts::default()
    }

    /// Gamma(α + events, β + observations).
    fn posterior(&self, data: &EventCounts) -> Result<Self> {
        Gamma::new(self.shape() + data.events(), self.rate() + data.weight())
    }

    fn log_evidence(&self, data: &EventCounts) -> Result<f64> {
        let (a, b) = (self.shape(), self.rate());
        let after = self.posterior(data)?;
        // Γ(α̃)/Γ(α)·βᵅ/β̃^α̃/∏k!
        Ok(log_gamma_ratio(a, data.events())
            - a * (data.weight() / b).ln_1p()
            - data.events() * after.rate().ln()
            - data.log_factorials())
    }

    /// A negative binomial law of α successes with probability β/(β+1).
    fn predictive(&self) -> Result<NegativeBinomial> {
        NegativeBinomial::new(self.shape(), self.rate() / (self.rate() + 1.0))
    }

    fn log_belief(&self, parameter: &f64) -> f64 {
        self.log_density(*parameter)
    }

    fn likelihood(&self, parameter: &f64) -> Result<Poisson> {
        Poisson::new(*parameter)
    }
}

impl PointEstimates<u64> for Gamma {
    fn most_likely(&self, data: &EventCounts) -> Option<f64> {
        (data.weight() > 0.0).then(|| data.events() / data.weight())
    }

    fn most_believed(&self) -> Mode<f64> {
        self.mode()
    }
}
