//! A trained model with everything that belongs to it: how it was made, what it expects.

use crate::facts::{Feature, Header, TrainingFacts};
use crate::file;
use crate::stored;
use crate::stream::features;
use crate::table_data::{TableData, kind_for};
use crate::{Spec, pipeline};
use didact_core::model::AnyModel;
use didact_core::{Accepts, Data, DataKind, Error, Learner, Result, Run, Table, Task, encoding};
use didact_data::{Content, Parts, Roles, Svmlight, rows_for, split_roles};
use didact_preprocess::{CategoryCoding, MissingValues, TableEncoder, TableEncoding};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::path::Path;
use std::time::Instant;

/// A fitted model and its papers.
pub struct Trained {
    /// How the model was made and what it expects.
    pub header: Header,
    /// How tables become rows, where the model was fitted on a table.
    pub encoding: Option<TableEncoding>,
    /// The model itself.
    pub model: Box<dyn AnyModel>,
}

/// What to fit and on which columns.
#[derive(Clone, Debug)]
pub struct Job {
    /// The algorithm or pipeline.
    pub spec: Spec,
    /// Which column plays which part.
    pub roles: Roles,
    /// Settles whether whole numbers in the target are classes or measurements.
    pub task: Option<Task>,
    /// How columns become numbers.
    pub encoder: TableEncoder,
}

impl Job {
    /// A job with default encoding and no special columns.
    pub fn new(spec: Spec) -> Self {
        Job {
            spec,
            roles: Roles::default(),
            task: None,
            encoder: default_encoder(),
        }
    }

    /// Reads a table or sparse rows as what the learner needs, without fitting it yet.
    ///
    /// Sparse rows are read as a table where they are few or some column has a special role;
    /// their labels are the column `target`.
    pub fn prepare(&self, content: impl Into<Content>) -> Result<Prepared> {
        let content = content.into();
        let only_labels = Roles {
            target: self.roles.target.clone(),
            ..Roles::default()
        };
        let labels_or_nothing = self.roles == only_labels
            && matches!(self.roles.target.as_deref(), None | Some(Svmlight::TARGET));
        let stays_sparse = content.stays_sparse() && labels_or_nothing;
        match content {
            Content::Sparse(data) if stays_sparse => self.prepare_sparse(data),
            content => self.prepare_table(content.into_table()?),
        }
    }

    fn prepare_table(&self, table: Table) -> Result<Prepared> {
        let spec = self.spec.clone();
        let learner = spec.learner()?;
        let parts = split_roles(table, &self.roles)?;
        let kind = kind_for(learner.as_ref(), &parts, self.task)?;
        Prepared::new(spec, &self.encoder, parts, kind)
    }

    fn prepare_sparse(&self, data: Svmlight) -> Result<Prepared> {
        if self.encoder != default_encoder() {
            return Err(Error::unsupported(
                "the rows are sparse numbers of which none is missing; there is nothing to encode",
            ));
        }
        let spec = self.spec.clone();
        let learner = spec.learner()?;
        let (rows, mut parts) = data.into_parts();
        parts.target = parts.target.filter(|_| self.roles.target.is_some());
        let kind = kind_for(learner.as_ref(), &parts, self.task)?;
        let takes_sparse = learner.route_for(kind)?.accepts.contains(Accepts::SPARSE);
        let table_data = TableData::new(rows_for(rows, takes_sparse)?, parts, kind)?;
        Ok(Prepared {
            spec,
            learner,
            encoding: None,
            table_data,
            imputes: false,
        })
    }

    /// Fits a model on a table or on sparse rows.
    pub fn fit(&self, content: impl Into<Content>, run: &Run) -> Result<Trained> {
        self.prepare(content)?.fit(&self.roles, run)
    }
}

/// Missing values stay missing, so that a step of the pipeline can learn how to fill them.
pub fn default_encoder() -> TableEncoder {
    TableEncoder {
        missing: MissingValues::Keep,
        ..TableEncoder::default()
    }
}

