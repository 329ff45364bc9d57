//! Naive Bayes on counts, learned from rows with and without a class.

use super::UnlabelledUse;
use super::climb::{Climber, Patience, climb};
use super::counts::{CountClimber, CountLaw, Rates, check_counts, presence};
use super::drawing::from_rates;
use super::posterior::{labels, probabilities};
use crate::known::{Known, all_known, fits};
use didact_core::model::ensure_consistent;
use didact_core::random::Generator;
use didact_core::{
    Abilities, Accepts, Attribute, Classes, Classify, Drawn, Features, Fit, Labelled, LogDensity,
    Model, PartlyLabelled, Probabilities, Result, Rows, Run, Sample, Trace, Value,
};
use didact_math::numeric::log_sum_exp;
use ndarray::{Array1, Array2};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Takes the counts of each class as independent draws, and learns them from rows with and without one.
///
/// Each class k has a share πₖ and rates θₖⱼ of the columns; given the class the columns are independent.
/// The likelihood of the rows whose class is known together with it, and of the others without,
/// is maximised by expectation–maximisation in which known classes stay. α counts of every column
/// are added to each class, so the objective that never falls includes their logarithm α·Σ ln θ.
///
/// ```
/// use didact_core::{Fit, PartialLabels, PartlyLabelled};
/// use didact_semi_supervised::SemiSupervisedNaiveBayes;
/// // Counts of the words ball, goal, vote and law; the third text ties the others together.
/// let x = ndarray::array![[3.0, 0.0, 0.0, 0.0], [2.0, 2.0, 0.0, 0.0], [0.0, 3.0, 0.0, 0.0],
///                         [0.0, 0.0, 3.0, 0.0], [0.0, 0.0, 2.0, 2.0], [0.0, 0.0, 0.0, 3.0]];
/// let labels = PartialLabels::from_names([Some("sport"), None, None, Some("state"), None, None]);
/// let model = SemiSupervisedNaiveBayes::default().fit(PartlyLabelled::new(&x, &labels)?)?;
/// assert_eq!(model.transduction(), [0, 0, 0, 1, 1, 1]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SemiSupervisedNaiveBayes {
    /// What is done with the rows whose class is not known.
    pub learning: UnlabelledUse,
    /// How a class makes its rows.
    pub law: CountLaw,
    /// How many counts of every column are added to each class.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub alpha: f64,
    /// Stop when the mean log-likelihood of a row changes by at most this.
    #[schemars(range(min = 0.0))]
    pub tol: f64,
    /// Most iterations.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
}

impl Default for SemiSupervisedNaiveBayes {
    fn default() -> Self {
        SemiSupervisedNaiveBayes {
            learning: UnlabelledUse::Joint,
            law: CountLaw::Multinomial,
            alpha: 1.0,
            tol: 1e-4,
            max_iter: 100,
        }
    }
}

impl Fit<PartlyLabelled<'_>> for SemiSupervisedNaiveBayes {
    type Model = SemiSupervisedNaiveBayesModel;
    const ACCEPTS: Accepts = Accepts::SPARSE;

    fn learn(&self, data: PartlyLabelled<'_>, run: &Run) -> Result<SemiSupervisedNaiveBayesModel> {
        let known = Known::of(&data)?;
        let given = data.samples.rows();
        let binary;
        let rows = match self.law {
            CountLaw::Multinomial => {
                check_counts(given)?;
                given
            }
            CountLaw::Bernoulli => {
                binary = presence(given)?;
                binary.view()
            }
        };
        let labelled = known.counts().iter().sum::<usize>();
        let explained = self
            .learning
            .explained(labelled, known.labels.len() - labelled);
        let climber = CountClimber {
            rows,
            law: self.law,
            alpha: self.alpha,
        };
        let start = climber.maximise(&known.one_hot(), run)?;
        let patience = Patience {
            tol: self.tol,
            max_iter: self.max_iter,
        };
        let (law, trace) = climb(&climber, start, &known, explained, patience, run)?;
        let transduction = labels(&law.joint(rows, run)?);
        Ok(SemiSupervisedNaiveBayesModel {
            law,
            classes: data.classes.clone(),
            transduction,
            trace,
        })
    }
}

