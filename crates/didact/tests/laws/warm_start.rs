//! Fits that start from an earlier model.

use crate::fixtures::{answers, every_route, groups};
use didact::core::Run;

#[test]
fn a_fit_may_start_from_an_earlier_model_of_the_same_method_and_columns() {
    let (own, later, foreign) = (groups(120, 3, 61), groups(120, 3, 62), groups(90, 4, 63));
    let run = Run::new();
    let mut found = 0;
    every_route(|entry, route, learner| {
        let (data, next) = (own.data(route.kind), later.data(route.kind));
        let Ok(start) = learner.fit(data.clone(), &run) else {
            return;
        };
        let again = learner.fit_from(start.as_ref(), next.clone(), &run);
        assert_eq!(again.is_ok(), route.warm_start, "{}", entry.id);
        let Ok(again) = again else { return };
        found += 1;
        let rows = next.samples().unwrap().rows();
        let said = answers(again.as_ref(), rows).unwrap();
        assert!(said.iter().flatten().all(|value| value.is_finite()));
        // The same start gives the same model, whatever the number of threads.
        let alone = learner
            .fit_from(start.as_ref(), next.clone(), &Run::new().threads(1))
            .unwrap();
        assert_eq!(
            again.encode().unwrap(),
            alone.encode().unwrap(),
            "{}",
            entry.id
        );
        let other = learner.fit(foreign.data(route.kind), &run).unwrap();
        let refused = learner.fit_from(other.as_ref(), next, &run);
        assert!(refused.is_err(), "{}: other columns", entry.id);
    });
    assert!(found > 5, "no method of the catalogue starts from a model");
}
