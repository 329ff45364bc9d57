//! The kinds of data that methods learn from.
//!
//! The kind says what is known about the targets: nothing ([`Samples`]), a class
//! ([`Labelled`]), real numbers ([`Measured`]), some classes ([`PartlyLabelled`]), or the same
//! over [`Sequences`]. Each is cheap to make from borrowed arrays; dense rows that are not
//! contiguous in C order are copied once, here, so that algorithms can rely on slices.

use crate::{
    Accepts, Classes, Csr, CsrView, Error, Labels, OwnedRows, PartialLabels, Result, Rows,
};
use ndarray::{Array2, ArrayView1, ArrayView2, Axis, CowArray, Ix1, Ix2};
use std::ops::Range;

/// Rows without targets, and how much each counts.
///
/// ```
/// use didact_core::Samples;
/// let x = ndarray::array![[1.0, 2.0], [3.0, 4.0]];
/// let samples = Samples::from(&x).weighted(&[1.0, 2.5])?;
/// assert_eq!(samples.n_rows(), 2);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Samples<'a> {
    storage: Storage<'a>,
    weights: Option<CowArray<'a, f64, Ix1>>,
}

#[derive(Clone, Debug)]
enum Storage<'a> {
    Dense(CowArray<'a, f64, Ix2>),
    Sparse(CsrView<'a>),
    OwnedSparse(Csr),
}

impl<'a> Samples<'a> {
    /// Gives each row a non-negative weight; a row of weight two counts like two equal rows.
    pub fn weighted(mut self, weights: &'a [f64]) -> Result<Self> {
        if weights.len() != self.n_rows() {
            return Err(Error::data(format!(
                "there are {} weights for {} rows",
                weights.len(),
                self.n_rows()
            )));
        }
        let fault = weights
            .iter()
            .position(|weight| !(*weight >= 0.0 && weight.is_finite()));
        if let Some(row) = fault {
            return Err(Error::data(format!(
                "the weight of row {row} is {}; weights must be finite and not negative",
                weights[row]
            )));
        }
        if !weights.is_empty() && weights.iter().all(|weight| *weight == 0.0) {
            return Err(Error::data(
                "all weights are zero; at least one row must count",
            ));
        }
        self.weights = Some(CowArray::from(ArrayView1::from(weights)));
        Ok(self)
    }

    /// The rows.
    pub fn rows(&self) -> Rows<'_> {
        match &self.storage {
            Storage::Dense(dense) => Rows::Dense(dense.view()),
            Storage::Sparse(sparse) => Rows::Sparse(*sparse),
            Storage::OwnedSparse(sparse) => Rows::Sparse(sparse.view()),
        }
    }

    /// The rows written out, or an error where they are sparse.
    pub fn dense(&self) -> Result<ArrayView2<'_, f64>> {
        self.rows().dense()
    }

    /// The weights, if the rows are weighted.
    pub fn weights(&self) -> Option<ArrayView1<'_, f64>> {
        self.weights.as_ref().map(|weights| weights.view())
    }

    /// The weight of a row, one where the rows are not weighted.
    pub fn weight(&self, row: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights[row])
    }

    /// The sum of the weights, the number of rows where they are not weighted.
    pub fn total_weight(&self) -> f64 {
        self.weights
            .as_ref()
            .map_or(self.n_rows() as f64, |weights| weights.sum())
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.rows().n_rows()
    }

    /// Number of columns.
    pub fn n_columns(&self) -> usize {
        self.rows().n_columns()
    }

    /// The same samples, borrowed.
    pub fn view(&self) -> Samples<'_> {
        Samples {
            weights: self.weights().map(CowArray::from),
            ..Samples::from(self.rows())
        }
    }

    /// Some consecutive samples, without a copy.
    pub fn slice(&self, range: Range<usize>) -> Samples<'_> {
        let weights = self.weights().map(|weights| {
            let (_, tail) = weights.split_at(Axis(0), range.start);
            CowArray::from(tail.split_at(Axis(0), range.len()).0)
        });
        Samples {
            weights,
            ..Samples::from(self.rows().slice(range))
        }
    }

    /// The chosen samples, in the given order.
    pub fn select(&self, chosen: &[usize]) -> Samples<'static> {
        let storage = match self.rows().select(chosen) {
            OwnedRows::Dense(dense) => Storage::Dense(CowArray::from(dense)),
            OwnedRows::Sparse(sparse) => Storage::OwnedSparse(sparse),
        };
        Samples {
            storage,
            weights: self
                .weights()
                .map(|weights| CowArray::from(weights.select(Axis(0), chosen))),
        }
    }

    /// Other rows with the same weights.
    pub fn with_rows(self, rows: &'a OwnedRows) -> Result<Self> {
        check_length("rows", rows.view().n_rows(), self.n_rows())?;
        Ok(Samples {
            weights: self.weights,
            ..Samples::from(rows)
        })
    }

    fn check(&self, accepts: Accepts) -> Result<()> {
        if self.n_rows() == 0 {
            return Err(Error::data("there are no rows; give at least one"));
        }
        if self.n_columns() == 0 {
            return Err(Error::data(
                "the rows have no columns; give at least one feature",
            ));
        }
        if self.rows().is_sparse() && !accepts.contains(Accepts::SPARSE) {
            return Err(Error::unsupported(
                "this method needs dense rows; convert the sparse rows first",
            ));
        }
        if self.weights.is_some() && !accepts.contains(Accepts::WEIGHTS) {
            return Err(Error::unsupported(
                "this method does not take sample weights",
            ));
        }
        check_finite(self.rows(), accepts)
    }
}

