//! The same seed gives the same model, bit for bit, whatever the number of threads.

use crate::fixtures::{Fixture, bits, every_route, fingerprint, groups, symbols};
use didact::core::Run;

// 000b:D30: the same result whatever the number of threads, by a fixed order of reduction.
#[test]
fn the_number_of_threads_does_not_change_a_single_bit() {
    // Enough rows that every method really cuts its work.
    for fixture in [groups(9_000, 5, 11), symbols(9_000, 12)] {
        check(&fixture);
    }
}

fn check(fixture: &Fixture) {
    every_route(|entry, route, learner| {
        let model = |threads: usize| {
            let run = Run::new().threads(threads);
            run.install(|| {
                let data = fixture.data(route.kind);
                let model = learner.fit(data.clone(), &run).ok()?;
                let said = fingerprint(model.as_ref(), &data).unwrap();
                Some((model.encode().unwrap(), bits(&said)))
            })
        };
        let one = model(1);
        for threads in [2, 4, 2] {
            let same = model(threads) == one;
            assert!(
                same,
                "{} from {} with {threads} threads",
                entry.id, route.kind
            );
        }
    });
}
