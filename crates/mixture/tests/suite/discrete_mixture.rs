//! Mixtures of Poisson, Bernoulli and multinomial laws.

use didact_core::random::generator;
use didact_core::{Assign, Fit, LogDensity, Probabilities, Run, Sample, Samples};
use didact_mixture::{DiscreteLaw, DiscreteMixture, DiscreteMixtureModel};
use ndarray::{Array2, Axis, array};
use rand::RngExt;
use rand_distr::{Distribution, Poisson};

/// Two groups of Poisson counts in two columns, and the group of each row.
fn counts(rows: usize) -> (Array2<f64>, Vec<usize>) {
    let mut random = generator(1, 0);
    let rates = [[2.0, 9.0], [12.0, 3.0]];
    let groups: Vec<usize> = (0..rows).map(|row| usize::from(row % 3 == 0)).collect();
    let x = Array2::from_shape_fn((rows, 2), |(row, column)| {
        Poisson::new(rates[groups[row]][column])
            .unwrap()
            .sample(&mut random)
    });
    (x, groups)
}

fn fit(law: DiscreteLaw, n_components: usize, x: &Array2<f64>) -> DiscreteMixtureModel {
    let algorithm = DiscreteMixture {
        law,
        n_components,
        n_init: 3,
        ..DiscreteMixture::default()
    };
    algorithm.fit(Samples::from(x)).unwrap()
}

// 002a:MG03: within a component the mean is the variance, and the rates are found again.
#[test]
fn poisson_groups_are_found_again() {
    let (x, groups) = counts(3000);
    let model = fit(DiscreteLaw::Poisson, 2, &x);
    let order = if model.weights()[0] > model.weights()[1] {
        [0, 1]
    } else {
        [1, 0]
    };
    let rates = model.parameters().select(Axis(0), &order);
    for (found, expected) in rates.iter().zip([2.0_f64, 9.0, 12.0, 3.0]) {
        // Five standard errors of a mean of at least 1000 rows, and a little for the overlap.
        assert!(
            (found - expected).abs() < 6.0 * (expected / 1000.0).sqrt(),
            "{rates}"
        );
    }
    assert!((model.weights()[order[0]] - 2.0 / 3.0).abs() < 0.05);
    let found = model.predict(&x).unwrap();
    let right = found
        .iter()
        .zip(&groups)
        .filter(|(a, b)| **a == Some(order[**b]))
        .count();
    assert!(right > 2900, "{right}");
    for component in 0..2 {
        let own: Vec<usize> = (0..3000)
            .filter(|&row| found[row] == Some(component))
            .collect();
        let part = x.select(Axis(0), &own);
        for column in part.columns() {
            let mean = column.mean().unwrap();
            let variance = column.mapv(|value| (value - mean).powi(2)).mean().unwrap();
            assert!((variance / mean - 1.0).abs() < 0.2, "{variance} {mean}");
        }
    }
}

#[test]
fn the_objective_never_falls() {
    let (x, _) = counts(400);
    let binary = x.mapv(|value| f64::from(u8::from(value > 6.0)));
    for (law, x) in [
        (DiscreteLaw::Poisson, &x),
        (DiscreteLaw::Multinomial, &x),
        (DiscreteLaw::Bernoulli, &binary),
    ] {
        for alpha in [0.0, 1e-3, 2.0] {
            let algorithm = DiscreteMixture {
                law,
                alpha,
                n_components: 3,
                tol: 1e-10,
                ..DiscreteMixture::default()
            };
            let model = algorithm.fit(Samples::from(x)).unwrap();
            let objectives = &model.trace().objectives;
            assert!(
                objectives.windows(2).all(|pair| pair[1] >= pair[0] - 1e-12),
                "{law:?} {alpha}"
            );
        }
    }
}

