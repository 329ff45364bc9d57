//! What learners from partly labelled rows promise.

use crate::data::first_of_each;
use didact_core::{Classify, DataKind, Fit, Learning, PartlyLabelled, Task};
use didact_datasets::iris;
use didact_semi_supervised::{LabelPropagation, LaplacianRls, catalogue, transductive_risk};

// 000a:SSL-11: the divisor is the number of rows without a label, N − l.
#[test]
fn the_risk_is_that_of_the_rows_whose_class_was_not_known() {
    let truth = [0, 1, 1, 0, 1];
    let known = [Some(0), Some(0), None, None, None];
    // Row 1 is wrong as well, but its class was given; of rows 2, 3 and 4 one is wrong.
    let risk = transductive_risk(&[0, 0, 1, 1, 1], &truth, &known).unwrap();
    assert_eq!(risk, 1.0 / 3.0);
    assert_eq!(transductive_risk(&truth, &truth, &known).unwrap(), 0.0);
    assert!(transductive_risk(&truth, &truth, &[Some(0); 5]).is_err());
    assert!(transductive_risk(&truth[..4], &truth, &known).is_err());
}

// 000a:SSL-01: every method labels the rows it was given; predicting others is stated apart.
#[test]
fn every_method_labels_the_rows_it_was_given() {
    let entries = catalogue();
    let iris = iris();
    let few = first_of_each(iris.labels().unwrap(), 5);
    for entry in &entries {
        let route = entry.route(DataKind::PartlyLabelled).unwrap();
        assert_eq!(route.learning, Learning::SemiSupervised, "{}", entry.id);
        assert_eq!(route.task, Task::Classification);
        assert!(
            route.attributes.iter().any(|a| a.name == "transduction"),
            "{}",
            entry.id
        );
        assert!(entry.route(DataKind::Labelled).is_some());
    }
    let data = || PartlyLabelled::new(iris.samples(), &few).unwrap();
    let propagated = LabelPropagation::default().fit(data()).unwrap();
    assert_eq!(propagated.transduction().len(), 150);
    // A function of the whole space says the same of a row whether it was given or is new.
    let smooth = LaplacianRls::default().fit(data()).unwrap();
    assert_eq!(
        smooth.predict(iris.samples()).unwrap(),
        smooth.transduction()
    );
}
