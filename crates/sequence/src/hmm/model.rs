//! The fitted hidden Markov model.

use super::chain::Chain;
use super::emission::{Emission, Scorer};
use super::gaussian::Covariances;
use super::parameters::UnknownSymbols;
use didact_core::abilities::check_rows;
use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Attribute, Classes, Error, Features, Figure, Model, Result, Rows, Shape, Trace,
    Value,
};
use ndarray::{Array1, Array2, Array3, Axis, stack};
use serde::{Deserialize, Serialize};

/// Rows of probabilities may miss one by this much.
const SUM_TOLERANCE: f64 = 1e-8;

/// A hidden Markov model: start, transition and stop probabilities, and what each state emits.
///
/// Models come from [`crate::Hmm`] or are written down:
///
/// ```
/// use didact_core::{Decode, Sequences};
/// use didact_sequence::HmmModel;
/// use ndarray::array;
/// let model = HmmModel::categorical(
///     array![0.6, 0.4],
///     array![[0.7, 0.3], [0.4, 0.6]],
///     array![[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]],
/// )?;
/// let items = array![[0.0], [1.0], [2.0]];
/// let (path, log_probabilities) = model.decode(&Sequences::new(&items, &[3])?)?;
/// assert_eq!(path, [0, 0, 1]);
/// assert!((log_probabilities[0].exp() - 0.01512).abs() < 1e-12);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HmmModel {
    pub(crate) startprob: Array1<f64>,
    pub(crate) transmat: Array2<f64>,
    pub(crate) stopprob: Option<Array1<f64>>,
    pub(crate) emission: Emission,
    pub(crate) state_names: Option<Classes>,
    pub(crate) trace: Option<Trace>,
}

/// A model with everything computed that its recursions need.
#[derive(Clone, Debug)]
pub(crate) struct Engine {
    pub(crate) chain: Chain,
    pub(crate) scorer: Scorer,
}

impl HmmModel {
    /// A model that emits symbols: π(i), a(i, j) and b(i, v), each row with sum one.
    pub fn categorical(
        startprob: Array1<f64>,
        transmat: Array2<f64>,
        emissionprob: Array2<f64>,
    ) -> Result<Self> {
        let unknown = UnknownSymbols::default();
        let emission = Emission::Categorical {
            probabilities: emissionprob,
            unknown,
        };
        HmmModel::assemble(startprob, transmat, None, emission).checked()
    }

    /// A model that emits symbols and ends its sequences itself: row i of the transitions and
    /// the probability to stop after state i have sum one together.
    pub fn categorical_with_stop(
        startprob: Array1<f64>,
        transmat: Array2<f64>,
        stopprob: Array1<f64>,
        emissionprob: Array2<f64>,
    ) -> Result<Self> {
        let unknown = UnknownSymbols::default();
        let emission = Emission::Categorical {
            probabilities: emissionprob,
            unknown,
        };
        HmmModel::assemble(startprob, transmat, Some(stopprob), emission).checked()
    }

    /// A model whose states emit rows from normal distributions: a row of `means` and a matrix
    /// of `covars` for each.
    pub fn gaussian(
        startprob: Array1<f64>,
        transmat: Array2<f64>,
        means: Array2<f64>,
        covars: Array3<f64>,
    ) -> Result<Self> {
        let emission = Emission::Gaussian {
            means,
            covariances: Covariances::Full(covars),
        };
        HmmModel::assemble(startprob, transmat, None, emission).checked()
    }

    /// The same model with another treatment of symbols that it does not know.
    pub fn with_unknown(mut self, treatment: UnknownSymbols) -> Self {
        if let Emission::Categorical { unknown, .. } = &mut self.emission {
            *unknown = treatment;
        }
        self
    }

    pub(crate) fn assemble(
        startprob: Array1<f64>,
        transmat: Array2<f64>,
        stopprob: Option<Array1<f64>>,
        emission: Emission,
    ) -> Self {
        HmmModel {
            startprob,
            transmat,
            stopprob,
            emission,
            state_names: None,
            trace: None,
        }
    }

    fn checked(self) -> Result<Self> {
        self.check_shapes().map_err(|_| {
            Error::data(
                "the parts of the model do not belong together; for K states give K start \
                 probabilities, K×K transitions and K rows of emissions, at least one column each",
            )
        })?;
        self.check_values()?;
        Ok(self)
    }

    /// Start probabilities π.
    pub fn startprob(&self) -> &Array1<f64> {
        &self.startprob
    }

    /// Transition probabilities; row i holds those from state i.
    pub fn transmat(&self) -> &Array2<f64> {
        &self.transmat
    }

