//! Where a model puts which class.

use crate::cloud::Cloud;
use crate::contour::Grid;
use crate::layer::{Content, Stroke};
use crate::panel::Panel;
use crate::picture::Picture;
use crate::theme::Ink;
use didact_core::{AnyModel, Error, Result, Rows};
use ndarray::{Array2, ArrayView2};

/// Places across and up at which the model is asked.
const PLACES: [usize; 2] = [121, 91];

/// Probabilities at which the shade of a region changes, and the shades.
const SHADES: [(f64, f64); 2] = [(0.75, 0.34), (0.95, 0.5)];

/// The shade of a region as a whole.
const REGION_SHADE: f64 = 0.2;

/// The regions in which a model sees each class, with the data on top.
///
/// The model is asked on a grid over the two columns that the cloud shows; other features are
/// held at their means. Where it gives probabilities, the colours are stronger where it is surer.
/// Clusterers and mixtures work like classifiers: their clusters are the regions.
///
/// ```
/// use didact_core::{AnyModel, Result};
/// use didact_plot::{Cloud, decision_map};
/// fn show(cloud: &Cloud<'_>, model: &dyn AnyModel) -> Result<()> {
///     decision_map(cloud, model)?.titled("Iris").save("iris.svg")
/// }
/// ```
pub fn decision_map(cloud: &Cloud<'_>, model: &dyn AnyModel) -> Result<Picture> {
    cloud.check()?;
    if model.n_features() != cloud.rows.ncols() {
        return Err(Error::Columns {
            expected: model.n_features(),
            found: cloud.rows.ncols(),
        });
    }
    let mut panel = cloud.panel();
    cloud.add_to(&mut panel);
    let [x, y] = panel.spans();
    // The map fills the axes to their ends.
    panel.x = panel.x.between(x[0], x[1]);
    panel.y = panel.y.between(y[0], y[1]);
    let grid = Grid::over(x, y, PLACES);
    let answer = ask(model, &grid_rows(cloud, &grid))?;

    let points = std::mem::take(&mut panel.layers);
    let names = colours(&answer.names, &cloud.class_names);
    add_regions(&mut panel, &grid, &answer, &names);
    // The legend names the classes once: by their points where there are any.
    if !points.is_empty() && cloud.labels.is_some() {
        for layer in &mut panel.layers {
            let known = layer
                .name
                .as_ref()
                .is_some_and(|name| cloud.class_names.contains(name));
            if known {
                layer.name = None;
            }
        }
    }
    panel.layers.extend(points);
    let mut picture = Picture::new("Decision regions", vec![panel]);
    if answer.are_probabilities {
        let [first, second] = SHADES.map(|(level, _)| level);
        picture = picture.with_note(format!(
            "Colours are stronger where the probability of the class is above {first} and {second}."
        ));
    }
    if cloud.rows.ncols() > 2 {
        picture = picture.with_note(format!(
            "The other {} features are held at their means.",
            cloud.rows.ncols() - 2
        ));
    }
    Ok(picture)
}

/// The rows at the places of the grid.
pub(crate) fn grid_rows(cloud: &Cloud<'_>, grid: &Grid) -> Array2<f64> {
    let means = cloud.means();
    let mut rows = Array2::zeros((grid.len(), means.len()));
    for (mut row, place) in rows.rows_mut().into_iter().zip(grid.places()) {
        for (value, mean) in row.iter_mut().zip(&means) {
            *value = *mean;
        }
        row[cloud.columns[0]] = place[0];
        row[cloud.columns[1]] = place[1];
    }
    rows
}

/// What the model says on the grid: for each class how much it is preferred.
struct Answer {
    names: Vec<String>,
    /// Probabilities, or scores that are largest for the chosen class.
    preferences: Array2<f64>,
    are_probabilities: bool,
}

fn ask(model: &dyn AnyModel, rows: &Array2<f64>) -> Result<Answer> {
    let view = || Rows::Dense(rows.view());
    let names: Option<Vec<String>> = model.as_classify().map(|model| {
        model
            .classes()
            .names()
            .iter()
            .map(ToString::to_string)
            .collect()
    });
    let numbered = |count: usize| (0..count).map(|index| format!("cluster {index}")).collect();
    if let Some(probable) = model.as_probabilities() {
        let preferences = probable.probabilities(view())?;
        return Ok(Answer {
            names: names.unwrap_or_else(|| numbered(preferences.ncols())),
            preferences,
            are_probabilities: true,
        });
    }
    let chosen: Vec<Option<usize>> = match (model.as_classify(), model.as_assign()) {
        (Some(classifier), _) => classifier.classify(view())?.into_iter().map(Some).collect(),
        (None, Some(clusterer)) => clusterer.assign(view())?,
        (None, None) => {
            return Err(Error::unsupported(
                "this model neither classifies nor clusters rows; a decision map needs one that does",
            ));
        }
    };
    let count = names.as_ref().map_or_else(
        || chosen.iter().flatten().max().map_or(0, |last| last + 1),
        Vec::len,
    );
    let scores = match (names.is_some(), model.as_scores()) {
        (true, Some(model)) => smooth_scores(model.scores(view())?, &chosen),
        _ => None,
    };
    let preferences = scores.unwrap_or_else(|| {
        Array2::from_shape_fn((chosen.len(), count), |(row, class)| {
            f64::from(u8::from(chosen[row] == Some(class)))
        })
    });
    Ok(Answer {
        names: names.unwrap_or_else(|| numbered(count)),
        preferences,
        are_probabilities: false,
    })
}