/// Refuses infinite values always and missing ones (NaN) unless the method accepts them.
pub(crate) fn check_finite(rows: Rows<'_>, accepts: Accepts) -> Result<()> {
    let bad = match (accepts.contains(Accepts::MISSING), rows) {
        (true, Rows::Dense(dense)) => dense
            .indexed_iter()
            .find(|(_, value)| value.is_infinite())
            .map(|((row, column), &value)| (row, column, value)),
        _ => rows.first_not_finite(),
    };
    match bad {
        None => Ok(()),
        Some((row, column, value)) => Err(Error::NotFinite {
            row,
            column,
            value,
            hint: match value.is_nan() {
                true => "remove the rows with missing values or impute them first",
                false => "every value must be a finite number",
            },
        }),
    }
}

impl<'a> From<Rows<'a>> for Samples<'a> {
    fn from(rows: Rows<'a>) -> Self {
        let storage = match rows {
            Rows::Dense(dense) if dense.is_standard_layout() => {
                Storage::Dense(CowArray::from(dense))
            }
            Rows::Dense(dense) => {
                Storage::Dense(CowArray::from(dense.as_standard_layout().into_owned()))
            }
            Rows::Sparse(sparse) => Storage::Sparse(sparse),
        };
        Samples {
            storage,
            weights: None,
        }
    }
}

impl<'a> From<ArrayView2<'a, f64>> for Samples<'a> {
    fn from(dense: ArrayView2<'a, f64>) -> Self {
        Samples::from(Rows::Dense(dense))
    }
}

impl<'a> From<&'a Array2<f64>> for Samples<'a> {
    fn from(dense: &'a Array2<f64>) -> Self {
        Samples::from(dense.view())
    }
}

impl<'a> From<CsrView<'a>> for Samples<'a> {
    fn from(sparse: CsrView<'a>) -> Self {
        Samples::from(Rows::Sparse(sparse))
    }
}

impl<'a> From<&'a Csr> for Samples<'a> {
    fn from(sparse: &'a Csr) -> Self {
        Samples::from(sparse.view())
    }
}

impl<'a> From<&'a OwnedRows> for Samples<'a> {
    fn from(rows: &'a OwnedRows) -> Self {
        Samples::from(rows.view())
    }
}

/// Samples of which each has a class.
#[derive(Clone, Debug)]
pub struct Labelled<'a> {
    /// The rows and their weights.
    pub samples: Samples<'a>,
    /// For each row an index into `classes`.
    pub labels: &'a [usize],
    /// The classes; some may have no row.
    pub classes: &'a Classes,
}

impl<'a> Labelled<'a> {
    /// Puts rows and labels together.
    pub fn new(samples: impl Into<Samples<'a>>, labels: &'a Labels) -> Result<Self> {
        Labelled::from_parts(samples.into(), &labels.indices, &labels.classes)
    }

    /// Puts rows, label indices and classes together.
    pub fn from_parts(
        samples: Samples<'a>,
        labels: &'a [usize],
        classes: &'a Classes,
    ) -> Result<Self> {
        check_length("labels", labels.len(), samples.n_rows())?;
        if let Some(row) = labels.iter().position(|&label| label >= classes.len()) {
            return Err(Error::data(format!(
                "the label of row {row} is {} but there are only {} classes",
                labels[row],
                classes.len()
            )));
        }
        Ok(Labelled {
            samples,
            labels,
            classes,
        })
    }

