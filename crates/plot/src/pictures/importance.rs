//! What a model relies on.

use super::{not_empty, same_length};
use crate::cloud::owned;
use crate::layer::{Content, Dot, Stroke};
use crate::panel::Panel;
use crate::picture::Picture;
use crate::scale::Axis;
use crate::theme::Ink;
use didact_core::Result;
use ndarray::ArrayView2;

/// More features than this are not drawn: the strongest are.
const MOST_FEATURES: usize = 24;

/// The importance of each feature as bars, the largest on top, with the spread over repeats.
///
/// `deviations` may be empty.
///
/// ```
/// use didact_plot::feature_importance;
/// let picture = feature_importance(&["age", "income"], &[0.1, 0.4], &[0.02, 0.05], "loss of accuracy")?;
/// assert!(picture.svg().contains("loss of accuracy"));
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn feature_importance<S: AsRef<str>>(
    names: &[S],
    importances: &[f64],
    deviations: &[f64],
    measure: &str,
) -> Result<Picture> {
    same_length("importances", importances.len(), "features", names.len())?;
    not_empty("features", names.len())?;
    if !deviations.is_empty() {
        same_length("deviations", deviations.len(), "features", names.len())?;
    }
    let (order, hidden) = strongest(names.len(), |feature| importances[feature]);
    let shown = order
        .iter()
        .map(|feature| names[*feature].as_ref().to_owned())
        .collect();
    let mut panel = Panel::new(
        Axis::new(measure).reaching_zero(),
        Axis::names("", shown).reversed(),
    );
    panel.left_out = importances
        .iter()
        .filter(|value| !value.is_finite())
        .count();
    let (mut bars, mut whiskers) = (Vec::new(), Vec::new());
    for (place, &feature) in order.iter().enumerate() {
        let (at, value) = (place as f64, importances[feature]);
        bars.push(([0.0, at - 0.36, value, at + 0.36], Ink::Series(0)));
        if let Some(spread) = deviations.get(feature).filter(|spread| spread.is_finite()) {
            let (low, high) = (value - spread, value + spread);
            whiskers.push(vec![[low, at], [high, at]]);
            for end in [low, high] {
                whiskers.push(vec![[end, at - 0.16], [end, at + 0.16]]);
            }
        }
    }
    panel.push("bar", None, Content::Cells(bars, 0.8));
    if !whiskers.is_empty() {
        let content = Content::Lines(whiskers, Stroke::new(Ink::Text).thin());
        panel.push("whisker", Some("±1 deviation"), content);
    }
    Ok(finish("Feature importance", panel, order.len(), hidden))
}

/// The coefficients of a linear model, strongest on top; one series per class or target.
///
/// `coefficients` has one row per class or target and one column per feature.
///
/// ```
/// use didact_plot::coefficients;
/// let weights = ndarray::array![[0.5, -2.0]];
/// let picture = coefficients(&["age", "income"], weights.view(), &["price"])?;
/// assert!(picture.svg().contains("Coefficient"));
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn coefficients<S: AsRef<str>, T: AsRef<str>>(
    names: &[S],
    coefficients: ArrayView2<'_, f64>,
    output_names: &[T],
) -> Result<Picture> {
    same_length(
        "columns of coefficients",
        coefficients.ncols(),
        "features",
        names.len(),
    )?;
    same_length(
        "rows of coefficients",
        coefficients.nrows(),
        "outputs",
        output_names.len(),
    )?;
    not_empty("features", names.len())?;
    not_empty("outputs", output_names.len())?;
    let strength = |feature: usize| {
        let column = coefficients.column(feature);
        let finite = column.iter().filter(|value| value.is_finite());
        finite.map(|value| value.abs()).fold(f64::NAN, f64::max)
    };
    let (order, hidden) = strongest(names.len(), strength);
    let shown = order
        .iter()
        .map(|feature| names[*feature].as_ref().to_owned())
        .collect();
    let mut panel = Panel::new(
        Axis::new("Coefficient").reaching_zero(),
        Axis::names("", shown).reversed(),
    );
    let outputs = owned(output_names);
    let single = outputs.len() == 1;
    let values = |output: usize| {
        let order = order.iter().enumerate();
        order.map(move |(place, feature)| (place as f64, coefficients[[output, *feature]]))
    };
    if single {
        // Sign has a colour of its own where colour is not needed for the outputs.
        for (name, sign) in [("raises", 1.0), ("lowers", -1.0)] {
            let bars: Vec<([f64; 4], Ink)> = values(0)
                .filter(|(_, value)| value * sign > 0.0 && value.is_finite())
                .map(|(at, value)| ([0.0, at - 0.36, value, at + 0.36], Ink::Balance(sign)))
                .collect();
            if !bars.is_empty() {
                let name = format!("{name} {}", outputs[0]);
                panel.push("bar", Some(&name), Content::Cells(bars, 0.85));
            }
        }
    } else {
        for (output, name) in outputs.iter().enumerate() {
            let points = values(output).map(|(at, value)| [value, at]);
            panel.points("points", Some(name), points, Dot::series(output).sized(4.4));
        }
    }
    panel.rule(None, 0.0, true, Stroke::new(Ink::Muted).thin());
    panel.left_out = coefficients
        .iter()
        .filter(|value| !value.is_finite())
        .count();
    Ok(finish("Coefficients", panel, order.len(), hidden))
}

/// The features from the strongest down, and how many are not among them.
fn strongest(count: usize, strength: impl Fn(usize) -> f64) -> (Vec<usize>, usize) {
    let mut order: Vec<usize> = (0..count)
        .filter(|feature| strength(*feature).is_finite())
        .collect();
    order.sort_by(|one, two| strength(*two).total_cmp(&strength(*one)));
    let hidden = order.len().saturating_sub(MOST_FEATURES);
    order.truncate(MOST_FEATURES);
    (order, hidden)
}

fn finish(title: &str, panel: Panel, shown: usize, hidden: usize) -> Picture {
    let height = 120.0 + 20.0 * shown.clamp(4, MOST_FEATURES) as f64;
    let picture = Picture::new(title, vec![panel]).with_size(640.0, height);
    match hidden {
        0 => picture,
        _ => picture.with_note(format!(
            "The {MOST_FEATURES} strongest features are drawn; {hidden} weaker ones are not."
        )),
    }
}
