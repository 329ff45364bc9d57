//! Clusters and mixtures from files that are read piece by piece.

use crate::shared::{done, json, text};
use serde_json::Value;
use std::path::Path;

fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(list) => list.iter().flat_map(numbers).collect(),
        other => vec![other.as_f64().unwrap()],
    }
}

fn attribute(model: &Path, name: &str) -> Vec<f64> {
    numbers(&json(&["inspect", text(model)])["attributes"][name])
}

#[test]
fn clusters_and_mixtures_are_learned_from_a_file_piece_by_piece() {
    let folder = tempfile::tempdir().unwrap();
    let (plain, gappy) = (folder.path().join("d.csv"), folder.path().join("g.csv"));
    let mut lines = vec!["a,b".to_owned()];
    for row in 0..3000 {
        let noise = |shift: usize| ((row * 31 + shift) as f64 * 78.233).sin();
        let place = (row % 3) as f64 * 6.0;
        lines.push(format!(
            "{},{}",
            place + noise(0),
            place + noise(7) + noise(1009)
        ));
    }
    std::fs::write(&plain, lines.join("\n")).unwrap();
    for (row, line) in lines.iter_mut().enumerate().skip(1) {
        if row % 11 == 0 {
            *line = line.split(',').next().unwrap().to_owned() + ",";
        }
    }
    std::fs::write(&gappy, lines.join("\n")).unwrap();
    for (spec, data, names) in [
        (
            "k-means(n_clusters=3)",
            &plain,
            &["cluster_centers", "inertia"][..],
        ),
        (
            "gaussian-mixture(n_components=3)",
            &plain,
            &["means", "weights", "lower_bound"],
        ),
        // Gaps need no imputer.
        (
            "gaussian-mixture(n_components=3)",
            &gappy,
            &["means", "weights", "lower_bound"],
        ),
    ] {
        let (whole, streamed) = (
            folder.path().join("w.didact"),
            folder.path().join("s.didact"),
        );
        let fit = ["fit", spec, "--data", text(data), "--out"];
        done(&[&fit[..], &[text(&whole)]].concat());
        done(&[&fit[..], &[text(&streamed), "--stream"]].concat());
        for name in names {
            let (whole, streamed) = (attribute(&whole, name), attribute(&streamed, name));
            assert_eq!(whole.len(), streamed.len());
            for (whole, streamed) in whole.iter().zip(&streamed) {
                let error = (whole - streamed).abs();
                assert!(
                    error <= 1e-6 * whole.abs().max(1.0),
                    "{spec} {name}: {whole} {streamed}"
                );
            }
        }
        let labels = done(&["predict", text(&streamed), "--data", text(data)]);
        assert_eq!(labels.lines().count(), 3001);
    }
}
