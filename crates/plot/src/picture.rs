//! A picture: panels, a title and notes, in any output.

use crate::canvas::{Anchor, Canvas, Mark};
use crate::font;
use crate::layout::{Medium, Sheet, draw_panel, side_margins};
use crate::panel::Panel;
use crate::theme::Theme;
use crate::{overlay, raster, svg, terminal};
use didact_core::model::Described;
use didact_core::{Error, Result, Shape};
use std::path::Path;

/// Width and height of a picture with one panel.
pub(crate) const SIZE: [f64; 2] = [640.0, 420.0];

/// The narrowest terminal that is drawn for.
const FEWEST_COLUMNS: usize = 30;

/// A finished picture, to be shown as SVG, as PNG or in a terminal.
///
/// ```
/// use didact_plot::{Theme, loss_trace};
/// use didact_core::{StopReason, Trace};
/// let trace = Trace {
///     objective_name: "inertia".to_owned(),
///     objectives: vec![9.0, 4.0, 3.5],
///     stop: StopReason::Converged,
/// };
/// let picture = loss_trace(&[("k-means", &trace)])?.themed(Theme::dark());
/// assert!(picture.svg().starts_with("<svg"));
/// assert_eq!(&picture.png(2.0)?[1..4], b"PNG");
/// assert!(picture.terminal(80).contains("inertia"));
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    title: String,
    panels: Vec<Panel>,
    columns: usize,
    size: [f64; 2],
    theme: Theme,
    notes: Vec<String>,
}

impl Picture {
    pub(crate) fn new(title: impl Into<String>, panels: Vec<Panel>) -> Self {
        let mut notes = Vec::new();
        let left_out: usize = panels.iter().map(|panel| panel.left_out).sum();
        match left_out {
            0 => {}
            1 => notes.push("One value that cannot be drawn (not finite) is left out.".to_owned()),
            many => notes.push(format!(
                "{many} values that cannot be drawn (not finite) are left out."
            )),
        }
        let thinned = panels
            .iter()
            .filter_map(|panel| panel.thinned)
            .reduce(|one, two| [one[0] + two[0], one[1] + two[1]]);
        if let Some([all, drawn]) = thinned {
            notes.push(format!(
                "{drawn} of {all} points are drawn; the others lie beside them."
            ));
        }
        Picture {
            title: title.into(),
            panels,
            columns: 1,
            size: SIZE,
            theme: Theme::default(),
            notes,
        }
    }

    pub(crate) fn with_note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    pub(crate) fn with_size(mut self, width: f64, height: f64) -> Self {
        self.size = [width, height];
        self
    }

    pub(crate) fn with_columns(mut self, columns: usize) -> Self {
        self.columns = columns.max(1);
        self
    }

    /// The same picture in another theme.
    pub fn themed(mut self, theme: Theme) -> Self {
        self.theme = theme;
        self
    }

    /// The same picture under another title; an empty one leaves the title out.
    pub fn titled(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// The same picture in another size, in pixels.
    pub fn sized(mut self, width: f64, height: f64) -> Result<Self> {
        for (name, value) in [("width", width), ("height", height)] {
            if !(100.0..=10_000.0).contains(&value) {
                let requirement = "it must be between 100 and 10000 pixels";
                return Err(Error::parameter(name, value, requirement));
            }
        }
        self.size = [width, height];
        Ok(self)
    }

    /// Lays figures of a model over the picture, which must show two features.
    pub fn with_figures(mut self, figures: &[(Described, Shape)]) -> Result<Self> {
        let panel = self
            .panels
            .first_mut()
            .ok_or_else(|| Error::unsupported("the picture is empty"))?;
        self.notes.extend(overlay::add(panel, figures)?);
        Ok(self)
    }

    /// Several pictures in one, `columns` beside each other, in the theme of the first.
    pub fn beside(pictures: Vec<Picture>, columns: usize) -> Result<Picture> {
        let Some(first) = pictures.first() else {
            return Err(Error::data("there are no pictures to put together"));
        };
        if columns == 0 {
            return Err(Error::parameter(
                "columns",
                columns,
                "it must be at least 1",
            ));
        }
        let theme = first.theme.clone();
        let columns = columns.min(pictures.len());
        let rows = pictures.len().div_ceil(columns);
        let [width, height] = pictures.iter().fold([0.0_f64; 2], |size, picture| {
            [size[0].max(picture.size[0]), size[1].max(picture.size[1])]
        });
        let mut notes: Vec<String> = Vec::new();
        let mut panels = Vec::new();
        for picture in pictures {
            for (index, mut panel) in picture.panels.into_iter().enumerate() {
                if index == 0 && panel.title.is_none() {
                    panel.title = Some(picture.title.clone());
                }
                panels.push(panel);
            }
            for note in picture.notes {
                if !notes.contains(&note) {
                    notes.push(note);
                }
            }
        }
        // Each picture is drawn somewhat smaller than alone.
        let share = if columns > 1 { 0.75 } else { 1.0 };
        Ok(Picture {
            title: String::new(),
            panels,
            columns,
            size: [width * share * columns as f64, height * share * rows as f64],
            theme,
            notes,
        })
    }

    /// What the reader should know: values left out, points thinned, features held fixed.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The title.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Width and height in pixels.
    pub fn size(&self) -> [f64; 2] {
        self.size
    }

    /// The picture as one SVG document that needs nothing outside itself.
    pub fn svg(&self) -> String {
        svg::write(&self.page(), &self.title)
    }

    /// The picture as the bytes of a PNG file, with `scale` pixels per unit: 2 is sharp on most
    /// screens.
    pub fn png(&self, scale: f64) -> Result<Vec<u8>> {
        raster::png(&self.page(), scale)
    }

    /// The picture as text for a terminal of the given number of columns.
    pub fn terminal(&self, width: usize) -> String {
        terminal::text(&self.letters(width), false)
    }

    /// The picture as text with the escape codes of 24-bit colours.
    pub fn terminal_in_colour(&self, width: usize) -> String {
        terminal::text(&self.letters(width), true)
    }

    /// Writes the picture to a file whose ending says how: `.svg`, `.png` or `.txt`.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let ending = path
            .extension()
            .map(|ending| ending.to_string_lossy().to_lowercase());
        let bytes = match ending.as_deref() {
            Some("svg") => self.svg().into_bytes(),
            Some("png") => self.png(2.0)?,
            Some("txt") => self.terminal(100).into_bytes(),
            _ => {
                return Err(Error::file(
                    path.display(),
                    "pictures are saved as .svg, .png or .txt; give the file one of these endings",
                ));
            }
        };
        std::fs::write(path, bytes).map_err(|error| Error::file(path.display(), error))
    }

