use super::window::tests::ALL;
use super::*;
use didact_core::{Classify, Labelled, Labels, LogDensity, Probabilities, Rows, Sample};
use didact_testing::{assert_close, random_matrix};
use ndarray::{Array1, Array2, Axis, array};
use proptest::prelude::*;

fn fitted(parameters: &KernelDensity, x: &Array2<f64>) -> KernelDensityModel {
    parameters.fit(Samples::from(x)).unwrap()
}

fn windows(kernel: DensityKernel, bandwidth: f64) -> KernelDensity {
    KernelDensity {
        kernel,
        bandwidth: Bandwidth::Value(bandwidth),
        ..KernelDensity::default()
    }
}

// 003:P40 003:P41: h^(−d) of the rows in the cube, its faces included; with another divisor, such as
// h, the second number would be 0.2.
#[test]
fn the_cube_counts_rows_and_divides_by_its_volume() {
    let x = array![[0.0, 0.0], [1.0, 0.0], [0.0, 3.0], [5.0, 5.0]];
    let model = fitted(&windows(DensityKernel::Hypercube, 2.0), &x);
    let density = |point: [f64; 2]| {
        let point = Array2::from_shape_vec((1, 2), point.to_vec()).unwrap();
        model.score_samples(&point).unwrap()[0].exp()
    };
    // Both rows of the lower left are in the cube; (1, 0) lies on its face.
    assert!((density([0.0, 0.0]) - 2.0 / (4.0 * 4.0)).abs() < 1e-16);
    assert!((density([5.5, 4.5]) - 1.0 / (4.0 * 4.0)).abs() < 1e-16);
    assert_eq!(density([2.5, 2.5]), 0.0);
    // One row is a box of height h^(−d).
    let alone = fitted(
        &windows(DensityKernel::Hypercube, 0.5),
        &array![[1.0, 1.0, 1.0]],
    );
    let height = alone.score_samples(&array![[1.25, 0.75, 1.0]]).unwrap()[0];
    assert!((height.exp() - 8.0).abs() < 1e-14);
}

// 003:P41: a moving histogram whose integral is exactly one.
#[test]
fn the_cube_in_one_column_is_a_moving_histogram() {
    let x = array![[0.0], [0.25], [0.5], [2.0]];
    let model = fitted(&windows(DensityKernel::Hypercube, 1.0), &x);
    // Between the edges at −½, −¼, 0, ½, ¾, 1, 3/2 and 5/2 the count is constant.
    let edges = [-0.5, -0.25, 0.0, 0.5, 0.75, 1.0, 1.5, 2.5];
    let counts = [1.0, 2.0, 3.0, 2.0, 1.0, 0.0, 1.0];
    let mut integral = 0.0;
    for (index, count) in counts.into_iter().enumerate() {
        let middle = (edges[index] + edges[index + 1]) / 2.0;
        let density = model.score_samples(&array![[middle]]).unwrap()[0].exp();
        assert!((density - count / 4.0).abs() < 1e-15, "{middle}");
        integral += density * (edges[index + 1] - edges[index]);
    }
    assert!((integral - 1.0).abs() < 1e-15);
}

#[test]
fn every_window_integrates_to_one() {
    let x = array![[0.3, -0.2], [1.1, 0.4], [-0.6, 0.9]];
    for kernel in ALL {
        let model = fitted(&windows(kernel, 0.7), &x);
        // The tail of the exponential window falls slowest.
        let (side, steps) = (14.0, 700);
        let step = 2.0 * side / f64::from(steps);
        let grid = Array2::from_shape_fn((steps as usize * steps as usize, 2), |(i, j)| {
            let place = if j == 0 {
                i / steps as usize
            } else {
                i % steps as usize
            };
            -side + (place as f64 + 0.5) * step
        });
        let integral = model.score_samples(&grid).unwrap().mapv(f64::exp).sum() * step * step;
        // The midpoint rule errs by the jump at the edges of some windows.
        assert!((integral - 1.0).abs() < 5e-3, "{kernel:?} {integral}");
    }
}