    /// Sum of the weights of each class.
    pub fn class_weights(&self) -> Vec<f64> {
        let mut totals = vec![0.0; self.classes.len()];
        for (row, &label) in self.labels.iter().enumerate() {
            totals[label] += self.samples.weight(row);
        }
        totals
    }

    /// Some consecutive samples, without a copy.
    pub fn slice(&self, range: Range<usize>) -> Labelled<'_> {
        Labelled {
            samples: self.samples.slice(range.clone()),
            labels: &self.labels[range],
            classes: self.classes,
        }
    }
}

/// Samples of which each has one or more real targets.
#[derive(Clone, Debug)]
pub struct Measured<'a> {
    /// The rows and their weights.
    pub samples: Samples<'a>,
    /// One row of targets per sample.
    pub targets: ArrayView2<'a, f64>,
}

impl<'a> Measured<'a> {
    /// Puts rows and one target per row together.
    pub fn new(samples: impl Into<Samples<'a>>, targets: &'a [f64]) -> Result<Self> {
        let column = ArrayView1::from(targets).insert_axis(Axis(1));
        Measured::many(samples, column)
    }

    /// Puts rows and several targets per row together.
    pub fn many(samples: impl Into<Samples<'a>>, targets: ArrayView2<'a, f64>) -> Result<Self> {
        let samples = samples.into();
        check_length("targets", targets.nrows(), samples.n_rows())?;
        Ok(Measured { samples, targets })
    }

    /// Number of targets per row.
    pub fn n_targets(&self) -> usize {
        self.targets.ncols()
    }

    /// Some consecutive samples, without a copy.
    pub fn slice(&self, range: Range<usize>) -> Measured<'_> {
        let (_, tail) = self.targets.split_at(Axis(0), range.start);
        Measured {
            targets: tail.split_at(Axis(0), range.len()).0,
            samples: self.samples.slice(range),
        }
    }
}

/// Samples of which some have a class.
#[derive(Clone, Debug)]
pub struct PartlyLabelled<'a> {
    /// The rows and their weights.
    pub samples: Samples<'a>,
    /// For each row an index into `classes`, or nothing.
    pub labels: &'a [Option<usize>],
    /// The classes.
    pub classes: &'a Classes,
}

impl<'a> PartlyLabelled<'a> {
    /// Puts rows and partial labels together.
    pub fn new(samples: impl Into<Samples<'a>>, labels: &'a PartialLabels) -> Result<Self> {
        let samples = samples.into();
        check_length("labels", labels.indices.len(), samples.n_rows())?;
        Ok(PartlyLabelled {
            samples,
            labels: &labels.indices,
            classes: &labels.classes,
        })
    }
}

/// Samples of which some pairs are known to belong together or apart, and nothing else.
#[derive(Clone, Debug)]
pub struct Linked<'a> {
    /// The rows and their weights.
    pub samples: Samples<'a>,
    /// Pairs of rows of the same, unnamed class.
    pub together: &'a [(usize, usize)],
    /// Pairs of rows of different classes.
    pub apart: &'a [(usize, usize)],
}

impl<'a> Linked<'a> {
    /// Puts rows and links together.
    pub fn new(
        samples: impl Into<Samples<'a>>,
        together: &'a [(usize, usize)],
        apart: &'a [(usize, usize)],
    ) -> Result<Self> {
        let samples = samples.into();
        let rows = samples.n_rows();
        for &(left, right) in together.iter().chain(apart) {
            if left >= rows || right >= rows {
                return Err(Error::data(format!(
                    "the link ({left}, {right}) points outside the {rows} rows"
                )));
            }
        }
        Ok(Linked {
            samples,
            together,
            apart,
        })
    }
}

/// Several sequences as one matrix: the first `lengths[0]` rows are the first sequence, and so
/// on. Items of a sequence depend on each other, so data are split by whole sequences only.
#[derive(Clone, Debug)]
pub struct Sequences<'a> {
    /// All items, one row each.
    pub samples: Samples<'a>,
    /// Number of items of each sequence.
    pub lengths: &'a [usize],
}

impl<'a> Sequences<'a> {
    /// Puts the rows and the lengths together.
    pub fn new(samples: impl Into<Samples<'a>>, lengths: &'a [usize]) -> Result<Self> {
        let samples = samples.into();
        let total: usize = lengths.iter().sum();
        if total != samples.n_rows() {
            return Err(Error::data(format!(
                "the lengths of the sequences add up to {total} but there are {} rows",
                samples.n_rows()
            )));
        }
        if let Some(empty) = lengths.iter().position(|&length| length == 0) {
            return Err(Error::data(format!(
                "sequence {empty} has no items; leave empty sequences out"
            )));
        }
        Ok(Sequences { samples, lengths })
    }

