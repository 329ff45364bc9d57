//! What the commands that judge methods share: the data, the splits, the baseline.

use crate::arguments::{EncodingOptions, FittingOptions, RoleOptions, SplitOptions, SplitterKind};
use crate::input::{Loaded, assignment, load};
use crate::output::Output;
use crate::progress::Context;
use didact::core::{Data, Task};
use didact::data::Content;
use didact::evaluate::{
    CrossValidation, Fold, Scoring, Split, Splitter, Summary, cross_validate_by,
};
use didact::preprocess::TableEncoder;
use didact::{Error, Job, Prepared, Result, Roles, Spec};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Data on which methods are judged, and how.
pub(crate) struct Arena {
    /// What the data are called.
    pub(crate) name: String,
    /// Which column plays which part.
    pub(crate) roles: Roles,
    /// The table or the sparse rows.
    pub(crate) content: Content,
    /// How whole numbers in the target are read.
    pub(crate) task: Option<Task>,
    encoder: TableEncoder,
    groups: Option<Vec<usize>>,
    seed: u64,
}

impl Arena {
    /// Reads the data that the options name and prepares them for the method.
    pub(crate) fn open(
        fitting: &FittingOptions,
        split: &SplitOptions,
        context: &Context,
        output: &Output,
    ) -> Result<(Self, Prepared)> {
        let table = &fitting.table;
        let loaded = load(&table.data, &table.reading, &context.run(), output)?;
        let arena = Arena::new(loaded, (&fitting.roles, &fitting.encoding), split, context)?;
        let spec = specification(&fitting.spec, &fitting.set, context.seed)?;
        let prepared = arena.prepare(&spec)?;
        if prepared.imputes {
            output.note("missing values were found; simple-imputer was put in front");
        }
        Ok((arena, prepared))
    }

    /// Data that have been read.
    pub(crate) fn new(
        loaded: Loaded,
        (roles, encoding): (&RoleOptions, &EncodingOptions),
        split: &SplitOptions,
        context: &Context,
    ) -> Result<Self> {
        let task = roles.task();
        let mut roles = roles.over(loaded.roles);
        let groups = groups_of(&loaded.content, &roles, split)?;
        roles.ignore.extend(split.groups.clone());
        Ok(Arena {
            name: loaded.name,
            roles,
            content: loaded.content,
            task,
            encoder: encoding.encoder()?,
            groups,
            seed: context.seed,
        })
    }

    /// The job that fits a specification on these data.
    pub(crate) fn job(&self, spec: Spec) -> Job {
        Job {
            spec,
            roles: self.roles.clone(),
            task: self.task,
            encoder: self.encoder.clone(),
        }
    }

    /// The data as the specification takes them.
    pub(crate) fn prepare(&self, spec: &Spec) -> Result<Prepared> {
        self.job(spec.clone()).prepare(self.content.clone())
    }

    /// Parts that train and parts that test.
    pub(crate) fn splits(&self, data: &Data<'_>, split: &SplitOptions) -> Result<Vec<Split>> {
        let splitter = split.splitter(data, self.groups.is_some());
        let at_random = matches!(
            splitter,
            Splitter::HoldOut { .. }
                | Splitter::KFold { .. }
                | Splitter::Stratified { .. }
                | Splitter::ShuffleSplit { .. }
        );
        if split.repeats > 1 && !at_random {
            return Err(Error::parameter(
                "--repeats",
                split.repeats,
                "it must be 1 with this splitter, which deals the same way every time",
            ));
        }
        let round = |round: u64| {
            let seed = self.seed.wrapping_add(round);
            splitter.cut_data(data, self.groups.as_deref(), seed)
        };
        let rounds = (0..u64::from(split.repeats)).map(round);
        Ok(rounds.collect::<Result<Vec<_>>>()?.concat())
    }

    /// Columns of the table that are features or could be.
    pub(crate) fn n_columns(&self) -> usize {
        match &self.content {
            Content::Table(table) => table.n_columns() - usize::from(self.roles.target.is_some()),
            Content::Sparse(_) => self.content.n_features(),
        }
    }
}

/// A specification with what `--set` and `--seed` say.
pub(crate) fn specification(text: &str, set: &[String], seed: u64) -> Result<Spec> {
    let mut spec: Spec = text.parse()?;
    for text in set {
        let (name, value) = assignment("--set", text)?;
        spec.set(name, value)?;
    }
    spec.set_seed(seed)?;
    Ok(spec)
}

fn groups_of(content: &Content, roles: &Roles, split: &SplitOptions) -> Result<Option<Vec<usize>>> {
    let Some(name) = &split.groups else {
        return Ok(None);
    };
    if roles.sequence.is_some() || roles.time.is_some() {
        return Err(Error::Specification(
            "--groups does not go with --sequence or --time: sequences are kept whole anyway"
                .into(),
        ));
    }
    let column = content.target(name)?;
    let labels = column
        .partial_labels()
        .complete()
        .map_err(|error| Error::data(format!("column {name} cannot tell groups apart: {error}")))?;
    Ok(Some(labels.indices))
}

