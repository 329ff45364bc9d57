//! The Dirichlet process, its partitions, and its concentration.

use didact_core::random::generator;
use didact_mixture::{
    AdaptiveRejection, ChineseRestaurant, ConcentrationPosterior, DirichletProcess,
    FiniteMixturePrior, expected_stick_share, stick_breaking,
};
use proptest::prelude::*;
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

/// The sizes of the blocks of a partition, in order of first appearance.
fn sizes(labels: &[usize]) -> Vec<usize> {
    let mut seen: Vec<usize> = Vec::new();
    let mut counts = Vec::new();
    for label in labels {
        match seen.iter().position(|known| known == label) {
            Some(place) => counts[place] += 1,
            None => {
                seen.push(*label);
                counts.push(1);
            }
        }
    }
    counts
}

// 000a:UNS-23, fx-D14: seats, partitions of three customers, expected tables.
#[test]
fn tables_are_joined_in_proportion_to_their_guests() {
    let restaurant = ChineseRestaurant::new(1.0).unwrap();
    assert_eq!(restaurant.seating(&[3, 1]), [0.6, 0.2, 0.2]);
    assert_eq!(restaurant.seating(&[]), [1.0]);
    let p = |sizes: &[usize]| restaurant.log_probability(sizes).unwrap().exp();
    for (sizes, expected) in [
        (vec![3], 1.0 / 3.0),
        (vec![2, 1], 1.0 / 6.0),
        (vec![1, 1, 1], 1.0 / 6.0),
    ] {
        assert!((p(&sizes) - expected).abs() < 1e-14);
    }
    assert!((restaurant.expected_tables(3) - 11.0 / 6.0).abs() < 1e-14);
    assert!((restaurant.expected_tables(100) - 5.187377518).abs() < 5e-10);
    assert!(restaurant.log_probability(&[2, 0]).is_err());
    assert!(ChineseRestaurant::new(0.0).is_err() && ChineseRestaurant::new(f64::NAN).is_err());
}

// 000a:UNS-21, UNS-23: the seats, one after the other, make the law of the partition.
#[test]
fn drawn_partitions_have_their_probabilities() {
    let restaurant = ChineseRestaurant::new(0.7).unwrap();
    let mut random = generator(3, 0);
    let draws = 40_000;
    let mut frequencies = std::collections::BTreeMap::<Vec<usize>, f64>::new();
    for _ in 0..draws {
        *frequencies
            .entry(restaurant.draw(4, &mut random))
            .or_default() += 1.0;
    }
    // Labels are numbered as tables open, so there is one list per partition: Bell's number 15.
    assert_eq!(frequencies.len(), 15);
    let mut total = 0.0;
    for (labels, count) in frequencies {
        let expected = restaurant.log_probability(&sizes(&labels)).unwrap().exp();
        total += expected;
        let error = (expected * (1.0 - expected) / draws as f64).sqrt();
        assert!(
            (count / draws as f64 - expected).abs() < 5.0 * error,
            "{labels:?}"
        );
    }
    assert!((total - 1.0).abs() < 1e-12);
}

// 000a:UNS-21: values repeat, and as many differ as there are tables.
#[test]
fn an_urn_repeats_its_values() {
    let restaurant = ChineseRestaurant::new(2.0).unwrap();
    let mut random = generator(4, 0);
    let (mut distinct, runs) = (0.0, 2000);
    for _ in 0..runs {
        let mut values = restaurant.urn(30, &mut random, |random| random.random::<u64>());
        values.sort_unstable();
        values.dedup();
        distinct += values.len() as f64;
    }
    // The variance of the number of tables is Σ α·i/(α + i)².
    let variance: f64 = (0..30)
        .map(|i| 2.0 * f64::from(i) / (2.0 + f64::from(i)).powi(2))
        .sum();
    let error = (variance / f64::from(runs)).sqrt();
    let mean = distinct / f64::from(runs);
    assert!(
        (mean - restaurant.expected_tables(30)).abs() < 5.0 * error,
        "{mean}"
    );
}

