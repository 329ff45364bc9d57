//! Clusters as features: distances to centres that were learned from the training part alone.

use didact::prelude::*;
use ndarray::{Array2, s};

/// A group inside a ring, which no line separates.
fn rings(n: usize) -> (Array2<f64>, Labels) {
    let x = Array2::from_shape_fn((n, 2), |(row, column)| {
        let angle = row as f64 * 0.7;
        let direction = [angle.cos(), angle.sin()][column];
        let noise = ((row * 31 + column * 131) as f64 * 78.233).sin();
        (row % 2) as f64 * 6.0 * direction + noise
    });
    (x, Labels::from_indices((0..n).map(|row| row % 2).collect()))
}

// 001:CLU-27
#[test]
fn distances_to_clusters_let_a_line_separate_what_it_could_not() {
    let (x, labels) = rings(400);
    let (train, test) = (
        x.slice(s![..300, ..]).to_owned(),
        x.slice(s![300.., ..]).to_owned(),
    );
    let part = |range: std::ops::Range<usize>| Labels {
        classes: labels.classes.clone(),
        indices: labels.indices[range].to_vec(),
    };
    let share = |features: &Array2<f64>, queries: &Array2<f64>| {
        let seen = part(0..300);
        let model = LogisticRegression::default()
            .fit(Labelled::new(features, &seen).unwrap())
            .unwrap();
        let found = model.predict(queries).unwrap();
        let right = found.iter().zip(&labels.indices[300..]);
        right.filter(|(found, truth)| found == truth).count()
    };
    let clusters = KMeans {
        n_clusters: 8,
        ..KMeans::default()
    };
    // The test part has no say in where the centres are.
    let clusters = clusters.fit(Samples::from(&train)).unwrap();
    let of = |rows: &Array2<f64>| clusters.transform(rows).unwrap().into_dense();
    let (plain, clustered) = (share(&train, &test), share(&of(&train), &of(&test)));
    assert!(plain < 75, "{plain}");
    assert!(clustered > 95, "{clustered}");
}
