//! Tables from files, standard input and the built-in data sets.

use crate::arguments::{EncodingOptions, ReadingOptions, RoleOptions, TargetTask};
use crate::output::Output;
use didact::core::parameters::{self, nearest};
use didact::core::{Run, Task};
use didact::data::{Content, Format, ReadOptions, Reject, Svmlight, read_content};
use didact::preprocess::TableEncoder;
use didact::{Error, Result, Roles, TableData, Trained, datasets, default_encoder};
use serde_json::{Map, Value};
use std::path::Path;

/// A table or sparse rows, and what is known about the columns from where they came.
pub(crate) struct Loaded {
    /// The table or the sparse rows.
    pub(crate) content: Content,
    /// Roles that a built-in data set brings along.
    pub(crate) roles: Roles,
    /// The name for people.
    pub(crate) name: String,
}

impl Loaded {
    /// The rows and answers as a saved model takes them; `target` names the column of answers
    /// where it is not the one that the model was fitted on.
    pub(crate) fn for_model(self, trained: &Trained, target: Option<&str>) -> Result<TableData> {
        // What a data set calls its target need not be what this model predicts.
        let known = trained.header.target.clone().or(self.roles.target);
        let roles = Roles {
            target: target.map(str::to_owned).or(known),
            ..self.roles
        };
        trained.data_as(self.content, &roles)
    }
}

/// Reads a file, standard input or a built-in data set.
pub(crate) fn load(
    name: &str,
    reading: &ReadingOptions,
    run: &Run,
    output: &Output,
) -> Result<Loaded> {
    if name != "-" && !Path::new(name).exists() {
        return match datasets::load(name) {
            Ok(dataset) => Ok(built_in(dataset)),
            Err(_) => Err(Error::Specification(not_found(name))),
        };
    }
    let (content, rejected) = read_content(name, &read_options(reading)?, run)?;
    if let Some(first) = rejected.first() {
        let count = rejected.len();
        output.note(format!(
            "{count} rows were left out; the first is line {}: {}",
            first.line, first.reason
        ));
    }
    let target = match content {
        Content::Sparse(_) => Some(Svmlight::TARGET.to_owned()),
        Content::Table(_) => None,
    };
    Ok(Loaded {
        content,
        roles: Roles {
            target,
            ..Roles::default()
        },
        name: name.to_owned(),
    })
}

/// The options of the reader as the command line gives them.
pub(crate) fn read_options(reading: &ReadingOptions) -> Result<ReadOptions> {
    let format = match &reading.format {
        None => None,
        Some(name) => Some(Format::from_name(&format!("x.{name}")).ok_or_else(|| {
            Error::parameter(
                "--format",
                name,
                "it must be csv, tsv, parquet, arrow, jsonl or svmlight",
            )
        })?),
    };
    Ok(ReadOptions {
        format,
        header: reading.no_header.then_some(false),
        delimiter: reading.delimiter,
        zero_based: reading.zero_based,
        reject: if reading.skip_bad_rows {
            Reject::Skip
        } else {
            Reject::Fail
        },
        ..ReadOptions::default()
    })
}

/// A built-in data set with its roles.
pub(crate) fn built_in(dataset: datasets::Dataset) -> Loaded {
    let roles = Roles {
        target: dataset.target().map(str::to_owned),
        sequence: dataset.sequence().map(str::to_owned),
        ignore: dataset.index().map(str::to_owned).into_iter().collect(),
        ..Roles::default()
    };
    Loaded {
        name: dataset.info().id.to_owned(),
        roles,
        content: dataset.into_table().into(),
    }
}

fn not_found(name: &str) -> String {
    let hint = match nearest(name, datasets::list().map(|info| info.id)) {
        Some(close) => format!("did you mean the built-in {close}? "),
        None => String::new(),
    };
    format!(
        "there is no file and no built-in data set {name}; {hint}`didact data list` shows the built-in ones"
    )
}

impl RoleOptions {
    /// The roles on the command line, completed by those that the data bring along.
    pub(crate) fn over(&self, given: Roles) -> Roles {
        Roles {
            target: self.target.clone().or(given.target),
            weight: self.weight.clone().or(given.weight),
            sequence: self.sequence.clone().or(given.sequence),
            time: self.time.clone().or(given.time),
            ignore: [self.ignore.clone(), given.ignore].concat(),
        }
    }

    /// How to read whole numbers in the target.
    pub(crate) fn task(&self) -> Option<Task> {
        self.task.map(|task| match task {
            TargetTask::Classification => Task::Classification,
            TargetTask::Regression => Task::Regression,
        })
    }
}

impl EncodingOptions {
    /// How columns become numbers, as the command line says.
    pub(crate) fn encoder(&self) -> Result<TableEncoder> {
        let mut values = match parameters::to_json(&default_encoder())? {
            Value::Object(values) => values,
            _ => Map::new(),
        };
        for text in &self.encode {
            let (name, value) = assignment("--encode", text)?;
            values.insert(name.to_owned(), value);
        }
        parameters::from_json("--encode", &values)
    }
}

/// Splits `name=value`, which was given with `option`.
pub(crate) fn assignment<'a>(option: &str, text: &'a str) -> Result<(&'a str, Value)> {
    match text.split_once('=') {
        Some((name, value)) => Ok((name.trim(), didact::parse_value(value))),
        None => Err(Error::parameter(option, text, "it must read NAME=VALUE")),
    }
}

/// What the data are called in the model file; where they lie is nobody else's business.
pub(crate) fn data_name(data: &str) -> String {
    match Path::new(data).file_name() {
        Some(name) if data != "-" => name.to_string_lossy().into_owned(),
        _ => "standard input".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_are_named_without_their_folder() {
        assert_eq!(data_name("iris"), "iris");
        assert_eq!(data_name("some/where/sales.csv"), "sales.csv");
        assert_eq!(data_name("-"), "standard input");
    }
}
