//! The methods of this family, one entry each.

use crate::BayesianNetwork;
use didact_core::{Entry, Modelling, Values};

/// The methods of graphical models.
pub fn catalogue() -> Vec<Entry> {
    vec![
        Entry::of::<BayesianNetwork>("bayesian-network")
            .family("graphical")
            .serves(&["bayes-net", "bn-parameter-learning", "bn-structure-learning"])
            .card(
                Modelling::Generative,
                "BIC of the graph, Σᵢ (ln-likelihood − (ln n/2)·(rᵢ − 1)·Π r of the parents); shares smoothed by α",
                "O(n·d²) to look at all pairs, O(n·d) per step of the search",
            )
            .classifier()
            .density()
            .values(Values::Categories)
            .into(),
    ]
}