    fn page(&self) -> Canvas {
        let mut canvas = Canvas::new(self.size[0], self.size[1], self.theme.background);
        let medium = Medium::page(&self.theme);
        self.lay_out(&mut canvas, medium);
        canvas
    }

    fn letters(&self, width: usize) -> Canvas {
        let columns = width.max(FEWEST_COLUMNS);
        let across = columns as f64 * terminal::CELL[0];
        // A dot is about square; notes and titles are as high as in no page, so a few rows more.
        let rows = (across * self.size[1] / self.size[0] / terminal::CELL[1]).round() + 2.0;
        let mut canvas = Canvas::new(across, rows * terminal::CELL[1], self.theme.background);
        self.lay_out(&mut canvas, Medium::terminal());
        canvas
    }

    fn lay_out(&self, canvas: &mut Canvas, medium: Medium) {
        let margin = medium.length(1.0, 0.0);
        let [left, mut top] = [margin, margin];
        let (right, mut bottom) = (canvas.width - margin, canvas.height - margin);
        let mut sheet = Sheet {
            canvas,
            theme: &self.theme,
            medium,
        };
        if !self.title.is_empty() {
            // The title is a quarter larger than the labels.
            let larger = medium.length(1.25, 4.0) / medium.size;
            let text = medium.shorten(&self.title, (right - left) / larger);
            sheet.canvas.marks.push(Mark::Text {
                class: "title",
                at: [left, top + medium.length(1.0, 4.0)],
                text,
                size: medium.size * larger,
                colour: self.theme.text,
                anchor: Anchor::Start,
                turn: 0.0,
            });
            top += medium.length(2.3, 4.0);
        }
        let lines: Vec<String> = self
            .notes
            .iter()
            .flat_map(|note| font::wrap(note, right - left, |text| medium.text_width(text)))
            .collect();
        for line in lines.iter().rev() {
            bottom -= medium.line_height();
            let middle = bottom + medium.line_height() / 2.0;
            sheet.text(
                "note",
                [left, middle],
                line,
                self.theme.muted,
                Anchor::Start,
            );
        }
        if !lines.is_empty() {
            bottom -= medium.length(0.4, 0.0);
        }
        self.place_panels(&mut sheet, [left, top, right, bottom]);
    }

    fn place_panels(&self, sheet: &mut Sheet<'_>, [left, top, right, bottom]: [f64; 4]) {
        let gap = sheet.medium.length(1.2, 4.0);
        let rows: Vec<&[Panel]> = self.panels.chunks(self.columns).collect();
        let tallest = |row: &[Panel]| row.iter().map(|panel| panel.height).fold(0.0, f64::max);
        let total: f64 = rows.iter().map(|row| tallest(row)).sum();
        let free = bottom - top - gap * (rows.len().max(1) - 1) as f64;
        let width = (right - left - gap * (self.columns - 1) as f64) / self.columns as f64;
        let mut upper = top;
        let mut places: Vec<(&Panel, usize, [f64; 4])> = Vec::new();
        for row in rows {
            let mut height = free * tallest(row) / total;
            if sheet.medium.letters_only {
                // Whole lines of letters.
                height = (height / 4.0).round() * 4.0;
            }
            for (column, panel) in row.iter().enumerate() {
                let start = left + column as f64 * (width + gap);
                let area = [start, upper, start + width, upper + height];
                places.push((panel, column, area));
            }
            upper += height + gap;
        }
        // Panels above each other line up when they share an axis, as those of one column do.
        let shared = |wanted: usize| {
            let of_column = places.iter().filter(|(_, column, _)| *column == wanted);
            of_column
                .map(|(panel, _, area)| side_margins(sheet.medium, panel, *area))
                .fold([0.0_f64; 2], |one, two| {
                    [one[0].max(two[0]), one[1].max(two[1])]
                })
        };
        let margins: Vec<[f64; 2]> = (0..self.columns).map(shared).collect();
        for (panel, column, area) in places {
            draw_panel(sheet, panel, area, margins[column]);
        }
    }
}
