//! What the generators promise, checked on the data they draw.

use super::*;
use crate::dataset::Task;
use ndarray::{Array2, ArrayView1, Axis};

mod groups;

fn class_mean(data: &Dataset, class: usize) -> Vec<f64> {
    let labels = data.labels().unwrap();
    let rows: Vec<usize> = (0..labels.indices.len())
        .filter(|&row| labels.indices[row] == class)
        .collect();
    let mean = data.features().select(Axis(0), &rows).mean_axis(Axis(0));
    mean.unwrap().to_vec()
}

#[test]
fn every_generator_draws_the_same_data_from_the_same_seed_and_other_data_from_another() {
    for entry in generators() {
        let draw = |seed| entry.generate(&Map::new(), seed).unwrap();
        let id = entry.info.id;
        assert_eq!(draw(1), draw(1), "{id}");
        assert_ne!(draw(1).features(), draw(2).features(), "{id}");
        assert!(draw(1).features().iter().all(|value| value.is_finite()));
        let parameters = entry.parameters();
        assert!(!parameters.is_empty());
        for parameter in parameters {
            assert!(!parameter.summary.is_empty(), "{id} {}", parameter.name);
            assert!(!parameter.default.is_null(), "{id} {}", parameter.name);
        }
    }
}

#[test]
fn the_number_of_rows_is_the_one_asked_for() {
    for entry in generators() {
        let names: Vec<String> = entry.parameters().into_iter().map(|p| p.name).collect();
        if !names.iter().any(|name| name == "n_samples") {
            continue;
        }
        for count in ["7", "64"] {
            let data = generate(entry.info.id, &[("n_samples", count)], 5).unwrap();
            assert_eq!(
                data.table().n_rows().to_string(),
                count,
                "{}",
                entry.info.id
            );
        }
    }
}

// 002a:S02: the list of sets that a drawing board needs.
#[test]
fn every_set_of_the_drawing_board_is_there() {
    let wanted = [
        "checkerboard",
        "circles",
        "spirals",
        "sinc",
        "gaussian-mixture",
        "cosine",
        "swiss-roll",
        "mixed-uniform",
        "elongated-pair",
        "unbalanced-pair",
        "blobs",
        "moons",
    ];
    for id in wanted {
        assert!(find(id).is_ok(), "{id}");
    }
}

#[test]
fn messages_name_generator_parameter_and_remedy() {
    let say = |id, values: &[(&str, &str)]| generate(id, values, 0).unwrap_err().to_string();
    assert!(say("mons", &[]).starts_with("there is no generator mons; did you mean moons?"));
    assert!(say("moons", &[("nosie", "1")]).contains("did you mean noise?"));
    assert!(say("moons", &[("noise", "-1")]).starts_with("noise is -1; it must be at least 0"));
    assert!(say("moons", &[("n_samples", "many")]).starts_with("n_samples is many"));
    assert!(say("moons", &[("noise", "1e308")]).contains("overflow"));
    let wide = [("n_samples", "100000000"), ("n_features", "1000")];
    assert!(say("blobs", &wide).contains("at most 268435456 can be generated"));
    let classes = [("n_classes", "9"), ("n_informative", "3")];
    assert!(say("classification", &classes).contains("give only 8 corners"));
    assert!(say("classification", &[("n_features", "4")]).contains("which is 5"));
    assert!(say("sparse-regression", &[("n_informative", "51")]).contains("which is 50"));
    assert!(say("cluster-types", &[("kind", "round")]).contains("well-separated"));
}

/// Rows rounded to ten digits with their class, sorted: the order of rows does not matter.
fn sorted_rows(data: &Dataset) -> Vec<(i64, i64, usize)> {
    let whole = |value: f64| (value * 1e10).round() as i64;
    let mut rows: Vec<_> = data
        .features()
        .rows()
        .into_iter()
        .zip(&data.labels().unwrap().indices)
        .map(|(row, &label)| (whole(row[0]), whole(row[1]), label))
        .collect();
    rows.sort_unstable();
    rows
}

