//! The Kalman filter.

use didact_math::linalg::{Cholesky, solve};
use didact_sequence::{Belief, KalmanFilter, Motion, Sensor};
use didact_testing::random_matrix;
use ndarray::{Array1, Array2, array, s};
use proptest::prelude::*;

fn near(found: &Array2<f64>, expected: &Array2<f64>, tolerance: f64) {
    assert_eq!(found.dim(), expected.dim());
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= tolerance * (1.0 + b.abs()), "{a} {b}");
    }
}

fn scalar(start: f64, q: f64, r: f64) -> KalmanFilter {
    KalmanFilter::new(
        Belief::new(array![0.0], array![[start]]).unwrap(),
        Motion::new(array![[1.0]], array![0.0], array![[q]]).unwrap(),
        Sensor::new(array![[1.0]], array![[r]]).unwrap(),
    )
    .unwrap()
}

/// Motions and sensors that change with every step; the sensor of the third has two rows.
fn changing() -> KalmanFilter {
    let noise = |n: usize, seed: u64| {
        let root = random_matrix(n, n, seed);
        root.dot(&root.t()) + Array2::<f64>::eye(n) * 0.1
    };
    let motion = |seed: u64| {
        let drift = random_matrix(1, 2, seed + 50).row(0).to_owned();
        Motion::new(random_matrix(2, 2, seed), drift, noise(2, seed + 10)).unwrap()
    };
    let sensor = |rows: usize, seed: u64| {
        Sensor::new(random_matrix(rows, 2, seed + 20), noise(rows, seed + 30)).unwrap()
    };
    let start = Belief::new(array![0.5, -1.0], noise(2, 40)).unwrap();
    let sensors = vec![sensor(1, 1), sensor(1, 2), sensor(2, 3), sensor(3, 4)];
    KalmanFilter::time_varying(start, (1..5).map(motion).collect(), sensors).unwrap()
}

/// Mean and covariance of all hidden vectors and all measurements, by their definition.
fn joint(
    filter: &KalmanFilter,
    start: &Belief,
    n: usize,
) -> (Array1<f64>, Array2<f64>, Vec<usize>) {
    // Everything is a linear map of x₀ and all noises, which are independent.
    let mut sizes = vec![2];
    let rows: Vec<usize> = (0..n)
        .map(|t| filter.sensor(t).unwrap().observation.nrows())
        .collect();
    sizes.extend(std::iter::repeat_n(2, n));
    sizes.extend(&rows);
    let total: usize = sizes.iter().sum();
    let mut sources = Array2::zeros((total, total));
    sources.slice_mut(s![..2, ..2]).assign(&start.covariance);
    let n_z: usize = rows.iter().sum();
    let (mut mean, mut map) = (
        Array1::zeros(2 * n + n_z),
        Array2::zeros((2 * n + n_z, total)),
    );
    let mut state_map = Array2::zeros((2, total));
    state_map
        .slice_mut(s![.., ..2])
        .assign(&Array2::<f64>::eye(2));
    let mut state_mean = start.mean.clone();
    let (mut z, mut z_source) = (2 * n, 2 + 2 * n);
    for t in 0..n {
        let (motion, sensor) = (filter.motion(t).unwrap(), filter.sensor(t).unwrap());
        let source = 2 + 2 * t;
        sources
            .slice_mut(s![source..source + 2, source..source + 2])
            .assign(&motion.noise);
        state_map = motion.transition.dot(&state_map);
        let mut own = state_map.slice_mut(s![.., source..source + 2]);
        own += &Array2::<f64>::eye(2);
        state_mean = motion.transition.dot(&state_mean) + &motion.drift;
        map.slice_mut(s![2 * t..2 * t + 2, ..]).assign(&state_map);
        mean.slice_mut(s![2 * t..2 * t + 2]).assign(&state_mean);
        let m = rows[t];
        sources
            .slice_mut(s![z_source..z_source + m, z_source..z_source + m])
            .assign(&sensor.noise);
        let mut measured = sensor.observation.dot(&state_map);
        let mut own = measured.slice_mut(s![.., z_source..z_source + m]);
        own += &Array2::<f64>::eye(m);
        map.slice_mut(s![z..z + m, ..]).assign(&measured);
        mean.slice_mut(s![z..z + m])
            .assign(&sensor.observation.dot(&state_mean));
        z += m;
        z_source += m;
    }
    (mean, map.dot(&sources).dot(&map.t()), rows)
}

