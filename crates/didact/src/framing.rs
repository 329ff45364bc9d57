//! Framing a problem: six questions to answer before anything is fitted.

use didact_core::{Error, Result};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The answers to six questions that tell whether, and how, a problem can be learned.
///
/// They travel in the model file, so that whoever meets the model later knows what it was for
/// and when it is no longer good enough.
///
/// ```
/// use didact::Framing;
/// let framing: Framing = serde_json::from_str(r#"{
///     "inputs_and_outputs": "in: word counts of a message; out: spam or not",
///     "unknown_parameters": "a weight per word",
///     "performance_measure": "share of messages sorted rightly",
///     "good_enough": "99 of 100, and no more than 1 of 1000 good messages lost",
///     "too_poor": "more than 1 of 100 good messages lost",
///     "time_lag": "none: the user sorts a message soon after it arrives"
/// }"#).unwrap();
/// assert!(framing.check().is_ok());
/// assert_eq!(framing.answers()[3].0, "good enough");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Framing {
    /// What goes in and what comes out.
    pub inputs_and_outputs: String,
    /// What is not known and has to be learned.
    pub unknown_parameters: String,
    /// How well the task is done, as a number.
    pub performance_measure: String,
    /// From which performance on the model may be used.
    pub good_enough: String,
    /// Below which performance learning has failed.
    pub too_poor: String,
    /// How long after an output its quality is known at the earliest.
    pub time_lag: String,
}

impl Framing {
    /// Reads the six answers from a JSON file.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let fault = |message: String| Error::file(path.display(), message);
        let text = std::fs::read_to_string(path).map_err(|error| fault(error.to_string()))?;
        let framing: Framing = serde_json::from_str(&text).map_err(|error| {
            fault(format!(
                "{error}; a framing is a JSON object of six texts: {}",
                NAMES.join(", ")
            ))
        })?;
        framing.check().map_err(|error| fault(error.to_string()))?;
        Ok(framing)
    }

    /// Fails where a question has no answer.
    pub fn check(&self) -> Result<()> {
        let open = self
            .answers()
            .iter()
            .position(|(_, answer)| answer.trim().is_empty());
        match open {
            None => Ok(()),
            Some(question) => Err(Error::data(format!(
                "{} has no answer; answer it in a sentence",
                NAMES[question]
            ))),
        }
    }

    /// Each question in words, and its answer.
    pub fn answers(&self) -> [(&'static str, &str); 6] {
        [
            ("inputs and outputs", &self.inputs_and_outputs),
            ("unknown parameters", &self.unknown_parameters),
            ("performance measure", &self.performance_measure),
            ("good enough", &self.good_enough),
            ("too poor", &self.too_poor),
            ("time lag", &self.time_lag),
        ]
    }
}

/// The questions as the file spells them, in the order of [`Framing::answers`].
const NAMES: [&str; 6] = [
    "inputs_and_outputs",
    "unknown_parameters",
    "performance_measure",
    "good_enough",
    "too_poor",
    "time_lag",
];

#[cfg(test)]
mod tests {
    use super::*;

    // 002a:BP20, 002a:EX19: the scenario of a box of levers, of which some release food.
    fn lever_box() -> Framing {
        Framing {
            inputs_and_outputs: "in: the positions of the levers; out: the lever to pull".into(),
            unknown_parameters: "the probability of food for each lever".into(),
            performance_measure: "pieces of food per hundred pulls".into(),
            good_enough: "within one tenth of always pulling the best lever".into(),
            too_poor: "no more food than pulling at random".into(),
            time_lag: "one pull".into(),
        }
    }

    #[test]
    fn six_answers_survive_json_in_the_order_of_the_questions() {
        let framing = lever_box();
        let json = serde_json::to_value(&framing).unwrap();
        let keys: Vec<&String> = json.as_object().unwrap().keys().collect();
        assert_eq!(keys.len(), 6);
        assert!(NAMES.iter().all(|name| json[name].is_string()));
        assert_eq!(serde_json::from_value::<Framing>(json).unwrap(), framing);
        assert_eq!(framing.answers()[5], ("time lag", "one pull"));
    }

    #[test]
    fn a_missing_an_unknown_and_an_empty_answer_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("framing.json");
        let message = |json: serde_json::Value| {
            std::fs::write(&path, json.to_string()).unwrap();
            Framing::read(&path).unwrap_err().to_string()
        };
        let mut json = serde_json::to_value(lever_box()).unwrap();
        json["too_poor"] = " ".into();
        assert!(message(json.clone()).contains("too_poor has no answer"));
        json.as_object_mut().unwrap().remove("too_poor");
        assert!(message(json.clone()).contains("missing field `too_poor`"));
        json["budget"] = "none".into();
        assert!(message(json).contains("unknown field `budget`"));
        assert!(Framing::read(folder.path().join("absent.json")).is_err());
    }
}
