//! Association rules: who takes these also takes those.

mod baskets;
mod derive;
mod eclat;
mod model;

pub use eclat::ItemSet;
pub use model::{AssociationModel, Rule};

use baskets::Baskets;
use didact_core::{Accepts, Fit, Result, Run, Samples};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Finds which items occur together and the rules "who has A also has B" that follow.
///
/// Every row is a basket, every column an item, and a 1 says that the item is in the basket. With
/// P the share of the baskets, a rule A → B between disjoint sets of items has
///
/// - support P(A∪B), how often both occur;
/// - confidence P(A∪B)/P(A), how often B occurs where A does;
/// - lift P(A∪B)/(P(A)·P(B)), one where A and B are independent;
/// - leverage P(A∪B) − P(A)·P(B), zero where they are independent;
/// - conviction (1 − P(B))/(1 − confidence), infinite where the rule is never broken.
///
/// All sets with at least `min_support` are found, exactly: the baskets of each item are written
/// as bits, and larger sets are the intersections of smaller ones, searched depth first.
///
/// ```
/// use didact_core::Fit;
/// use didact_recommend::AssociationRules;
/// // Bread, butter, beer: butter is never bought without bread.
/// let baskets = ndarray::array![[1.0, 1.0, 0.0], [1.0, 1.0, 1.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
/// let model = AssociationRules { min_support: 0.5, ..Default::default() }.fit((&baskets).into())?;
/// let rule = &model.rules()[0];
/// assert_eq!((&rule.antecedent[..], &rule.consequent[..]), (&[1][..], &[0][..]));
/// assert_eq!((rule.confidence(), rule.lift()), (1.0, 4.0 / 3.0));
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AssociationRules {
    /// Least share of the baskets in which a set occurs.
    #[schemars(range(max = 1), extend("exclusiveMinimum" = 0))]
    pub min_support: f64,
    /// Least confidence of a rule.
    #[schemars(range(min = 0, max = 1))]
    pub min_confidence: f64,
    /// Least lift of a rule; one leaves out what occurs together less often than by chance.
    #[schemars(range(min = 0))]
    pub min_lift: f64,
    /// Most items of a set, and hence of both sides of a rule together.
    #[schemars(range(min = 1))]
    pub max_items: usize,
    /// Stop with an error where there are more sets, or more rules, than this.
    #[schemars(range(min = 1))]
    pub max_results: usize,
    /// Which rules come first; the largest of this figure.
    pub order: RuleOrder,
}

/// Which figure puts rules in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RuleOrder {
    /// How many times as often both sides occur together as they would by chance.
    #[default]
    Lift,
    /// How often the rule is right where it applies.
    Confidence,
    /// How often both sides occur.
    Support,
    /// How much more often both sides occur together than they would by chance.
    Leverage,
    /// How many times as often the rule would be broken by chance as it is.
    Conviction,
}

impl Default for AssociationRules {
    fn default() -> Self {
        AssociationRules {
            min_support: 0.1,
            min_confidence: 0.5,
            min_lift: 0.0,
            max_items: 4,
            max_results: 1_000_000,
            order: RuleOrder::Lift,
        }
    }
}

impl Fit<Samples<'_>> for AssociationRules {
    type Model = AssociationModel;
    const ACCEPTS: Accepts = Accepts::SPARSE;

    fn learn(&self, data: Samples<'_>, run: &Run) -> Result<AssociationModel> {
        let baskets = Baskets::new(data.rows(), self.min_support)?;
        let sets = eclat::frequent_sets(&baskets, self, run)?;
        let rules = derive::rules(&sets, data.n_rows(), self, run)?;
        Ok(AssociationModel {
            n_baskets: data.n_rows(),
            n_items: data.n_columns(),
            sets,
            rules,
        })
    }
}
