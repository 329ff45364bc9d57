//! How far figures may be off because there are only so many rows.

use crate::metric::Metric;
use crate::metrics::quantile;
use crate::outcome::Outcome;
use crate::score::{Figure, figures_of};
use didact_core::random::generator;
use didact_core::{AnyModel, Data, Error, Result, Run};
use didact_probability::Cumulative;
use didact_probability::laws::Normal;
use rand::RngExt;
use serde::Serialize;

/// Draws for few rows; fewer where each takes long.
const MOST_DRAWS: usize = 1_000;
const LEAST_DRAWS: usize = 100;
/// Rows that all draws together may hold.
const ROWS_DRAWN: usize = 20_000_000;

/// A figure and where it may really lie.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct JudgedFigure {
    /// The figure.
    #[serde(flatten)]
    pub figure: Figure,
    /// The interval that holds it with the given confidence; nothing for sequences, whose rows
    /// are no independent draws.
    pub interval: Option<(f64, f64)>,
}

/// [`score_by`](crate::score_by) with an interval for each figure, by drawing the rows anew
/// with replacement: the model is asked once, the figures are computed for every draw.
///
/// The interval covers the choice of the rows that judge, not that of the rows that trained.
pub fn score_with_intervals(
    model: &dyn AnyModel,
    data: &Data<'_>,
    metrics: &[Metric],
    confidence: f64,
    seed: u64,
    run: &Run,
) -> Result<Vec<JudgedFigure>> {
    if !(confidence > 0.0 && confidence < 1.0) {
        let requirement = "it must be above 0 and below 1";
        return Err(Error::parameter("confidence", confidence, requirement));
    }
    let outcome = Outcome::new(model, data)?;
    let (figures, metrics) = figures_of(&outcome, model, data, metrics)?;
    let n_rows = data.samples().map_or(0, |samples| samples.n_rows());
    let single_rows = !matches!(data, Data::Sequences(_) | Data::LabelledSequences(_));
    let mut drawn: Vec<Vec<f64>> = vec![Vec::new(); metrics.len()];
    if single_rows {
        let n_draws = (ROWS_DRAWN / n_rows.max(1)).clamp(LEAST_DRAWS, MOST_DRAWS);
        for draw in 0..n_draws {
            run.check()?;
            let mut generator = generator(seed, draw as u64);
            let rows: Vec<usize> = (0..n_rows)
                .map(|_| generator.random_range(0..n_rows))
                .collect();
            let again = outcome.resampled(&rows);
            for (values, metric) in drawn.iter_mut().zip(&metrics) {
                // A draw may miss a class, where some figures are not defined.
                values.extend(
                    metric
                        .measure(&again)
                        .ok()
                        .filter(|value| value.is_finite()),
                );
            }
        }
    }
    let interval = |mut values: Vec<f64>| {
        values.sort_unstable_by(f64::total_cmp);
        let tail = (1.0 - confidence) / 2.0;
        (values.len() >= LEAST_DRAWS / 2)
            .then(|| (quantile(&values, tail), quantile(&values, 1.0 - tail)))
    };
    let judged = figures.into_iter().zip(&metrics).zip(drawn);
    judged
        .map(|((figure, metric), values)| {
            let interval = match metric {
                Metric::Accuracy if single_rows => {
                    Some(share_interval(figure.value, n_rows, confidence)?)
                }
                _ => interval(values),
            };
            Ok(JudgedFigure { figure, interval })
        })
        .collect()
}

/// Wilson's interval of a share p of n: (p + z²/2n ± z√(p(1−p)/n + z²/4n²)) / (1 + z²/n).
///
/// It says something even where all rows were right, where drawing anew does not.
fn share_interval(share: f64, n_rows: usize, confidence: f64) -> Result<(f64, f64)> {
    let z = Normal::with_deviation(0.0, 1.0)?.upper_quantile((1.0 - confidence) / 2.0)?;
    let n = n_rows as f64;
    let square = z * z / n;
    let center = share + square / 2.0;
    let reach = (square * (share * (1.0 - share) + square / 4.0)).sqrt();
    let end = |value: f64| (value / (1.0 + square)).clamp(0.0, 1.0);
    Ok((end(center - reach), end(center + reach)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Baseline;
    use didact_core::{Fit, Labelled, Labels, Measured};
    use ndarray::Array2;

    // The baseline is right on 300 of 400 rows. Of accuracy, by statsmodels' proportion_confint(
    // 300, 400, method="wilson"); of precision, which is half of the same share, drawn anew: the
    // standard error of the share is √(0.75·0.25/400) = 0.0217, and 95 % reach 1.96 times that.
    #[test]
    fn intervals_are_those_of_a_share() {
        let x = Array2::<f64>::zeros((400, 1));
        let labels = Labels::from_names((0..400).map(|row| if row % 4 == 0 { "b" } else { "a" }));
        let data = Labelled::new(&x, &labels).unwrap();
        let model = Baseline::default().fit(data.clone()).unwrap();
        let run = Run::new();
        let data = Data::Labelled(data);
        let judged =
            score_with_intervals(&model, &data, &[Metric::Accuracy], 0.95, 3, &run).unwrap();
        let (low, high) = judged[0].interval.unwrap();
        assert_eq!(judged[0].figure.value, 0.75);
        // The ends of a bootstrap of 1000 draws have a standard error of about 0.0016.
        assert!((low - (0.75 - 1.96 * 0.0217)).abs() < 0.0065, "{low}");
        assert!((high - (0.75 + 1.96 * 0.0217)).abs() < 0.0065, "{high}");
        let again =
            score_with_intervals(&model, &data, &[Metric::Accuracy], 0.95, 3, &run).unwrap();
        assert_eq!(judged, again);
    }

    #[test]
    fn every_default_figure_has_an_interval_around_it() {
        let x = Array2::from_shape_fn((60, 1), |(row, _)| row as f64);
        let y: Vec<f64> = (0..60).map(|row| (row * row % 17) as f64).collect();
        let data = Measured::new(&x, &y).unwrap();
        let model = Baseline::default().fit(data.clone()).unwrap();
        let data = Data::Measured(data);
        let judged = score_with_intervals(&model, &data, &[], 0.9, 0, &Run::new()).unwrap();
        assert_eq!(judged.len(), 3);
        let ends: Vec<(f64, f64)> = judged.iter().map(|one| one.interval.unwrap()).collect();
        assert!(ends.iter().all(|(low, high)| low < high));
        // R² of a constant is zero on all rows and at most that on other draws.
        assert!(ends[0].1 <= 0.0 && ends[0].0 > -0.2);
        for (one, (low, high)) in judged.iter().zip(&ends).skip(1) {
            assert!((*low..=*high).contains(&one.figure.value), "{one:?}");
        }
        assert!(score_with_intervals(&model, &data, &[], 1.0, 0, &Run::new()).is_err());
    }
}