/// Scores as one column per class, if the largest one is the chosen class everywhere.
///
/// With scores the border between regions is smooth; with bare choices it has steps.
fn smooth_scores(scores: Array2<f64>, chosen: &[Option<usize>]) -> Option<Array2<f64>> {
    let scores = match scores.ncols() {
        1 => Array2::from_shape_fn((scores.nrows(), 2), |(row, class)| match class {
            0 => -scores[[row, 0]],
            _ => scores[[row, 0]],
        }),
        _ => scores,
    };
    let agrees = scores.rows().into_iter().zip(chosen).all(|(row, chosen)| {
        chosen
            .is_some_and(|class| class < row.len() && row.iter().all(|score| *score <= row[class]))
    });
    agrees.then_some(scores)
}

/// For each class of the model the series that has its colour: the one of the same name.
fn colours(model_names: &[String], class_names: &[String]) -> Vec<usize> {
    let mut next = class_names.len();
    model_names
        .iter()
        .enumerate()
        .map(|(index, name)| {
            let known = class_names.iter().position(|other| other == name);
            known.unwrap_or_else(|| {
                if class_names.is_empty() {
                    return index;
                }
                next += 1;
                next - 1
            })
        })
        .collect()
}

fn add_regions(panel: &mut Panel, grid: &Grid, answer: &Answer, series: &[usize]) {
    let classes = answer.preferences.ncols();
    for class in 0..classes {
        let margin = on_grid(grid, |row| margin(answer.preferences.row(row), class));
        let rings = grid.regions(margin.view(), 0.0);
        let shade = Ink::Tint(series[class], REGION_SHADE);
        let region = Content::Region(rings, shade, 1.0);
        panel.push("region", Some(&answer.names[class]), region);
    }
    if answer.are_probabilities {
        for class in 0..classes {
            let probability = on_grid(grid, |row| answer.preferences[[row, class]]);
            for (level, strength) in SHADES {
                let rings = grid.regions(probability.view(), level);
                let shade = Ink::Tint(series[class], strength);
                panel.push("region", None, Content::Region(rings, shade, 1.0));
            }
        }
    }
    // With two classes both margins have the same line.
    let bordered = if classes == 2 { 1 } else { classes };
    for class in 0..bordered {
        let margin = on_grid(grid, |row| margin(answer.preferences.row(row), class));
        let lines = grid.lines(margin.view(), 0.0);
        let stroke = Stroke {
            width: 1.6,
            ..Stroke::new(Ink::Text)
        };
        panel.push("boundary", None, Content::Lines(lines, stroke));
    }
}

/// By how much a class is preferred to the best other one; at most ±1 for a smooth picture.
fn margin(preferences: ndarray::ArrayView1<'_, f64>, class: usize) -> f64 {
    let best_other = preferences
        .iter()
        .enumerate()
        .filter(|(other, _)| *other != class)
        .map(|(_, value)| *value)
        .fold(f64::NEG_INFINITY, f64::max);
    let margin = preferences[class] - best_other;
    if margin.is_nan() {
        return -1.0;
    }
    // Noise is preferred to nothing: every indicator is zero there, which is no region.
    match preferences.iter().all(|value| *value == 0.0) {
        true => -1.0,
        false => margin.clamp(-1.0, 1.0),
    }
}

pub(crate) fn on_grid(grid: &Grid, value: impl Fn(usize) -> f64) -> Array2<f64> {
    let columns = grid.xs.len();
    Array2::from_shape_fn((grid.ys.len(), columns), |(row, column)| {
        value(row * columns + column)
    })
}

/// Values on the grid with those that are not finite replaced by the smallest that is.
pub(crate) fn finite_on_grid(values: ArrayView2<'_, f64>) -> Option<Array2<f64>> {
    let [lowest, _] = super::ends(values.iter().copied())?;
    Some(values.mapv(|value| if value.is_finite() { value } else { lowest }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn a_margin_is_the_lead_over_the_best_other_class() {
        let preferences = array![0.5, 0.3, 0.2];
        assert!((margin(preferences.view(), 0) - 0.2).abs() < 1e-15);
        assert!((margin(preferences.view(), 2) + 0.3).abs() < 1e-15);
        assert_eq!(margin(array![0.0, 0.0].view(), 0), -1.0);
    }

    #[test]
    fn classes_keep_the_colours_of_their_names() {
        let text = |names: &[&str]| crate::cloud::owned(names);
        assert_eq!(
            colours(&text(&["b", "a", "z"]), &text(&["a", "b"])),
            [1, 0, 2]
        );
        assert_eq!(colours(&text(&["cluster 0", "cluster 1"]), &[]), [0, 1]);
    }

    #[test]
    fn scores_are_used_only_when_they_agree_with_the_choice() {
        let scores = array![[0.5], [-1.0]];
        let agreeing = smooth_scores(scores.clone(), &[Some(1), Some(0)]);
        assert_eq!(agreeing, Some(array![[-0.5, 0.5], [1.0, -1.0]]));
        assert_eq!(smooth_scores(scores, &[Some(0), Some(0)]), None);
    }
}