// 000a:UNS-24, fx-D14: the finite mixture sums to one, and tends to the restaurant.
#[test]
fn finite_mixtures_tend_to_the_restaurant() {
    let two = FiniteMixturePrior::new(1.0, 2).unwrap();
    let p = |labels: &[usize]| two.log_probability(labels).unwrap().exp();
    assert!((p(&[0, 0]) - 0.375).abs() < 1e-14 && (p(&[1, 0]) - 0.125).abs() < 1e-14);
    let three = FiniteMixturePrior::new(0.8, 3).unwrap();
    let all: f64 = (0..81)
        .map(|code| [code % 3, code / 3 % 3, code / 9 % 3, code / 27])
        .map(|labels| three.log_probability(&labels).unwrap().exp())
        .sum();
    assert!((all - 1.0).abs() < 1e-12);
    // The conditional is the ratio of two joint probabilities.
    let conditional = three.conditional(&[2, 1, 0]).unwrap();
    for (label, share) in conditional.iter().enumerate() {
        let ratio = three.log_probability(&[0, 0, 1, label]).unwrap()
            - three.log_probability(&[0, 0, 1]).unwrap();
        assert!((ratio.exp() - share).abs() < 1e-12);
    }
    let restaurant = ChineseRestaurant::new(0.8).unwrap();
    let many = FiniteMixturePrior::new(0.8, 1_000_000).unwrap();
    for sizes in [vec![4], vec![2, 2], vec![2, 1, 1]] {
        let (a, b) = (
            many.log_partition_probability(&sizes).unwrap(),
            restaurant.log_probability(&sizes).unwrap(),
        );
        assert!((a - b).abs() < 1e-4, "{sizes:?}: {a} {b}");
    }
    // The mass of a new table is that of all empty labels together.
    let wide = FiniteMixturePrior::new(0.8, 1000).unwrap();
    let mut counts = vec![0; 1000];
    (counts[0], counts[1]) = (3, 1);
    let empty: f64 = wide.conditional(&counts).unwrap()[2..].iter().sum();
    assert!((empty - restaurant.seating(&[3, 1])[2]).abs() < 2e-3);
    assert!(two.log_probability(&[2]).is_err() && two.conditional(&[1]).is_err());
}