/// A learner and a table that has been read as data for it.
pub struct Prepared {
    /// What will be fitted; an imputer may have been put in front.
    pub spec: Spec,
    /// The learner made from it.
    pub learner: Box<dyn Learner>,
    /// How the table became rows; sparse rows need no encoding.
    pub encoding: Option<TableEncoding>,
    /// The rows and targets.
    pub table_data: TableData,
    /// Whether missing values made an imputer necessary.
    pub imputes: bool,
}

impl Prepared {
    fn new(mut spec: Spec, encoder: &TableEncoder, parts: Parts, kind: DataKind) -> Result<Self> {
        let mut encoder = encoder.clone();
        if matches!(kind, DataKind::Sequences | DataKind::LabelledSequences) {
            // Sequence models read symbols as whole numbers in one column.
            encoder.categories = CategoryCoding::Ordinal;
        }
        let encoding = encoder.fit(&parts.features)?;
        let rows = encoding.encode(&parts.features)?;
        let missing = rows.iter().any(|value| value.is_nan());
        let table_data = TableData::new(rows, parts, kind)?;
        let mut learner = spec.learner()?;
        let takes_missing = learner.route_for(kind)?.accepts.contains(Accepts::MISSING);
        let imputes = !takes_missing && missing;
        if imputes {
            // Means are learned by a step of the pipeline, so that cross-validation learns them
            // anew in every fold.
            spec.steps
                .insert(0, Spec::of("simple-imputer").steps.remove(0));
            learner = spec.learner()?;
        }
        Ok(Prepared {
            spec,
            learner,
            encoding: Some(encoding),
            table_data,
            imputes,
        })
    }

    /// Fits the model.
    pub fn fit(&self, roles: &Roles, run: &Run) -> Result<Trained> {
        self.fit_from(None, roles, run)
    }

    /// Fits the model, starting from the solution of an earlier one where it is given.
    pub fn fit_from(
        &self,
        earlier: Option<&dyn AnyModel>,
        roles: &Roles,
        run: &Run,
    ) -> Result<Trained> {
        let data = self.table_data.data()?;
        let learner = self.learner.as_ref();
        let mut trained = Trained::fit_from(&self.spec, learner, earlier, data, run)?;
        // The columns of sparse rows have numbers and no names, and there may be millions.
        trained.header.features = self.encoding.as_ref().map_or_else(Vec::new, features);
        trained.header.target = roles.target.clone();
        trained.header.sequence = roles.sequence.clone();
        trained.encoding = self.encoding.clone();
        Ok(trained)
    }
}

/// Rows of each class, where the rows have classes.
fn class_counts(data: &Data<'_>) -> Option<Vec<usize>> {
    let Data::Labelled(data) = data else {
        return None;
    };
    let mut counts = vec![0; data.classes.len()];
    for &label in data.labels {
        counts[label] += 1;
    }
    Some(counts)
}

/// The body of a model file.
#[derive(Serialize, Deserialize)]
struct Body<'a> {
    encoding: Option<TableEncoding>,
    #[serde(borrow)]
    model: stored::Bytes<'a>,
}

impl Trained {
    /// Fits a learner on data of any kind; `spec` is what it was made from.
    pub fn fit(spec: &Spec, learner: &dyn Learner, data: Data<'_>, run: &Run) -> Result<Self> {
        Trained::fit_from(spec, learner, None, data, run)
    }

    /// The same, starting from the solution of an earlier model where one is given.
    pub fn fit_from(
        spec: &Spec,
        learner: &dyn Learner,
        earlier: Option<&dyn AnyModel>,
        data: Data<'_>,
        run: &Run,
    ) -> Result<Self> {
        let start = Instant::now();
        let rows = data.samples().map_or(0, |samples| samples.n_rows());
        let kind = learner.route_for(data.kind())?.kind;
        let counts = class_counts(&data);
        let model = match earlier {
            Some(earlier) => learner.fit_from(earlier, data, run)?,
            None => learner.fit(data, run)?,
        };
        let seconds = start.elapsed().as_secs_f64();
        let mut trained = Trained::new(spec, learner, kind, model, rows, seconds)?;
        if trained.header.classes.is_some() {
            trained.header.training.class_counts = counts;
        }
        Ok(trained)
    }

