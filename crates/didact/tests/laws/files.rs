//! Model files: what is saved is what is loaded, and damage is noticed.

use crate::fixtures::{Fixture, bits, every_route, fingerprint, groups, symbols};
use didact::core::random::generator;
use didact::core::{DataKind, Run};
use didact::{Spec, Trained};
use rand::RngExt;

fn small() -> Fixture {
    symbols(48, 21)
}

fn every_trained(mut law: impl FnMut(&str, Trained, DataKind)) {
    let fixture = small();
    every_route(|entry, route, learner| {
        let spec = Spec::of(entry.id);
        let trained = Trained::fit(&spec, learner, fixture.data(route.kind), &Run::new()).unwrap();
        law(entry.id, trained, route.kind);
    });
}

#[test]
fn a_loaded_model_equals_the_saved_one() {
    let fixture = small();
    every_trained(|id, trained, kind| {
        let bytes = trained.to_bytes().unwrap();
        let loaded = Trained::from_bytes(&bytes).unwrap();
        let data = fixture.data(kind);
        let before = fingerprint(trained.model.as_ref(), &data).unwrap();
        let after = fingerprint(loaded.model.as_ref(), &data).unwrap();
        assert_eq!(bits(&before), bits(&after), "{id}");
        assert_eq!(loaded.header, trained.header, "{id}");
        assert_eq!(
            loaded.to_bytes().unwrap(),
            bytes,
            "{id}: saving again gives the same file"
        );
    });
}

#[test]
fn every_truncation_is_an_error() {
    every_trained(|id, trained, _| {
        let bytes = trained.to_bytes().unwrap();
        for length in 0..bytes.len() {
            assert!(
                Trained::from_bytes(&bytes[..length]).is_err(),
                "{id}: {length} bytes"
            );
        }
    });
}

#[test]
fn flipped_bits_give_an_error() {
    let mut generator = generator(5, 0);
    every_trained(|id, trained, _| {
        let bytes = trained.to_bytes().unwrap();
        for _ in 0..1000 {
            let place = generator.random_range(0..8 * bytes.len());
            let mut damaged = bytes.clone();
            damaged[place / 8] ^= 1 << (place % 8);
            assert!(Trained::from_bytes(&damaged).is_err(), "{id}: bit {place}");
        }
    });
}

/// The checksum keeps chance away; this law is about files that somebody made with intent.
#[test]
fn a_damaged_body_under_a_right_checksum_never_panics() {
    let mut generator = generator(6, 0);
    let fixture = small();
    every_trained(|_, trained, kind| {
        let bytes = trained.to_bytes().unwrap();
        let (header, body) = didact::file::decode(&bytes).unwrap();
        for _ in 0..300 {
            let mut body = body.to_vec();
            for _ in 0..generator.random_range(1..4) {
                let place = generator.random_range(0..body.len());
                body[place] = generator.random_range(0..=255) as u8;
            }
            if let Ok(loaded) = Trained::from_bytes(&didact::file::encode(header, &body)) {
                let _ = fingerprint(loaded.model.as_ref(), &fixture.data(kind));
            }
        }
    });
}

#[test]
fn pipelines_are_saved_with_all_their_steps() {
    let fixture = groups(60, 4, 22);
    let spec: Spec = "standard-scaler | pca(n_components=2) | gaussian-nb"
        .parse()
        .unwrap();
    let learner = spec.learner().unwrap();
    let data = fixture.data(DataKind::Labelled);
    let trained = Trained::fit(&spec, learner.as_ref(), data.clone(), &Run::new()).unwrap();
    let bytes = trained.to_bytes().unwrap();
    let loaded = Trained::from_bytes(&bytes).unwrap();
    assert_eq!(
        bits(&fingerprint(trained.model.as_ref(), &data).unwrap()),
        bits(&fingerprint(loaded.model.as_ref(), &data).unwrap())
    );
    for length in (0..bytes.len()).step_by(7) {
        assert!(Trained::from_bytes(&bytes[..length]).is_err());
    }
}
