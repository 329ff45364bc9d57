//! Writing results: tables for people, JSON for machines, notes on standard error.

use comfy_table::{
    Attribute, Cell, CellAlignment, ContentArrangement, LineStyle, Table, TableStyle, presets,
};
use didact::plot::Picture;
use serde::Serialize;
use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;

/// Where results go and in which form.
pub(crate) struct Output {
    /// Whether the reader is a machine.
    pub(crate) json: bool,
    quiet: bool,
}

impl Output {
    pub(crate) fn new(json: bool, quiet: bool) -> Self {
        Output { json, quiet }
    }

    /// Prints a line of the result. A reader that has gone away ends the program quietly.
    pub(crate) fn line(&self, text: impl AsRef<str>) {
        if let Err(error) = writeln!(std::io::stdout(), "{}", text.as_ref()) {
            std::process::exit(i32::from(error.kind() != ErrorKind::BrokenPipe));
        }
    }

    /// Prints a value as JSON.
    pub(crate) fn json(&self, value: &impl Serialize) -> didact::Result<()> {
        self.line(json_text(value)?);
        Ok(())
    }

    /// Saves a value as a JSON file.
    pub(crate) fn save_json(&self, path: &Path, value: &impl Serialize) -> didact::Result<()> {
        let text = json_text(value)? + "\n";
        self.save(path, text.as_bytes())
    }

    /// Writes a file so that its place never holds half of it.
    pub(crate) fn save(&self, path: &Path, bytes: &[u8]) -> didact::Result<()> {
        didact::data::write_atomically(path, |file| {
            file.write_all(bytes)
                .map_err(|error| didact::Error::file(path.display(), error))
        })?;
        self.note(format!("saved as {}", path.display()));
        Ok(())
    }

    /// Saves a picture; the ending says how.
    pub(crate) fn save_picture(&self, path: &Path, picture: &Picture) -> didact::Result<()> {
        picture.save(path)?;
        self.note(format!("drawn as {}", path.display()));
        Ok(())
    }

    /// Says something that is not part of the result.
    pub(crate) fn note(&self, text: impl AsRef<str>) {
        if !self.quiet {
            eprintln!("note: {}", text.as_ref());
        }
    }

    /// Prints a table.
    pub(crate) fn table(&self, grid: Grid) {
        self.line(grid.table.trim_fmt());
    }
}

fn json_text(value: &impl Serialize) -> didact::Result<String> {
    serde_json::to_string_pretty(value).map_err(|error| {
        didact::Error::Data(format!("the result cannot be written as JSON: {error}"))
    })
}

/// A line under the headings and none elsewhere.
const LIGHT: TableStyle =
    TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));

/// A table of cells under a heading.
pub(crate) struct Grid {
    table: Table,
}

impl Grid {
    pub(crate) fn new(headings: &[&str]) -> Self {
        let mut table = Table::new();
        table.load_style(LIGHT);
        table.set_content_arrangement(ContentArrangement::Dynamic);
        if !std::io::stdout().is_terminal() {
            // Files and pipes have no width to which text would have to be broken.
            table.set_content_arrangement(ContentArrangement::Disabled);
        }
        table.set_header(
            headings
                .iter()
                .map(|heading| Cell::new(heading).add_attribute(Attribute::Bold)),
        );
        Grid { table }
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = impl Into<Cell>>) {
        self.table
            .add_row(cells.into_iter().map(Into::into).collect::<Vec<Cell>>());
    }

    /// Draws a line between rows, for rows of several lines.
    pub(crate) fn ruled(mut self) -> Self {
        self.table.load_style(presets::UTF8_HORIZONTAL_ONLY);
        self
    }

    /// Aligns a column of numbers.
    pub(crate) fn right(mut self, column: usize) -> Self {
        if let Some(column) = self.table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        self
    }
}

/// Seconds as people say them.
pub(crate) fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.0} µs", s * 1e6),
        s if s < 1.0 => format!("{:.1} ms", s * 1e3),
        s if s < 120.0 => format!("{s:.1} s"),
        s => format!("{:.1} min", s / 60.0),
    }
}

/// A number with as many digits as people can use.
pub(crate) fn number(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        size if !size.is_finite() => value.to_string(),
        size if (1e-3..1e6).contains(&size) => {
            let text = format!("{value:.4}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        _ => format!("{value:.4e}"),
    }
}

/// A bar of the given share of ten characters, in steps of an eighth.
pub(crate) fn bar(share: f64) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let steps = (share.clamp(0.0, 1.0) * 80.0).round() as usize;
    format!("{}{}", "█".repeat(steps / 8), EIGHTHS[steps % 8])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_durations_are_short() {
        assert_eq!(number(0.5), "0.5");
        assert_eq!(number(1234.567891), "1234.5679");
        assert_eq!(number(-1.5e-9), "-1.5000e-9");
        assert_eq!(number(f64::NAN), "NaN");
        assert_eq!(duration(0.0123), "12.3 ms");
        assert_eq!(duration(300.0), "5.0 min");
    }

    #[test]
    fn bars_grow_with_their_share() {
        assert_eq!(bar(0.0), "");
        assert_eq!(bar(1.0), "██████████");
        assert_eq!(bar(0.5125), "█████▏");
        assert_eq!(bar(7.0), bar(1.0));
    }
}