// 004:M49 004:M50 004:M51: filter, smoother and likelihood are conditionals of the joint normal
// distribution, with matrices that change and sensors that are not square.
#[test]
fn beliefs_are_conditionals_of_the_joint_distribution() {
    let filter = changing();
    let start = {
        let root = random_matrix(2, 2, 40);
        let covariance = root.dot(&root.t()) + Array2::<f64>::eye(2) * 0.1;
        Belief::new(array![0.5, -1.0], covariance).unwrap()
    };
    let n = 4;
    let measurements = filter.simulate(n, 3).unwrap().measurements;
    let filtered = filter.filter(&measurements).unwrap();
    let smoothed = filter.smooth(&filtered).unwrap();
    let (mean, covariance, rows) = joint(&filter, &start, n);
    let all: Vec<f64> = measurements.iter().flatten().copied().collect();
    let given = |state: usize, n_known: usize| {
        let known = 2 * n..2 * n + n_known;
        let own = 2 * state..2 * state + 2;
        let difference = Array1::from(all[..n_known].to_vec()) - mean.slice(s![known.clone()]);
        let spread = covariance.slice(s![known.clone(), known.clone()]);
        let cross = covariance.slice(s![own.clone(), known]);
        let weights = solve(spread, cross.t()).unwrap().reversed_axes();
        let mean = &mean.slice(s![own.clone()]) + &weights.dot(&difference);
        let covariance = &covariance.slice(s![own.clone(), own]) - &weights.dot(&cross.t());
        (mean.insert_axis(ndarray::Axis(0)), covariance)
    };
    let mut n_known = 0;
    for step in 0..n {
        n_known += rows[step];
        let (mean, covariance) = given(step, n_known);
        let belief = &filtered.updates[step].belief;
        near(
            &belief.mean.clone().insert_axis(ndarray::Axis(0)),
            &mean,
            1e-10,
        );
        near(&belief.covariance, &covariance, 1e-10);
        let (mean, covariance) = given(step, all.len());
        near(
            &smoothed[step].mean.clone().insert_axis(ndarray::Axis(0)),
            &mean,
            1e-10,
        );
        near(&smoothed[step].covariance, &covariance, 1e-10);
    }
    let spread = covariance.slice(s![2 * n.., 2 * n..]);
    let factor = Cholesky::new(spread).unwrap();
    let difference = Array1::from(all.clone()) - mean.slice(s![2 * n..]);
    let distance = difference.dot(&factor.solve_vector(difference.view()));
    let constant = all.len() as f64 * std::f64::consts::TAU.ln() + factor.log_determinant();
    let expected = -0.5 * (constant + distance);
    assert!((filtered.log_likelihood - expected).abs() < 1e-10);
}

// 004:M50 004:M51: filterpy 1.4.5 on the flow of the Nile, the fifth year missing.
#[test]
fn beliefs_are_those_of_filterpy() {
    let filter = KalmanFilter::new(
        Belief::new(array![1000.0, 0.0], array![[1e4, 50.0], [50.0, 1e3]]).unwrap(),
        Motion::new(
            array![[1.0, 1.0], [0.0, 0.9]],
            array![0.0, 0.0],
            array![[1500.0, 10.0], [10.0, 20.0]],
        )
        .unwrap(),
        Sensor::new(array![[1.0, 0.5]], array![[15000.0]]).unwrap(),
    )
    .unwrap();
    let nile = didact_datasets::nile();
    let mut flow: Vec<Array1<f64>> = nile
        .features()
        .rows()
        .into_iter()
        .take(10)
        .map(|row| row.to_owned())
        .collect();
    flow[4][0] = f64::NAN;
    let filtered = filter.filter(&flow).unwrap();
    let last = &filtered.updates[9];
    let as_row = |values: &Array1<f64>| values.clone().insert_axis(ndarray::Axis(0));
    near(
        &as_row(&last.belief.mean),
        &array![[1174.5321070359605, 6.140834202893739]],
        1e-10,
    );
    let covariance = array![
        [4661.259246651674, 213.7510294693011],
        [213.75102946930105, 113.90310285474469]
    ];
    near(&last.belief.covariance, &covariance, 1e-10);
    near(
        &last.gain,
        &array![[0.31787565075908836], [0.018046838726444893]],
        1e-10,
    );
    assert!((filtered.log_likelihood + 60.2217360557358).abs() < 1e-9);
    let first = &filter.smooth(&filtered).unwrap()[0];
    near(
        &as_row(&first.mean),
        &array![[1065.2287530545432, 12.475898347226265]],
        1e-9,
    );
    let covariance = array![
        [3753.17747407497, -449.5842805617276],
        [-449.58428056172744, 334.70603617221457]
    ];
    near(&first.covariance, &covariance, 1e-9);
}

