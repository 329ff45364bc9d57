//! Phase portraits of two units.

use super::{LeakyNetwork, SingleUnit};
use didact_core::{Error, Result};
use ndarray::array;

/// Two units that behave in qualitatively different ways (after Beer 1995): τ = 1, D = 1 and no
/// input from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Regime {
    /// One stable focus.
    Focus,
    /// A limit cycle round an unstable focus.
    LimitCycle,
    /// Two stable points and a saddle between them.
    Bistable,
    /// Each unit silences the other: two stable points and a saddle.
    WinnerTakeAll,
    /// Four stable points, four saddles and an unstable point.
    FourAttractors,
}

impl Regime {
    /// The network.
    pub fn network(self) -> LeakyNetwork {
        let (weights, biases) = match self {
            Regime::Focus => (array![[1.0, 1.0], [-1.0, 1.0]], array![0.0, 0.0]),
            Regime::LimitCycle => (array![[4.5, 1.0], [-1.0, 4.5]], array![-2.75, -1.75]),
            Regime::Bistable => (array![[5.5, 1.0], [1.0, 3.0]], array![-3.25, -2.0]),
            Regime::WinnerTakeAll => (array![[2.0, -6.0], [-6.0, 2.0]], array![2.0, 2.0]),
            Regime::FourAttractors => (array![[8.0, 0.5], [0.5, 8.0]], array![-4.25, -4.25]),
        };
        LeakyNetwork::new(array![1.0, 1.0], weights, biases, array![1.0, 1.0])
            .expect("the regimes are sound")
    }
}

impl LeakyNetwork {
    /// Points (m₁, m₂) at which one of two units stands still, under constant inputs: for each of
    /// the given potentials of that unit the potential of the other, where there is one. A unit
    /// that does not hear the other stands still on straight lines, given at the same potentials.
    pub fn nullcline(
        &self,
        unit: usize,
        inputs: [f64; 2],
        potentials: &[f64],
    ) -> Result<Vec<[f64; 2]>> {
        if self.n_units() != 2 || unit > 1 {
            return Err(Error::unsupported(format!(
                "unit {unit} of {} has no nullcline in the plane; take unit 0 or 1 of a network \
                 of two",
                self.n_units()
            )));
        }
        let other = 1 - unit;
        let ordered = |own: f64, of_other: f64| match unit {
            0 => [own, of_other],
            _ => [of_other, own],
        };
        let alone = SingleUnit {
            self_weight: self.weights()[[unit, unit]],
            input: inputs[unit],
            bias: self.biases()[unit],
            slope: self.slopes()[unit],
        };
        let weight = self.weights()[[unit, other]];
        if weight == 0.0 {
            let rest = alone.equilibria()?;
            let line = |own: f64| {
                potentials
                    .iter()
                    .map(move |&of_other| ordered(own, of_other))
            };
            return Ok(rest.iter().flat_map(|(own, _)| line(*own)).collect());
        }
        let (bias, slope) = (self.biases()[other], self.slopes()[other]);
        let points = potentials.iter().filter_map(|&own| {
            // At rest the rate of the other makes up for the drift of the unit alone.
            let rate = -alone.drift(own) / weight;
            let potential = (rate / (1.0 - rate)).ln() / slope - bias;
            (rate > 0.0 && rate < 1.0).then(|| ordered(own, potential))
        });
        Ok(points.collect())
    }
}
