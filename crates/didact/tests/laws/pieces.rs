//! Learning in pieces equals learning at once, whatever the cut.

use crate::fixtures::{every_route, every_variant, fingerprint, groups, symbols};
use didact::core::learner::{Pieces, learn_in_pieces};
use didact::core::random::generator;
use didact::core::{AnyModel, Data, Learner, Result, Run};
use rand::RngExt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A part of the data; for sequences `range` counts sequences.
pub(crate) fn part<'a>(data: &'a Data<'_>, range: std::ops::Range<usize>) -> Data<'a> {
    match data {
        Data::Samples(data) => Data::Samples(data.slice(range)),
        Data::Labelled(data) => Data::Labelled(data.slice(range)),
        Data::Measured(data) => Data::Measured(data.slice(range)),
        Data::Sequences(data) => Data::Sequences(data.slice(range)),
        other => panic!("the laws need to cut {}", other.kind()),
    }
}

pub(crate) fn units(data: &Data<'_>) -> usize {
    match data {
        Data::Sequences(data) => data.lengths.len(),
        other => other.samples().expect("the fixtures have rows").n_rows(),
    }
}

pub(crate) fn in_pieces(
    learner: &dyn Learner,
    data: &Data<'_>,
    cuts: &[usize],
) -> Result<Box<dyn AnyModel>> {
    let run = Run::new();
    let mut bounds = vec![0];
    bounds.extend(cuts);
    bounds.push(units(data));
    learn_in_pieces(
        learner.pieces(data.kind())?,
        |observe| {
            bounds.windows(2).try_for_each(|pair| {
                let first_row = match data {
                    Data::Sequences(data) => data.lengths[..pair[0]].iter().sum(),
                    _ => pair[0],
                };
                observe(part(data, pair[0]..pair[1]), first_row)
            })
        },
        &run,
    )
}

fn assert_close(left: &[Vec<f64>], right: &[Vec<f64>], context: &str) {
    assert_near(left, right, 1e-6, context);
}

/// The same numbers up to a share of the largest beside them.
pub(crate) fn assert_near(left: &[Vec<f64>], right: &[Vec<f64>], share: f64, context: &str) {
    assert_eq!(left.len(), right.len(), "{context}");
    for (left, right) in left.iter().zip(right) {
        assert_eq!(left.len(), right.len(), "{context}");
        let scale = left
            .iter()
            .chain(right)
            .fold(1.0f64, |scale, value| scale.max(value.abs()));
        for (a, b) in left.iter().zip(right) {
            assert!(
                a == b || (a - b).abs() <= share * scale,
                "{context}: {a} and {b}"
            );
        }
    }
}

#[test]
fn the_cut_does_not_matter() {
    let fixtures = [groups(240, 3, 41), symbols(240, 42)];
    for fixture in &fixtures {
        every_route(|entry, route, learner| {
            let data = fixture.data(route.kind);
            let Ok(whole) = learner.fit(data.clone(), &Run::new()) else {
                return;
            };
            if !route.in_pieces {
                let pieces = learner.pieces(route.kind);
                assert_eq!(pieces.is_ok(), route.in_sequence, "{}", entry.id);
                return;
            }
            let expected = fingerprint(whole.as_ref(), &data).unwrap();
            let n = units(&data);
            for cuts in [
                vec![],
                vec![1],
                vec![n / 2],
                vec![n / 5, n / 3, n - 1],
                (1..n).step_by(7).collect(),
            ] {
                let context = format!("{} from {} cut at {cuts:?}", entry.id, route.kind);
                let model = in_pieces(learner, &data, &cuts)
                    .unwrap_or_else(|error| panic!("{context}: {error}"));
                assert_close(
                    &fingerprint(model.as_ref(), &data).unwrap(),
                    &expected,
                    &context,
                );
            }
        });
    }
}

#[test]
fn pipelines_learn_in_pieces_too() {
    let fixture = groups(200, 4, 43);
    for text in [
        "standard-scaler | pca(n_components=2) | gaussian-nb",
        "standard-scaler | ridge",
    ] {
        let spec: didact::Spec = text.parse().unwrap();
        let learner = spec.learner().unwrap();
        let kind = learner.routes()[0].kind;
        assert!(learner.routes()[0].in_pieces);
        let data = fixture.data(kind);
        let whole = learner.fit(data.clone(), &Run::new()).unwrap();
        let model = in_pieces(learner.as_ref(), &data, &[3, 90]).unwrap();
        assert_close(
            &fingerprint(model.as_ref(), &data).unwrap(),
            &fingerprint(whole.as_ref(), &data).unwrap(),
            text,
        );
    }
}

