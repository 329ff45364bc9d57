//! Associative memories: the crossbar of Willshaw and the network of Hopfield.

use crate::Shared;
use crate::events::stream;
use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use didact::core::{Fit, Run, Samples};
use didact::neural_classic::{
    Hopfield, HopfieldModel, RecallEnd, RecallThreshold, StateKind, StorageRule, UpdateMode,
    Willshaw, WillshawSizes,
};
use didact::{Error, Result};
use ndarray::Array2;
use serde::Deserialize;
use serde_json::{Value, json};

/// Most bits of a pattern.
const MOST_BITS: usize = 400;

/// Most patterns that are stored.
const MOST_PATTERNS: usize = 2_000;

/// Most sweeps of a recall.
const SWEEPS: usize = 60;

/// A memory with what is stored in it and a cue.
#[derive(Deserialize)]
#[serde(tag = "view", rename_all = "kebab-case")]
pub(crate) enum Wanted {
    /// Binary weights between inputs and outputs.
    Willshaw {
        n_inputs: usize,
        n_outputs: usize,
        /// The places of the active inputs and outputs of each pair.
        pairs: Vec<[Vec<usize>; 2]>,
        /// The places of the active inputs of the cue.
        cue: Vec<usize>,
        threshold: Threshold,
    },
    /// Symmetric weights between units of −1 and +1.
    Hopfield {
        patterns: Vec<Vec<f64>>,
        rule: StorageRule,
        /// Whether all units change at once.
        synchronous: bool,
        cue: Vec<f64>,
    },
}

/// How many active inputs make an output fire.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Threshold {
    One,
    ActiveBits,
}

/// Stores and recalls.
pub(crate) async fn recall(State(shared): State<Shared>, Json(wanted): Json<Wanted>) -> Response {
    stream(shared, move |run| Ok(wanted.answer(run)?)).into_response()
}

impl Wanted {
    fn answer(&self, run: &Run) -> Result<Value> {
        match self {
            Wanted::Willshaw {
                n_inputs,
                n_outputs,
                pairs,
                cue,
                threshold,
            } => {
                check("pairs", pairs.len(), MOST_PATTERNS)?;
                check(
                    "n_inputs and n_outputs",
                    *n_inputs.max(n_outputs),
                    MOST_BITS,
                )?;
                let threshold = match threshold {
                    Threshold::One => RecallThreshold::One,
                    Threshold::ActiveBits => RecallThreshold::ActiveBits,
                };
                crossbar([*n_inputs, *n_outputs], pairs, cue, threshold, run)
            }
            Wanted::Hopfield {
                patterns,
                rule,
                synchronous,
                cue,
            } => {
                check("patterns", patterns.len(), MOST_PATTERNS)?;
                check("bits of a pattern", cue.len(), MOST_BITS)?;
                let memory = stored(patterns, cue.len(), *rule, *synchronous, run)?;
                attracted(&memory, cue, *synchronous, run)
            }
        }
    }
}

fn check(name: &str, found: usize, most: usize) -> Result<()> {
    match found <= most {
        true => Ok(()),
        false => Err(Error::parameter(
            name,
            found,
            format!("at most {most} are shown"),
        )),
    }
}

/// The bits that are active at some places.
fn bits(places: &[usize], count: usize) -> Result<Vec<bool>> {
    let mut bits = vec![false; count];
    for &place in places {
        *bits.get_mut(place).ok_or_else(|| {
            Error::data(format!("bit {place} is active, but there are only {count}"))
        })? = true;
    }
    Ok(bits)
}

fn places(bits: &[bool]) -> Vec<usize> {
    bits.iter()
        .enumerate()
        .filter(|(_, active)| **active)
        .map(|(place, _)| place)
        .collect()
}

