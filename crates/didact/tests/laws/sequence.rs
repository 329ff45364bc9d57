//! Learning in sequence: the order of the rows matters, the cut does not, and it can go on.

use crate::fixtures::{answers, bits, every_route, every_variant, fingerprint, groups};
use crate::pieces::{assert_near, in_pieces, part, units};
use didact::core::{AnyModel, Data, Learner, Run};
use serde_json::{Map, Value};

/// The model after the parts of the data between the cuts, each seen once.
fn once(learner: &dyn Learner, data: &Data<'_>, cuts: &[usize]) -> Box<dyn AnyModel> {
    let run = Run::new();
    let mut pieces = learner.pieces(data.kind()).unwrap();
    let bounds: Vec<usize> = [&[0], cuts, &[units(data)]].concat();
    for pair in bounds.windows(2) {
        let chunk = part(data, pair[0]..pair[1]);
        pieces.observe(chunk, pair[0], &run).unwrap();
    }
    pieces.model_so_far(&run).unwrap()
}

#[test]
fn chunk_after_chunk_equals_all_rows_in_the_same_order() {
    let fixture = groups(240, 3, 51);
    let mut found = 0;
    every_variant(|name, route, learner| {
        if !route.in_sequence || learner.pieces(route.kind).is_err() {
            return;
        }
        found += 1;
        let data = fixture.data(route.kind);
        let expected = fingerprint(once(learner, &data, &[]).as_ref(), &data).unwrap();
        for cuts in [
            vec![1],
            vec![120],
            vec![48, 80, 239],
            (1..240).step_by(7).collect(),
        ] {
            let model = once(learner, &data, &cuts);
            let context = format!("{name} cut at {cuts:?}");
            let found = fingerprint(model.as_ref(), &data).unwrap();
            assert_near(&found, &expected, 1e-12, &context);
        }
    });
    assert!(found > 5, "no method of the catalogue learns in sequence");
}

#[test]
fn learning_goes_on_from_a_saved_model_as_if_it_had_never_ended() {
    let fixture = groups(240, 3, 52);
    let run = Run::new();
    every_variant(|name, route, learner| {
        if !route.in_sequence || learner.pieces(route.kind).is_err() {
            return;
        }
        let data = fixture.data(route.kind);
        let saved = once(learner, &part(&data, 0..100), &[]).encode().unwrap();
        let mut pieces = learner.pieces(route.kind).unwrap();
        pieces
            .resume(route.decode(&saved).unwrap().as_ref())
            .unwrap();
        pieces.observe(part(&data, 100..240), 100, &run).unwrap();
        let resumed = pieces.model_so_far(&run).unwrap();
        let straight = once(learner, &data, &[100]);
        let (left, right) = (
            fingerprint(resumed.as_ref(), &data).unwrap(),
            fingerprint(straight.as_ref(), &data).unwrap(),
        );
        assert_eq!(bits(&left), bits(&right), "{name}");
    });
}

#[test]
fn learning_goes_on_where_a_fit_ended() {
    let fixture = groups(240, 3, 53);
    let run = Run::new();
    every_route(|entry, route, learner| {
        if !route.in_sequence {
            return;
        }
        let data = fixture.data(route.kind);
        let fitted = learner.fit(part(&data, 0..200), &run).unwrap();
        let mut pieces = learner.pieces(route.kind).unwrap();
        pieces.resume(fitted.as_ref()).unwrap();
        let rows = data.samples().unwrap().rows();
        let before = pieces.model_so_far(&run).unwrap();
        assert_near(
            &answers(before.as_ref(), rows).unwrap(),
            &answers(fitted.as_ref(), rows).unwrap(),
            1e-12,
            entry.id,
        );
        pieces.observe(part(&data, 200..240), 200, &run).unwrap();
        assert!(pieces.model_so_far(&run).is_ok(), "{}", entry.id);
    });
}

#[test]
fn passes_over_a_stream_equal_a_fit_that_does_not_shuffle() {
    let fixture = groups(240, 3, 54);
    let ordered = Map::from_iter([("shuffle".to_owned(), Value::from(false))]);
    every_route(|entry, route, _| {
        if !route.in_sequence {
            return;
        }
        let learner = entry.learner(&ordered).unwrap();
        let data = fixture.data(route.kind);
        let rows = data.samples().unwrap().rows();
        let whole = learner.fit(data.clone(), &Run::new()).unwrap();
        let streamed = in_pieces(learner.as_ref(), &data, &[30, 100, 101]).unwrap();
        assert_near(
            &answers(streamed.as_ref(), rows).unwrap(),
            &answers(whole.as_ref(), rows).unwrap(),
            1e-9,
            entry.id,
        );
        let (ours, theirs) = (streamed.trace().unwrap(), whole.trace().unwrap());
        assert_eq!(ours.stop, theirs.stop, "{}", entry.id);
        assert_eq!(ours.n_iter(), theirs.n_iter(), "{}", entry.id);
    });
}

#[test]
fn a_chunk_of_other_columns_is_refused_and_changes_nothing() {
    let (own, foreign) = (groups(120, 3, 55), groups(60, 4, 56));
    let run = Run::new();
    every_route(|entry, route, learner| {
        if !route.in_sequence {
            return;
        }
        let (data, other) = (own.data(route.kind), foreign.data(route.kind));
        let mut pieces = learner.pieces(route.kind).unwrap();
        pieces.observe(part(&data, 0..60), 0, &run).unwrap();
        let before = pieces.model_so_far(&run).unwrap().encode().unwrap();
        assert!(pieces.observe(other, 60, &run).is_err(), "{}", entry.id);
        let after = pieces.model_so_far(&run).unwrap().encode().unwrap();
        assert_eq!(before, after, "{}", entry.id);
        // Nobody else can sum up a chunk for it.
        let message = pieces.summarise(data.clone(), 0, &run).unwrap_err();
        assert!(
            message.to_string().contains("one after the other"),
            "{message}"
        );
    });
}

#[test]
fn a_pipeline_with_a_sequential_end_learns_from_chunks() {
    let fixture = groups(240, 3, 57);
    let spec: didact::Spec = "standard-scaler | sgd-classifier(shuffle=false)"
        .parse()
        .unwrap();
    let learner = spec.learner().unwrap();
    let route = learner.routes()[0];
    assert!(route.in_sequence && !route.in_pieces && !route.online);
    let data = fixture.data(route.kind);
    let rows = data.samples().unwrap().rows();
    let whole = learner.fit(data.clone(), &Run::new()).unwrap();
    let streamed = in_pieces(learner.as_ref(), &data, &[30, 100]).unwrap();
    assert_near(
        &answers(streamed.as_ref(), rows).unwrap(),
        &answers(whole.as_ref(), rows).unwrap(),
        1e-9,
        "pipeline",
    );
}
