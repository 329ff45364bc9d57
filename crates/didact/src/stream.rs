//! Fitting on files larger than memory, batch by batch.

use crate::table_data::{TableData, kind_for};
use crate::{Feature, Job, Spec, Trained};
use didact_core::learner::learn_in_pieces;
use didact_core::{
    Accepts, ClassName, Classes, Column, ColumnKind, Data, DataKind, Error, Labelled, Learner,
    Result, Run, Table,
};
use didact_data::{Parts, ReadOptions, TableReader, split_roles};
use didact_preprocess::TableEncoding;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

/// More classes than this cannot be meant.
const MOST_CLASSES: usize = 10_000;

impl Job {
    /// Fits on a file that is read batch by batch, once to survey it and then once per pass of
    /// the algorithm, which must be able to learn in pieces.
    pub fn fit_stream(&self, path: &str, options: &ReadOptions, run: &Run) -> Result<Trained> {
        let start = Instant::now();
        if self.roles.sequence.is_some() {
            return Err(Error::unsupported(
                "sequences cannot be streamed because their rows may be spread over the file",
            ));
        }
        let survey = Survey::of(self, path, options, run)?;
        let mut spec = self.spec.clone();
        let mut learner = spec.learner()?;
        let kind = kind_for(learner.as_ref(), &survey.head, self.task)?;
        if survey.missing && !learner.route_for(kind)?.accepts.contains(Accepts::MISSING) {
            spec.steps
                .insert(0, Spec::of("simple-imputer").steps.remove(0));
            learner = spec.learner()?;
        }
        let model = survey.learn(self, learner.as_ref(), path, kind, run)?;
        let seconds = start.elapsed().as_secs_f64();
        let kind = learner.route_for(kind)?.kind;
        let mut trained = Trained::new(&spec, learner.as_ref(), kind, model, survey.rows, seconds)?;
        trained.header.features = features(&survey.encoding);
        trained.header.target = self.roles.target.clone();
        trained.encoding = Some(survey.encoding);
        Ok(trained)
    }
}

/// The columns that an encoding expects.
pub(crate) fn features(encoding: &TableEncoding) -> Vec<Feature> {
    encoding
        .column_names()
        .zip(encoding.column_kinds())
        .map(|(name, kind)| Feature {
            name: name.to_owned(),
            kind,
        })
        .collect()
}

/// What one look at every batch tells.
struct Survey {
    rows: usize,
    missing: bool,
    classes: Classes,
    encoding: TableEncoding,
    /// The first batch, from whose target the task is guessed.
    head: Parts,
    /// Options under which later passes need not look ahead.
    options: ReadOptions,
}

impl Survey {
    fn of(job: &Job, path: &str, options: &ReadOptions, run: &Run) -> Result<Self> {
        let mut rows = 0;
        let mut missing = false;
        let mut names = BTreeSet::new();
        let mut first: Option<(BTreeMap<String, ColumnKind>, TableEncoding, Parts)> = None;
        for batch in TableReader::open_with(path, options, run)? {
            run.check()?;
            let batch = batch?;
            let kinds = column_kinds(&batch);
            let parts = split_roles(batch, &job.roles)?;
            rows += parts.features.n_rows();
            missing |= parts
                .features
                .columns()
                .iter()
                .any(|column| column.n_missing() > 0);
            if let Some(target) = &parts.target {
                collect_classes(target, &mut names);
            }
            if first.is_none() {
                first = Some((kinds, job.encoder.fit(&parts.features)?, parts));
            }
        }
        let (kinds, encoding, head) =
            first.ok_or_else(|| Error::data("there are no rows; give at least one"))?;
        Ok(Survey {
            rows,
            missing,
            classes: Classes::new(names),
            encoding,
            head,
            options: ReadOptions {
                kinds,
                first_pass: false,
                ..options.clone()
            },
        })
    }

    fn learn(
        &self,
        job: &Job,
        learner: &dyn Learner,
        path: &str,
        kind: DataKind,
        run: &Run,
    ) -> Result<Box<dyn didact_core::AnyModel>> {
        if kind == DataKind::Labelled && self.classes.len() > MOST_CLASSES {
            return Err(Error::data(format!(
                "the target has more than {MOST_CLASSES} different values; is it a number to predict? Then add --task regression"
            )));
        }
        learn_in_pieces(
            learner.pieces(kind)?,
            |observe| {
                let mut first_row = 0;
                for batch in TableReader::open_with(path, &self.options, run)? {
                    let parts = split_roles(batch?, &job.roles)?;
                    let n_rows = parts.features.n_rows();
                    self.observe(parts, kind, first_row, observe)?;
                    first_row += n_rows;
                }
                Ok(())
            },
            run,
        )
    }

    /// Hands a batch to the learner, with labels in terms of the classes of the whole file.
    fn observe(
        &self,
        parts: Parts,
        kind: DataKind,
        first_row: usize,
        observe: &mut dyn FnMut(Data<'_>, usize) -> Result<()>,
    ) -> Result<()> {
        let table_data = TableData::new(self.encoding.encode(&parts.features)?, parts, kind)?;
        match table_data.data()? {
            Data::Labelled(batch) => {
                let table: Vec<usize> = batch
                    .classes
                    .names()
                    .iter()
                    .map(|name| self.classes.label(name))
                    .collect::<Option<_>>()
                    .ok_or_else(|| Error::data("the file changed while it was being read"))?;
                let labels: Vec<usize> = batch.labels.iter().map(|&label| table[label]).collect();
                let batch = Labelled::from_parts(batch.samples, &labels, &self.classes)?;
                observe(Data::Labelled(batch), first_row)
            }
            data => observe(data, first_row),
        }
    }
}

fn column_kinds(table: &Table) -> BTreeMap<String, ColumnKind> {
    let kinds = table.columns().iter().map(Column::kind);
    table.names().iter().cloned().zip(kinds).collect()
}

fn collect_classes(target: &Column, names: &mut BTreeSet<ClassName>) {
    if names.len() <= MOST_CLASSES {
        names.extend(target.partial_labels().classes.names().iter().cloned());
    }
}
