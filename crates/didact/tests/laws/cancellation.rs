//! A run that is asked to stop stops soon.

use crate::fixtures::{Fixture, every_route, groups, symbols};
use didact::core::catalogue::Route;
use didact::core::{Cancel, Error, Learner, Run};
use std::time::{Duration, Instant};

/// Within this time a run that is asked to stop has stopped.
const LIMIT: Duration = Duration::from_millis(100);

/// Tries before a method counts as deaf.
const TRIES: usize = 10;

#[test]
fn a_run_that_was_cancelled_before_it_began_does_nothing() {
    let fixture = groups(60, 3, 31);
    let cancel = Cancel::new();
    cancel.cancel();
    every_route(|entry, route, learner| {
        let result = learner.fit(fixture.data(route.kind), &Run::new().cancelled_by(&cancel));
        assert!(matches!(result, Err(Error::Cancelled)), "{}", entry.id);
    });
}

#[test]
fn cancelling_takes_effect_within_a_tenth_of_a_second() {
    for fixture in [groups(20_000, 30, 32), symbols(20_000, 34)] {
        check(&fixture);
    }
}

fn check(fixture: &Fixture) {
    every_route(|entry, route, learner| {
        // The best of several tries counts: the machine may be busy with something else. A fit
        // that is mostly done before the switch has nothing to prove.
        let mut delays = Vec::new();
        for _ in 0..TRIES {
            delays.extend(delay(fixture, route, learner));
            if delays.last().is_some_and(|delay| *delay < LIMIT) {
                return;
            }
        }
        assert!(
            delays.len() <= TRIES / 2,
            "{} from {}: {delays:?}",
            entry.id,
            route.kind
        );
    });
}

/// How long after the switch a fit ended; nothing where it was done before.
fn delay(fixture: &Fixture, route: &Route, learner: &dyn Learner) -> Option<Duration> {
    let cancel = Cancel::new();
    let switch = cancel.clone();
    let run = Run::new().cancelled_by(&cancel);
    let canceller = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(30));
        switch.cancel();
        Instant::now()
    });
    let result = learner.fit(fixture.data(route.kind), &run);
    let finished = Instant::now();
    let cancelled = canceller.join().expect("the canceller does not panic");
    matches!(result, Err(Error::Cancelled)).then(|| finished.saturating_duration_since(cancelled))
}

#[test]
fn iterative_methods_report_every_iteration_they_keep() {
    let fixture = groups(300, 3, 33);
    every_route(|entry, route, learner| {
        let count = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let counter = std::sync::Arc::clone(&count);
        let run = Run::new().observed_by(move |_| {
            counter.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        });
        let Ok(model) = learner.fit(fixture.data(route.kind), &run) else {
            return;
        };
        if let Some(trace) = model.trace() {
            let heard = count.load(std::sync::atomic::Ordering::Relaxed);
            assert!(
                heard >= trace.n_iter(),
                "{}: {heard} of {} iterations",
                entry.id,
                trace.n_iter()
            );
        }
    });
}
