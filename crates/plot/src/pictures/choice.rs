//! How many clusters or components to take.

use super::{not_empty, same_length};
use crate::layer::{Dot, Stroke};
use crate::panel::Panel;
use crate::picture::Picture;
use crate::scale::{Axis, short};
use crate::theme::Ink;
use didact_core::Result;

/// An objective against a number of clusters, with the bend of the curve marked.
///
/// The bend is where the curve is farthest from the chord between its ends; the chord is drawn.
/// `chosen` is its index.
///
/// ```
/// use didact_plot::elbow;
/// let picture = elbow("Clusters", &[1.0, 2.0, 3.0, 4.0], "inertia", &[90.0, 30.0, 25.0, 22.0], Some(1))?;
/// assert!(picture.svg().contains("bend at 2"));
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn elbow(
    count_name: &str,
    counts: &[f64],
    objective_name: &str,
    objectives: &[f64],
    chosen: Option<usize>,
) -> Result<Picture> {
    same_length("objectives", objectives.len(), "counts", counts.len())?;
    not_empty("objectives", counts.len())?;
    let mut panel = Panel::new(
        Axis::new(count_name).whole(),
        Axis::new(objective_name).reaching_zero(),
    );
    let points = || counts.iter().zip(objectives).map(|(x, y)| [*x, *y]);
    let ends = points().next().into_iter().chain(points().next_back());
    panel.line("reference", Some("chord"), ends, Stroke::reference());
    // Only the points count what cannot be drawn.
    panel.line("curve", None, points(), Stroke::new(Ink::Series(0)));
    panel.left_out = 0;
    panel.points("points", None, points(), Dot::series(0).sized(4.0));
    if let Some(point) = chosen.and_then(|index| points().nth(index)) {
        let name = format!("bend at {}", short(point[0]));
        let ring = Dot::round(Ink::Series(1)).sized(8.5).hollow();
        panel.points("chosen", Some(&name), [point], ring);
    }
    let title = format!("{objective_name} against {}", count_name.to_lowercase());
    Ok(Picture::new(title, vec![panel]))
}

/// A figure of which more is better against a number of clusters; the chosen one is ringed.
///
/// ```
/// use didact_plot::choice_curve;
/// let picture = choice_curve("Clusters", &[2.0, 3.0, 4.0], "Silhouette", &[0.4, 0.6, 0.5], Some(1))?;
/// assert!(picture.svg().contains("highest at 3"));
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn choice_curve(
    count_name: &str,
    counts: &[f64],
    figure_name: &str,
    figures: &[f64],
    chosen: Option<usize>,
) -> Result<Picture> {
    same_length("figures", figures.len(), "counts", counts.len())?;
    not_empty("figures", counts.len())?;
    let mut panel = Panel::new(Axis::new(count_name).whole(), Axis::new(figure_name));
    let points = || counts.iter().zip(figures).map(|(x, y)| [*x, *y]);
    // Only the points count what cannot be drawn.
    panel.line("curve", None, points(), Stroke::new(Ink::Series(0)));
    panel.left_out = 0;
    panel.points("points", None, points(), Dot::series(0).sized(4.0));
    if let Some(point) = chosen.and_then(|index| points().nth(index)) {
        let name = format!("highest at {}", short(point[0]));
        let ring = Dot::round(Ink::Series(1)).sized(8.5).hollow();
        panel.points("chosen", Some(&name), [point], ring);
    }
    let title = format!("{figure_name} against {}", count_name.to_lowercase());
    Ok(Picture::new(title, vec![panel]))
}

/// Criteria such as AIC and BIC against a number of components; the lowest of each is ringed.
///
/// ```
/// use didact_plot::criteria;
/// let bic = [29.0, 22.0, 25.0];
/// let picture = criteria("Components", &[2.0, 3.0, 4.0], &[("BIC", &bic[..])])?;
/// assert!(picture.svg().contains("BIC, lowest at 3"));
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn criteria(count_name: &str, counts: &[f64], curves: &[(&str, &[f64])]) -> Result<Picture> {
    not_empty("criteria", curves.len())?;
    let mut panel = Panel::new(
        Axis::new(count_name).whole(),
        Axis::new("Criterion (lower is better)"),
    );
    let mut rings = Vec::new();
    for (series, (name, values)) in curves.iter().enumerate() {
        let what = format!("values of {name}");
        same_length(&what, values.len(), "counts", counts.len())?;
        let points = || counts.iter().zip(*values).map(|(x, y)| [*x, *y]);
        let before = panel.left_out;
        panel.line("curve", None, points(), Stroke::new(Ink::Series(series)));
        panel.left_out = before;
        let lowest = points()
            .filter(|[_, value]| value.is_finite())
            .min_by(|one, two| one[1].total_cmp(&two[1]));
        let label = match lowest {
            Some([at, _]) => format!("{name}, lowest at {}", short(at)),
            None => (*name).to_owned(),
        };
        panel.points("points", Some(&label), points(), Dot::series(series));
        rings.extend(lowest.map(|point| (point, series)));
    }
    for (point, series) in rings {
        let ring = Dot::round(Ink::Series(series)).sized(8.5).hollow();
        panel.points("chosen", None, [point], ring);
    }
    let title = format!("Criteria against {}", count_name.to_lowercase());
    Ok(Picture::new(title, vec![panel]))
}