#[test]
fn densities_are_the_sum_of_windows_written_out() {
    let x = random_matrix(60, 3, 1);
    let queries = random_matrix(20, 3, 2) * 1.5;
    for kernel in ALL {
        let model = fitted(&windows(kernel, 1.3), &x);
        let found = model.score_samples(&queries).unwrap();
        let expected: Array1<f64> = queries
            .rows()
            .into_iter()
            .map(|query| {
                let norm = kernel.norm(crate::norm::Norm::Euclidean);
                let sum: f64 = x
                    .rows()
                    .into_iter()
                    .map(|row| {
                        let distance = norm.between(&query.to_vec(), &row.to_vec());
                        kernel.value(distance / 1.3)
                    })
                    .sum();
                (sum / 60.0).ln() - kernel.log_integral(norm, 3) - 3.0 * 1.3_f64.ln()
            })
            .collect();
        for (found, expected) in found.iter().zip(&expected) {
            let equal = found == expected || (found - expected).abs() < 1e-12;
            assert!(equal, "{kernel:?} {found} {expected}");
        }
    }
}

#[test]
fn the_tree_and_all_rows_agree_and_tolerances_are_kept() {
    let x = random_matrix(3000, 2, 3);
    let queries = random_matrix(50, 2, 4) * 3.0;
    for kernel in ALL {
        for bandwidth in [0.02, 0.3, 5.0] {
            let density = |algorithm, rtol, atol| {
                let parameters = KernelDensity {
                    algorithm,
                    rtol,
                    atol,
                    ..windows(kernel, bandwidth)
                };
                fitted(&parameters, &x).score_samples(&queries).unwrap()
            };
            let brute = density(DensitySearch::Brute, 0.0, 0.0);
            let tree = density(DensitySearch::KdTree, 0.0, 0.0);
            let rough = density(DensitySearch::KdTree, 1e-3, 0.0);
            let coarse = density(DensitySearch::KdTree, 0.0, 1e-4);
            for i in 0..brute.len() {
                if brute[i] == f64::NEG_INFINITY {
                    assert_eq!(tree[i], brute[i]);
                } else {
                    // Differences of distances near an edge are amplified by a steep window.
                    assert!((tree[i] - brute[i]).abs() < 1e-9, "{kernel:?} {}", tree[i]);
                    assert!((rough[i] - brute[i]).exp_m1().abs() < 1e-3 * (1.0 + 1e-9));
                }
                let (coarse, brute) = (coarse[i].exp(), brute[i].exp());
                assert!(
                    (coarse - brute).abs() < 1e-4 * (1.0 + 1e-9),
                    "{kernel:?} {bandwidth}: {coarse} {brute}"
                );
            }
        }
    }
}

#[test]
fn far_away_the_density_is_tiny_but_known() {
    let x = array![[0.0], [1.0]];
    for algorithm in [DensitySearch::Brute, DensitySearch::KdTree] {
        let parameters = KernelDensity {
            algorithm,
            ..KernelDensity::default()
        };
        let found = fitted(&parameters, &x)
            .score_samples(&array![[1001.0]])
            .unwrap()[0];
        // −½·1000² − ln 2 − ½·ln 2π; the other row adds e^(−1000.5).
        let expected = -500_000.0 - 2_f64.ln() - 0.5 * (2.0 * std::f64::consts::PI).ln();
        assert!((found - expected).abs() < 1e-9);
        let tophat = fitted(&windows(DensityKernel::Tophat, 1.0), &x);
        let nothing = tophat.score_samples(&array![[1001.0]]).unwrap()[0];
        assert_eq!(nothing, f64::NEG_INFINITY);
    }
}

#[test]
fn a_row_of_weight_two_is_the_row_twice_and_one_of_weight_zero_is_none() {
    let x = array![[0.0, 1.0], [2.0, 0.5], [1.0, -1.0], [9.0, 9.0]];
    let repeated = x.select(Axis(0), &[0, 1, 1, 2, 2, 2]);
    let queries = random_matrix(9, 2, 5);
    for unit in [
        BandwidthUnit::Columns,
        BandwidthUnit::Deviations,
        BandwidthUnit::Covariance,
    ] {
        for bandwidth in [
            Bandwidth::Value(0.8),
            Bandwidth::Scott,
            Bandwidth::Silverman,
        ] {
            let parameters = KernelDensity {
                bandwidth,
                bandwidth_unit: unit,
                ..KernelDensity::default()
            };
            let weighted = Samples::from(&x).weighted(&[1.0, 2.0, 3.0, 0.0]).unwrap();
            let weighted = parameters.fit(weighted).unwrap();
            let expected = fitted(&parameters, &repeated)
                .score_samples(&queries)
                .unwrap();
            assert_close(&weighted.score_samples(&queries).unwrap(), &expected, 1e-12);
        }
    }
}

