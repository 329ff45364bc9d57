//! Rows that only judge.

use didact_core::random::generator;
use didact_core::{Error, Result};
use rand::seq::SliceRandom;

/// The stream of random numbers that decides which rows judge.
const STREAM: u64 = u64::MAX;

/// Rows to learn from and rows that judge, a share of each class where it has two or more.
pub(crate) fn hold_out_by_class(
    labels: &[usize],
    n_classes: usize,
    share: f64,
    seed: u64,
) -> Result<(Vec<usize>, Vec<usize>)> {
    let mut members = vec![Vec::new(); n_classes];
    for (row, &label) in labels.iter().enumerate() {
        members[label].push(row);
    }
    split(members, labels.len(), share, seed)
}

/// Rows to learn from and rows that judge.
pub(crate) fn hold_out(n_rows: usize, share: f64, seed: u64) -> Result<(Vec<usize>, Vec<usize>)> {
    split(vec![(0..n_rows).collect()], n_rows, share, seed)
}

fn split(
    groups: Vec<Vec<usize>>,
    n_rows: usize,
    share: f64,
    seed: u64,
) -> Result<(Vec<usize>, Vec<usize>)> {
    let mut random = generator(seed, STREAM);
    let (mut taught, mut judged) = (Vec::new(), Vec::new());
    for mut group in groups {
        group.shuffle(&mut random);
        let wanted = (share * group.len() as f64).round().max(1.0) as usize;
        // Nobody judges where nobody would be left to learn from.
        let held = wanted.min(group.len().saturating_sub(1));
        judged.extend_from_slice(&group[..held]);
        taught.extend_from_slice(&group[held..]);
    }
    taught.sort_unstable();
    judged.sort_unstable();
    match judged.is_empty() || taught.is_empty() {
        true => Err(Error::data(format!(
            "{n_rows} rows are too few to hold some out; give more rows or set early_stopping to \
             false"
        ))),
        false => Ok((taught, judged)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_judges_by_its_share_and_no_row_twice() {
        let labels: Vec<usize> = (0..100).map(|row| usize::from(row % 5 == 0)).collect();
        let (taught, judged) = hold_out_by_class(&labels, 2, 0.1, 3).unwrap();
        assert_eq!(judged.iter().filter(|&&row| labels[row] == 1).count(), 2);
        assert_eq!(judged.len(), 10);
        let mut all = [taught, judged].concat();
        all.sort_unstable();
        assert_eq!(all, (0..100).collect::<Vec<_>>());
        assert!(
            hold_out(1, 0.1, 0)
                .unwrap_err()
                .to_string()
                .contains("early_stopping")
        );
    }
}
