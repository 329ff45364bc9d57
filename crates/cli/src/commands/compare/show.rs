//! Tables of a comparison.

use super::{Comparison, Row};
use crate::judging::{p_value, short, with_spread};
use crate::output::{Grid, Output, bar, duration};
use comfy_table::{Attribute, Cell};
use didact::evaluate::Summary;

impl Comparison {
    pub(super) fn show(&self, confidence: f64, output: &Output) {
        output.line(format!(
            "{}: {} rows × {} columns, {} folds, best first",
            self.data, self.rows, self.columns, self.folds
        ));
        let names: Vec<&str> = self.methods[0]
            .figures
            .iter()
            .map(|figure| figure.metric)
            .collect();
        let behind = format!("behind the best ({:.0} %)", confidence * 100.0);
        let mut headings = vec!["method", ""];
        headings.extend(&names);
        headings.extend([behind.as_str(), "fit"]);
        let mut grid = Grid::new(&headings);
        for column in 2..headings.len() {
            grid = grid.right(column);
        }
        for (place, row) in self.methods.iter().enumerate() {
            grid.row(self.cells(place, row, &names));
        }
        output.table(grid);
        if let Some(sentence) = self.verdict(confidence) {
            output.line(sentence);
        }
    }

    fn cells(&self, place: usize, row: &Row, names: &[&str]) -> Vec<Cell> {
        let share = row.figures.first().map_or(0.0, share);
        let mut cells = vec![
            best(Cell::new(&row.method), place == 0),
            Cell::new(bar(share)),
        ];
        for name in names {
            let figure = row.figures.iter().find(|figure| figure.metric == *name);
            let text = figure.map(with_spread).unwrap_or_default();
            cells.push(best(Cell::new(text), place == 0));
        }
        cells.push(Cell::new(match &row.behind_the_best {
            Some(behind) => {
                let (low, high) = behind.interval;
                let p = p_value(behind.p_value);
                format!(
                    "{} ({} … {}) {p}",
                    short(behind.mean),
                    short(low),
                    short(high)
                )
            }
            None => String::new(),
        }));
        cells.push(Cell::new(match row.error {
            Some(_) => "failed".to_owned(),
            None => duration(row.fit_seconds),
        }));
        cells
    }

    /// Which methods the folds cannot tell from the best.
    fn verdict(&self, confidence: f64) -> Option<String> {
        let level = 1.0 - confidence;
        let compared = self.methods.iter().skip(1);
        let equals: Vec<&str> = compared
            .filter(|row| row.behind_the_best.is_some_and(|one| one.p_value >= level))
            .map(|row| row.method.as_str())
            .collect();
        self.methods.get(1)?.behind_the_best?;
        Some(match equals.is_empty() {
            true => format!("{} is better than all others.", self.methods[0].method),
            false => format!(
                "{} leads, but these folds do not tell it from {}.",
                self.methods[0].method,
                equals.join(", ")
            ),
        })
    }
}

/// How long the bar of a figure is; what should be small has none.
fn share(figure: &Summary) -> f64 {
    match figure.higher_is_better {
        true => figure.mean,
        false => 0.0,
    }
}

fn best(cell: Cell, is_best: bool) -> Cell {
    match is_best {
        true => cell.add_attribute(Attribute::Bold),
        false => cell,
    }
}

/// One table per metric: methods down, data sets across, the best of each column marked.
pub(super) fn side_by_side(comparisons: &[Comparison], output: &Output) {
    let mut metrics: Vec<&str> = comparisons.iter().map(Comparison::metric).collect();
    metrics.dedup();
    for metric in metrics {
        let group: Vec<&Comparison> = comparisons
            .iter()
            .filter(|comparison| comparison.metric() == metric)
            .collect();
        let folds = group[0].folds;
        output.line(format!(
            "{metric} by {folds}-fold cross-validation, mean ± spread (★ best), and time of one fit"
        ));
        let titles: Vec<String> = group
            .iter()
            .map(|comparison| {
                format!(
                    "{}\n{} × {}",
                    comparison.data, comparison.rows, comparison.columns
                )
            })
            .collect();
        let mut headings = vec!["method"];
        headings.extend(titles.iter().map(String::as_str));
        let mut grid = Grid::new(&headings).ruled();
        for column in 1..headings.len() {
            grid = grid.right(column);
        }
        for method in by_mean(&group) {
            let mut cells = vec![Cell::new(&method)];
            for comparison in &group {
                cells.push(side_by_side_cell(comparison, &method));
            }
            grid.row(cells);
        }
        output.table(grid);
    }
}

fn side_by_side_cell(comparison: &Comparison, method: &str) -> Cell {
    let mut rows = comparison.methods.iter().enumerate();
    let Some((place, row)) = rows.find(|(_, row)| row.method == method) else {
        return Cell::new("");
    };
    match row.figures.first() {
        Some(figure) => {
            let star = if place == 0 { "★ " } else { "" };
            let text = format!(
                "{star}{}\n{} {}",
                with_spread(figure),
                bar(share(figure)),
                duration(row.fit_seconds)
            );
            best(Cell::new(text), place == 0)
        }
        None => Cell::new("failed"),
    }
}

/// Methods by their mean over the data sets, best first.
fn by_mean(group: &[&Comparison]) -> Vec<String> {
    let mut totals: Vec<(String, f64)> = Vec::new();
    for row in group.iter().flat_map(|comparison| &comparison.methods) {
        let value = row.figures.first().map_or(0.0, |_| row.rank());
        match totals.iter_mut().find(|(method, _)| *method == row.method) {
            Some((_, total)) => *total += value,
            None => totals.push((row.method.clone(), value)),
        }
    }
    totals.sort_by(|left, right| right.1.total_cmp(&left.1));
    totals.into_iter().map(|(method, _)| method).collect()
}