impl SplitOptions {
    /// The splitter that the options name.
    pub(crate) fn splitter(&self, data: &Data<'_>, has_groups: bool) -> Splitter {
        let n_folds = self.folds;
        let labelled = matches!(data, Data::Labelled(_));
        let shuffled = |stratified: bool| match stratified {
            true => Splitter::Stratified {
                n_folds,
                shuffle: true,
            },
            false => Splitter::KFold {
                n_folds,
                shuffle: true,
            },
        };
        match self.splitter {
            SplitterKind::Auto if has_groups => Splitter::Grouped { n_folds },
            SplitterKind::Auto => shuffled(labelled),
            SplitterKind::KFold => shuffled(false),
            SplitterKind::Stratified => shuffled(true),
            SplitterKind::Grouped => Splitter::Grouped { n_folds },
            SplitterKind::LeaveOneGroupOut => Splitter::LeaveOneGroupOut,
            SplitterKind::LeaveOneOut => Splitter::LeaveOneOut,
            SplitterKind::HoldOut => Splitter::HoldOut {
                train_share: self.train_share,
            },
            SplitterKind::Shuffle => Splitter::ShuffleSplit {
                n_splits: n_folds,
                train_share: self.train_share,
            },
            SplitterKind::TimeSeries => Splitter::TimeSeries {
                n_splits: n_folds,
                gap: self.gap,
                test_size: None,
                max_train: None,
            },
        }
    }

    /// How the folds are judged.
    pub(crate) fn scoring(&self) -> Scoring {
        Scoring {
            metrics: self.metric.clone(),
            on_training: false,
        }
    }
}

/// The splitter in words.
pub(crate) fn in_words(splitter: &Splitter, n_splits: usize) -> String {
    match splitter {
        Splitter::HoldOut { .. } => format!("{n_splits} random split"),
        Splitter::KFold { .. } | Splitter::Repeated { .. } => format!("{n_splits} folds"),
        Splitter::Stratified { .. } => format!("{n_splits} folds with equal class shares"),
        Splitter::Grouped { .. } => format!("{n_splits} folds that keep groups whole"),
        Splitter::LeaveOneGroupOut => format!("{n_splits} groups, each left out once"),
        Splitter::LeaveOneOut => format!("{n_splits} rows, each left out once"),
        Splitter::ShuffleSplit { .. } => format!("{n_splits} independent random splits"),
        Splitter::TimeSeries { .. } => format!("{n_splits} test parts, each after its training"),
    }
}

/// What was judged before somebody said stop.
pub(crate) struct Judged {
    /// The finished folds and their numbers.
    pub(crate) numbers: Vec<usize>,
    /// What they showed.
    pub(crate) result: CrossValidation,
    /// Whether all folds are there.
    pub(crate) complete: bool,
}

/// Cross-validates on the splits; a run that is cancelled leaves the folds that are finished.
pub(crate) fn judge(
    prepared: &Prepared,
    splits: &[Split],
    scoring: &Scoring,
    context: &Context,
    done: &(dyn Fn() + Sync),
) -> Result<Judged> {
    let finished: Mutex<BTreeMap<usize, Fold>> = Mutex::default();
    let keep = |number: usize, fold: &Fold| {
        let mut finished = finished.lock().unwrap_or_else(PoisonError::into_inner);
        finished.insert(number, fold.clone());
        done();
    };
    let data = prepared.table_data.data()?;
    let learner = prepared.learner.as_ref();
    let outcome = cross_validate_by(learner, &data, splits, scoring, &context.run(), &keep);
    let complete = match outcome {
        Ok(_) => true,
        Err(Error::Cancelled) => false,
        Err(error) => return Err(error),
    };
    let finished = finished
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    let (numbers, folds) = finished.into_iter().unzip();
    Ok(Judged {
        numbers,
        result: CrossValidation { folds },
        complete,
    })
}

/// Test rows for each training row, which is how strongly training parts overlap.
pub(crate) fn test_to_train(splits: &[Split]) -> f64 {
    let ratio = |split: &Split| split.test.len() as f64 / split.train.len().max(1) as f64;
    splits.iter().map(ratio).sum::<f64>() / splits.len().max(1) as f64
}

/// A mean with its spread.
pub(crate) fn with_spread(figure: &Summary) -> String {
    format!("{} ± {}", short(figure.mean), short(figure.spread))
}

/// A figure with three digits behind the point, or with as many significant ones where it is
/// large or tiny.
pub(crate) fn short(value: f64) -> String {
    match value.abs() {
        0.0 => "0.000".to_owned(),
        size if !(5e-4..1e5).contains(&size) => format!("{value:.2e}"),
        size if size >= 1e3 => format!("{value:.0}"),
        size if size >= 1e2 => format!("{value:.1}"),
        _ => format!("{value:.3}"),
    }
}

/// A probability as people write it.
pub(crate) fn p_value(p: f64) -> String {
    match p < 0.001 {
        true => "p < 0.001".to_owned(),
        false => format!("p = {p:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_keep_about_three_digits() {
        assert_eq!(short(0.98765), "0.988");
        assert_eq!(short(-54.321), "-54.321");
        assert_eq!(short(123.456), "123.5");
        assert_eq!(short(12345.6), "12346");
        assert_eq!(short(3.2e-7), "3.20e-7");
        assert_eq!(short(0.0), "0.000");
        assert_eq!(p_value(0.0499), "p = 0.050");
        assert_eq!(p_value(1e-9), "p < 0.001");
    }
}