// 004:M50: 1 → 2 predicted → ⅔ updated → 5⁄3 predicted; from the covariance before the update it
// would be 3.
#[test]
fn the_next_prediction_starts_from_the_updated_covariance() {
    let filtered = scalar(1.0, 1.0, 1.0)
        .filter(&[array![1.0], array![1.0]])
        .unwrap();
    let variance = |belief: &Belief| belief.covariance[[0, 0]];
    assert_eq!(variance(&filtered.predicted[0]), 2.0);
    assert!((variance(&filtered.updates[0].belief) - 2.0 / 3.0).abs() < 1e-15);
    assert!((variance(&filtered.predicted[1]) - 5.0 / 3.0).abs() < 1e-15);
}

// 004:M50: without noise and motion the uncertainty stays; without measurements it grows.
#[test]
fn prediction_alone_keeps_or_adds_uncertainty() {
    let missing = vec![array![f64::NAN]; 5];
    let still = scalar(2.0, 0.0, 1.0).filter(&missing).unwrap();
    assert!(
        still
            .predicted
            .iter()
            .all(|belief| belief.covariance[[0, 0]] == 2.0)
    );
    let moving = scalar(2.0, 0.5, 1.0).filter(&missing).unwrap();
    assert_eq!(moving.last().covariance[[0, 0]], 2.0 + 5.0 * 0.5);
    assert_eq!(moving.log_likelihood, 0.0);
    let ahead = scalar(2.0, 0.5, 1.0);
    let filtered = ahead.filter(&[array![1.0]]).unwrap();
    let forecast = ahead.forecast(&filtered, 3).unwrap();
    let last = filtered.last().covariance[[0, 0]];
    assert!((forecast[2].covariance[[0, 0]] - (last + 1.5)).abs() < 1e-15);
}

// 004:M51: a perfect sensor is believed, a useless one ignored, and a scalar is a weighted mean.
#[test]
fn a_measurement_weighs_as_much_as_it_is_sure() {
    let belief = Belief::new(array![1.0, 2.0], array![[2.0, 0.5], [0.5, 1.0]]).unwrap();
    let measure = |noise: f64| {
        let sensor = Sensor::new(array![[1.0, -1.0]], array![[noise]]).unwrap();
        belief.update(array![3.0].view(), &sensor).unwrap()
    };
    let perfect = measure(0.0).belief;
    assert!((perfect.mean[0] - perfect.mean[1] - 3.0).abs() < 1e-14);
    let useless = measure(1e18).belief;
    near(&useless.covariance, &belief.covariance, 1e-14);
    let one = Belief::new(array![1.0], array![[2.0]]).unwrap();
    let sensor = Sensor::new(array![[1.0]], array![[6.0]]).unwrap();
    let updated = one.update(array![5.0].view(), &sensor).unwrap();
    // (1/2·1 + 1/6·5) / (1/2 + 1/6) = 2, and the variance 1 / (1/2 + 1/6) = 1.5.
    assert!((updated.belief.mean[0] - 2.0).abs() < 1e-15);
    assert!((updated.belief.covariance[[0, 0]] - 1.5).abs() < 1e-15);
    assert!((updated.gain[[0, 0]] - 0.25).abs() < 1e-15);
    assert_eq!(
        (updated.innovation[0], updated.innovation_covariance[[0, 0]]),
        (4.0, 8.0)
    );
}

// 004:M51: a value that is missing is a row of the sensor that is not there.
#[test]
fn missing_values_say_nothing() {
    let belief = Belief::new(array![1.0, 2.0], array![[2.0, 0.5], [0.5, 1.0]]).unwrap();
    let noise = array![[1.0, 0.3], [0.3, 2.0]];
    let both = Sensor::new(array![[1.0, 0.0], [0.5, 1.0]], noise).unwrap();
    let second = Sensor::new(array![[0.5, 1.0]], array![[2.0]]).unwrap();
    let partly = belief.update(array![f64::NAN, 4.0].view(), &both).unwrap();
    let alone = belief.update(array![4.0].view(), &second).unwrap();
    assert_eq!(partly.belief, alone.belief);
    assert_eq!(partly.log_likelihood, alone.log_likelihood);
    assert_eq!(partly.gain.column(0), array![0.0, 0.0]);
    assert!(partly.innovation[0].is_nan());
}