// One component is the law itself: scipy.stats.poisson.logpmf([1, 4, 2], 7/3).sum() and so on.
#[test]
fn one_component_is_the_law_of_the_mean() {
    let x = array![[1.0], [4.0], [2.0]];
    let plain = |law: DiscreteLaw, x: &Array2<f64>| {
        let algorithm = DiscreteMixture {
            law,
            alpha: 0.0,
            ..DiscreteMixture::default()
        };
        let model = algorithm.fit(Samples::from(x)).unwrap();
        model.score_samples(x).unwrap().sum()
    };
    let rate: f64 = 7.0 / 3.0;
    let expected = 7.0 * rate.ln() - 7.0 - 24.0_f64.ln() - 2.0_f64.ln();
    assert!((plain(DiscreteLaw::Poisson, &x) - expected).abs() < 1e-12);
    let coins = array![[1.0, 0.0], [1.0, 1.0], [0.0, 0.0], [1.0, 0.0]];
    let expected = 3.0 * 0.75_f64.ln() + 0.25_f64.ln() + 0.25_f64.ln() + 3.0 * 0.75_f64.ln();
    assert!((plain(DiscreteLaw::Bernoulli, &coins) - expected).abs() < 1e-12);
    // A column that is always on is certain, and one that is off is then impossible.
    let certain = array![[1.0, 0.0], [1.0, 1.0]];
    let algorithm = DiscreteMixture {
        law: DiscreteLaw::Bernoulli,
        alpha: 0.0,
        ..DiscreteMixture::default()
    };
    let model = algorithm.fit(Samples::from(&certain)).unwrap();
    assert!((model.score_samples(&certain).unwrap()[0] - 0.5_f64.ln()).abs() < 1e-12);
    assert_eq!(
        model.score_samples(&array![[0.0, 1.0]]).unwrap()[0],
        f64::MIN
    );
    // Multinomial rows: 3!/(2!·1!)·(½)³ and 1·½.
    let tokens = array![[2.0, 1.0], [0.0, 1.0]];
    let expected = (3.0_f64 / 8.0).ln() + 0.5_f64.ln();
    assert!((plain(DiscreteLaw::Multinomial, &tokens) - expected).abs() < 1e-12);
}

#[test]
fn integer_weights_are_repetitions_and_threads_change_nothing() {
    let (x, _) = counts(300);
    let weights: Vec<f64> = (0..300).map(|row| f64::from(row % 3)).collect();
    let repeated: Vec<usize> = (0..300)
        .flat_map(|row| std::iter::repeat_n(row as usize, (row % 3) as usize))
        .collect();
    let rows = x.select(Axis(0), &repeated);
    let algorithm = DiscreteMixture {
        n_components: 1,
        ..DiscreteMixture::default()
    };
    let weighted = algorithm
        .fit(Samples::from(&x).weighted(&weights).unwrap())
        .unwrap();
    let plain = algorithm.fit(Samples::from(&rows)).unwrap();
    let gap = (weighted.parameters() - plain.parameters()).mapv(f64::abs);
    assert!(gap.iter().all(|gap| *gap < 1e-12));
    let (x, _) = counts(9000);
    let algorithm = DiscreteMixture {
        n_components: 3,
        ..DiscreteMixture::default()
    };
    let fit = |threads: usize| {
        algorithm
            .fit_with(Samples::from(&x), &Run::new().threads(threads))
            .unwrap()
    };
    assert!(fit(1) == fit(2) && fit(1) == fit(4));
}

#[test]
fn drawn_rows_come_from_the_law_and_wrong_rows_are_refused() {
    let (x, _) = counts(500);
    let mut coins = generator(2, 0);
    let binary = Array2::from_shape_fn((500, 3), |_| {
        f64::from(u8::from(coins.random::<f64>() < 0.3))
    });
    for (law, x) in [
        (DiscreteLaw::Poisson, &x),
        (DiscreteLaw::Multinomial, &x),
        (DiscreteLaw::Bernoulli, &binary),
    ] {
        let model = fit(law, 2, x);
        let drawn = model.sample(300, 4).unwrap();
        assert!(
            model
                .score_samples(&drawn.rows)
                .unwrap()
                .iter()
                .all(|value| value.is_finite())
        );
        let p = model.predict_proba(&drawn.rows).unwrap();
        assert!(
            p.rows()
                .into_iter()
                .all(|row| (row.sum() - 1.0).abs() < 1e-12)
        );
    }
    let wrong = array![[1.0], [1.5]];
    let error = DiscreteMixture::default()
        .fit(Samples::from(&wrong))
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "row 1, column 0 is 1.5; counts must be whole numbers from 0 on"
    );
    let same = array![[3.0], [3.0]];
    let error = DiscreteMixture {
        n_components: 2,
        ..DiscreteMixture::default()
    }
    .fit(Samples::from(&same));
    assert!(
        error
            .unwrap_err()
            .to_string()
            .starts_with("n_components is 2; there are only 1 distinct")
    );
}
