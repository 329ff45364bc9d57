//! What is in a table, column by column.

use crate::time::format_time;
use didact_core::{Column, ColumnKind, Table};
use serde::Serialize;

/// What is in one column.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ColumnSummary {
    /// The name of the column.
    pub name: String,
    /// The kind of its values.
    pub kind: ColumnKind,
    /// Number of values that are there.
    pub count: usize,
    /// Number of values that are missing.
    pub missing: usize,
    /// Number of different values.
    pub distinct: usize,
    /// The distribution of numbers; nothing where no finite number is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub numbers: Option<NumberSummary>,
    /// The most frequent words with their counts, at most five; of equals the first by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub top: Vec<(String, usize)>,
    /// The first and the last time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<(String, String)>,
}

/// The distribution of the finite numbers of a column.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NumberSummary {
    /// How many values are infinite and not part of the rest.
    pub infinite: usize,
    /// The smallest value.
    pub min: f64,
    /// A quarter of the values is at most this.
    pub lower_quartile: f64,
    /// Half of the values are at most this.
    pub median: f64,
    /// Three quarters of the values are at most this.
    pub upper_quartile: f64,
    /// The largest value.
    pub max: f64,
    /// The mean x̄ = Σx/n.
    pub mean: f64,
    /// The standard deviation √(Σ(x − x̄)²/n).
    pub std: f64,
}

/// Summarises every column of a table.
///
/// ```
/// use didact_core::{Column, Table};
/// use didact_data::describe;
/// let mut table = Table::new();
/// table.push("size", Column::Numbers(vec![1.0, 2.0, 3.0, f64::NAN]))?;
/// let summary = &describe(&table)[0];
/// assert_eq!((summary.count, summary.missing), (3, 1));
/// assert_eq!(summary.numbers.as_ref().unwrap().median, 2.0);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn describe(table: &Table) -> Vec<ColumnSummary> {
    table
        .names()
        .iter()
        .zip(table.columns())
        .map(|(name, column)| summarise(name, column))
        .collect()
}

fn summarise(name: &str, column: &Column) -> ColumnSummary {
    let missing = column.n_missing();
    let mut summary = ColumnSummary {
        name: name.to_owned(),
        kind: column.kind(),
        count: column.len() - missing,
        missing,
        distinct: 0,
        numbers: None,
        top: Vec::new(),
        span: None,
    };
    match column {
        Column::Numbers(values) => {
            let known = values.iter().copied().filter(|value| !value.is_nan());
            let sorted = sorted(known);
            summary.distinct = distinct(&sorted);
            summary.numbers = summarise_numbers(&sorted);
        }
        Column::Times(values) => {
            let sorted = sorted(values.iter().flatten().copied());
            summary.distinct = distinct(&sorted);
            let text = |seconds: &f64| format_time(*seconds).unwrap_or_else(|| seconds.to_string());
            summary.span = sorted
                .first()
                .zip(sorted.last())
                .map(|(first, last)| (text(first), text(last)));
        }
        Column::Booleans(values) => {
            let count = |wanted| {
                values
                    .iter()
                    .filter(|value| **value == Some(wanted))
                    .count()
            };
            let counts = vec![count(false), count(true)];
            let names = ["false".to_owned(), "true".to_owned()];
            (summary.distinct, summary.top) = most_frequent(&names, &counts);
        }
        Column::Categories { codes, names } => {
            let mut counts = vec![0; names.len()];
            codes
                .iter()
                .flatten()
                .for_each(|&code| counts[code as usize] += 1);
            (summary.distinct, summary.top) = most_frequent(names, &counts);
        }
    }
    summary
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_unstable_by(f64::total_cmp);
    values
}

fn distinct(sorted: &[f64]) -> usize {
    let changes = sorted.windows(2).filter(|pair| pair[0] != pair[1]).count();
    changes + usize::from(!sorted.is_empty())
}

