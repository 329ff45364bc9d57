//! Categorical naive Bayes: attributes that take one of a few values.

use crate::categories::{CategoryTotals, category};
use crate::counts::class_prior;
use crate::pieces::learns_from_totals;
use crate::posterior::{joint_model, score_rows};
use crate::priors::{draw_class, draw_rows};
use didact_core::model::ensure_consistent;
use didact_core::random::Generator;
use didact_core::{
    Abilities, Accepts, Attribute, Drawn, Features, Labelled, Model, Result, Rows, Run, Sample,
    Value,
};
use ndarray::{Array1, Array2, Array3, s};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Classifies by how often each class takes each value of each attribute.
///
/// Values are coded 0, 1, 2, …; P(xⱼ = v | c) = (N_cjv + α)/(N_cj + α·mⱼ) where attribute j has mⱼ
/// values. A value that was never seen counts as one seen zero times, and a missing value says
/// nothing. With α = 0 an unseen value rules its class out.
///
/// ```
/// use didact_core::{Classify, Fit, Labelled, Labels};
/// use didact_discriminant::CategoricalNB;
/// let x = ndarray::array![[0.0, 2.0], [1.0, 2.0], [0.0, 0.0], [2.0, 1.0]];
/// let labels = Labels::from_names(["a", "a", "b", "b"]);
/// let model = CategoricalNB::default().fit(Labelled::new(&x, &labels)?)?;
/// assert_eq!(model.predict(&ndarray::array![[1.0, 2.0], [2.0, 0.0]])?, [0, 1]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CategoricalNB {
    /// How often every value is pretended to have been seen in every class; zero does not smooth.
    #[schemars(range(min = 0.0))]
    pub alpha: f64,
    /// Whether class probabilities are learned; else every class is equally probable.
    pub fit_prior: bool,
    /// The probability of each class in label order, where it is known.
    pub class_prior: Option<Vec<f64>>,
    /// The least number of values that every attribute has, seen or not.
    #[schemars(range(min = 1, max = 1_048_576))]
    pub min_categories: Option<usize>,
}

impl Default for CategoricalNB {
    fn default() -> Self {
        CategoricalNB {
            alpha: 1.0,
            fit_prior: true,
            class_prior: None,
            min_categories: None,
        }
    }
}

/// The shares of the values of one attribute in each class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Shares {
    /// A row per value and a column per class.
    pub(crate) log_shares: Array2<f64>,
    /// What a value that was never seen is given.
    pub(crate) unseen: Array1<f64>,
}

impl Shares {
    /// (N_v + pseudo)/(N + pseudo·m), where pseudo may be negative: the mode under a Dirichlet
    /// prior counts every value α − 1 times, but no share falls below zero.
    pub(crate) fn new(counts: &Array2<f64>, values: usize, pseudo: f64) -> Self {
        let k = counts.ncols();
        let values = values.max(counts.nrows()).max(1);
        let mut log_shares = Array2::zeros((values, k));
        log_shares
            .slice_mut(s![..counts.nrows(), ..])
            .assign(counts);
        let mut unseen = Array1::zeros(k);
        for class in 0..k {
            let mut column = log_shares.column_mut(class);
            column.mapv_inplace(|count| (count + pseudo).max(0.0));
            let total = column.sum();
            if total > 0.0 {
                column.mapv_inplace(|count| (count / total).ln());
                unseen[class] = (pseudo.max(0.0) / total).ln();
            } else {
                // Nothing is known, so nothing is preferred.
                let equal = -(values as f64).ln();
                column.fill(equal);
                unseen[class] = equal;
            }
        }
        Shares { log_shares, unseen }
    }

    /// Adds what a value says of each class.
    pub(crate) fn add(&self, value: usize, scores: &mut [f64]) {
        let shares = match value < self.log_shares.nrows() {
            true => self.log_shares.row(value),
            false => self.unseen.view(),
        };
        for (score, share) in scores.iter_mut().zip(shares) {
            *score += share;
        }
    }

    /// A value drawn from a class.
    pub(crate) fn draw(&self, class: usize, generator: &mut Generator) -> f64 {
        let shares = self.log_shares.column(class).mapv(f64::exp);
        draw_class(&shares, generator) as f64
    }

    pub(crate) fn is_consistent(&self, classes: usize) -> bool {
        self.log_shares.ncols() == classes
            && self.log_shares.nrows() > 0
            && self.unseen.len() == classes
            && self.log_shares.iter().all(|share| *share <= 1e-12)
    }
}

/// The logarithms of the shares as one tensor: class × attribute × value. Attributes with fewer
/// values are filled up with impossible ones.
pub(crate) fn tensor<'a>(shares: impl ExactSizeIterator<Item = &'a Shares> + Clone) -> Array3<f64> {
    let most = |shares: &Shares| shares.log_shares.dim();
    let values = shares.clone().map(|one| most(one).0).max().unwrap_or(0);
    let classes = shares.clone().map(|one| most(one).1).max().unwrap_or(0);
    let mut tensor = Array3::from_elem((classes, shares.len(), values), f64::NEG_INFINITY);
    for (attribute, shares) in shares.enumerate() {
        let known = shares.log_shares.nrows();
        let mut part = tensor.slice_mut(s![.., attribute, ..known]);
        part.assign(&shares.log_shares.t());
    }
    tensor
}

