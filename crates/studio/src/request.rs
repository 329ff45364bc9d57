//! What the page asks for: a method, points with what is known about them, and a view.

use didact::Spec;
use didact::core::{
    ClassName, Classes, Data, Error, Labelled, LabelledSequences, Labels, Learner, Measured,
    Result, Samples, Sequences, Table,
};
use didact::core::{Column, DataKind};
use ndarray::{Array2, Axis};
use serde::Deserialize;

/// A method on some points.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Request {
    /// The algorithm or pipeline.
    pub(crate) spec: Spec,
    /// The points, one list of coordinates each.
    pub(crate) rows: Vec<Vec<f64>>,
    /// The class of each point, an index into `classes`, or nothing.
    #[serde(default)]
    pub(crate) labels: Option<Vec<Option<usize>>>,
    /// The classes of some points that are not learned from, but that groups are judged by.
    #[serde(default)]
    pub(crate) known: Vec<Option<usize>>,
    /// The names of the classes.
    #[serde(default)]
    pub(crate) classes: Vec<String>,
    /// The measured target of each point.
    #[serde(default)]
    pub(crate) values: Option<Vec<f64>>,
    /// The measured targets of each point where there are several: its second view.
    #[serde(default)]
    pub(crate) targets: Option<Vec<Vec<f64>>>,
    /// The lengths of the sequences that the points make up.
    #[serde(default)]
    pub(crate) lengths: Option<Vec<usize>>,
    /// Which points are learned from; all where nothing is said.
    #[serde(default)]
    pub(crate) train: Option<Vec<bool>>,
    /// Whether the decision scores are wanted, of which margins are drawn.
    #[serde(default)]
    pub(crate) margins: bool,
    /// Where the model is to be shown.
    #[serde(default)]
    pub(crate) grid: Option<crate::map::Grid>,
}

/// The points as arrays.
pub(crate) struct Points {
    pub(crate) rows: Array2<f64>,
    labels: Vec<usize>,
    classes: Classes,
    targets: Array2<f64>,
    lengths: Vec<usize>,
    kind: DataKind,
    /// Whether what was measured is a second view.
    second_view: bool,
    /// For each of these points its place in the request.
    pub(crate) places: Vec<usize>,
}

impl Request {
    /// The points that are learned from, as what the learner needs of them.
    pub(crate) fn training(&self, learner: &dyn Learner) -> Result<Points> {
        self.points(learner, |index| self.trains(index))
    }

    /// The points that are held back.
    pub(crate) fn testing(&self, learner: &dyn Learner) -> Result<Points> {
        self.points(learner, |index| !self.trains(index))
    }

    /// Whether a point is learned from.
    pub(crate) fn trains(&self, index: usize) -> bool {
        self.train
            .as_ref()
            .is_none_or(|train| train.get(index).copied().unwrap_or(true))
    }

    fn points(&self, learner: &dyn Learner, chosen: impl Fn(usize) -> bool) -> Result<Points> {
        let kind = self.kind(learner)?;
        let sequences = matches!(kind, DataKind::Sequences | DataKind::LabelledSequences);
        let label = |index: usize| self.labels.as_ref().and_then(|all| *all.get(index)?);
        let places: Vec<usize> = (0..self.rows.len())
            .filter(|&index| sequences || chosen(index))
            .filter(|&index| kind != DataKind::Labelled || label(index).is_some())
            .collect();
        if let Some(name) = (0..self.rows.len())
            .filter_map(label)
            .find(|&name| name >= self.classes.len())
        {
            return Err(Error::data(format!(
                "a point has class {name} but only {} classes are named",
                self.classes.len()
            )));
        }
        // The order of the classes is that of the page, whatever their names.
        let classes = Classes::new((0..self.classes.len() as i64).map(ClassName::from));
        Ok(Points {
            rows: self.matrix(&places)?,
            labels: places.iter().filter_map(|&index| label(index)).collect(),
            classes,
            targets: self.measured(&places)?,
            lengths: self.lengths.clone().unwrap_or_else(|| vec![places.len()]),
            kind,
            second_view: self.targets.is_some(),
            places,
        })
    }

    /// What the points are to this learner.
    fn kind(&self, learner: &dyn Learner) -> Result<DataKind> {
        let known = [
            (
                DataKind::LabelledSequences,
                self.lengths.is_some() && self.all_labelled(),
            ),
            (DataKind::Sequences, self.lengths.is_some()),
            (DataKind::Labelled, self.labels.is_some()),
            (
                DataKind::Measured,
                self.values.is_some() || self.targets.is_some(),
            ),
            (DataKind::Samples, true),
        ];
        let routes = learner.routes();
        let found = known
            .into_iter()
            .find(|(kind, there)| *there && routes.iter().any(|route| route.kind == *kind));
        match found {
            Some((kind, _)) => Ok(kind),
            None => learner.route_for(DataKind::Samples).map(|route| route.kind),
        }
    }

    fn all_labelled(&self) -> bool {
        let labels = self.labels.as_deref().unwrap_or_default();
        labels.len() == self.rows.len() && labels.iter().all(Option::is_some)
    }

    /// All points as one matrix.
    pub(crate) fn all_rows(&self) -> Result<Array2<f64>> {
        self.matrix(&(0..self.rows.len()).collect::<Vec<_>>())
    }

    fn matrix(&self, places: &[usize]) -> Result<Array2<f64>> {
        matrix(&self.rows, places)
    }

