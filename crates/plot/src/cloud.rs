//! Rows seen as points of a plane.

use crate::layer::Dot;
use crate::panel::Panel;
use crate::scale::Axis;
use crate::theme::Ink;
use didact_core::{Error, Result};
use ndarray::{ArrayView2, Axis as Dimension};

/// Rows seen as points: which two columns, what they are called, which class each row has.
///
/// ```
/// use didact_plot::{Cloud, scatter};
/// let rows = ndarray::array![[1.0, 2.0], [3.0, 1.0], [2.0, 2.5]];
/// let cloud = Cloud::new(rows.view())
///     .feature_names(&["length (cm)", "width (cm)"])
///     .labels(&[0, 1, 0], &["setosa", "virginica"]);
/// let picture = scatter(&cloud)?;
/// assert!(picture.svg().contains("length (cm)"));
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Cloud<'a> {
    pub(crate) rows: ArrayView2<'a, f64>,
    pub(crate) columns: [usize; 2],
    pub(crate) feature_names: Vec<String>,
    pub(crate) labels: Option<Vec<Option<usize>>>,
    pub(crate) class_names: Vec<String>,
}

impl<'a> Cloud<'a> {
    /// Rows of which the first two columns are shown.
    pub fn new(rows: ArrayView2<'a, f64>) -> Self {
        Cloud {
            rows,
            columns: [0, 1],
            feature_names: Vec::new(),
            labels: None,
            class_names: Vec::new(),
        }
    }

    /// Shows other columns: the first across, the second upwards.
    pub fn columns(mut self, across: usize, up: usize) -> Self {
        self.columns = [across, up];
        self
    }

    /// Names the columns of the rows, with units where they have any.
    pub fn feature_names<S: AsRef<str>>(mut self, names: &[S]) -> Self {
        self.feature_names = owned(names);
        self
    }

    /// Gives each row a class, an index into the names.
    pub fn labels<S: AsRef<str>>(self, labels: &[usize], class_names: &[S]) -> Self {
        let labels: Vec<Option<usize>> = labels.iter().copied().map(Some).collect();
        self.some_labels(&labels, class_names)
    }

    /// Gives some rows a class; the others are drawn as open grey rings.
    pub fn some_labels<S: AsRef<str>>(
        mut self,
        labels: &[Option<usize>],
        class_names: &[S],
    ) -> Self {
        self.labels = Some(labels.to_vec());
        self.class_names = owned(class_names);
        self
    }

    pub(crate) fn check(&self) -> Result<()> {
        let columns = self.rows.ncols();
        if let Some(column) = self.columns.iter().find(|column| **column >= columns) {
            return Err(Error::parameter(
                "column",
                column,
                format!("the rows have {columns} columns, counted from 0"),
            ));
        }
        if !self.feature_names.is_empty() && self.feature_names.len() != columns {
            return Err(Error::data(format!(
                "there are {} feature names for {columns} columns",
                self.feature_names.len()
            )));
        }
        let Some(labels) = &self.labels else {
            return Ok(());
        };
        if labels.len() != self.rows.nrows() {
            return Err(Error::data(format!(
                "there are {} labels for {} rows",
                labels.len(),
                self.rows.nrows()
            )));
        }
        let classes = self.class_names.len();
        match labels.iter().flatten().find(|label| **label >= classes) {
            Some(label) => Err(Error::data(format!(
                "a label is {label} but there are only {classes} class names"
            ))),
            None => Ok(()),
        }
    }

    pub(crate) fn feature_name(&self, column: usize) -> String {
        match self.feature_names.get(column) {
            Some(name) => name.clone(),
            None => format!("x{column}"),
        }
    }

    /// An empty panel whose axes are the two columns.
    pub(crate) fn panel(&self) -> Panel {
        let [across, up] = self.columns;
        let mut panel = Panel::new(
            Axis::new(self.feature_name(across)),
            Axis::new(self.feature_name(up)),
        );
        panel.plane = Some(self.columns);
        panel
    }

    pub(crate) fn place(&self, row: usize) -> [f64; 2] {
        let [across, up] = self.columns;
        [self.rows[[row, across]], self.rows[[row, up]]]
    }

    /// Adds the rows, one layer per class.
    pub(crate) fn add_to(&self, panel: &mut Panel) {
        let rows = 0..self.rows.nrows();
        let Some(labels) = &self.labels else {
            let dot = Dot::round(Ink::Series(0)).sized(3.2);
            panel.points("points", None, rows.map(|row| self.place(row)), dot);
            return;
        };
        let of = |wanted: Option<usize>| {
            rows.clone()
                .filter(move |row| labels[*row] == wanted)
                .map(|row| self.place(row))
        };
        if labels.contains(&None) {
            let dot = Dot::round(Ink::Muted).sized(2.8).hollow();
            panel.points("points", Some("no label"), of(None), dot);
        }
        for (class, name) in self.class_names.iter().enumerate() {
            panel.points("points", Some(name), of(Some(class)), Dot::series(class));
        }
    }

    /// The mean of each column over its finite values.
    pub(crate) fn means(&self) -> Vec<f64> {
        let mean = |column: ndarray::ArrayView1<'_, f64>| {
            let finite = || column.iter().filter(|value| value.is_finite());
            finite().sum::<f64>() / (finite().count().max(1)) as f64
        };
        self.rows.axis_iter(Dimension(1)).map(mean).collect()
    }
}

/// Names as strings of our own.
pub(crate) fn owned<S: AsRef<str>>(names: &[S]) -> Vec<String> {
    names.iter().map(|name| name.as_ref().to_owned()).collect()
}
