//! What to be careful of with a model.

use super::Card;
use crate::Trained;
use didact_core::Value;

/// A class with a smaller share of the rows than this is easily forgotten.
const RARE: f64 = 0.1;

/// What the model file itself gives reason to say.
pub(super) fn of_model(card: &Card, trained: &Trained) -> Vec<String> {
    let mut list = Vec::new();
    let facts = &card.training;
    match facts.stop.as_deref() {
        Some(stop) if stop.contains("limit") => list.push(format!(
            "The fit stopped at its limit of {} iterations before it had converged; raise max_iter or standardise the columns.",
            facts.iterations.unwrap_or(0)
        )),
        Some(stop) if stop.contains("separable") => list.push(
            "The classes can be separated perfectly, so the weights have no finite best value; probabilities near 0 and 1 are not to be trusted.".to_owned(),
        ),
        _ => {}
    }
    if facts.columns > 0 && facts.rows < 10 * facts.columns {
        list.push(format!(
            "There were only {} rows for {} columns; fewer than ten rows per column are easily learned by heart.",
            facts.rows, facts.columns
        ));
    }
    let total: usize = card.classes.iter().filter_map(|class| class.count).sum();
    for class in &card.classes {
        match class.count {
            Some(count) if total > 0 && (count as f64) < RARE * total as f64 => list.push(format!(
                "Class {} had only {count} of {total} training rows; look at its own recall and not at accuracy alone.",
                class.name
            )),
            _ => {}
        }
    }
    if card.specification.contains("simple-imputer") {
        list.push("Missing values were filled in; ask why they were missing.".to_owned());
    }
    for (known, value) in trained.model.attributes() {
        match (known.name, value) {
            ("singular", Value::Flag(true)) => list.push(
                "Some columns say the same as others, so their weights are not unique.".to_owned(),
            ),
            ("collapsed", Value::Integers(which)) if !which.is_empty() => list.push(format!(
                "{} components have collapsed to a few equal rows; ask for fewer or raise reg_covar.",
                which.len()
            )),
            _ => {}
        }
    }
    list
}

/// What the figures on data give reason to say.
pub(super) fn of_judgement(card: &Card) -> Vec<String> {
    let mut list = Vec::new();
    let Some(judged) = &card.judged else {
        return list;
    };
    if judged.rows == card.training.rows && card.data.as_deref() == Some(judged.data.as_str()) {
        list.push(format!(
            "These seem to be the {} rows that the model learned from; figures on them flatter it. Judge it on rows that it has not seen.",
            judged.rows
        ));
    }
    if judged.rows < 50 {
        list.push(format!(
            "{} rows are few to judge by; the intervals are wide for a reason.",
            judged.rows
        ));
    }
    for one in &judged.figures {
        let same = |figure: &&didact_evaluate::Figure| figure.metric == one.figure.metric;
        let Some(baseline) = judged.baseline.iter().find(same) else {
            continue;
        };
        let sign = if baseline.higher_is_better { 1.0 } else { -1.0 };
        let gain = sign * (one.figure.value - baseline.value);
        let least = one
            .interval
            .map(|(low, high)| match baseline.higher_is_better {
                true => low - baseline.value,
                false => baseline.value - high,
            });
        if gain <= 0.0 {
            list.push(format!(
                "Its {} is no better than that of the baseline, which does not look at the features.",
                one.figure.metric
            ));
        } else if least.is_some_and(|least| least <= 0.0) {
            list.push(format!(
                "The interval of its {} reaches the baseline's; the gain may be chance.",
                one.figure.metric
            ));
        }
    }
    list
}