    /// What was measured at some points: one number each, or a second view.
    fn measured(&self, places: &[usize]) -> Result<Array2<f64>> {
        if let Some(targets) = &self.targets {
            return match targets.len() == self.rows.len() {
                true => matrix(targets, places),
                false => Err(Error::data(format!(
                    "{} points have a first view and {} a second one",
                    self.rows.len(),
                    targets.len()
                ))),
            };
        }
        let value = |index: usize| {
            let values = self.values.as_ref().and_then(|all| all.get(index));
            values.copied().unwrap_or(f64::NAN)
        };
        Ok(Array2::from_shape_fn((places.len(), 1), |(row, _)| {
            value(places[row])
        }))
    }

    /// The points as a table, for the model file: columns `x0`, `x1`, … and the target.
    pub(crate) fn table(&self, points: &Points) -> Result<Table> {
        let mut table = Table::new();
        for (index, column) in points.rows.axis_iter(Axis(1)).enumerate() {
            table.push(format!("x{index}"), Column::Numbers(column.to_vec()))?;
        }
        match points.kind {
            DataKind::Labelled | DataKind::LabelledSequences => {
                let names = points
                    .labels
                    .iter()
                    .map(|&label| Some(self.classes[label].as_str()));
                table.push("class", Column::from_words(names))?;
            }
            DataKind::Measured => {
                let names = points.target_names();
                for (name, column) in names.into_iter().zip(points.targets.columns()) {
                    table.push(name, Column::Numbers(column.to_vec()))?;
                }
            }
            _ => {}
        }
        if points.is_sequences() {
            let lengths = points.lengths.iter().enumerate();
            let numbers = lengths.flat_map(|(number, &length)| vec![number as f64; length]);
            table.push("sequence", Column::Numbers(numbers.collect()))?;
        }
        Ok(table)
    }
}

/// Some of the lists as a matrix; all must be equally long.
fn matrix(lists: &[Vec<f64>], places: &[usize]) -> Result<Array2<f64>> {
    let width = lists.first().map_or(0, Vec::len);
    if lists.iter().any(|list| list.len() != width) {
        return Err(Error::data(
            "the points have different numbers of coordinates",
        ));
    }
    let values = places
        .iter()
        .flat_map(|&index| lists[index].iter().copied());
    Array2::from_shape_vec((places.len(), width), values.collect())
        .map_err(|error| Error::data(format!("the points make no matrix: {error}")))
}

impl Points {
    /// The points as data of their kind.
    pub(crate) fn data(&self) -> Result<Data<'_>> {
        let samples = Samples::from(&self.rows);
        Ok(match self.kind {
            DataKind::Labelled => {
                Data::Labelled(Labelled::from_parts(samples, &self.labels, &self.classes)?)
            }
            DataKind::Measured => Data::Measured(Measured::many(samples, self.targets.view())?),
            DataKind::Sequences => Data::Sequences(Sequences::new(samples, &self.lengths)?),
            DataKind::LabelledSequences => Data::LabelledSequences(LabelledSequences {
                sequences: Sequences::new(samples, &self.lengths)?,
                labels: &self.labels,
                classes: &self.classes,
            }),
            _ => Data::Samples(samples),
        })
    }

    /// Calls the classes by the names of the page instead of their numbers there, and leaves out
    /// those without points.
    pub(crate) fn name_classes(&mut self, names: &[String]) {
        if self.kind == DataKind::Labelled {
            let named = self.labels.iter().map(|&label| names[label].as_str());
            let labels = Labels::from_names(named);
            self.labels = labels.indices;
            self.classes = labels.classes;
        }
    }

    /// The columns of what was measured: `y`, or those after the first view where there are two.
    pub(crate) fn target_names(&self) -> Vec<String> {
        let first = self.rows.ncols();
        match self.second_view {
            false => vec!["y".to_owned()],
            true => (first..first + self.targets.ncols())
                .map(|column| format!("x{column}"))
                .collect(),
        }
    }

    /// Whether the points make up sequences.
    pub(crate) fn is_sequences(&self) -> bool {
        matches!(self.kind, DataKind::Sequences | DataKind::LabelledSequences)
    }

    /// The kind of the data.
    pub(crate) fn kind(&self) -> DataKind {
        self.kind
    }

    /// The lengths of the sequences.
    pub(crate) fn lengths(&self) -> &[usize] {
        &self.lengths
    }

    /// The label of each point.
    pub(crate) fn labels(&self) -> &[usize] {
        &self.labels
    }

    /// What was measured at each point.
    pub(crate) fn targets(&self) -> &Array2<f64> {
        &self.targets
    }

    /// Number of classes that are named.
    pub(crate) fn n_classes(&self) -> usize {
        self.classes.len()
    }

    /// The points of a class.
    pub(crate) fn rows_of(&self, class: usize) -> Array2<f64> {
        let chosen: Vec<usize> = (0..self.labels.len())
            .filter(|&row| self.labels[row] == class)
            .collect();
        self.rows.select(Axis(0), &chosen)
    }

    /// Number of things that can be held back: points, or whole sequences.
    pub(crate) fn units(&self) -> usize {
        match self.kind {
            DataKind::Sequences | DataKind::LabelledSequences => self.lengths.len(),
            _ => self.len(),
        }
    }

    /// Number of points.
    pub(crate) fn len(&self) -> usize {
        self.rows.nrows()
    }
}
