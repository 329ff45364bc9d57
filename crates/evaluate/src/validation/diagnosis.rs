//! What a learning or validation curve says, in plain words.

use super::curves::{Curve, CurvePoint};
use serde::Serialize;

/// How well a model's size suits the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fitting {
    /// Too simple: poor on training and on test rows.
    Under,
    /// About right.
    Balanced,
    /// Too flexible: good on training rows, clearly worse on test rows.
    Over,
}

/// What was found and what to try.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Diagnosis {
    /// The verdict.
    pub fitting: Fitting,
    /// A few sentences.
    pub words: String,
}

/// Judges the last point of a learning curve, or the best of a validation curve.
///
/// `acceptable` is the figure that would be good enough, such as the baseline's plus what is
/// hoped for. Over-fitting raises the error on test rows, not on training rows; the gap counts
/// where it is larger than the spread between the splits.
pub fn diagnose(curve: &Curve, acceptable: f64) -> Option<Diagnosis> {
    let place = match curve.axis.as_str() {
        "rows" => curve.points.len().checked_sub(1)?,
        _ => curve.best()?,
    };
    let point = &curve.points[place];
    let sign = if curve.higher_is_better { 1.0 } else { -1.0 };
    let good = |value: f64| sign * value >= sign * acceptable;
    let gap = sign * (point.train.mean - point.test.mean);
    // With a single split there is no spread to compare with; a tenth of the figure stands in.
    let noise = point
        .test
        .deviation
        .max(0.1 * point.test.mean.abs())
        .max(1e-12);
    let fitting = match (good(point.train.mean), gap > noise) {
        (false, _) => Fitting::Under,
        (true, true) => Fitting::Over,
        (true, false) => Fitting::Balanced,
    };
    let mut words = sentence(fitting, curve.metric, point);
    if let Some(more) = trend(curve, sign) {
        words.push(' ');
        words.push_str(more);
    }
    if point.test.deviation > 0.5 * point.test.mean.abs() {
        words.push_str(
            " The figure varies much between splits, so it is not certain; collect more rows.",
        );
    }
    Some(Diagnosis { fitting, words })
}

fn sentence(fitting: Fitting, metric: &str, point: &CurvePoint) -> String {
    let figures = format!(
        "{metric} is {:.3} on the training rows and {:.3} ± {:.3} on the test rows",
        point.train.mean, point.test.mean, point.test.deviation
    );
    match fitting {
        Fitting::Under => format!(
            "Under-fitting: {figures}, so the model is poor even on what it has seen. Try a more flexible model, better features or less regularisation."
        ),
        Fitting::Over => format!(
            "Over-fitting: {figures}, so the model has learned its training rows and not the rule. Try more rows, a simpler model or more regularisation."
        ),
        Fitting::Balanced => {
            format!(
                "Neither under- nor over-fitting: {figures}, and the two agree within their spread."
            )
        }
    }
}

/// What the end of a learning curve promises. It need not rise: more rows can make it worse.
fn trend(curve: &Curve, sign: f64) -> Option<&'static str> {
    if curve.axis != "rows" || curve.points.len() < 2 {
        return None;
    }
    let [.., before, last] = curve.points.as_slice() else {
        return None;
    };
    let change = sign * (last.test.mean - before.test.mean);
    let noise = last.test.deviation.max(before.test.deviation) / 2.0;
    Some(match (change > noise, change < -noise) {
        (true, _) => {
            "The test figure still improves with the number of rows: more data would help."
        }
        (_, true) => "The test figure gets worse with more rows: look at the rows that were added.",
        _ => "The test figure has levelled off: more rows of the same kind would change little.",
    })
}

#[cfg(test)]
mod tests {
    use super::super::curves::Spread;
    use super::*;
    use serde_json::Value;

    fn point(at: usize, train: f64, test: f64) -> CurvePoint {
        let around = |mean: f64| Spread::of(&[mean - 0.01, mean, mean + 0.01]).unwrap();
        CurvePoint {
            at: Value::from(at),
            train: around(train),
            test: around(test),
        }
    }

    fn curve(axis: &str, points: Vec<CurvePoint>) -> Curve {
        Curve {
            metric: "accuracy",
            higher_is_better: true,
            axis: axis.to_owned(),
            points,
        }
    }

    // 001:REG-06, 002a:BP06: over-fitting shows in the test figure, not in the training figure.
    #[test]
    fn under_and_over_fitting_are_told_apart_in_words() {
        let verdict = |train, test| {
            let curve = curve("depth", vec![point(1, train, test)]);
            diagnose(&curve, 0.8).unwrap()
        };
        assert_eq!(verdict(0.6, 0.58).fitting, Fitting::Under);
        assert_eq!(verdict(1.0, 0.7).fitting, Fitting::Over);
        assert_eq!(verdict(0.9, 0.88).fitting, Fitting::Balanced);
        assert!(verdict(1.0, 0.7).words.contains("a simpler model"));
        assert!(diagnose(&curve("depth", Vec::new()), 0.8).is_none());
    }

    // 002a:BP10: more rows may help, change nothing, or make it worse.
    #[test]
    fn the_end_of_a_learning_curve_is_read() {
        let words = |last| {
            let points = vec![point(10, 0.9, 0.7), point(20, 0.9, last)];
            diagnose(&curve("rows", points), 0.8).unwrap().words
        };
        assert!(words(0.85).contains("more data would help"));
        assert!(words(0.701).contains("levelled off"));
        assert!(words(0.6).contains("gets worse"));
    }

    #[test]
    fn a_lower_error_is_better_where_the_metric_says_so() {
        let mut curve = curve("alpha", vec![point(1, 0.1, 0.9), point(2, 0.3, 0.32)]);
        curve.higher_is_better = false;
        assert_eq!(curve.best(), Some(1));
        assert_eq!(diagnose(&curve, 0.5).unwrap().fitting, Fitting::Balanced);
    }
}
