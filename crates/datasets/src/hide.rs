//! Hides labels: from classification through semi-supervised learning to clustering.

use didact_core::random::generator;
use didact_core::{Error, Labels, PartialLabels, Result};
use rand::seq::SliceRandom;

/// Keeps a share of the labels and hides the others.
///
/// A share of one is classification, of zero clustering, and between them lies learning from
/// few labels. Every class keeps its share, at least one label as long as the share is not
/// zero, so that no class is lost.
///
/// ```
/// use didact_datasets::{hide_labels, iris};
/// let few = hide_labels(iris().labels()?, 0.1, 1)?;
/// assert_eq!(few.indices.iter().flatten().count(), 15);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn hide_labels(labels: &Labels, share: f64, seed: u64) -> Result<PartialLabels> {
    if !(0.0..=1.0).contains(&share) {
        return Err(Error::parameter(
            "share",
            share,
            "it must be at least 0 and at most 1",
        ));
    }
    let mut indices = vec![None; labels.indices.len()];
    for class in 0..labels.classes.len() {
        let mut members: Vec<usize> = (0..indices.len())
            .filter(|&row| labels.indices[row] == class)
            .collect();
        members.shuffle(&mut generator(seed, class as u64));
        let exact = share * members.len() as f64;
        let kept = match share > 0.0 {
            true => (exact.round() as usize).max(1),
            false => 0,
        };
        for &row in members.iter().take(kept) {
            indices[row] = Some(class);
        }
    }
    Ok(PartialLabels {
        indices,
        classes: labels.classes.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::iris;
    use proptest::prelude::*;

    // 002a:CL01: no labels, few labels and all labels of any labelled data set.
    #[test]
    fn none_few_and_all_labels_are_one_control() {
        let iris = iris();
        let labels = iris.labels().unwrap();
        let kept = |share| hide_labels(labels, share, 3).unwrap().known_share();
        assert_eq!(kept(0.0), 0.0);
        assert!((kept(0.1) - 0.1).abs() < 1e-12);
        assert_eq!(kept(1.0), 1.0);
        let few = hide_labels(labels, 0.001, 3).unwrap();
        for class in 0..3 {
            assert_eq!(few.indices.iter().filter(|i| **i == Some(class)).count(), 1);
        }
    }

    #[test]
    fn what_is_kept_is_true_and_chosen_by_the_seed() {
        let iris = iris();
        let labels = iris.labels().unwrap();
        let few = hide_labels(labels, 0.2, 4).unwrap();
        for (known, truth) in few.indices.iter().zip(&labels.indices) {
            assert!(known.is_none_or(|known| known == *truth));
        }
        assert_eq!(few, hide_labels(labels, 0.2, 4).unwrap());
        assert_ne!(few, hide_labels(labels, 0.2, 5).unwrap());
        assert!(hide_labels(labels, f64::NAN, 4).is_err());
    }

    proptest! {
        #[test]
        fn every_class_keeps_its_share_up_to_rounding(
            labels in proptest::collection::vec(0usize..4, 1..80),
            share in 0.0..1.0,
            seed: u64,
        ) {
            let labels = Labels::from_indices(labels);
            let few = hide_labels(&labels, share, seed).unwrap();
            for class in 0..labels.classes.len() {
                let size = labels.indices.iter().filter(|&&l| l == class).count();
                let kept = few.indices.iter().filter(|&&l| l == Some(class)).count();
                prop_assert!(kept <= size);
                let exact = share * size as f64;
                prop_assert!((kept as f64 - exact).abs() <= 0.5 || kept == 1);
            }
        }
    }
}