// 004:M49: drawn series have the moments of the model: a walk of n steps has variance P + n·Q.
#[test]
fn drawn_series_have_the_moments_of_the_model() {
    let filter = scalar(1.0, 0.5, 2.0);
    let n = 4000;
    let ends: Vec<(f64, f64)> = (0..n)
        .map(|seed| {
            let drawn = filter.simulate(4, seed).unwrap();
            (drawn.states[3][0], drawn.measurements[3][0])
        })
        .collect();
    let variance = |values: Vec<f64>| values.iter().map(|v| v * v).sum::<f64>() / n as f64;
    // The standard error of a variance v of n draws is v·√(2/n).
    let error = 5.0 * (2.0 / n as f64).sqrt();
    let of_states = variance(ends.iter().map(|end| end.0).collect());
    let of_measurements = variance(ends.iter().map(|end| end.1).collect());
    assert!((of_states - 3.0).abs() < 3.0 * error, "{of_states}");
    assert!(
        (of_measurements - 5.0).abs() < 5.0 * error,
        "{of_measurements}"
    );
    assert_eq!(
        filter.simulate(3, 1).unwrap(),
        filter.simulate(3, 1).unwrap()
    );
}

#[test]
fn parts_that_do_not_belong_together_are_refused_in_words() {
    let message = |result: didact_core::Result<Sensor>| result.unwrap_err().to_string();
    let square = array![[1.0, 0.0], [0.0, 1.0]];
    assert!(message(Sensor::new(array![[1.0]], square.clone())).contains("1×1 is needed"));
    assert!(message(Sensor::new(array![[1.0]], array![[-1.0]])).contains("negative variance"));
    assert!(message(Sensor::new(array![[f64::NAN]], array![[1.0]])).contains("finite"));
    let lopsided = Belief::new(array![0.0, 0.0], array![[1.0, 0.9], [0.0, 1.0]]);
    assert!(lopsided.unwrap_err().to_string().contains("not symmetric"));
    let filter = scalar(1.0, 1.0, 1.0);
    assert!(filter.filter(&[array![1.0, 2.0]]).is_err());
    assert!(filter.filter(&[array![f64::INFINITY]]).is_err());
    let certain = scalar(0.0, 0.0, 0.0)
        .filter(&[array![1.0]])
        .unwrap_err()
        .to_string();
    assert!(certain.contains("certain already"), "{certain}");
    let short = changing().filter(&vec![array![0.0]; 9]);
    assert!(short.is_err());
    let two = Belief::new(array![0.0, 0.0], square).unwrap();
    let motion = Motion::new(array![[1.0]], array![0.0], array![[1.0]]).unwrap();
    let sensor = Sensor::new(array![[1.0]], array![[1.0]]).unwrap();
    assert!(KalmanFilter::new(two, motion, sensor).is_err());
}

proptest! {
    // 004:M51 004:M52: noises add when predicting; precisions add when measuring, and Joseph's
    // form is P − K·H·P.
    #[test]
    fn noises_add_and_precisions_join(seed in 0u64..500) {
        let spread = |seed: u64| {
            let root = random_matrix(3, 3, seed);
            root.dot(&root.t()) + Array2::<f64>::eye(3) * 0.2
        };
        let identity = Array2::<f64>::eye(3);
        let (p, q) = (spread(seed), spread(seed + 1000));
        let belief = Belief::new(Array1::zeros(3), p.clone()).unwrap();
        let step = Motion::new(identity.clone(), Array1::zeros(3), q.clone()).unwrap();
        near(&belief.predict(&step).unwrap().covariance, &(&p + &q), 1e-12);
        let h = random_matrix(2, 3, seed + 2000);
        let r = spread(seed + 3000).slice(s![..2, ..2]).to_owned();
        let sensor = Sensor::new(h.clone(), r.clone()).unwrap();
        let update = belief.update(array![1.0, -1.0].view(), &sensor).unwrap();
        let inverse = |matrix: &Array2<f64>| {
            let n = matrix.nrows();
            solve(matrix.view(), Array2::<f64>::eye(n).view()).unwrap()
        };
        let joined = inverse(&p) + h.t().dot(&inverse(&r)).dot(&h);
        near(&inverse(&update.belief.covariance), &joined, 1e-8);
        let short = &p - &update.gain.dot(&h).dot(&p);
        near(&update.belief.covariance, &short, 1e-10);
    }
}
