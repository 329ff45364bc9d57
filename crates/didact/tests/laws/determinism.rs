//! The same seed gives the same model, bit for bit, whatever the number of threads.

use crate::fixtures::{Fixture, bits, every_variant, fingerprint, groups, symbols};
use didact::core::{Learner, Run, catalogue::Route};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// A fit of few rows that takes longer than this would take minutes for many: a choice of
/// parameters whose cost grows with the square or the cube of the rows.
const STEEP: Duration = Duration::from_millis(60);

// 000b:D30: the same result whatever the number of threads, by a fixed order of reduction.
#[test]
fn the_number_of_threads_does_not_change_a_single_bit() {
    // Few rows, and enough that every method really cuts its work.
    let fixtures = [
        [groups(2_000, 5, 11), groups(9_000, 5, 11)],
        [symbols(2_000, 12), symbols(9_000, 12)],
    ];
    let (mut all, mut fitted) = (BTreeSet::new(), BTreeSet::new());
    every_variant(|name, route, learner| {
        let context = format!("{name} from {}", route.kind);
        for [few, many] in &fixtures {
            let is_steep = (0..3).all(|_| {
                let started = Instant::now();
                let _ = learner.fit(few.data(route.kind), &Run::new().threads(1));
                started.elapsed() > STEEP
            });
            let taught = if is_steep { few } else { many };
            if is_the_same([taught, few], route, learner, &context) {
                fitted.insert(context.clone());
            }
        }
        all.insert(context);
    });
    // A method that refuses both fixtures would obey any law.
    let never: Vec<&String> = all.difference(&fitted).collect();
    assert!(never.is_empty(), "nothing could be fitted: {never:?}");
}

/// Fits on one fixture and asks about another with several numbers of threads; whether the
/// method takes the first at all.
fn is_the_same(
    [taught, asked]: [&Fixture; 2],
    route: &Route,
    learner: &dyn Learner,
    context: &str,
) -> bool {
    let model = |threads: usize| {
        let run = Run::new().threads(threads);
        run.install(|| {
            let model = learner.fit(taught.data(route.kind), &run).ok()?;
            let said = fingerprint(model.as_ref(), &asked.data(route.kind)).unwrap();
            Some((model.encode().unwrap(), bits(&said)))
        })
    };
    let one = model(1);
    for threads in [2, 4] {
        assert!(model(threads) == one, "{context} with {threads} threads");
    }
    one.is_some()
}
