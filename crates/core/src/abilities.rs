//! What a fitted model can do: one small trait per ability.
//!
//! Each trait has a method that the model writes, on rows that have been checked, and a method
//! that users call, which checks the rows first and carries scikit-learn's name.

use crate::data::check_finite;
use crate::random::{Generator, generator};
use crate::{Accepts, Classes, Error, OwnedRows, Result, Rows, Samples, Sequences};
use ndarray::{Array1, Array2};

/// How many columns a model expects.
pub trait Features {
    /// Number of columns of the rows that the model was fitted on.
    fn n_features(&self) -> usize;

    /// What the model takes when it predicts: sparse rows, missing values.
    fn accepts(&self) -> Accepts {
        Accepts::empty()
    }
}

/// Fails unless the rows suit the model: right number of columns, finite values.
pub fn check_rows(model: &(impl Features + ?Sized), rows: Rows<'_>) -> Result<()> {
    if rows.n_columns() != model.n_features() {
        return Err(Error::Columns {
            expected: model.n_features(),
            found: rows.n_columns(),
        });
    }
    if rows.is_sparse() && !model.accepts().contains(Accepts::SPARSE) {
        return Err(Error::unsupported(
            "this model needs dense rows; convert the sparse rows first",
        ));
    }
    check_finite(rows, model.accepts())
}

/// Checks the rows and hands them, contiguous, to `work`.
fn checked<'a, T>(
    model: &impl Features,
    rows: impl Into<Samples<'a>>,
    work: impl FnOnce(Rows<'_>) -> Result<T>,
) -> Result<T> {
    let samples = rows.into();
    check_rows(model, samples.rows())?;
    work(samples.rows())
}

/// Says which class a row belongs to.
pub trait Classify: Features {
    /// The classes in label order.
    fn classes(&self) -> &Classes;

    /// The label of each row; ties go to the lowest label.
    fn classify(&self, rows: Rows<'_>) -> Result<Vec<usize>>;

    /// The label of each row, or `None` where the model would rather not say.
    fn decide(&self, rows: Rows<'_>) -> Result<Vec<Option<usize>>> {
        Ok(self.classify(rows)?.into_iter().map(Some).collect())
    }

    /// Checks the rows and gives the label of each.
    fn predict<'a>(&self, rows: impl Into<Samples<'a>>) -> Result<Vec<usize>>
    where
        Self: Sized,
    {
        checked(self, rows, |rows| self.classify(rows))
    }
}

/// Says how probable each class, cluster or component is for a row.
pub trait Probabilities: Features {
    /// One row of probabilities per row, which sum to one.
    fn probabilities(&self, rows: Rows<'_>) -> Result<Array2<f64>>;

    /// Checks the rows and gives the probabilities of each.
    fn predict_proba<'a>(&self, rows: impl Into<Samples<'a>>) -> Result<Array2<f64>>
    where
        Self: Sized,
    {
        checked(self, rows, |rows| self.probabilities(rows))
    }
}

/// Gives decision scores: one column for two classes, else one per class.
pub trait Scores: Features {
    /// The scores of each row; with two classes a score of zero or more means the second.
    fn scores(&self, rows: Rows<'_>) -> Result<Array2<f64>>;

    /// Checks the rows and gives their scores.
    fn decision_function<'a>(&self, rows: impl Into<Samples<'a>>) -> Result<Array2<f64>>
    where
        Self: Sized,
    {
        checked(self, rows, |rows| self.scores(rows))
    }
}

/// Predicts real numbers.
pub trait Regress: Features {
    /// One row of predicted targets per row.
    fn regress(&self, rows: Rows<'_>) -> Result<Array2<f64>>;

    /// Checks the rows and predicts the targets of each.
    fn predict<'a>(&self, rows: impl Into<Samples<'a>>) -> Result<Array2<f64>>
    where
        Self: Sized,
    {
        checked(self, rows, |rows| self.regress(rows))
    }
}

/// Says how sure its predicted numbers are.
pub trait Deviations: Features {
    /// The standard deviation of a new value of each target, one row per row.
    fn deviations(&self, rows: Rows<'_>) -> Result<Array2<f64>>;

    /// Checks the rows and gives the standard deviations of their targets.
    fn predict_deviations<'a>(&self, rows: impl Into<Samples<'a>>) -> Result<Array2<f64>>
    where
        Self: Sized,
    {
        checked(self, rows, |rows| self.deviations(rows))
    }
}