    /// The row range of each sequence.
    pub fn ranges(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.lengths.iter().scan(0, |start, &length| {
            let range = *start..*start + length;
            *start = range.end;
            Some(range)
        })
    }

    /// Some consecutive sequences (not rows), without a copy.
    pub fn slice(&self, sequences: Range<usize>) -> Sequences<'_> {
        let before: usize = self.lengths[..sequences.start].iter().sum();
        let lengths = &self.lengths[sequences];
        let rows: usize = lengths.iter().sum();
        Sequences {
            samples: self.samples.slice(before..before + rows),
            lengths,
        }
    }
}

/// Sequences of which each item has a class (its state or tag).
#[derive(Clone, Debug)]
pub struct LabelledSequences<'a> {
    /// The sequences.
    pub sequences: Sequences<'a>,
    /// For each item an index into `classes`.
    pub labels: &'a [usize],
    /// The classes of items.
    pub classes: &'a Classes,
}

impl<'a> LabelledSequences<'a> {
    /// Puts sequences and labels together.
    pub fn new(sequences: Sequences<'a>, labels: &'a Labels) -> Result<Self> {
        check_length("labels", labels.indices.len(), sequences.samples.n_rows())?;
        Ok(LabelledSequences {
            sequences,
            labels: &labels.indices,
            classes: &labels.classes,
        })
    }
}

/// Ratings that users gave to items; what was not rated is missing, not zero.
#[derive(Clone, Debug)]
pub struct Ratings<'a> {
    /// User index of each rating.
    pub users: &'a [usize],
    /// Item index of each rating.
    pub items: &'a [usize],
    /// The ratings.
    pub values: &'a [f64],
}

impl<'a> Ratings<'a> {
    /// Puts the three columns together.
    pub fn new(users: &'a [usize], items: &'a [usize], values: &'a [f64]) -> Result<Self> {
        check_length("item indices", items.len(), users.len())?;
        check_length("rating values", values.len(), users.len())?;
        Ok(Ratings {
            users,
            items,
            values,
        })
    }
}

fn check_length(what: &str, found: usize, rows: usize) -> Result<()> {
    match found == rows {
        true => Ok(()),
        false => Err(Error::data(format!(
            "there are {found} {what} for {rows} rows"
        ))),
    }
}

/// What [`crate::Fit`] asks of a kind of data: that it can be checked before a method sees it.
pub trait FitData {
    /// An error that says what is wrong with the data for a method that accepts `accepts`.
    fn check(&self, accepts: Accepts) -> Result<()>;

    /// Number of rows, items or ratings.
    fn n_rows(&self) -> usize;
}

impl FitData for Samples<'_> {
    fn check(&self, accepts: Accepts) -> Result<()> {
        Samples::check(self, accepts)
    }

    fn n_rows(&self) -> usize {
        Samples::n_rows(self)
    }
}

impl FitData for Labelled<'_> {
    fn check(&self, accepts: Accepts) -> Result<()> {
        self.samples.check(accepts)
    }

    fn n_rows(&self) -> usize {
        self.samples.n_rows()
    }
}

impl FitData for Measured<'_> {
    fn check(&self, accepts: Accepts) -> Result<()> {
        self.samples.check(accepts)?;
        match self.n_targets() {
            0 => {
                return Err(Error::data(
                    "the targets have no columns; give at least one",
                ));
            }
            1 => {}
            _ if accepts.contains(Accepts::MULTI_OUTPUT) => {}
            many => {
                return Err(Error::unsupported(format!(
                    "this method predicts one target but {many} were given"
                )));
            }
        }
        match Rows::Dense(self.targets).first_not_finite() {
            None => Ok(()),
            Some((row, _, value)) => Err(Error::data(format!(
                "the target of row {row} is {value}; targets must be finite numbers"
            ))),
        }
    }

    fn n_rows(&self) -> usize {
        self.samples.n_rows()
    }
}

impl FitData for PartlyLabelled<'_> {
    fn check(&self, accepts: Accepts) -> Result<()> {
        self.samples.check(accepts)
    }

    fn n_rows(&self) -> usize {
        self.samples.n_rows()
    }
}

impl FitData for Linked<'_> {
    fn check(&self, accepts: Accepts) -> Result<()> {
        self.samples.check(accepts)
    }

    fn n_rows(&self) -> usize {
        self.samples.n_rows()
    }
}