/// A fitted [`CategoricalNB`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CategoricalNBModel {
    totals: CategoryTotals,
    class_prior: Array1<f64>,
    shares: Vec<Shares>,
}

impl CategoricalNBModel {
    /// The probability of each class before a row is seen.
    pub fn class_prior(&self) -> &Array1<f64> {
        &self.class_prior
    }

    /// ln P(xⱼ = v | c) as a tensor: class × attribute × value. Attributes with fewer values are
    /// filled up with minus infinity.
    pub fn feature_log_prob(&self) -> Array3<f64> {
        tensor(self.shares.iter())
    }

    /// The number of values of each attribute.
    pub fn n_categories(&self) -> Vec<usize> {
        let values = |shares: &Shares| shares.log_shares.nrows();
        self.shares.iter().map(values).collect()
    }

    /// The joint log-probabilities ln P(c) + Σⱼ ln P(xⱼ | c), a column per class.
    pub fn joint_log_densities(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let offsets = self.class_prior.mapv(f64::ln).to_vec();
        score_rows(rows, offsets.len(), 1 << 18, |row, values, scores| {
            scores.copy_from_slice(&offsets);
            for (column, (&value, shares)) in values.iter().zip(&self.shares).enumerate() {
                if let Some(value) = category(row, column, value)? {
                    shares.add(value, scores);
                }
            }
            Ok(())
        })
    }
}

impl CategoricalNB {
    fn model(&self, totals: CategoryTotals) -> Result<CategoricalNBModel> {
        let prior = class_prior(self.class_prior.as_deref(), self.fit_prior, self.alpha);
        let class_prior = prior.probabilities(&totals.class_count, &totals.classes)?;
        let least = self.min_categories.unwrap_or(1);
        let shares = |counts: &Array2<f64>| Shares::new(counts, least, self.alpha);
        Ok(CategoricalNBModel {
            class_prior,
            shares: totals.counts.iter().map(shares).collect(),
            totals,
        })
    }

    fn totals(&self, data: &Labelled<'_>, run: &Run) -> Result<CategoryTotals> {
        let columns: Vec<usize> = (0..data.samples.n_columns()).collect();
        CategoryTotals::new(data, &columns, run)
    }
}

learns_from_totals!(CategoricalNB, CategoryTotals => CategoricalNBModel {
    accepts: Accepts::WEIGHTS.union(Accepts::MISSING),
    check: |_, totals| totals.check(),
    recall: |_, model| Some(model.totals.clone()),
});

impl Features for CategoricalNBModel {
    fn n_features(&self) -> usize {
        self.shares.len()
    }

    fn accepts(&self) -> Accepts {
        Accepts::MISSING
    }
}

joint_model!(CategoricalNBModel, totals.classes);

impl Sample for CategoricalNBModel {
    fn draw(&self, n_rows: usize, generator: &mut Generator) -> Result<Drawn> {
        let (d, prior) = (self.n_features(), &self.class_prior);
        draw_rows(n_rows, d, prior, generator, |class, row, generator| {
            for (value, shares) in row.into_iter().zip(&self.shares) {
                *value = shares.draw(class, generator);
            }
            Ok(())
        })
    }
}

impl Model for CategoricalNBModel {
    const ABILITIES: Abilities<Self> = Abilities::none()
        .classify()
        .probabilities()
        .log_density()
        .sample();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "classes",
            meaning: "The classes in label order.",
            get: |model| Value::from(&model.totals.classes),
        },
        Attribute {
            name: "class_count",
            meaning: "The weight of the training rows of each class.",
            get: |model| Value::from(&model.totals.class_count),
        },
        Attribute {
            name: "class_prior",
            meaning: "The probability of each class before a row is seen.",
            get: |model| Value::from(&model.class_prior),
        },
        Attribute {
            name: "class_log_prior",
            meaning: "The logarithm of the probability of each class before a row is seen.",
            get: |model| Value::from(model.class_prior.mapv(f64::ln)),
        },
        Attribute {
            name: "n_categories",
            meaning: "The number of values of each attribute.",
            get: |model| Value::from(model.n_categories().as_slice()),
        },
        Attribute {
            name: "feature_log_prob",
            meaning: "The logarithm of the share of each value: class × attribute × value.",
            get: |model| Value::from(model.feature_log_prob()),
        },
    ];

    fn validate(&self) -> Result<()> {
        self.totals.check()?;
        let k = self.class_prior.len();
        ensure_consistent(k == self.totals.classes.len() && !self.shares.is_empty())?;
        ensure_consistent(self.totals.counts.len() == self.shares.len())?;
        ensure_consistent(self.shares.iter().all(|shares| shares.is_consistent(k)))?;
        ensure_consistent((self.class_prior.sum() - 1.0).abs() < 1e-6)
    }
}