fn summarise_numbers(sorted: &[f64]) -> Option<NumberSummary> {
    // Sorted, the infinite values stand at the two ends.
    let start = sorted.partition_point(|&value| value == f64::NEG_INFINITY);
    let end = sorted.partition_point(|&value| value < f64::INFINITY);
    let finite = &sorted[start..end];
    let (&min, &max) = finite.first().zip(finite.last())?;
    let count = finite.len() as f64;
    // In units of the largest size no sum or square can overflow.
    let unit = match min.abs().max(max.abs()) {
        0.0 => 1.0,
        size => size,
    };
    let mean = finite.iter().map(|value| value / unit).sum::<f64>() / count;
    let square = |value: &f64| (value / unit - mean).powi(2);
    let variance = finite.iter().map(square).sum::<f64>() / count;
    Some(NumberSummary {
        infinite: sorted.len() - finite.len(),
        min,
        lower_quartile: quantile(finite, 0.25),
        median: quantile(finite, 0.5),
        upper_quartile: quantile(finite, 0.75),
        max,
        mean: mean * unit,
        std: variance.sqrt() * unit,
    })
}

/// The value at the place q·(n − 1) of the sorted values, between two of them by proportion.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let (below, part) = (place.floor() as usize, place.fract());
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] * (1.0 - part) + sorted[above] * part
}

fn most_frequent(names: &[String], counts: &[usize]) -> (usize, Vec<(String, usize)>) {
    let mut used: Vec<usize> = (0..names.len())
        .filter(|&place| counts[place] > 0)
        .collect();
    let distinct = used.len();
    used.sort_by_key(|&place| std::cmp::Reverse(counts[place]));
    used.truncate(5);
    let top = used
        .into_iter()
        .map(|place| (names[place].clone(), counts[place]))
        .collect();
    (distinct, top)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(column: Column) -> ColumnSummary {
        summarise("x", &column)
    }

    #[test]
    fn numbers_have_their_moments_and_quartiles() {
        let summary = of(Column::Numbers(vec![4.0, 1.0, 2.0, f64::NAN, 3.0, 3.0]));
        assert_eq!(
            (summary.count, summary.missing, summary.distinct),
            (5, 1, 4)
        );
        let numbers = summary.numbers.unwrap();
        assert_eq!((numbers.min, numbers.max), (1.0, 4.0));
        // Sorted 1 2 3 3 4: places 1, 2 and 3; mean 13/5; Σ(x−x̄)² = 39 − 169/5 = 5.2.
        assert_eq!(
            (
                numbers.lower_quartile,
                numbers.median,
                numbers.upper_quartile
            ),
            (2.0, 3.0, 3.0)
        );
        assert!((numbers.mean - 2.6).abs() < 1e-12);
        assert!((numbers.std - (5.2_f64 / 5.0).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn quartiles_between_values_are_interpolated() {
        let numbers = of(Column::Numbers(vec![1.0, 2.0])).numbers.unwrap();
        assert_eq!(
            (
                numbers.lower_quartile,
                numbers.median,
                numbers.upper_quartile
            ),
            (1.25, 1.5, 1.75)
        );
    }

    #[test]
    fn huge_and_infinite_values_do_not_spoil_the_summary() {
        let summary = of(Column::Numbers(vec![1e308, 1e308, -1e308, f64::INFINITY]));
        let numbers = summary.numbers.unwrap();
        assert_eq!(numbers.infinite, 1);
        assert!((numbers.mean / (1e308 / 3.0) - 1.0).abs() < 1e-12);
        assert!(numbers.std.is_finite());
        assert_eq!(of(Column::Numbers(vec![f64::NAN])).numbers, None);
        let zeros = of(Column::Numbers(vec![0.0, 0.0])).numbers.unwrap();
        assert_eq!((zeros.mean, zeros.std), (0.0, 0.0));
    }

    #[test]
    fn words_booleans_and_times_are_summarised() {
        let words = of(Column::from_words([Some("b"), Some("a"), Some("b"), None]));
        assert_eq!(words.top, [("b".to_owned(), 2), ("a".to_owned(), 1)]);
        assert_eq!((words.distinct, words.missing), (2, 1));
        let flags = of(Column::Booleans(vec![Some(true), None]));
        assert_eq!(flags.top, [("true".to_owned(), 1)]);
        let times = of(Column::Times(vec![Some(86_400.0), Some(0.0), None]));
        assert_eq!(
            times.span,
            Some(("1970-01-01".to_owned(), "1970-01-02".to_owned()))
        );
        let json = serde_json::to_value(&times).unwrap();
        assert_eq!(json["kind"], "time");
        assert!(json.get("numbers").is_none());
    }
}