    /// Writes the papers of a model that was just fitted.
    pub fn new(
        spec: &Spec,
        learner: &dyn Learner,
        kind: DataKind,
        model: Box<dyn AnyModel>,
        rows: usize,
        seconds: f64,
    ) -> Result<Self> {
        let header = Header {
            format: file::FORMAT,
            library: env!("CARGO_PKG_VERSION").to_owned(),
            specification: spec.clone(),
            parameters: learner.parameters()?,
            kind,
            data: None,
            features: (0..model.n_features())
                .map(|column| Feature {
                    name: format!("x{column}"),
                    kind: didact_core::ColumnKind::Number,
                })
                .collect(),
            target: None,
            sequence: None,
            classes: model
                .as_classify()
                .map(|classify| classify.classes().names().to_vec()),
            training: TrainingFacts::of(model.as_ref(), rows, seconds),
            framing: None,
        };
        Ok(Trained {
            header,
            encoding: None,
            model,
        })
    }

    /// The model file as bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let (header, body) = self.parts()?;
        Ok(file::encode(&header, &body))
    }

    /// Header and body of the model file.
    fn parts(&self) -> Result<(String, Vec<u8>)> {
        let header = serde_json::to_string_pretty(&self.header)
            .map_err(|error| Error::ModelFile(format!("the header cannot be written: {error}")))?;
        let body = encoding::to_bytes(&Body {
            encoding: self.encoding.clone(),
            model: stored::Bytes(Cow::Owned(self.model.encode()?)),
        })?;
        Ok((header + "\n", body))
    }

    /// Reads the bytes of a model file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let (header, body) = file::decode(bytes)?;
        let header: Header = serde_json::from_str(header)
            .map_err(|error| Error::ModelFile(format!("the header cannot be read: {error}")))?;
        let body: Body<'_> = encoding::from_bytes(body)?;
        let model = match header.specification.steps.as_slice() {
            [step] => stored::decode(&step.algorithm, header.kind, &body.model.0)?,
            _ => pipeline::decode(&body.model.0)?,
        };
        if let Some(encoding) = &body.encoding {
            encoding.validate()?;
        }
        if let Some(encoding) = &body.encoding
            && encoding.n_features() != model.n_features()
        {
            return Err(Error::ModelFile(
                "table encoding and model do not fit together".into(),
            ));
        }
        Ok(Trained {
            header,
            encoding: body.encoding,
            model,
        })
    }

    /// Writes the model file; its place never holds half of one.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let (header, body) = self.parts()?;
        file::write(path.as_ref(), &header, &body)
    }

    /// Reads a model file.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        Trained::from_bytes(&file::read(path)?).map_err(|error| match error {
            Error::ModelFile(message) => Error::file(path.display(), message),
            other => other,
        })
    }

    /// The columns that the model was told to treat specially.
    pub fn roles(&self) -> Roles {
        Roles {
            target: self.header.target.clone(),
            sequence: self.header.sequence.clone(),
            ..Roles::default()
        }
    }

    /// Reads a table or sparse rows as data of the kind that the model was fitted on, targets
    /// included.
    pub fn data(&self, content: impl Into<Content>, target: Option<&str>) -> Result<TableData> {
        let given = Roles {
            target: target.map(str::to_owned),
            ..Roles::default()
        };
        self.data_as(content, &given)
    }

    /// Reads a table like [`Trained::data`]; `given` says what its columns are, which a model
    /// that was fitted on bare rows cannot know.
    pub fn data_as(&self, content: impl Into<Content>, given: &Roles) -> Result<TableData> {
        let target = given.target.clone().or(self.header.target.clone());
        let mut content = content.into();
        if let (Content::Sparse(_), Some(name)) = (&content, &target)
            && name != Svmlight::TARGET
        {
            content = Content::Table(content.into_table()?);
        }
        let (rows, parts) = self.take_apart(content, |table| Roles {
            // A column that is asked for by name must be there.
            target,
            ..self.roles_in(table, given)
        })?;
        let kind = match (self.header.kind, &parts.target, &parts.lengths) {
            (DataKind::Samples | DataKind::PartlyLabelled, Some(_), None) => DataKind::Labelled,
            (DataKind::Sequences, Some(_), _) => DataKind::LabelledSequences,
            (kind, _, _) => kind,
        };
        TableData::new(rows, parts, kind)
    }
}
