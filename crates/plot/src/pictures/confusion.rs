//! Which classes are taken for which.

use super::same_length;
use crate::cloud::owned;
use crate::layer::{Content, Word};
use crate::panel::{ColourBar, Panel};
use crate::picture::Picture;
use crate::scale::{Axis, short};
use crate::theme::Ink;
use didact_core::{Error, Result};
use ndarray::ArrayView2;

/// More classes than this have no numbers in their cells.
const MOST_WITH_NUMBERS: usize = 12;

/// The confusion matrix: rows are true classes, columns predicted ones.
///
/// A cell is as dark as its share of the row; it holds the count and the share.
///
/// ```
/// use didact_plot::confusion_matrix;
/// let counts = ndarray::array![[8.0, 2.0], [1.0, 9.0]];
/// let picture = confusion_matrix(counts.view(), &["cat", "dog"])?;
/// assert!(picture.svg().contains("80 %"));
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn confusion_matrix<S: AsRef<str>>(
    counts: ArrayView2<'_, f64>,
    class_names: &[S],
) -> Result<Picture> {
    same_length(
        "rows of counts",
        counts.nrows(),
        "classes",
        class_names.len(),
    )?;
    same_length(
        "columns of counts",
        counts.ncols(),
        "classes",
        class_names.len(),
    )?;
    super::not_empty("classes", class_names.len())?;
    if let Some(bad) = counts
        .iter()
        .find(|count| !(**count >= 0.0 && count.is_finite()))
    {
        return Err(Error::data(format!(
            "a count of the confusion matrix is {bad}; counts must be finite and not negative"
        )));
    }
    let names = owned(class_names);
    let mut panel = Panel::new(
        Axis::names("Predicted class", names.clone()),
        Axis::names("True class", names).reversed(),
    );
    let (mut cells, mut words) = (Vec::new(), Vec::new());
    for (row, values) in counts.rows().into_iter().enumerate() {
        let total = values.sum();
        for (column, &count) in values.iter().enumerate() {
            let share = if total > 0.0 { count / total } else { 0.0 };
            let (x, y) = (column as f64, row as f64);
            cells.push(([x - 0.48, y - 0.48, x + 0.48, y + 0.48], Ink::Amount(share)));
            let ink = Ink::OnAmount(share);
            let percent = format!("{:.0} %", share * 100.0);
            words.push(Word::centred([x, y], short(count), ink).shifted(
                crate::canvas::Anchor::Middle,
                0.0,
                -0.6,
            ));
            words.push(Word::centred([x, y], percent, ink).shifted(
                crate::canvas::Anchor::Middle,
                0.0,
                0.7,
            ));
        }
    }
    panel.push("cell", None, Content::Cells(cells, 1.0));
    if class_names.len() <= MOST_WITH_NUMBERS {
        panel.words(words, false);
    }
    panel.colour_bar = Some(ColourBar {
        label: "Share of the true class".to_owned(),
        ends: [0.0, 1.0],
    });
    let side = 360.0 + 22.0 * (class_names.len().clamp(3, 20) - 3) as f64;
    Ok(Picture::new("Confusion matrix", vec![panel]).with_size(side + 120.0, side))
}