impl FitData for Sequences<'_> {
    fn check(&self, accepts: Accepts) -> Result<()> {
        self.samples.check(accepts)
    }

    fn n_rows(&self) -> usize {
        self.samples.n_rows()
    }
}

impl FitData for LabelledSequences<'_> {
    fn check(&self, accepts: Accepts) -> Result<()> {
        self.sequences.check(accepts)
    }

    fn n_rows(&self) -> usize {
        self.sequences.samples.n_rows()
    }
}

impl FitData for Ratings<'_> {
    fn check(&self, _accepts: Accepts) -> Result<()> {
        match self.values.iter().position(|value| !value.is_finite()) {
            None if self.values.is_empty() => Err(Error::data("there are no ratings")),
            None => Ok(()),
            Some(row) => Err(Error::data(format!(
                "rating {row} is {}; ratings must be finite numbers",
                self.values[row]
            ))),
        }
    }

    fn n_rows(&self) -> usize {
        self.values.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{ShapeBuilder, array};

    #[test]
    fn fortran_order_and_strides_become_contiguous() {
        let mut fortran = Array2::zeros((3, 2).f());
        fortran.assign(&array![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]);
        let samples = Samples::from(&fortran);
        assert!(samples.dense().unwrap().is_standard_layout());
        assert_eq!(samples.dense().unwrap(), fortran);
        let wide = array![[1.0, 9.0, 2.0], [3.0, 9.0, 4.0]];
        let strided = wide.slice(ndarray::s![.., ..;2]);
        assert_eq!(
            Samples::from(strided).dense().unwrap(),
            array![[1.0, 2.0], [3.0, 4.0]]
        );
    }

    #[test]
    fn messages_name_what_is_wrong() {
        let x = array![[1.0], [2.0]];
        let say = |result: Result<Samples<'_>>| result.unwrap_err().to_string();
        assert_eq!(
            say(Samples::from(&x).weighted(&[1.0])),
            "there are 1 weights for 2 rows"
        );
        assert!(say(Samples::from(&x).weighted(&[1.0, -2.0])).contains("row 1 is -2"));
        assert!(say(Samples::from(&x).weighted(&[0.0, 0.0])).contains("all weights are zero"));
        let lengths = Sequences::new(&x, &[1]).unwrap_err().to_string();
        assert_eq!(
            lengths,
            "the lengths of the sequences add up to 1 but there are 2 rows"
        );
        assert!(
            Sequences::new(&x, &[2, 0])
                .unwrap_err()
                .to_string()
                .contains("sequence 1")
        );
        let labels = Labels::from_indices(vec![0]);
        assert!(Labelled::new(&x, &labels).is_err());
        assert!(Linked::new(&x, &[(0, 2)], &[]).is_err());
    }

    // 000a:GEN-01, 001:OV-03, 002a:CL01: full, partial, link-only and absent labels.
    #[test]
    fn every_label_state_has_a_kind_of_data() {
        let x = array![[1.0], [2.0]];
        let full = Labels::from_names(["a", "b"]);
        let partial = PartialLabels::from_names([Some("a"), None]);
        assert!(Samples::from(&x).check(Accepts::empty()).is_ok());
        assert!(
            Labelled::new(&x, &full)
                .unwrap()
                .check(Accepts::empty())
                .is_ok()
        );
        assert!(
            PartlyLabelled::new(&x, &partial)
                .unwrap()
                .check(Accepts::empty())
                .is_ok()
        );
        assert!(
            Linked::new(&x, &[(0, 1)], &[])
                .unwrap()
                .check(Accepts::empty())
                .is_ok()
        );
    }

    #[test]
    fn slices_keep_weights_and_targets_beside_their_rows() {
        let x = array![[1.0], [2.0], [3.0]];
        let weights = [1.0, 2.0, 3.0];
        let targets = [4.0, 5.0, 6.0];
        let samples = Samples::from(&x).weighted(&weights).unwrap();
        let measured = Measured::new(samples, &targets).unwrap();
        let tail = measured.slice(1..3);
        assert_eq!(tail.samples.weights().unwrap().to_vec(), [2.0, 3.0]);
        assert_eq!(tail.targets, array![[5.0], [6.0]]);
        assert_eq!(tail.samples.dense().unwrap(), array![[2.0], [3.0]]);
        assert_eq!(
            measured.samples.select(&[2, 0]).weights().unwrap().to_vec(),
            [3.0, 1.0]
        );
    }
}