    /// Probabilities to stop after each state, where the model has a stop state.
    pub fn stopprob(&self) -> Option<&Array1<f64>> {
        self.stopprob.as_ref()
    }

    /// Symbol probabilities, a row for each state, where the model emits symbols.
    pub fn emissionprob(&self) -> Option<&Array2<f64>> {
        match &self.emission {
            Emission::Categorical { probabilities, .. } => Some(probabilities),
            Emission::Gaussian { .. } => None,
        }
    }

    /// Means, a row for each state, where the emissions are Gaussian.
    pub fn means(&self) -> Option<&Array2<f64>> {
        match &self.emission {
            Emission::Gaussian { means, .. } => Some(means),
            Emission::Categorical { .. } => None,
        }
    }

    /// Covariance matrices of all states, where the emissions are Gaussian.
    pub fn covars(&self) -> Option<Array3<f64>> {
        let matrices = self.covariance_matrices();
        let views: Vec<_> = matrices.iter().map(|matrix| matrix.view()).collect();
        stack(Axis(0), &views).ok()
    }

    /// Number of free parameters: start and transition probabilities, each row of which sums to
    /// one together with the probability to stop, and those of the emissions.
    ///
    /// ```
    /// use didact_sequence::HmmModel;
    /// use ndarray::array;
    /// let (half, rows) = (array![0.5, 0.5], array![[0.5, 0.5], [0.5, 0.5]]);
    /// let model = HmmModel::categorical(half, rows, array![[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]])?;
    /// // One start probability, one transition per state, two symbols per state.
    /// assert_eq!(model.n_parameters(), 1 + 2 + 4);
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    pub fn n_parameters(&self) -> usize {
        let k = self.n_states();
        let stop = if self.stopprob.is_some() { k } else { 0 };
        let emission = match &self.emission {
            Emission::Categorical { probabilities, .. } => {
                k * probabilities.ncols().saturating_sub(1)
            }
            Emission::Gaussian { means, covariances } => {
                let d = means.ncols();
                k * d + covariances.n_parameters(k, d)
            }
        };
        (k - 1) + k * (k - 1) + stop + emission
    }

    fn covariance_matrices(&self) -> Vec<Array2<f64>> {
        match &self.emission {
            Emission::Categorical { .. } => Vec::new(),
            Emission::Gaussian { means, covariances } => {
                let (k, d) = means.dim();
                (0..k).map(|state| covariances.matrix(state, d)).collect()
            }
        }
    }

    pub(crate) fn n_states(&self) -> usize {
        self.startprob.len()
    }

    pub(crate) fn engine(&self) -> Result<Engine> {
        Ok(Engine {
            chain: Chain::new(
                self.startprob.to_vec(),
                self.transmat.iter().copied().collect(),
                self.stopprob.as_ref().map(|stop| stop.to_vec()),
            ),
            scorer: Scorer::new(&self.emission)?,
        })
    }

    /// The values of checked, contiguous rows.
    pub(crate) fn values<'a>(&self, rows: Rows<'a>) -> Result<&'a [f64]> {
        check_rows(self, rows)?;
        let dense = rows.dense()?;
        Ok(dense
            .to_slice()
            .expect("samples keep dense rows contiguous"))
    }

    fn check_shapes(&self) -> Result<()> {
        let k = self.n_states();
        ensure_consistent(k > 0 && self.transmat.dim() == (k, k))?;
        ensure_consistent(self.stopprob.as_ref().is_none_or(|stop| stop.len() == k))?;
        ensure_consistent(
            self.state_names
                .as_ref()
                .is_none_or(|names| names.len() == k),
        )?;
        match &self.emission {
            Emission::Categorical { probabilities, .. } => {
                ensure_consistent(probabilities.nrows() == k && probabilities.ncols() > 0)
            }
            Emission::Gaussian { means, .. } => {
                ensure_consistent(means.nrows() == k && means.ncols() > 0)
            }
        }
    }

    fn check_values(&self) -> Result<()> {
        check_probabilities("the start probabilities", self.startprob.iter())?;
        for (state, row) in self.transmat.rows().into_iter().enumerate() {
            let stop = self.stopprob.as_ref().map(|stop| &stop[state]);
            check_probabilities(
                &format!("the transition probabilities from state {state}"),
                row.iter().chain(stop),
            )?;
        }
        match &self.emission {
            Emission::Categorical { probabilities, .. } => {
                for (state, row) in probabilities.rows().into_iter().enumerate() {
                    let what = format!("the symbol probabilities of state {state}");
                    check_probabilities(&what, row.iter())?;
                }
                Ok(())
            }
            Emission::Gaussian { means, covariances } => {
                if means.iter().any(|mean| !mean.is_finite()) {
                    return Err(Error::data(
                        "a mean is not finite; every mean must be a number",
                    ));
                }
                covariances.validate(means.nrows(), means.ncols())
            }
        }
    }
}