/// Says which cluster a row belongs to.
pub trait Assign: Features {
    /// The cluster of each row; ties go to the lowest cluster, `None` is noise.
    fn assign(&self, rows: Rows<'_>) -> Result<Vec<Option<usize>>>;

    /// Checks the rows and gives the cluster of each.
    fn predict<'a>(&self, rows: impl Into<Samples<'a>>) -> Result<Vec<Option<usize>>>
    where
        Self: Sized,
    {
        checked(self, rows, |rows| self.assign(rows))
    }
}

/// Turns rows into other rows.
pub trait Transform: Features {
    /// Number of columns of the transformed rows.
    fn n_outputs(&self) -> usize;

    /// The transformed rows.
    fn transform_rows(&self, rows: Rows<'_>) -> Result<OwnedRows>;

    /// Names of the new columns, given the names of the old ones.
    fn output_names(&self, input_names: &[String]) -> Vec<String>;

    /// Checks the rows and transforms them.
    fn transform<'a>(&self, rows: impl Into<Samples<'a>>) -> Result<OwnedRows>
    where
        Self: Sized,
    {
        checked(self, rows, |rows| self.transform_rows(rows))
    }
}

/// Takes a transformation back, as far as it can be.
pub trait Invert: Transform {
    /// Rows that would be transformed into the given ones.
    fn invert_rows(&self, rows: Rows<'_>) -> Result<Array2<f64>>;

    /// Checks the rows and transforms them back.
    fn inverse_transform<'a>(&self, rows: impl Into<Samples<'a>>) -> Result<Array2<f64>>
    where
        Self: Sized,
    {
        let samples = rows.into();
        if samples.n_columns() != self.n_outputs() {
            return Err(Error::Columns {
                expected: self.n_outputs(),
                found: samples.n_columns(),
            });
        }
        check_finite(samples.rows(), self.accepts())?;
        self.invert_rows(samples.rows())
    }
}

/// Says how probable rows are.
pub trait LogDensity: Features {
    /// The natural logarithm of the density of each row.
    fn log_density(&self, rows: Rows<'_>) -> Result<Array1<f64>>;

    /// Checks the rows and gives the log-density of each.
    fn score_samples<'a>(&self, rows: impl Into<Samples<'a>>) -> Result<Array1<f64>>
    where
        Self: Sized,
    {
        checked(self, rows, |rows| self.log_density(rows))
    }
}

/// Rows drawn from a generative model.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawn {
    /// The rows.
    pub rows: Array2<f64>,
    /// The class, component or state that each row came from.
    pub labels: Vec<usize>,
}

/// Draws new data from the model.
pub trait Sample: Features {
    /// Draws rows; for a sequence model one sequence of that length.
    fn draw(&self, n_rows: usize, generator: &mut Generator) -> Result<Drawn>;

    /// Draws rows; the same seed gives the same rows.
    fn sample(&self, n_rows: usize, seed: u64) -> Result<Drawn>
    where
        Self: Sized,
    {
        self.draw(n_rows, &mut generator(seed, 0))
    }
}

/// Explains sequences by hidden states.
pub trait Decode: Features {
    /// Number of hidden states.
    fn n_states(&self) -> usize;

    /// Names of the states, where the model was taught them.
    fn state_names(&self) -> Option<&Classes> {
        None
    }

    /// The most probable path of states through each sequence, one state per item, and the
    /// log-probability of path and sequence together; for a model that only knows labels given
    /// items, that of the path given the sequence.
    fn viterbi(&self, sequences: &Sequences<'_>) -> Result<(Vec<usize>, Vec<f64>)>;

    /// The probability of each state at each item given the whole sequence.
    fn state_probabilities(&self, sequences: &Sequences<'_>) -> Result<Array2<f64>>;

    /// Checks the items and gives the most probable path of states.
    fn decode(&self, sequences: &Sequences<'_>) -> Result<(Vec<usize>, Vec<f64>)>
    where
        Self: Sized,
    {
        check_rows(self, sequences.samples.rows())?;
        self.viterbi(sequences)
    }
}

/// Says how probable whole sequences are, which only a model of the items themselves can.
pub trait SequenceLikelihood: Features {
    /// The log-likelihood of each sequence.
    fn log_likelihoods(&self, sequences: &Sequences<'_>) -> Result<Vec<f64>>;

    /// Checks the items and gives the log-likelihood of all sequences together.
    fn score_sequences(&self, sequences: &Sequences<'_>) -> Result<f64>
    where
        Self: Sized,
    {
        check_rows(self, sequences.samples.rows())?;
        Ok(self.log_likelihoods(sequences)?.iter().sum())
    }
}
