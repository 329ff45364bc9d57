//! What every method is for, how it learns and how it is judged.

use crate::fixtures::{Fixture, answers, every_route, groups, sequence_answers};
use didact::core::{CLUSTERING_PROPERTIES, DataKind, Modelling, Run, StateSpace, Task};
use didact::{Spec, evaluate};

/// Rows of small whole numbers, from which every method can learn.
fn small() -> Fixture {
    Fixture::of(
        groups(48, 1, 21)
            .x
            .mapv(|value| (value.abs() * 4.0).round().min(11.0)),
    )
}

// 001:OV-01: a training phase fits, the model predicts from inputs, a testing phase scores it.
#[test]
fn every_route_fits_predicts_and_scores() {
    let fixture = small();
    let run = Run::new();
    every_route(|entry, route, learner| {
        let data = fixture.data(route.kind);
        let model = learner.fit(data.clone(), &run).unwrap();
        let rows = data.samples().unwrap().rows();
        let mut predicted = answers(model.as_ref(), rows).unwrap();
        predicted.extend(sequence_answers(model.as_ref(), &data).unwrap());
        assert!(
            predicted.iter().any(|answer| !answer.is_empty()),
            "{}: its model predicts nothing",
            entry.id
        );
        let figures = match route.task {
            // A transformation is judged by what the next step makes of it.
            Task::Transformation => {
                let spec: Spec = format!("{} | k-neighbors", entry.id).parse().unwrap();
                let data = fixture.data(DataKind::Labelled);
                let model = spec.learner().unwrap().fit(data.clone(), &run).unwrap();
                evaluate::score(model.as_ref(), &data).unwrap()
            }
            Task::Clustering => {
                evaluate::score(model.as_ref(), &fixture.data(DataKind::Labelled)).unwrap()
            }
            _ => evaluate::score(model.as_ref(), &data).unwrap(),
        };
        assert!(figures[0].value.is_finite(), "{}: {figures:?}", entry.id);
    });
}

// 004:M12, 003:P21, 002b:GP-14: the card says which kind a method is, and the abilities agree.
#[test]
fn generative_methods_draw_and_weigh_data_and_discriminative_ones_cannot() {
    every_route(|entry, route, _| {
        let can = |ability: &str| route.abilities.contains(&ability);
        match entry.card.modelling {
            Modelling::Generative => {
                assert!(
                    can("sample") && (can("log-density") || can("sequence-likelihood")),
                    "{}: {:?}",
                    entry.id,
                    route.abilities
                );
            }
            Modelling::Discriminative => {
                // Decoding needs the labels given the items only.
                assert!(
                    !can("sample") && !can("log-density") && !can("sequence-likelihood"),
                    "{}: {:?}",
                    entry.id,
                    route.abilities
                );
            }
            Modelling::Descriptive => {}
        }
    });
}

// 002a:BP01, 001:OV-03, 000a:GEN-01: kind of feedback and kind of computation.
#[test]
fn every_route_carries_its_kind_of_learning_and_its_task() {
    every_route(|entry, route, _| {
        assert_eq!(route.learning, route.kind.learning(), "{}", entry.id);
        let json = serde_json::to_value(route).unwrap();
        assert_eq!(json["learning"], route.learning.to_string(), "{}", entry.id);
        assert_eq!(json["task"], route.task.to_string(), "{}", entry.id);
        let supervised = matches!(route.task, Task::Classification | Task::Regression);
        let told = json["learning"] == "supervised" || json["learning"] == "semi-supervised";
        assert!(
            !supervised || told,
            "{}: learns answers from nothing",
            entry.id
        );
    });
}

// 004:M02: hidden Markov models live in a finite set of states, mixtures in the feature space.
#[test]
fn every_route_says_where_the_states_of_its_model_live() {
    let space = |id: &str| didact::find(id).unwrap().routes[0].state_space;
    assert_eq!(space("hmm"), StateSpace::Discrete);
    assert_eq!(space("gaussian-mixture"), StateSpace::Continuous);
    every_route(|entry, route, _| {
        let explains_by_states = route.abilities.contains(&"decode");
        let discrete = route.state_space == StateSpace::Discrete;
        assert_eq!(discrete, explains_by_states, "{}", entry.id);
    });
}

// 002a:CL02: what is not said in the entry is a hole in the card.
#[test]
fn every_clusterer_answers_the_ten_questions() {
    let mut clusterers = 0;
    for entry in didact::catalogue() {
        if !entry.is_for(Task::Clustering) {
            continue;
        }
        clusterers += 1;
        let names: Vec<&str> = entry.properties.iter().map(|each| each.name).collect();
        assert_eq!(names, CLUSTERING_PROPERTIES, "{}", entry.id);
        assert!(
            entry
                .properties
                .iter()
                .all(|each| !each.behaviour.is_empty()),
            "{}",
            entry.id
        );
    }
    assert!(clusterers >= 2);
}