// scipy.stats.gaussian_kde of the same rows, by hand: a normal mixture of covariance h²·C.
#[test]
fn windows_of_the_covariance_are_normal_laws_about_every_row() {
    let x = array![[0.0, 0.0], [1.0, 2.0], [3.0, 1.0], [2.0, 5.0], [4.0, 4.0]];
    let parameters = KernelDensity {
        bandwidth: Bandwidth::Scott,
        bandwidth_unit: BandwidthUnit::Covariance,
        ..KernelDensity::default()
    };
    let model = fitted(&parameters, &x);
    let factor = 5_f64.powf(-1.0 / 6.0);
    assert!((model.bandwidth() - factor).abs() < 1e-15);
    let centred = &x - &x.mean_axis(Axis(0)).unwrap();
    let covariance = centred.t().dot(&centred) / 4.0 * factor * factor;
    let determinant = covariance[[0, 0]] * covariance[[1, 1]] - covariance[[0, 1]].powi(2);
    let point = array![1.5, 2.5];
    let density: f64 = x
        .rows()
        .into_iter()
        .map(|row| {
            let (a, b) = (point[0] - row[0], point[1] - row[1]);
            let form = covariance[[1, 1]] * a * a - 2.0 * covariance[[0, 1]] * a * b
                + covariance[[0, 0]] * b * b;
            (-0.5 * form / determinant).exp()
        })
        .sum::<f64>()
        / (5.0 * 2.0 * std::f64::consts::PI * determinant.sqrt());
    let found = model.score_samples(&point.insert_axis(Axis(0))).unwrap()[0];
    assert!((found - density.ln()).abs() < 1e-12);
}

// 003:P42: on the rows themselves the score grows without bound as h falls, on others it has a peak.
#[test]
fn unseen_rows_choose_the_bandwidth_and_seen_ones_cannot() {
    let x = random_matrix(200, 1, 6);
    let grid = vec![1e-4, 1e-3, 0.01, 0.1, 0.3, 1.0, 3.0, 10.0];
    let seen: Vec<f64> = grid
        .iter()
        .map(|&h| {
            fitted(&windows(DensityKernel::Gaussian, h), &x)
                .score_samples(&x)
                .unwrap()
                .sum()
        })
        .collect();
    assert!(seen.windows(2).all(|pair| pair[0] > pair[1]), "{seen:?}");
    for bandwidth in [Bandwidth::LeaveOneOut, Bandwidth::HeldOut] {
        let parameters = KernelDensity {
            bandwidth,
            bandwidths: Some(grid.clone()),
            ..KernelDensity::default()
        };
        let model = fitted(&parameters, &x);
        let scores = model.bandwidth_scores();
        let best = scores
            .iter()
            .position(|&(h, _)| h == model.bandwidth())
            .unwrap();
        assert!((2..7).contains(&best), "{scores:?}");
        assert!(scores.iter().all(|&(_, score)| score <= scores[best].1));
    }
}

#[test]
fn leaving_a_row_out_is_fitting_without_it() {
    let x = random_matrix(12, 2, 7);
    for kernel in ALL {
        for algorithm in [DensitySearch::Brute, DensitySearch::KdTree] {
            let parameters = KernelDensity {
                algorithm,
                leaf_size: 2,
                ..windows(kernel, 0.9)
            };
            let found = fitted(&parameters, &x).leave_one_out().unwrap();
            for row in 0..12 {
                let others: Vec<usize> = (0..12).filter(|&other| other != row).collect();
                let model = fitted(&parameters, &x.select(Axis(0), &others));
                let expected = model.score_samples(&x.select(Axis(0), &[row])).unwrap()[0];
                let equal = found[row] == expected || (found[row] - expected).abs() < 1e-11;
                assert!(equal, "{kernel:?} {} {expected}", found[row]);
            }
        }
    }
}

// 003:P42: zero density of an unseen row is −∞, visible in the table and never floored.
#[test]
fn windows_that_miss_an_unseen_row_score_minus_infinity() {
    let x = array![[0.0], [1.0], [2.0], [10.0]];
    let parameters = KernelDensity {
        bandwidth: Bandwidth::LeaveOneOut,
        bandwidths: Some(vec![0.5, 2.0, 9.0]),
        ..windows(DensityKernel::Epanechnikov, 1.0)
    };
    let scores = fitted(&parameters, &x).bandwidth_scores();
    assert_eq!(scores[0].1, f64::NEG_INFINITY);
    assert_eq!(scores[1].1, f64::NEG_INFINITY);
    assert!(scores[2].1.is_finite());
    let none = KernelDensity {
        bandwidths: Some(vec![0.5]),
        ..parameters
    };
    let error = none.fit(Samples::from(&x)).unwrap_err().to_string();
    assert!(
        error.contains("bandwidths") && error.contains("out of reach"),
        "{error}"
    );
}

