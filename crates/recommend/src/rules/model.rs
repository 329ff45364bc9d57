//! What was found: the frequent sets and the rules.

use super::ItemSet;
use didact_core::model::ensure_consistent;
use didact_core::{Abilities, Accepts, Attribute, Features, Model, Result, Value};
use ndarray::Array1;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A rule A → B: who has the antecedent A often has the consequent B too.
///
/// The counts are kept, so that every figure is exact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    /// The items that are seen, rising.
    pub antecedent: Vec<usize>,
    /// The items that are expected, rising.
    pub consequent: Vec<usize>,
    /// In how many baskets both are.
    pub n_both: usize,
    /// In how many baskets the antecedent is.
    pub n_antecedent: usize,
    /// In how many baskets the consequent is.
    pub n_consequent: usize,
    /// How many baskets there are.
    pub n_baskets: usize,
}

impl Rule {
    /// P(A∪B): the share of baskets with both sides.
    pub fn support(&self) -> f64 {
        self.n_both as f64 / self.n_baskets as f64
    }

    /// P(A∪B)/P(A): the share of the baskets with the antecedent that have the consequent too.
    pub fn confidence(&self) -> f64 {
        self.n_both as f64 / self.n_antecedent as f64
    }

    /// P(A∪B)/(P(A)·P(B)): one where the sides are independent.
    pub fn lift(&self) -> f64 {
        let expected = self.n_antecedent as f64 * self.n_consequent as f64;
        self.n_both as f64 * self.n_baskets as f64 / expected
    }

    /// P(A∪B) − P(A)·P(B): zero where the sides are independent.
    pub fn leverage(&self) -> f64 {
        let n = self.n_baskets as f64;
        let excess = self.n_both as f64 * n - self.n_antecedent as f64 * self.n_consequent as f64;
        excess / (n * n)
    }

    /// (1 − P(B))/(1 − confidence): how many times as often the rule would be broken if its sides
    /// were independent; infinite where it is never broken.
    pub fn conviction(&self) -> f64 {
        match self.n_antecedent - self.n_both {
            0 => f64::INFINITY,
            broken => {
                let without = (self.n_baskets - self.n_consequent) as f64;
                without * self.n_antecedent as f64 / (self.n_baskets as f64 * broken as f64)
            }
        }
    }

    fn is_consistent(&self, n_baskets: usize, n_items: usize) -> bool {
        let rise = |items: &[usize]| {
            !items.is_empty()
                && items.windows(2).all(|pair| pair[0] < pair[1])
                && items[items.len() - 1] < n_items
        };
        self.n_baskets == n_baskets
            && rise(&self.antecedent)
            && rise(&self.consequent)
            && self.n_both >= 1
            && self.n_both <= self.n_antecedent.min(self.n_consequent)
            && self.n_antecedent.max(self.n_consequent) <= n_baskets
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |items: &[usize]| {
            let words: Vec<String> = items.iter().map(usize::to_string).collect();
            words.join(", ")
        };
        write!(
            formatter,
            "{} → {}",
            list(&self.antecedent),
            list(&self.consequent)
        )
    }
}

/// Frequent sets of items and the rules between their parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AssociationModel {
    pub(super) n_baskets: usize,
    pub(super) n_items: usize,
    pub(super) sets: Vec<ItemSet>,
    pub(super) rules: Vec<Rule>,
}

impl AssociationModel {
    /// The rules, the best first.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The frequent sets, the small ones first, equally large ones in the order of their items.
    pub fn item_sets(&self) -> &[ItemSet] {
        &self.sets
    }

    /// How many baskets the rules were learned from.
    pub fn n_baskets(&self) -> usize {
        self.n_baskets
    }

    /// The rules that say something about a basket, the best first: it holds the antecedent, and
    /// something of the consequent is new to it.
    pub fn rules_for<'a>(&'a self, basket: &'a [usize]) -> impl Iterator<Item = &'a Rule> + 'a {
        let holds = |items: &[usize]| items.iter().all(|item| basket.contains(item));
        self.rules
            .iter()
            .filter(move |rule| holds(&rule.antecedent) && !holds(&rule.consequent))
    }

    fn figures_of(&self, figure: fn(&Rule) -> f64) -> Value<'_> {
        Value::from(self.rules.iter().map(figure).collect::<Array1<f64>>())
    }
}

impl Features for AssociationModel {
    fn n_features(&self) -> usize {
        self.n_items
    }

    fn accepts(&self) -> Accepts {
        Accepts::SPARSE
    }
}

impl Model for AssociationModel {
    const ABILITIES: Abilities<Self> = Abilities::none();

    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "n_item_sets",
            meaning: "How many sets of items are frequent.",
            get: |model| Value::from(model.sets.len()),
        },
        Attribute {
            name: "rules",
            meaning: "The rules by column numbers, the best first.",
            get: |model| Value::Names(model.rules.iter().map(ToString::to_string).collect()),
        },
        Attribute {
            name: "support",
            meaning: "How often both sides of each rule occur.",
            get: |model| model.figures_of(Rule::support),
        },
        Attribute {
            name: "confidence",
            meaning: "How often each rule is right where it applies.",
            get: |model| model.figures_of(Rule::confidence),
        },
        Attribute {
            name: "lift",
            meaning: "How many times as often as by chance the sides of each rule occur together.",
            get: |model| model.figures_of(Rule::lift),
        },
        Attribute {
            name: "leverage",
            meaning: "How much more often than by chance the sides of each rule occur together.",
            get: |model| model.figures_of(Rule::leverage),
        },
        Attribute {
            name: "conviction",
            meaning: "How many times as often as it is each rule would be broken by chance.",
            get: |model| model.figures_of(Rule::conviction),
        },
    ];

    fn validate(&self) -> Result<()> {
        let sets = self.sets.iter().all(|set| {
            (1..=self.n_baskets).contains(&set.count)
                && !set.items.is_empty()
                && set.items.iter().all(|&item| item < self.n_items)
        });
        ensure_consistent(sets)?;
        let mut rules = self.rules.iter();
        ensure_consistent(rules.all(|rule| rule.is_consistent(self.n_baskets, self.n_items)))
    }
}
