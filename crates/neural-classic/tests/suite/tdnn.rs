//! Windowed networks for time series.

use didact_core::{Cancel, Error, Run};
use didact_neural_classic::Tdnn;
use didact_testing::random_matrix;

fn logistic_map(n: usize) -> Vec<f64> {
    let mut x = 0.3;
    (0..n)
        .map(|_| {
            x = 4.0 * x * (1.0 - x);
            x
        })
        .collect()
}

fn mean_squared_error(tdnn: &Tdnn, series: &[f64], split: usize) -> f64 {
    let model = tdnn.fit(&series[..split], &Run::new()).unwrap();
    let misses = (split..series.len()).map(|t| {
        let next = model.predict_next(&series[..t]).unwrap();
        (next - series[t]).powi(2)
    });
    misses.sum::<f64>() / (series.len() - split) as f64
}

// 001:RNN-12: without hidden units it is the autoregressive model by least squares on lags.
#[test]
fn a_linear_window_recovers_an_autoregressive_series() {
    let noise = random_matrix(400, 1, 1);
    let mut series = vec![1.0, -0.5];
    for t in 2..400 {
        series.push(1.2 * series[t - 1] - 0.7 * series[t - 2] + 2.0 + 1e-9 * noise[[t, 0]]);
    }
    let linear = Tdnn {
        n_lags: 2,
        n_hidden: 0,
        ..Tdnn::default()
    };
    let model = linear.fit(&series[..60], &Run::new()).unwrap();
    let coefficients = model.coefficients();
    assert!((coefficients[0] - 1.2).abs() < 1e-6 && (coefficients[1] + 0.7).abs() < 1e-6);
    assert_eq!(model.n_lags(), 2);
    let forecast = model.forecast(&series[..60], 3).unwrap();
    assert!((forecast[2] - series[62]).abs() < 1e-6);
    assert!(model.trace().is_none());
}

// 002b:NN-02: a time-delay network learns a series that no linear window can.
#[test]
fn hidden_units_learn_a_chaotic_map_that_a_line_cannot() {
    let series = logistic_map(300);
    let linear = Tdnn {
        n_lags: 1,
        n_hidden: 0,
        ..Tdnn::default()
    };
    let bent = Tdnn {
        n_lags: 1,
        n_hidden: 4,
        ..Tdnn::default()
    };
    let (of_line, of_network) = (
        mean_squared_error(&linear, &series, 200),
        mean_squared_error(&bent, &series, 200),
    );
    assert!(of_line > 0.1, "{of_line}");
    assert!(of_network < 1e-3, "{of_network}");
}

#[test]
fn windows_do_not_reach_from_one_series_into_another() {
    // Each series follows its rule; across the cut it is broken.
    let rising: Vec<f64> = (0..10).map(f64::from).collect();
    let falling: Vec<f64> = (0..10).map(|t| 50.0 - 3.0 * f64::from(t)).collect();
    let linear = Tdnn {
        n_lags: 2,
        n_hidden: 0,
        ..Tdnn::default()
    };
    let model = linear.fit_many(&[&rising, &falling], &Run::new()).unwrap();
    assert!((model.predict_next(&rising).unwrap() - 10.0).abs() < 1e-9);
    assert!((model.predict_next(&falling).unwrap() - 20.0).abs() < 1e-9);
}

#[test]
fn awkward_series_give_forecasts_or_clear_errors() {
    let run = Run::new();
    let tdnn = Tdnn::default();
    let constant = tdnn.fit(&[3.0; 20], &run).unwrap();
    assert!((constant.predict_next(&[3.0; 4]).unwrap() - 3.0).abs() < 1e-6);
    assert!(tdnn.fit(&[1.0; 4], &run).is_err());
    assert!(tdnn.fit(&[], &run).is_err());
    assert!(
        tdnn.fit(&[1.0, f64::NAN, 1.0, 2.0, 3.0, 4.0], &run)
            .is_err()
    );
    assert!(constant.forecast(&[1.0], 1).is_err());
    assert!(
        Tdnn {
            n_lags: 0,
            ..tdnn.clone()
        }
        .fit(&[1.0; 9], &run)
        .is_err()
    );
    let cancel = Cancel::new();
    cancel.cancel();
    let stopped = tdnn.fit(&logistic_map(50), &Run::new().cancelled_by(&cancel));
    assert!(matches!(stopped, Err(Error::Cancelled)));
}