impl Fit<Labelled<'_>> for SemiSupervisedNaiveBayes {
    type Model = SemiSupervisedNaiveBayesModel;
    const ACCEPTS: Accepts = Accepts::SPARSE;

    fn learn(&self, data: Labelled<'_>, run: &Run) -> Result<SemiSupervisedNaiveBayesModel> {
        let partly = PartlyLabelled {
            samples: data.samples.view(),
            labels: &all_known(data.labels),
            classes: data.classes,
        };
        self.learn(partly, run)
    }
}

/// The share of each class and its rates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SemiSupervisedNaiveBayesModel {
    law: Rates,
    classes: Classes,
    transduction: Vec<usize>,
    trace: Trace,
}

impl SemiSupervisedNaiveBayesModel {
    /// The most probable class of each training row.
    pub fn transduction(&self) -> &[usize] {
        &self.transduction
    }

    /// The share πₖ of each class.
    pub fn weights(&self) -> &Array1<f64> {
        &self.law.weights
    }

    /// The rates θ of the columns, a row per class.
    pub fn rates(&self) -> &Array2<f64> {
        &self.law.rates
    }

    /// The mean log-likelihood after each iteration.
    pub fn history(&self) -> &Trace {
        &self.trace
    }

    fn joint(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        if self.law.law == CountLaw::Multinomial {
            check_counts(rows)?;
        }
        self.law.joint(rows, &Run::new())
    }
}

impl Features for SemiSupervisedNaiveBayesModel {
    fn n_features(&self) -> usize {
        self.law.rates.ncols()
    }

    fn accepts(&self) -> Accepts {
        Accepts::SPARSE
    }
}

impl Classify for SemiSupervisedNaiveBayesModel {
    fn classes(&self) -> &Classes {
        &self.classes
    }

    fn classify(&self, rows: Rows<'_>) -> Result<Vec<usize>> {
        Ok(labels(&self.joint(rows)?))
    }
}

impl Probabilities for SemiSupervisedNaiveBayesModel {
    fn probabilities(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        Ok(probabilities(self.joint(rows)?, self.law.weights.view()))
    }
}

impl LogDensity for SemiSupervisedNaiveBayesModel {
    /// Of counts, that of the tokens in the order in which they were written, given their number.
    fn log_density(&self, rows: Rows<'_>) -> Result<Array1<f64>> {
        let joint = self.joint(rows)?;
        let sum = |row: ndarray::ArrayView1<'_, f64>| log_sum_exp(&row.to_vec()).max(f64::MIN);
        Ok(joint.rows().into_iter().map(sum).collect())
    }
}

impl Sample for SemiSupervisedNaiveBayesModel {
    /// Rows of counts have as many tokens as the rows learned from had on average.
    fn draw(&self, n_rows: usize, generator: &mut Generator) -> Result<Drawn> {
        Ok(from_rates(&self.law, n_rows, generator))
    }
}

impl Model for SemiSupervisedNaiveBayesModel {
    const ABILITIES: Abilities<Self> = Abilities::none()
        .classify()
        .probabilities()
        .log_density()
        .sample();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "classes",
            meaning: "The classes in label order.",
            get: |model| Value::from(&model.classes),
        },
        Attribute {
            name: "transduction",
            meaning: "The class of each training row, as its place among the classes.",
            get: |model| Value::from(&model.transduction[..]),
        },
        Attribute {
            name: "weights",
            meaning: "The share of each class.",
            get: |model| Value::from(&model.law.weights),
        },
        Attribute {
            name: "rates",
            meaning: "The rate of each column, a row per class.",
            get: |model| Value::from(&model.law.rates),
        },
        Attribute {
            name: "n_iter",
            meaning: "The number of iterations.",
            get: |model| Value::from(model.trace.n_iter()),
        },
    ];

    fn trace(&self) -> Option<&Trace> {
        Some(&self.trace)
    }

    fn validate(&self) -> Result<()> {
        let (classes, d) = self.law.rates.dim();
        ensure_consistent(classes == self.classes.len() && classes > 0 && d > 0)?;
        ensure_consistent(self.law.weights.len() == classes)?;
        ensure_consistent(self.law.length >= 0.0 && self.law.length.is_finite())?;
        ensure_consistent(fits(
            &self.transduction,
            self.transduction.len(),
            &self.classes,
        ))?;
        let mut weights = self.law.weights.iter();
        ensure_consistent(weights.all(|weight| (0.0..=1.0).contains(weight)))?;
        let mut rates = self.law.rates.iter();
        ensure_consistent(rates.all(|rate| *rate > 0.0 && *rate <= 1.0))
    }
}
