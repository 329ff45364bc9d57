//! Which rows belong to which part of a split.

use super::not_empty;
use crate::layer::Content;
use crate::panel::Panel;
use crate::picture::Picture;
use crate::scale::{Axis, short};
use crate::theme::Ink;
use didact_core::{Error, Result};

/// A bar of all rows with the rows of each part in its colour, one bar per part beneath it.
///
/// The parts of a sound split have no row in common; a row that stands in two of them is an
/// error, since a model would be judged on what it has seen.
///
/// ```
/// use didact_plot::partition;
/// let parts: [(&str, &[usize]); 2] = [("train", &[0, 1, 3]), ("test", &[2])];
/// let picture = partition(4, &parts)?;
/// assert!(picture.svg().contains("train: 3 rows, 75 %"));
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn partition(n_rows: usize, parts: &[(&str, &[usize])]) -> Result<Picture> {
    not_empty("rows", n_rows)?;
    not_empty("parts", parts.len())?;
    let owners = owners(n_rows, parts)?;
    let names = parts.iter().map(|(name, _)| (*name).to_owned());
    let bars = std::iter::once("all rows".to_owned()).chain(names);
    let mut panel = Panel::new(
        Axis::new("Row").between(0.0, n_rows as f64),
        Axis::names("", bars.collect()).reversed(),
    );
    for (part, (name, rows)) in parts.iter().enumerate() {
        let mut cells = Vec::new();
        for [first, end] in runs(&owners, part) {
            for bar in [0.0, part as f64 + 1.0] {
                let corners = [first as f64, bar - 0.34, end as f64, bar + 0.34];
                cells.push((corners, Ink::Series(part)));
            }
        }
        let share = 100.0 * rows.len() as f64 / n_rows as f64;
        let legend = format!("{name}: {} rows, {} %", rows.len(), short(share));
        panel.push("part", Some(&legend), Content::Cells(cells, 1.0));
    }
    let picture = Picture::new("Partition of the rows", vec![panel]);
    let unused = owners.iter().filter(|owner| owner.is_none()).count();
    Ok(match unused {
        0 => picture,
        _ => picture.with_note(format!("Rows that belong to no part: {unused}.")),
    })
}

/// The part of each row.
fn owners(n_rows: usize, parts: &[(&str, &[usize])]) -> Result<Vec<Option<usize>>> {
    let mut owners = vec![None; n_rows];
    for (part, (name, rows)) in parts.iter().enumerate() {
        for &row in *rows {
            let owner: &mut Option<usize> = owners.get_mut(row).ok_or_else(|| {
                Error::data(format!(
                    "part {name} has row {row} but there are only {n_rows} rows, from 0"
                ))
            })?;
            if let Some(other) = owner.replace(part) {
                return Err(Error::data(format!(
                    "row {row} stands in part {} and again in part {name}; the parts must be \
                     disjoint",
                    parts[other].0
                )));
            }
        }
    }
    Ok(owners)
}

/// The first row and the row after the last of each stretch that belongs to the part.
fn runs(owners: &[Option<usize>], part: usize) -> Vec<[usize; 2]> {
    let mut runs: Vec<[usize; 2]> = Vec::new();
    for (row, owner) in owners.iter().enumerate() {
        match runs.last_mut() {
            _ if *owner != Some(part) => {}
            Some(run) if run[1] == row => run[1] = row + 1,
            _ => runs.push([row, row + 1]),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    // 002a:FIG02: train, validation and test blocks are disjoint.
    #[test]
    fn a_row_in_two_parts_or_in_none_is_noticed() {
        let rows = [0, 1, 2, 3, 4, 5];
        let error = |parts: &[(&str, &[usize])]| partition(6, parts).unwrap_err().to_string();
        let twice = error(&[("train", &rows[..4]), ("test", &rows[3..])]);
        assert!(
            twice.contains("row 3 stands in part train and again in part test"),
            "{twice}"
        );
        assert!(error(&[("train", &[6])]).contains("only 6 rows"));
        assert!(error(&[]).contains("no parts"));
        let partial = partition(6, &[("train", &rows[..3]), ("test", &rows[4..])]).unwrap();
        assert_eq!(partial.notes(), ["Rows that belong to no part: 1."]);
        let whole = partition(6, &[("train", &rows[..3]), ("test", &rows[3..])]).unwrap();
        assert!(whole.notes().is_empty());
    }

    #[test]
    fn stretches_of_rows_are_one_piece_each() {
        let owners = [Some(0), Some(0), Some(1), None, Some(0)];
        assert_eq!(runs(&owners, 0), [[0, 2], [4, 5]]);
        assert_eq!(runs(&owners, 1), [[2, 3]]);
    }
}