// Oracle: scikit-learn's make_moons(6) and make_circles(8, factor=0.5) without noise.
#[test]
fn moons_and_circles_without_noise_are_those_of_scikit_learn() {
    let expected = |rows: &[(f64, f64, usize)]| {
        let whole = |value: f64| (value * 1e10) as i64;
        let mut rows: Vec<_> = rows.iter().map(|r| (whole(r.0), whole(r.1), r.2)).collect();
        rows.sort_unstable();
        rows
    };
    let moons = generate("moons", &[("n_samples", "6"), ("noise", "0")], 1).unwrap();
    let points = [
        (1.0, 0.0, 0),
        (0.0, 1.0, 0),
        (-1.0, 0.0, 0),
        (0.0, 0.5, 1),
        (1.0, -0.5, 1),
        (2.0, 0.5, 1),
    ];
    assert_eq!(sorted_rows(&moons), expected(&points));
    let circles = generate("circles", &[("n_samples", "8"), ("noise", "0")], 1).unwrap();
    let points = [
        (1.0, 0.0, 0),
        (0.0, 1.0, 0),
        (-1.0, 0.0, 0),
        (0.0, -1.0, 0),
        (0.5, 0.0, 1),
        (0.0, 0.5, 1),
        (-0.5, 0.0, 1),
        (0.0, -0.5, 1),
    ];
    assert_eq!(sorted_rows(&circles), expected(&points));
}

#[test]
fn a_mixture_has_its_weights_and_the_elongation_asked_for() {
    let mixture = GaussianMixture {
        n_samples: 20_000,
        n_components: 1,
        elongation: 4.0,
        ..GaussianMixture::default()
    };
    let data = mixture.generate(3).unwrap();
    let centred = &data.features() - &data.features().mean_axis(Axis(0)).unwrap();
    let covariance = centred.t().dot(&centred) / 20_000.0;
    // Eigenvalues of a 2×2 matrix are 1 and 1/16, so the trace is 1.0625 and the determinant
    // 0.0625; a variance of 20 000 values has relative standard error 0.01.
    let trace = covariance[[0, 0]] + covariance[[1, 1]];
    let determinant = covariance[[0, 0]] * covariance[[1, 1]] - covariance[[0, 1]].powi(2);
    assert!((trace / 1.0625 - 1.0).abs() < 0.045);
    assert!((determinant / 0.0625 - 1.0).abs() < 0.065);
    let unequal = GaussianMixture {
        imbalance: 3.0,
        n_components: 2,
        ..mixture
    };
    let weights = unequal
        .generate(3)
        .unwrap()
        .truth("weights")
        .unwrap()
        .clone();
    assert!((weights[[0, 0]] - 0.75).abs() < 1e-12);
}

#[test]
fn curves_without_noise_are_their_formulas() {
    let sinc = generate("sinc", &[("noise", "0")], 4).unwrap();
    let cosine = generate("cosine", &[("noise", "0"), ("frequency", "2")], 4).unwrap();
    for row in 0..100 {
        let x = sinc.features()[[row, 0]];
        assert!((sinc.targets().unwrap()[row] - x.sin() / x).abs() < 1e-12);
        let x = cosine.features()[[row, 0]];
        assert!((cosine.targets().unwrap()[row] - (2.0 * x).cos()).abs() < 1e-12);
    }
}

#[test]
fn sparse_regression_has_as_many_coefficients_as_asked_for_and_correlated_columns() {
    let data = SparseRegression {
        n_samples: 20_000,
        n_features: 10,
        n_informative: 4,
        correlation: 0.6,
        noise: 0.0,
    }
    .generate(9)
    .unwrap();
    let coefficients = data.truth("coefficients").unwrap();
    assert_eq!(
        coefficients.iter().filter(|value| **value != 0.0).count(),
        4
    );
    let x = data.features();
    let error = &x.dot(&coefficients.row(0)) - &ArrayView1::from(data.targets().unwrap());
    assert!(error.iter().all(|value| value.abs() < 1e-10));
    let correlation = x.column(4).dot(&x.column(5)) / 20_000.0;
    assert!((correlation - 0.6).abs() < 0.04);
}