/// The pieces at the start of the given pass, or nothing where learning ended before.
fn at_pass(learner: &dyn Learner, data: &Data<'_>, pass: usize) -> Option<Box<dyn Pieces>> {
    let run = Run::new();
    let mut pieces = learner.pieces(data.kind()).ok()?;
    for _ in 0..pass {
        pieces.observe(data.clone(), 0, &run).ok()?;
        if pieces.end_pass(&run).ok()?.is_some() {
            return None;
        }
    }
    Some(pieces)
}

#[test]
fn what_belongs_to_other_columns_or_another_pass_is_refused() {
    let run = Run::new();
    let (own, foreign) = (groups(240, 3, 44), groups(90, 4, 45));
    every_variant(|name, route, learner| {
        let (data, other) = (own.data(route.kind), foreign.data(route.kind));
        if !route.in_pieces || learner.fit(data.clone(), &run).is_err() {
            return;
        }
        for pass in 0..3 {
            let context = format!("{name} from {} in pass {pass}", route.kind);
            let (Some(mut pieces), Some(elsewhere)) = (
                at_pass(learner, &data, pass),
                at_pass(learner, &other, pass),
            ) else {
                break;
            };
            let summary = elsewhere.summarise(other.clone(), 0, &run).unwrap();
            pieces.observe(data.clone(), 0, &run).unwrap();
            assert!(pieces.merge(&summary).is_err(), "{context}: merged");
            // With a state that knows the columns nothing foreign may come first either.
            if pass > 0 {
                let mut fresh = at_pass(learner, &data, pass).unwrap();
                assert!(fresh.merge(&summary).is_err(), "{context}: taken");
                assert!(
                    fresh.observe(other.clone(), 0, &run).is_err(),
                    "{context}: seen"
                );
                let before = at_pass(learner, &data, pass - 1).unwrap();
                let late = before.summarise(data.clone(), 0, &run).unwrap();
                if pass == 1 {
                    assert!(fresh.merge(&late).is_err(), "{context}: late");
                }
            }
        }
    });
}

#[test]
fn damaged_summaries_never_panic() {
    let run = Run::new();
    for fixture in [groups(40, 2, 46), symbols(48, 47)] {
        every_route(|entry, route, learner| {
            let data = fixture.data(route.kind);
            if !route.in_pieces || learner.fit(data.clone(), &run).is_err() {
                return;
            }
            for pass in 0..2 {
                let Some(pieces) = at_pass(learner, &data, pass) else {
                    break;
                };
                let summary = pieces.summarise(data.clone(), 0, &run).unwrap();
                let mut bits = generator(48, pass as u64);
                for _ in 0..60 {
                    let mut damaged = summary.clone();
                    let bit = bits.random_range(0..8 * damaged.len());
                    damaged[bit / 8] ^= 1 << (bit % 8);
                    let mut pieces = at_pass(learner, &data, pass).unwrap();
                    let survived = catch_unwind(AssertUnwindSafe(|| {
                        if pieces.merge(&damaged).is_ok() {
                            let _ = pieces.merge(&summary);
                            let _ = pieces.end_pass(&run);
                        }
                    }));
                    assert!(survived.is_ok(), "{} in pass {pass}, bit {bit}", entry.id);
                }
            }
        });
    }
}

// 002a:BP02: the on-line flag says which methods have a model after every chunk.
#[test]
fn on_line_methods_have_a_model_after_every_chunk() {
    let fixture = groups(240, 3, 43);
    let run = Run::new();
    let mut online = 0;
    every_route(|entry, route, learner| {
        let data = fixture.data(route.kind);
        if !route.in_pieces || learner.fit(data.clone(), &run).is_err() {
            assert!(!route.online || route.learns_in_chunks(), "{}", entry.id);
            return;
        }
        let mut pieces = learner.pieces(route.kind).unwrap();
        assert!(pieces.model_so_far(&run).is_err(), "{}", entry.id);
        let middle = units(&data) / 2;
        pieces.observe(part(&data, 0..middle), 0, &run).unwrap();
        let half = pieces.model_so_far(&run);
        assert_eq!(half.is_ok(), route.online, "{}", entry.id);
        let Ok(half) = half else { return };
        online += 1;
        let expected = learner.fit(part(&data, 0..middle), &run).unwrap();
        assert_close(
            &fingerprint(expected.as_ref(), &data).unwrap(),
            &fingerprint(half.as_ref(), &data).unwrap(),
            entry.id,
        );
        // Asking for a model does not disturb the learning.
        pieces
            .observe(part(&data, middle..units(&data)), middle, &run)
            .unwrap();
        let asked = pieces.model_so_far(&run).unwrap().encode().unwrap();
        let last = pieces.end_pass(&run).unwrap().unwrap();
        assert_eq!(asked, last.encode().unwrap(), "{}", entry.id);
    });
    assert!(online > 0, "no method of the catalogue learns on-line");
}