fn check_probabilities<'a>(what: &str, probabilities: impl Iterator<Item = &'a f64>) -> Result<()> {
    let mut sum = 0.0;
    for &probability in probabilities {
        if !(0.0..=1.0 + SUM_TOLERANCE).contains(&probability) {
            return Err(Error::data(format!(
                "{what} contain {probability}; probabilities lie between 0 and 1"
            )));
        }
        sum += probability;
    }
    match (sum - 1.0).abs() <= SUM_TOLERANCE {
        true => Ok(()),
        false => Err(Error::data(format!(
            "{what} add up to {sum}; they must add up to 1"
        ))),
    }
}

impl Features for HmmModel {
    fn n_features(&self) -> usize {
        match &self.emission {
            Emission::Categorical { .. } => 1,
            Emission::Gaussian { means, .. } => means.ncols(),
        }
    }
}

impl Model for HmmModel {
    const ABILITIES: Abilities<Self> = Abilities::none().sample().decode().sequence_likelihood();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "startprob",
            meaning: "Probability of each state at the first item.",
            get: |model| Value::from(&model.startprob),
        },
        Attribute {
            name: "transmat",
            meaning: "Probability of each next state (column) after each state (row).",
            get: |model| Value::from(&model.transmat),
        },
        Attribute {
            name: "stopprob",
            meaning: "Probability that a sequence ends after each state.",
            get: |model| Value::from(model.stopprob.as_ref()),
        },
        Attribute {
            name: "emissionprob",
            meaning: "Probability of each symbol (column) in each state (row).",
            get: |model| Value::from(model.emissionprob()),
        },
        Attribute {
            name: "means",
            meaning: "Mean of the emissions of each state.",
            get: |model| Value::from(model.means()),
        },
        Attribute {
            name: "covars",
            meaning: "Covariance matrix of the emissions of each state.",
            get: |model| Value::from(model.covars()),
        },
        Attribute {
            name: "n_parameters",
            meaning: "Number of free parameters, as information criteria count them.",
            get: |model| Value::from(model.n_parameters()),
        },
        Attribute {
            name: "states",
            meaning: "Names of the states, where labels taught them.",
            get: |model| Value::from(model.state_names.as_ref()),
        },
    ];
    const FIGURES: &'static [Figure<Self>] = &[Figure {
        name: "states",
        meaning: "Where each state emits, as Gaussian ellipsoids; none for symbols.",
        get: |model| {
            Some(Shape::Ellipsoids {
                centers: model.means()?.clone(),
                covariances: model.covariance_matrices(),
            })
        },
    }];

    fn trace(&self) -> Option<&Trace> {
        self.trace.as_ref()
    }

    fn validate(&self) -> Result<()> {
        self.check_shapes()?;
        self.check_values()
            .map_err(|error| Error::ModelFile(format!("{error}; the file is damaged")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    fn example() -> HmmModel {
        HmmModel::categorical(array![0.5, 0.5], Array2::eye(2), array![[1.0], [1.0]]).unwrap()
    }

    #[test]
    fn parts_that_do_not_belong_together_are_refused() {
        let refused = |damage: &dyn Fn(&mut HmmModel)| {
            let mut model = example();
            damage(&mut model);
            matches!(model.validate(), Err(Error::ModelFile(_)))
        };
        assert!(!refused(&|_| {}));
        assert!(refused(&|model| model.startprob = array![1.0]));
        assert!(refused(&|model| model.startprob = array![f64::NAN, 1.0]));
        assert!(refused(
            &|model| model.transmat = array![[1.0, 0.0], [0.5, 0.4]]
        ));
        assert!(refused(&|model| model.stopprob = Some(array![0.0])));
        assert!(refused(
            &|model| model.state_names = Some(Classes::new(["a"]))
        ));
        assert!(refused(&|model| model.emission = Emission::Gaussian {
            means: array![[0.0], [1.0]],
            covariances: Covariances::Diag(array![[1.0], [0.0]]),
        }));
        assert!(refused(&|model| model.emission = Emission::Gaussian {
            means: array![[0.0, 0.0], [1.0, 1.0]],
            covariances: Covariances::Tied(array![[1.0, 2.0], [2.0, 1.0]]),
        }));
    }
}