#[test]
fn rules_of_thumb_are_those_of_their_authors() {
    let x = random_matrix(50, 3, 8);
    let of = |bandwidth| {
        let parameters = KernelDensity {
            bandwidth,
            ..KernelDensity::default()
        };
        fitted(&parameters, &x).bandwidth()
    };
    assert!((of(Bandwidth::Scott) - 50_f64.powf(-1.0 / 7.0)).abs() < 1e-15);
    assert!((of(Bandwidth::Silverman) - 62.5_f64.powf(-1.0 / 7.0)).abs() < 1e-15);
}

// 002b:ST-10: every row is kept, and so are its windows; draws come from them.
#[test]
fn draws_have_the_mean_and_the_covariance_of_the_estimate() {
    let x = array![[0.0, 0.0], [4.0, 2.0], [1.0, 3.0]];
    let parameters = KernelDensity {
        bandwidth: Bandwidth::Value(0.5),
        bandwidth_unit: BandwidthUnit::Covariance,
        ..KernelDensity::default()
    };
    let model = fitted(&parameters, &x);
    let n = 20_000;
    let drawn = model.sample(n, 1).unwrap().rows;
    let mean = drawn.mean_axis(Axis(0)).unwrap();
    let expected = x.mean_axis(Axis(0)).unwrap();
    let centred = &x - &expected;
    let spread = centred.t().dot(&centred);
    // The rows have the covariance S/3, their windows 0.25·S/2.
    let covariance = &spread / 3.0 + &spread / 8.0;
    let moved = &drawn - &mean;
    let found = moved.t().dot(&moved) / n as f64;
    for i in 0..2 {
        let error = (covariance[[i, i]] / n as f64).sqrt();
        assert!((mean[i] - expected[i]).abs() < 5.0 * error);
        // A variance of n draws deviates by about √2/√n of itself.
        let tolerance = 5.0 * (2.0 / n as f64).sqrt() * covariance[[i, i]];
        assert!((found[[i, i]] - covariance[[i, i]]).abs() < tolerance);
    }
}

#[test]
fn columns_that_repeat_others_have_no_oblique_windows() {
    let x = array![[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]];
    let of = |bandwidth_unit| KernelDensity {
        bandwidth_unit,
        ..KernelDensity::default()
    };
    let error = of(BandwidthUnit::Covariance)
        .fit(Samples::from(&x))
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("bandwidth_unit is covariance; "),
        "{error}"
    );
    assert!(of(BandwidthUnit::Deviations).fit(Samples::from(&x)).is_ok());
    let one = array![[1.0, 2.0]];
    assert!(
        of(BandwidthUnit::Deviations)
            .fit(Samples::from(&one))
            .is_err()
    );
    let tried = KernelDensity {
        bandwidth: Bandwidth::LeaveOneOut,
        ..KernelDensity::default()
    };
    assert!(tried.fit(Samples::from(&one)).is_err());
    let nothing = KernelDensity {
        bandwidths: Some(vec![]),
        ..tried
    };
    assert!(nothing.fit(Samples::from(&x)).is_err());
}

#[test]
fn a_bandwidth_is_a_number_or_a_word() {
    let read = |text| serde_json::from_str::<Bandwidth>(text).unwrap();
    assert_eq!(read("0.5"), Bandwidth::Value(0.5));
    assert_eq!(read("\"leave-one-out\""), Bandwidth::LeaveOneOut);
    let negative = KernelDensity {
        bandwidth: Bandwidth::Value(-1.0),
        ..KernelDensity::default()
    };
    let x = array![[0.0]];
    assert!(negative.fit(Samples::from(&x)).is_err());
}

