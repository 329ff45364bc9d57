//! What generators of groups promise about the shape and place of the groups.

use super::*;
use std::collections::BTreeMap;

fn squared_distance(left: ArrayView1<'_, f64>, right: ArrayView1<'_, f64>) -> f64 {
    left.iter().zip(right).map(|(a, b)| (a - b) * (a - b)).sum()
}

// 002a:FIG31: three blobs. A mean of 5000 points has standard error 1/√5000 = 0.014.
#[test]
fn three_blobs_lie_around_their_centres() {
    let data = Blobs {
        n_samples: 15_000,
        ..Blobs::default()
    }
    .generate(8)
    .unwrap();
    let centers = data.truth("centers").unwrap();
    for group in 0..3 {
        for (mean, center) in class_mean(&data, group).iter().zip(centers.row(group)) {
            assert!((mean - center).abs() < 4.5 * 0.0142);
        }
    }
}

// 002a:FIG34: groups that are closer to each other than their own spread, and nested ones.
#[test]
fn the_elongated_pair_is_closer_than_it_is_long_and_rings_are_nested() {
    let pair = ElongatedPair::default().generate(2).unwrap();
    let (first, second) = (class_mean(&pair, 0), class_mean(&pair, 1));
    let gap = ((first[0] - second[0]).powi(2) + (first[1] - second[1]).powi(2)).sqrt();
    let spread = pair.features().column(0).std(0.0);
    assert!(gap < 2.0 * spread, "{gap} {spread}");
    let rings = Circles {
        n_rings: 3,
        noise: 0.0,
        ..Circles::default()
    }
    .generate(2)
    .unwrap();
    for (row, &ring) in rings
        .features()
        .rows()
        .into_iter()
        .zip(&rings.labels().unwrap().indices)
    {
        assert!((row.dot(&row).sqrt() - 0.5f64.powi(ring as i32)).abs() < 1e-12);
    }
}

#[test]
fn the_unbalanced_pair_has_the_share_asked_for() {
    let data = UnbalancedPair::default().generate(1).unwrap();
    let small = data
        .labels()
        .unwrap()
        .indices
        .iter()
        .filter(|&&l| l == 1)
        .count();
    assert_eq!(small, 22);
}

/// Share of pairs of one group whose midpoint is nearest to a point of the same group.
fn share_of_midpoints_inside(data: &Dataset) -> f64 {
    let (features, labels) = (data.features(), &data.labels().unwrap().indices);
    let (mut inside, mut all) = (0, 0);
    for left in (0..labels.len()).step_by(5) {
        for right in (0..left)
            .filter(|&right| labels[right] == labels[left])
            .step_by(3)
        {
            let middle = (&features.row(left) + &features.row(right)) / 2.0;
            let nearest = (0..labels.len())
                .min_by(|&a, &b| {
                    squared_distance(features.row(a), middle.view())
                        .total_cmp(&squared_distance(features.row(b), middle.view()))
                })
                .unwrap();
            inside += usize::from(labels[nearest] == labels[left]);
            all += 1;
        }
    }
    f64::from(inside as u32) / f64::from(all)
}

// 002a:CL03: between two members of a convex group lies the group, of a concave one not always.
#[test]
fn the_shape_tag_tells_whether_segments_stay_inside() {
    for entry in generators() {
        let Some(shape) = entry.shape else { continue };
        // Groups that overlap have no shape of their own.
        let data = match entry.info.id {
            "gaussian-mixture" => generate("gaussian-mixture", &[("separation", "30")], 11),
            id => generate(id, &[], 11),
        };
        let data = data.unwrap();
        let inside = share_of_midpoints_inside(&data);
        match shape {
            Shape::Concave => assert!(inside < 0.9, "{} {inside}", entry.info.id),
            _ => assert!(inside > 0.97, "{} {inside}", entry.info.id),
        }
    }
}

fn cluster_type(kind: ClusterType) -> Dataset {
    ClusterTypes {
        kind,
        n_samples: 300,
    }
    .generate(6)
    .unwrap()
}

/// Whether each point's farthest relative is nearer than its nearest stranger, whether its
/// nearest neighbour is a relative, whether its own centre is the nearest: shares of points.
fn separations(data: &Dataset) -> (f64, f64, f64) {
    let (features, labels) = (data.features(), &data.labels().unwrap().indices);
    let groups = data.labels().unwrap().classes.len();
    let centres: Vec<Vec<f64>> = (0..groups).map(|group| class_mean(data, group)).collect();
    let (mut separated, mut linked, mut centred) = (0, 0, 0);
    for (row, place) in features.rows().into_iter().enumerate() {
        let (mut near_kin, mut far_kin, mut near_stranger) = (f64::INFINITY, 0.0f64, f64::INFINITY);
        for (other, there) in features.rows().into_iter().enumerate() {
            let distance = squared_distance(place, there);
            if other == row {
                continue;
            }
            if labels[other] == labels[row] {
                near_kin = near_kin.min(distance);
                far_kin = far_kin.max(distance);
            } else {
                near_stranger = near_stranger.min(distance);
            }
        }
        separated += usize::from(far_kin < near_stranger);
        linked += usize::from(near_kin < near_stranger);
        let to_centre = |group: usize| squared_distance(place, ArrayView1::from(&centres[group]));
        let own = to_centre(labels[row]);
        centred += usize::from((0..groups).all(|g| g == labels[row] || own < to_centre(g)));
    }
    let share = |count: usize| count as f64 / labels.len() as f64;
    (share(separated), share(linked), share(centred))
}

// 003:P73: each type has what its definition asks for and lacks what the stronger ones ask for.
#[test]
fn the_four_cluster_types_meet_their_definitions() {
    let (separated, linked, centred) = separations(&cluster_type(ClusterType::WellSeparated));
    assert_eq!((separated, linked, centred), (1.0, 1.0, 1.0));
    let (separated, _, centred) = separations(&cluster_type(ClusterType::CentreBased));
    assert!(separated < 0.5 && centred > 0.98, "{separated} {centred}");
    let (separated, linked, centred) = separations(&cluster_type(ClusterType::Contiguous));
    assert_eq!(linked, 1.0);
    assert!(separated < 0.5 && centred < 0.8, "{separated} {centred}");
}

// 003:P73
#[test]
fn a_density_based_cluster_is_denser_than_the_noise_around_it() {
    let data = cluster_type(ClusterType::DensityBased);
    let (features, labels) = (data.features(), &data.labels().unwrap().indices);
    let mut neighbours: BTreeMap<bool, Vec<usize>> = BTreeMap::new();
    for (row, place) in features.rows().into_iter().enumerate() {
        let near = features
            .rows()
            .into_iter()
            .filter(|there| squared_distance(place, *there) < 0.2 * 0.2)
            .count();
        neighbours
            .entry(labels[row] == 2)
            .or_default()
            .push(near - 1);
    }
    let mean = |counts: &[usize]| counts.iter().sum::<usize>() as f64 / counts.len() as f64;
    assert!(mean(&neighbours[&false]) > 4.0 * mean(&neighbours[&true]));
    assert_eq!(neighbours[&true].len(), 30);
}
