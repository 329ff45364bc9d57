//! Which methods are compared.

use crate::judging::Arena;
use didact::core::catalogue::{Route, Values};
use didact::core::{Accepts, DataKind, Task};
use didact::{Result, Spec, catalogue};

/// A method under the name that the table shows.
pub(super) struct Candidate {
    pub(super) name: String,
    pub(super) spec: Spec,
}

/// The named methods, or all that suit; the baselines are always among them.
pub(super) fn candidates(specs: &[String], arena: &Arena) -> Result<Vec<Candidate>> {
    let named = |text: &String| {
        Ok(Candidate {
            name: text.clone(),
            spec: text.parse()?,
        })
    };
    let mut list: Vec<Candidate> = match specs.is_empty() {
        true => suitable(arena)?,
        false => specs.iter().map(named).collect::<Result<_>>()?,
    };
    for baseline in baselines(arena)? {
        let there = |other: &Candidate| other.spec == baseline.spec;
        if !list.iter().any(there) {
            list.push(baseline);
        }
    }
    Ok(list)
}

/// What one predicts without looking: always the same and, for classes, at random. In sequences
/// every item by itself is the baseline.
fn baselines(arena: &Arena) -> Result<Vec<Candidate>> {
    let texts = match kind(arena)? {
        DataKind::LabelledSequences => vec![("item-classifier", "item-classifier")],
        DataKind::Labelled => vec![
            ("baseline", "baseline"),
            ("baseline at random", "baseline(strategy=random)"),
        ],
        _ => vec![("baseline", "baseline")],
    };
    let one = |(name, text): (&str, &str)| {
        Ok(Candidate {
            name: name.to_owned(),
            spec: text.parse()?,
        })
    };
    texts.into_iter().map(one).collect()
}

fn kind(arena: &Arena) -> Result<DataKind> {
    if arena.roles.sequence.is_some() || arena.roles.time.is_some() {
        return Ok(DataKind::LabelledSequences);
    }
    let name = arena.roles.target.as_deref().unwrap_or_default();
    let classes = match arena.task {
        Some(task) => task == Task::Classification,
        None => arena.content.target(name)?.looks_like_classes(),
    };
    Ok(match classes {
        true => DataKind::Labelled,
        false => DataKind::Measured,
    })
}

/// Every algorithm of the catalogue that predicts such a target, on standardised columns.
fn suitable(arena: &Arena) -> Result<Vec<Candidate>> {
    let kind = kind(arena)?;
    // Shifting sparse rows would fill them, so they are only divided.
    let (sparse, scaler) = match arena.content.stays_sparse() {
        true => (true, "standard-scaler(with_mean=false)"),
        false => (false, "standard-scaler"),
    };
    // What is standardised is neither a count nor the code of a category.
    let suits = |route: &Route| {
        route.values == Values::Any && (!sparse || route.accepts.contains(Accepts::SPARSE))
    };
    let mut list = Vec::new();
    for entry in catalogue()
        .iter()
        .filter(|entry| entry.route(kind).is_some_and(suits))
    {
        // A wrapper around the default classifier would only repeat that classifier, the
        // baselines come anyway, and what is for few labels gains nothing where all are known.
        let wraps = entry.schema["properties"].get("estimator").is_some();
        let for_few_labels = entry.route(DataKind::PartlyLabelled).is_some();
        if wraps || for_few_labels || entry.family == "evaluate" {
            continue;
        }
        list.push(Candidate {
            name: entry.id.to_owned(),
            spec: format!("{scaler} | {}", entry.id).parse()?,
        });
    }
    Ok(list)
}