// 002a:SV01: with windows that integrate to one and equal priors, the classes are compared by their
// densities, and by their mean similarities without an offset.
#[test]
fn the_classifier_compares_normalised_windows_without_an_offset() {
    let x = random_matrix(40, 2, 9);
    let labels = Labels::from_indices((0..40).map(|row| usize::from(row % 4 == 0)).collect());
    let sigma = 0.6;
    let parameters = ParzenClassifier {
        bandwidth: sigma.into(),
        priors: Some(vec![0.5, 0.5]),
        ..ParzenClassifier::default()
    };
    let model = parameters.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
    let queries = random_matrix(30, 2, 10);
    let densities = model.class_log_densities(&queries).unwrap();
    let predicted = model.predict(&queries).unwrap();
    for (index, query) in queries.rows().into_iter().enumerate() {
        // Means of the normalised kernel (2πσ²)^(−N/2)·exp(−‖x−z‖²/2σ²) over the rows of a class.
        let mean = |class: usize| {
            let rows = (0..40).filter(|&row| labels.indices[row] == class);
            let values: Vec<f64> = rows
                .map(|row| {
                    let gap = &query - &x.row(row);
                    (-gap.dot(&gap) / (2.0 * sigma * sigma)).exp()
                        / (2.0 * std::f64::consts::PI * sigma * sigma)
                })
                .collect();
            values.iter().sum::<f64>() / values.len() as f64
        };
        for class in 0..2 {
            assert!((densities[[index, class]].exp() / mean(class) - 1.0).abs() < 1e-12);
        }
        assert_eq!(predicted[index], usize::from(mean(1) > mean(0)));
    }
}

#[test]
fn priors_shift_the_classes_and_out_of_reach_nothing_is_decided() {
    let x = array![[0.0], [0.2], [0.4], [3.0]];
    let labels = Labels::from_indices(vec![0, 0, 0, 1]);
    let fit = |priors| {
        let parameters = ParzenClassifier {
            kernel: DensityKernel::Epanechnikov,
            bandwidth: 2.0.into(),
            priors,
            ..ParzenClassifier::default()
        };
        parameters.fit(Labelled::new(&x, &labels).unwrap())
    };
    let usual = fit(None).unwrap();
    let middle = array![[1.6], [50.0]];
    let found = usual.predict_proba(&middle).unwrap();
    // Σ(1 − u²) with u = 0.8, 0.7, 0.6 is 1.51 of three rows, and 1 − 0.49 = 0.51 of one.
    assert!((found[[0, 0]] - 1.51 / 2.02).abs() < 1e-14);
    assert_eq!(found.row(1), array![0.75, 0.25]);
    assert_eq!(
        usual.decide(Rows::Dense(middle.view())).unwrap(),
        [Some(0), None]
    );
    let equal = fit(Some(vec![0.5, 0.5]))
        .unwrap()
        .predict_proba(&middle)
        .unwrap();
    let (left, right) = (1.51 / 3.0, 0.51);
    assert!((equal[[0, 0]] - left / (left + right)).abs() < 1e-14);
    assert!(fit(Some(vec![0.9, 0.3])).is_err());
    let drawn = usual.sample(4000, 3).unwrap();
    let share = drawn.labels.iter().filter(|&&label| label == 0).count() as f64 / 4000.0;
    assert!((share - 0.75).abs() < 5.0 * (0.75_f64 * 0.25 / 4000.0).sqrt());
}

proptest! {
    #[test]
    fn densities_move_with_the_rows_and_shrink_with_their_scale(
        n in 1usize..30, d in 1usize..4, shift in -50.0..50.0f64, seed: u64,
    ) {
        let x = random_matrix(n, d, seed);
        let queries = random_matrix(4, d, seed ^ 1);
        let model = fitted(&windows(DensityKernel::Gaussian, 0.7), &x);
        let plain = model.score_samples(&queries).unwrap();
        let moved = fitted(&windows(DensityKernel::Gaussian, 0.7), &(&x + shift));
        let found = moved.score_samples(&(&queries + shift)).unwrap();
        for (found, plain) in found.iter().zip(&plain) {
            prop_assert!((found - plain).abs() < 1e-9 * (1.0 + plain.abs()));
        }
        // p(c·x) under rows and windows c times as large is p(x)/cᵈ.
        let larger = fitted(&windows(DensityKernel::Gaussian, 1.4), &(&x * 2.0));
        let found = larger.score_samples(&(&queries * 2.0)).unwrap();
        for (found, plain) in found.iter().zip(&plain) {
            prop_assert!((found - plain + d as f64 * 2_f64.ln()).abs() < 1e-10 * (1.0 + plain.abs()));
        }
    }
}