// 000a:UNS-25: labelled rows from the generative story, even with hardly any concentration.
#[test]
fn simulated_mixtures_are_labelled() {
    for alpha in [1e-3, 1.0, 50.0] {
        let prior = FiniteMixturePrior::new(alpha, 20).unwrap();
        let simulated = prior
            .simulate(
                500,
                &mut generator(5, 0),
                |random| -> f64 { 100.0 * Distribution::<f64>::sample(&StandardNormal, random) },
                |mean, random| -> f64 {
                    mean + Distribution::<f64>::sample(&StandardNormal, random)
                },
            )
            .unwrap();
        assert!((simulated.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(simulated.weights.iter().all(|weight| weight.is_finite()));
        for (label, row) in simulated.labels.iter().zip(&simulated.draws) {
            assert!((row - simulated.parameters[*label]).abs() < 6.0);
        }
    }
}

// 000a:UNS-22: the pieces of the stick, and what is left of it.
#[test]
fn sticks_are_broken_to_the_expected_share() {
    let (alpha, pieces, runs) = (2.0, 4, 20_000);
    let mut random = generator(6, 0);
    let mut totals = Vec::new();
    for _ in 0..runs {
        let weights = stick_breaking(alpha, pieces, &mut random).unwrap();
        assert!(weights.iter().all(|weight| (0.0..=1.0).contains(weight)));
        totals.push(weights.iter().sum::<f64>());
    }
    let mean = totals.iter().sum::<f64>() / f64::from(runs);
    let expected = 1.0 - (2.0_f64 / 3.0).powi(4);
    assert!((expected_stick_share(alpha, pieces).unwrap() - expected).abs() < 1e-14);
    let variance = totals.iter().map(|t| (t - mean).powi(2)).sum::<f64>() / f64::from(runs);
    assert!((mean - expected).abs() < 5.0 * (variance / f64::from(runs)).sqrt());
    assert!(stick_breaking(-1.0, 3, &mut random).is_err());
}

// 000a:UNS-19, UNS-20: moments of G(A) by draws, before and after values are seen.
#[test]
fn draws_have_the_moments_of_the_process() {
    let prior: DirichletProcess<f64> = DirichletProcess::new(3.0).unwrap();
    let posterior = prior.observe(&[0.1, 0.1, 0.9]);
    for process in [prior, posterior] {
        let inside = |value: &f64| *value < 0.3;
        let (mean, variance) = (process.mean(0.3, inside), process.variance(0.3, inside));
        let mut random = generator(7, 0);
        let runs = 8_000;
        let measures: Vec<f64> = (0..runs)
            .map(|_| {
                let draw = process.draw(120, &mut random, |random| random.random::<f64>());
                draw.unwrap().measure(inside)
            })
            .collect();
        let found = measures.iter().sum::<f64>() / f64::from(runs);
        let spread = measures.iter().map(|m| (m - found).powi(2)).sum::<f64>() / f64::from(runs);
        assert!((found - mean).abs() < 5.0 * (variance / f64::from(runs)).sqrt());
        // The variance of a variance of a share between 0 and 1 is less than that of a fair coin.
        assert!((spread - variance).abs() < 5.0 * 0.5 * (variance / f64::from(runs)).sqrt());
    }
    // Many values outweigh the base, a strong base outweighs few values.
    let weak: DirichletProcess<f64> = DirichletProcess::new(1e-9).unwrap();
    assert!((weak.observe(&[0.1, 0.9]).mean(0.3, |v| *v < 0.3) - 0.5).abs() < 1e-8);
    let strong: DirichletProcess<f64> = DirichletProcess::new(1e9).unwrap();
    assert!((strong.observe(&[0.1, 0.1]).mean(0.3, |v| *v < 0.3) - 0.3).abs() < 1e-8);
}

/// E α, E ln α and the deviation of ln α, by the trapezium rule over ln α.
fn quadrature(posterior: &ConcentrationPosterior) -> [f64; 3] {
    let (mut mass, mut alpha, mut log, mut square) = (0.0, 0.0, 0.0, 0.0);
    let peak = posterior.log_density(0.0).0;
    for step in -12_000..=8_000 {
        let y = f64::from(step) / 1000.0;
        let weight = (posterior.log_density(y).0 - peak).exp();
        mass += weight;
        alpha += weight * y.exp();
        log += weight * y;
        square += weight * y * y;
    }
    let mean = log / mass;
    [alpha / mass, mean, (square / mass - mean * mean).sqrt()]
}

// 000a:UNS-31, fx-D16.
#[test]
fn the_concentration_has_its_published_moments() {
    for (n, k, expected) in [
        (100, 5, [1.0133987, -0.10730659, 0.50006]),
        (50, 1, [0.36059937, -1.1833007, 0.56653]),
        (200, 20, [5.2597586, 1.6245334, 0.26868]),
    ] {
        let posterior = ConcentrationPosterior::new(k, n).unwrap();
        let found = quadrature(&posterior);
        for ((found, expected), digits) in found.iter().zip(expected).zip([1e-7, 1e-7, 1e-5]) {
            assert!(
                (found - expected).abs() < digits * (1.0 + expected.abs()),
                "{n} {k} {found}"
            );
        }
        let mut sampler = posterior.sampler().unwrap();
        let mut random = generator(8, 0);
        let draws = 20_000;
        let logs: Vec<f64> = (0..draws)
            .map(|_| sampler.draw(&mut random).unwrap())
            .collect();
        let mean = logs.iter().sum::<f64>() / f64::from(draws);
        assert!((mean - expected[1]).abs() < 5.0 * expected[2] / f64::from(draws).sqrt());
        let spread =
            (logs.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / f64::from(draws)).sqrt();
        assert!((spread / expected[2] - 1.0).abs() < 0.03, "{spread}");
    }
    assert!(ConcentrationPosterior::new(3, 2).is_err());
}

#[test]
fn the_slope_of_the_concentration_is_a_difference_quotient() {
    let posterior = ConcentrationPosterior::new(4, 60).unwrap();
    for y in [-3.0, -0.5, 0.0, 1.2, 4.0] {
        let (up, down) = (
            posterior.log_density(y + 1e-5).0,
            posterior.log_density(y - 1e-5).0,
        );
        let slope = posterior.log_density(y).1;
        assert!(((up - down) / 2e-5 - slope).abs() < 1e-6 * (1.0 + slope.abs()));
    }
}

// 000a:UNS-31: a generic sampler from h and h′; few evaluations once the hull is tight.
#[test]
fn adaptive_rejection_draws_skewed_laws_and_refuses_others() {
    // ln of a gamma variable of shape 3: h = 3y − e^y; the mean is ψ(3), the variance ψ′(3).
    let mut calls = 0;
    let mut sampler = AdaptiveRejection::new(
        |y| {
            calls += 1;
            (3.0 * y - y.exp(), 3.0 - y.exp())
        },
        -2.0,
        3.0,
    )
    .unwrap();
    let mut random = generator(9, 0);
    let draws: Vec<f64> = (0..20_000)
        .map(|_| sampler.draw(&mut random).unwrap())
        .collect();
    let mean = draws.iter().sum::<f64>() / 20_000.0;
    let (expected, variance): (f64, f64) = (0.922_784_335_098_467_1, 0.394_934_066_848_226_4);
    assert!((mean - expected).abs() < 5.0 * (variance / 20_000.0).sqrt());
    drop(sampler);
    assert!(calls < 400, "{calls}");
    assert!(AdaptiveRejection::new(|y| (-y * y, -2.0 * y), 1.0, 2.0).is_err());
    // Two peaks are not log-concave.
    let two = |y: f64| {
        let (a, b) = (
            (-2.0 * (y - 3.0).powi(2)).exp(),
            (-2.0 * (y + 3.0).powi(2)).exp(),
        );
        let slope = (-4.0 * (y - 3.0) * a - 4.0 * (y + 3.0) * b) / (a + b);
        ((a + b).ln(), slope)
    };
    let mut sampler = AdaptiveRejection::new(two, -4.0, 4.0).unwrap();
    let mut random = generator(10, 0);
    assert!((0..500).any(|_| sampler.draw(&mut random).is_err()));
}

proptest! {
    // 000a:UNS-23: exchangeability: only the sizes of the blocks matter.
    #[test]
    fn the_order_of_blocks_does_not_matter(mut counts in prop::collection::vec(1usize..9, 1..6), alpha in 0.05..20.0_f64) {
        let restaurant = ChineseRestaurant::new(alpha).unwrap();
        let forward = restaurant.log_probability(&counts).unwrap();
        // Seating one block after the other multiplies to the same probability.
        let mut seated: Vec<usize> = Vec::new();
        let mut product = 0.0;
        for &count in &counts {
            for guest in 0..count {
                let shares = restaurant.seating(&seated);
                product += match guest {
                    0 => shares[seated.len()].ln(),
                    _ => shares[seated.len() - 1].ln(),
                };
                match guest {
                    0 => seated.push(1),
                    _ => *seated.last_mut().unwrap() += 1,
                }
            }
        }
        prop_assert!((forward - product).abs() < 1e-9 * (1.0 + forward.abs()));
        counts.reverse();
        prop_assert!((restaurant.log_probability(&counts).unwrap() - forward).abs() < 1e-9);
    }
}