#[test]
fn redundant_columns_are_combinations_and_the_rest_is_noise() {
    let data = Classification::default().generate(2).unwrap();
    let mixing: &Array2<f64> = data.truth("mixing").unwrap();
    for row in data.features().rows() {
        for (redundant, weights) in mixing.rows().into_iter().enumerate() {
            let combined: f64 = (0..3).map(|column| weights[column] * row[column]).sum();
            assert!((combined - row[3 + redundant]).abs() < 1e-10);
        }
    }
    let corners = data.truth("corners").unwrap();
    assert_ne!(corners.row(0), corners.row(1));
}

#[test]
fn the_swiss_roll_lies_on_its_sheet() {
    let roll = SwissRoll::default().generate(1).unwrap();
    for (place, t) in roll
        .features()
        .rows()
        .into_iter()
        .zip(roll.targets().unwrap())
    {
        assert!((place[0] - t * t.cos()).abs() < 1e-12);
        assert!((place[2] - t * t.sin()).abs() < 1e-12);
        assert!((0.0..21.0).contains(&place[1]));
    }
}

// 002a:S02: a uniform square becomes a parallelogram.
#[test]
fn mixed_sources_unmix_to_a_uniform_square() {
    let data = MixedUniform::default().generate(1).unwrap();
    let sources = data.truth("sources").unwrap();
    assert!(sources.iter().all(|value| value.abs() <= 1.0));
    // The inverse of [[1, ½], [½, 1]] is [[4, −2], [−2, 4]] / 3.
    for (mixed, source) in data.features().rows().into_iter().zip(sources.rows()) {
        let first = (4.0 * mixed[0] - 2.0 * mixed[1]) / 3.0;
        assert!((first - source[0]).abs() < 1e-12);
    }
    assert!(data.target().is_none() && data.info().task == Task::Projection);
}

#[test]
fn hidden_states_stay_as_long_as_asked_for_and_draw_their_letters() {
    let model = CategoricalHmm {
        n_sequences: 40,
        length: 1000,
        ..CategoricalHmm::default()
    };
    let data = model.generate(5).unwrap();
    let sequences = data.labelled_sequences().unwrap();
    assert_eq!(sequences.sequences.lengths, [1000; 40]);
    let (mut stays, mut moves) = (0.0, 0.0);
    for range in sequences.sequences.ranges() {
        for pair in sequences.labels[range].windows(2) {
            *(if pair[0] == pair[1] {
                &mut stays
            } else {
                &mut moves
            }) += 1.0;
        }
    }
    // √(0.9·0.1/40 000) = 0.0015.
    assert!((stays / (stays + moves) - 0.9f64).abs() < 0.007);
    let emissions = data.truth("emissions").unwrap();
    let mut counts = Array2::<f64>::zeros((2, 4));
    for (symbol, &state) in data.features().column(0).iter().zip(sequences.labels) {
        counts[[state, *symbol as usize]] += 1.0;
    }
    for state in 0..2 {
        let total = counts.row(state).sum();
        for symbol in 0..4 {
            let share = counts[[state, symbol]] / total;
            assert!((share - emissions[[state, symbol]]).abs() < 0.02);
        }
    }
}

#[test]
fn gaussian_states_have_their_means() {
    let model = GaussianHmm {
        n_sequences: 50,
        n_features: 2,
        ..GaussianHmm::default()
    };
    let data = model.generate(5).unwrap();
    let means = data.truth("means").unwrap();
    for state in 0..3 {
        // About 1667 items per state: standard error 0.025.
        for (found, mean) in class_mean(&data, state).iter().zip(means.row(state)) {
            assert!((found - mean).abs() < 0.12);
        }
    }
}