fn crossbar(
    [n_inputs, n_outputs]: [usize; 2],
    pairs: &[[Vec<usize>; 2]],
    cue: &[usize],
    threshold: RecallThreshold,
    run: &Run,
) -> Result<Value> {
    let mut net = Willshaw::new(n_inputs, n_outputs)?;
    for [input, output] in pairs {
        run.check()?;
        net.store(&bits(input, n_inputs)?, &bits(output, n_outputs)?)?;
    }
    let cue = bits(cue, n_inputs)?;
    let mut faultless = 0;
    for [input, output] in pairs {
        let found = net.recall(&bits(input, n_inputs)?, threshold)?;
        faultless += usize::from(found == bits(output, n_outputs)?);
    }
    let joined = (0..n_outputs).map(|output| {
        let row: Vec<bool> = (0..n_inputs)
            .map(|input| net.is_joined(input, output))
            .collect();
        places(&row)
    });
    Ok(json!({
        "joined": joined.collect::<Vec<_>>(),
        "fill": net.fill(),
        "full": net.is_full(),
        "expected": expected([n_inputs, n_outputs], pairs),
        "sums": net.sums(&cue)?,
        "output": places(&net.recall(&cue, threshold)?),
        "faultless": faultless,
    }))
}

/// The fill that pairs of this size lead to on average, and how many half fill the net.
fn expected([n_inputs, n_outputs]: [usize; 2], pairs: &[[Vec<usize>; 2]]) -> Value {
    let Some([input, output]) = pairs.first() else {
        return Value::Null;
    };
    match WillshawSizes::new(n_inputs, n_outputs, input.len(), output.len()) {
        Ok(sizes) => json!({
            "fill": sizes.fill_after(pairs.len() as f64),
            "capacity": sizes.capacity(),
        }),
        Err(_) => Value::Null,
    }
}

fn stored(
    patterns: &[Vec<f64>],
    units: usize,
    rule: StorageRule,
    synchronous: bool,
    run: &Run,
) -> Result<HopfieldModel> {
    if units == 0 || patterns.is_empty() {
        return Err(Error::data(
            "store a pattern first: there is nothing to recall",
        ));
    }
    let rows = Array2::from_shape_vec((patterns.len(), units), patterns.concat());
    let rows = rows.map_err(|_| {
        Error::data(format!(
            "every pattern must have {units} bits, as the cue has"
        ))
    })?;
    let memory = Hopfield {
        rule,
        update: match synchronous {
            true => UpdateMode::Synchronous,
            false => UpdateMode::Asynchronous,
        },
        max_iter: SWEEPS,
        ..Hopfield::default()
    };
    memory.fit_with(Samples::from(&rows), run)
}

/// The way from a cue to where it ends: states and energies, and what the end is to the memory.
fn attracted(memory: &HopfieldModel, cue: &[f64], synchronous: bool, run: &Run) -> Result<Value> {
    let end = memory.recall(cue)?;
    let state = end.state.to_vec();
    let (kind, pattern) = match memory.identify(&state)? {
        StateKind::Stored(pattern) => ("stored", Some(pattern)),
        StateKind::Inverse(pattern) => ("inverse", Some(pattern)),
        StateKind::Spurious => ("spurious", None),
    };
    let energies = match synchronous {
        true => end.energies.clone(),
        false => by_unit(memory, cue, end.n_sweeps(), run)?,
    };
    Ok(json!({
        "state": state,
        "sweeps": end.n_sweeps(),
        "end": match end.end {
            RecallEnd::Settled => "settled",
            RecallEnd::Cycle => "cycle",
            RecallEnd::Limit => "limit",
        },
        "energies": energies,
        "kind": kind,
        "pattern": pattern,
        "overlaps": memory.overlaps(&state)?,
        "load": memory.load(),
    }))
}

/// The energy of the cue and after every unit that changes, one unit at a time.
fn by_unit(memory: &HopfieldModel, cue: &[f64], sweeps: usize, run: &Run) -> Result<Vec<f64>> {
    // What is recalled from is read as −1 and +1; so is what is followed here.
    let mut state = memory.sweep(cue, &[])?;
    let mut energies = vec![memory.energy(&state)?];
    for _ in 0..sweeps {
        for unit in 0..state.len() {
            run.check()?;
            let next = memory.sweep(&state, &[unit])?;
            if next != state {
                state = next;
                energies.push(memory.energy(&state)?);
            }
        }
    }
    Ok(energies)
}
