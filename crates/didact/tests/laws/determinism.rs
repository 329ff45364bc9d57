//! The same seed gives the same model, bit for bit, whatever the number of threads.

use crate::fixtures::{Fixture, bits, coins, every_variant, fingerprint, groups, symbols};
use didact::core::{Learner, Run, catalogue::Route};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// A fit that takes longer than this would take minutes for several times the rows: a choice of
/// parameters whose cost grows with the square or the cube of them.
const STEEP: Duration = Duration::from_millis(15);

/// From rows that suit every method to so many that those of linear cost really cut their work.
const SIZES: [usize; 4] = [150, 500, 2_000, 9_000];

// 000b:D30: the same result whatever the number of threads, by a fixed order of reduction.
#[test]
fn the_number_of_threads_does_not_change_a_single_bit() {
    let fixtures = [
        SIZES.map(|rows| groups(rows, 5, 11)),
        SIZES.map(|rows| symbols(rows, 12)),
        SIZES.map(|rows| coins(rows, 13)),
    ];
    let (mut all, mut fitted) = (BTreeSet::new(), BTreeSet::new());
    every_variant(|name, route, learner| {
        let context = format!("{name} from {}", route.kind);
        for (place, sizes) in fixtures.iter().enumerate() {
            // Zeros and ones are for those that take nothing else.
            if place == 2 && fitted.contains(&context) {
                continue;
            }
            let quick = |fixture: &&Fixture| is_quick(fixture, route, learner);
            let last = SIZES.len() - 1;
            let taught = &sizes[sizes[..last].iter().take_while(quick).count()];
            if is_the_same([taught, &sizes[0]], route, learner, &context) {
                fitted.insert(context.clone());
            }
        }
        all.insert(context);
    });
    // A method that refuses both fixtures would obey any law.
    let never: Vec<&String> = all.difference(&fitted).collect();
    assert!(never.is_empty(), "nothing could be fitted: {never:?}");
}

/// Whether more rows can be afforded; the best of three where it is close, since others use the
/// machine as well.
fn is_quick(fixture: &Fixture, route: &Route, learner: &dyn Learner) -> bool {
    for _ in 0..3 {
        let started = Instant::now();
        let _ = learner.fit(fixture.data(route.kind), &Run::new().threads(1));
        match started.elapsed() {
            taken if taken < STEEP => return true,
            taken if taken > 4 * STEEP => return false,
            _ => {}
        }
    }
    false
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
