//! How a method behaves, property by property: what one weighs when choosing between methods.

use crate::catalogue::{Card, Route, Task, accept_words};
use serde::Serialize;
use serde_json::Value as Json;

/// The ten properties by which clustering methods are compared, in the order they are shown.
pub const CLUSTERING_PROPERTIES: [&str; 10] = [
    "attribute types",
    "scalability in rows",
    "many columns",
    "irregular shapes",
    "outliers",
    "time complexity",
    "order dependence",
    "labels",
    "prior knowledge and parameters",
    "interpretability",
];

/// One property of a method and how the method behaves in that respect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Property {
    /// The property.
    pub name: &'static str,
    /// The behaviour.
    pub behaviour: String,
}

/// The properties that were written down, and for a clustering method those of the ten that
/// follow from the rest of its entry.
pub(crate) fn properties(
    card: &Card,
    written: &'static [(&'static str, &'static str)],
    routes: &[Route],
    schema: &Json,
) -> Vec<Property> {
    let written_for = |name: &str| written.iter().find(|(property, _)| *property == name);
    let clustering = routes.iter().find(|route| route.task == Task::Clustering);
    let Some(route) = clustering else {
        return written.iter().copied().map(Property::from).collect();
    };
    CLUSTERING_PROPERTIES
        .into_iter()
        .filter_map(|name| {
            let behaviour = match written_for(name) {
                Some((_, behaviour)) => (*behaviour).to_owned(),
                None => derived(name, card, route, schema)?,
            };
            Some(Property { name, behaviour })
        })
        .collect()
}

impl From<(&'static str, &'static str)> for Property {
    fn from((name, behaviour): (&'static str, &'static str)) -> Self {
        Property {
            name,
            behaviour: behaviour.to_owned(),
        }
    }
}

/// What the entry says about a property elsewhere.
fn derived(name: &str, card: &Card, route: &Route, schema: &Json) -> Option<String> {
    Some(match name {
        "attribute types" => {
            let mut words = vec!["numbers"];
            words.extend(accept_words(route.accepts));
            words.join(", ")
        }
        "scalability in rows" => match route.learns_in_chunks() {
            true => "learns in pieces, so the rows need not fit in memory".to_owned(),
            false => "needs all rows in memory at once".to_owned(),
        },
        "time complexity" => card.cost.to_owned(),
        "labels" => match route.abilities.contains(&"probabilities") {
            true => "soft and hard".to_owned(),
            false => "hard".to_owned(),
        },
        "prior knowledge and parameters" => {
            let parameters = schema["properties"].as_object()?.keys();
            parameters.cloned().collect::<Vec<_>>().join(", ")
        }
        "interpretability" => {
            let names = route.attributes.iter().map(|attribute| attribute.name);
            format!("the model shows {}", names.collect::<Vec<_>>().join(", "))
        }
        _ => return None,
    })
}
