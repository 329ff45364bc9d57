//! The same seed gives the same model, bit for bit, whatever the number of threads.

use crate::fixtures::{bits, every_route, fingerprint, groups};
use didact::core::Run;

// 000b:D30: the same result whatever the number of threads, by a fixed order of reduction.
#[test]
fn the_number_of_threads_does_not_change_a_single_bit() {
    // Enough rows that every method really cuts its work.
    let fixture = groups(9_000, 5, 11);
    every_route(|entry, route, learner| {
        let model = |threads: usize| {
            let run = Run::new().threads(threads);
            run.install(|| {
                let data = fixture.data(route.kind);
                let model = learner.fit(data.clone(), &run).ok()?;
                Some((
                    model.encode().unwrap(),
                    bits(&fingerprint(model.as_ref(), &data).unwrap()),
                ))
            })
        };
        let one = model(1);
        for threads in [2, 4] {
            assert!(
                model(threads) == one,
                "{} from {} with {threads} threads",
                entry.id,
                route.kind
            );
        }
        assert!(
            model(2) == one,
            "{} from {}: a second run",
            entry.id,
            route.kind
        );
    });
}
