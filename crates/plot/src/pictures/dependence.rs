//! How the prediction changes with one feature.

use super::{not_empty, same_length};
use crate::cloud::owned;
use crate::layer::{Content, Stroke};
use crate::panel::Panel;
use crate::picture::Picture;
use crate::scale::Axis;
use crate::theme::Ink;
use didact_core::Result;
use ndarray::ArrayView2;

/// More marks than this below the curve would be a bar.
const MOST_MARKS: usize = 60;

/// The mean prediction as one feature takes each of several values, one curve per output.
///
/// `means` has one row per value and one column per output: a target or the probability of a
/// class. `seen` are the values that the data have; a few of them, evenly spread over the rows,
/// are marked below the curve, because predictions where there are no data are guesses.
///
/// ```
/// use didact_plot::partial_dependence;
/// let means = ndarray::array![[0.2, 0.8], [0.7, 0.3]];
/// let picture = partial_dependence("age", &[20.0, 60.0], means.view(), &["no", "yes"], "Probability", &[25.0, 40.0])?;
/// assert!(picture.svg().contains("age"));
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn partial_dependence<S: AsRef<str>>(
    feature: &str,
    values: &[f64],
    means: ArrayView2<'_, f64>,
    output_names: &[S],
    output: &str,
    seen: &[f64],
) -> Result<Picture> {
    not_empty("values", values.len())?;
    not_empty("outputs", output_names.len())?;
    same_length("rows of means", means.nrows(), "values", values.len())?;
    same_length(
        "columns of means",
        means.ncols(),
        "outputs",
        output_names.len(),
    )?;
    let mut panel = Panel::new(Axis::new(feature), Axis::new(output));
    let names = owned(output_names);
    for (series, (column, name)) in means.columns().into_iter().zip(&names).enumerate() {
        let points = values.iter().zip(column).map(|(x, y)| [*x, *y]);
        let label = (names.len() > 1).then_some(name.as_str());
        panel.line("curve", label, points, Stroke::new(Ink::Series(series)));
    }
    let [low, high] = panel.spans()[1];
    let length = 0.03 * (high - low);
    let marks = marks(seen, values)
        .into_iter()
        .map(|x| vec![[x, low], [x, low + length]])
        .collect();
    let stroke = Stroke::new(Ink::Muted).thin();
    panel.push("mark", None, Content::Lines(marks, stroke));
    panel.y = panel.y.between(low, high);
    Ok(Picture::new(format!("Effect of {feature}"), vec![panel]))
}

/// Quantiles of the values that lie within the curve.
fn marks(seen: &[f64], values: &[f64]) -> Vec<f64> {
    let Some([low, high]) = super::ends(values.iter().copied()) else {
        return Vec::new();
    };
    let mut within: Vec<f64> = seen
        .iter()
        .copied()
        .filter(|value| (low..=high).contains(value))
        .collect();
    within.sort_by(f64::total_cmp);
    let count = within.len().min(MOST_MARKS);
    (0..count)
        .map(|mark| within[(mark * within.len() + within.len() / 2) / count.max(1)])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_quantiles_within_the_curve() {
        let seen: Vec<f64> = (0..1000).map(f64::from).collect();
        let found = marks(&seen, &[0.0, 499.0]);
        assert_eq!(found.len(), MOST_MARKS);
        assert!(found.is_sorted() && *found.last().unwrap() <= 499.0);
        assert_eq!(marks(&[f64::NAN, 1.0], &[0.0, 2.0]), [1.0]);
    }

    #[test]
    fn shapes_must_agree() {
        let means = ndarray::array![[0.2], [0.7]];
        let message = partial_dependence("x", &[1.0], means.view(), &["y"], "y", &[])
            .unwrap_err()
            .to_string();
        assert!(message.contains("rows of means"), "{message}");
    }
}
