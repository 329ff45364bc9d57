//! Learning conditional random fields and the baseline that labels items one by one.

use crate::crf::{close, random_weights};
use didact_core::model::decode_model;
use didact_core::random::generator;
use didact_core::{
    Cancel, Classes, Classify, Decode, Error, Fit, Labelled, LabelledSequences, Labels, Model, Run,
    Sequences, StopReason, encoding,
};
use didact_linear::LogisticRegression;
use didact_sequence::{ChainWeights, Crf, CrfModel, CrfSolver, Hmm, ItemClassifier, label_items};
use ndarray::{Array2, array};
use rand::RngExt;

pub(crate) const LENGTHS: [usize; 8] = [7, 1, 12, 9, 15, 3, 20, 8];

/// Items and labels by formula, so that others can make the same.
pub(crate) fn waves() -> (Array2<f64>, Labels) {
    let n: usize = LENGTHS.iter().sum();
    let mut items = Array2::zeros((n, 3));
    let mut labels = Vec::new();
    for row in 0..n {
        let i = row as f64;
        let x0 = 1.5 + (1.7 * i + 0.3).sin();
        let x1 = 1.5 + (0.9 * i).cos() + 0.2 * (3.1 * i).sin();
        items.row_mut(row).assign(&array![x0, x1, 1.0]);
        let scores = [
            1.3 * x0 + 0.4 * (2.3 * i).sin(),
            x1 + 0.5 * (5.1 * i).cos(),
            1.8 + 0.8 * (0.37 * i).sin(),
        ];
        let best = (0..3).max_by(|&a, &b| scores[a].total_cmp(&scores[b]));
        labels.push(best.unwrap() as i64);
    }
    (items, Labels::from_names(labels))
}

pub(crate) fn data<'a>(items: &'a Array2<f64>, labels: &'a Labels) -> LabelledSequences<'a> {
    LabelledSequences::new(Sequences::new(items, &LENGTHS).unwrap(), labels).unwrap()
}

fn precise(crf: Crf) -> Crf {
    Crf {
        tol: 1e-10,
        max_iter: 2000,
        ..crf
    }
}

/// The weights of columns and transitions alone, with L2 price c2·‖·‖² as CRFsuite has it.
fn as_crfsuite(c2: f64) -> Crf {
    precise(Crf {
        alpha: 2.0 * c2,
        transition_alpha: 2.0 * c2,
        fit_intercept: false,
        fit_ends: false,
        ..Crf::default()
    })
}

// 000b:S24 000b:S26: python-crfsuite 0.9.12, lbfgs with c1=0, possible states and transitions,
// epsilon 1e-12; its weights are printed with six decimals.
#[test]
fn the_optimum_is_that_of_crfsuite() {
    let (items, labels) = waves();
    let data = data(&items, &labels);
    assert_eq!(data.classes, &Classes::new([0, 1, 2]));
    let crf = as_crfsuite(0.05);
    let model = crf.fit(data.clone()).unwrap();
    let objective = -crf.objective(&model, &data).unwrap();
    assert!(
        (objective / 30.547259563513425 - 1.0).abs() < 1e-9,
        "{objective}"
    );
    let coef = array![
        [2.476838, -1.561451, 1.119993],
        [-1.325296, 2.401338, -2.186578],
        [-1.151542, -0.839888, 1.066585]
    ];
    let transitions = array![
        [-2.059365, -0.992524, 1.056528],
        [0.109298, -0.285747, 1.364335],
        [0.452912, -2.682132, 3.036694]
    ];
    close(&model.weights().coef, &coef, 2e-6);
    close(&model.weights().transitions, &transitions, 2e-6);
    let crf = as_crfsuite(0.5);
    let model = crf.fit(data.clone()).unwrap();
    let objective = -crf.objective(&model, &data).unwrap();
    assert!(
        (objective / 40.710108398175024 - 1.0).abs() < 1e-9,
        "{objective}"
    );
    // Labels and marginals of the third sequence.
    let third = data.sequences.slice(2..3);
    let path = [0, 0, 2, 0, 0, 1, 1, 0, 0, 2, 2, 0];
    assert_eq!(model.decode(&third).unwrap().0, path);
    let marginals = model.state_probabilities(&third).unwrap();
    close(
        &marginals.row(0).to_owned(),
        &array![0.894135, 0.071884, 0.033981],
        2e-6,
    );
    close(
        &marginals.row(5).to_owned(),
        &array![0.102145, 0.724904, 0.17295],
        2e-6,
    );
}

/// ∂ of the penalised objective.
fn penalised(crf: &Crf, model: &CrfModel, data: &LabelledSequences<'_>) -> ChainWeights {
    let mut gradient = model.gradient(&data.sequences, data.labels).unwrap();
    let weights = model.weights();
    gradient.coef.scaled_add(-crf.alpha, &weights.coef);
    gradient
        .transitions
        .scaled_add(-crf.transition_alpha, &weights.transitions);
    gradient.start.scaled_add(-crf.end_alpha, &weights.start);
    gradient.end.scaled_add(-crf.end_alpha, &weights.end);
    gradient
}

// 000b:S24 000b:S25: minus before the penalties; intercepts carry none.
#[test]
fn the_gradient_of_the_penalised_objective_vanishes_at_the_optimum() {
    let (items, labels) = waves();
    let data = data(&items, &labels);
    for (alpha, transition_alpha, end_alpha) in [(1.0, 1.0, 0.5), (0.1, 3.0, 0.1), (20.0, 0.2, 2.0)]
    {
        let crf = precise(Crf {
            alpha,
            transition_alpha,
            end_alpha,
            ..Crf::default()
        });
        let model = crf.fit(data.clone()).unwrap();
        assert_eq!(model.trace().unwrap().stop, StopReason::Converged);
        let gradient = penalised(&crf, &model, &data).to_vec();
        assert!(
            gradient.iter().all(|slope| slope.abs() < 1e-6),
            "{gradient:?}"
        );
    }
}

// 000b:S24 000b:S26: a concave objective has one optimum, and steps along the gradient find it too.
#[test]
fn gradient_ascent_from_any_start_reaches_the_optimum_of_lbfgs() {
    let (items, labels) = waves();
    let data = data(&items, &labels);
    let crf = precise(Crf {
        end_alpha: 1.0,
        ..Crf::default()
    });
    let best = crf.fit(data.clone()).unwrap();
    let optimum = crf.objective(&best, &data).unwrap();
    for seed in [1, 2] {
        let mut weights = random_weights(3, 3, 2.0, seed);
        let before = crf.objective(
            &CrfModel::new(weights.clone(), data.classes.clone()).unwrap(),
            &data,
        );
        assert!(before.unwrap() < optimum - 1.0);
        for _ in 0..6000 {
            let model = CrfModel::new(weights, data.classes.clone()).unwrap();
            let slope = penalised(&crf, &model, &data);
            weights = model.weights().clone();
            weights.coef.scaled_add(0.01, &slope.coef);
            weights.intercept.scaled_add(0.01, &slope.intercept);
            weights.start.scaled_add(0.01, &slope.start);
            weights.end.scaled_add(0.01, &slope.end);
            weights.transitions.scaled_add(0.01, &slope.transitions);
        }
        let model = CrfModel::new(weights, data.classes.clone()).unwrap();
        let reached = crf.objective(&model, &data).unwrap();
        assert!(
            (reached - optimum).abs() < 1e-9 * optimum.abs(),
            "{reached} {optimum}"
        );
        close(&model.weights().coef, &best.weights().coef, 1e-6);
        close(
            &model.weights().transitions,
            &best.weights().transitions,
            1e-6,
        );
    }
}

/// Learning one sequence at a time with the given step lengths.
fn stochastic(eta0: f64, transition_eta0: f64, end_eta0: f64, seed: u64) -> Crf {
    precise(Crf {
        solver: CrfSolver::Stochastic,
        eta0,
        transition_eta0,
        end_eta0,
        random_state: seed,
        ..Crf::default()
    })
}

// 000b:S26: one sequence at a time, with a step length for each group of weights, ends where
// L-BFGS ends.
#[test]
fn learning_one_sequence_at_a_time_reaches_the_optimum_of_lbfgs() {
    let (items, labels) = waves();
    let data = data(&items, &labels);
    let best = precise(Crf::default()).fit(data.clone()).unwrap();
    let optimum = Crf::default().objective(&best, &data).unwrap();
    for crf in [
        stochastic(0.5, 0.5, 0.5, 0),
        stochastic(1.0, 0.2, 2.0, 1),
        // Steps that are far too long are shortened.
        stochastic(1e4, 1e4, 1e4, 2),
    ] {
        let model = crf.fit(data.clone()).unwrap();
        let trace = model.trace().unwrap();
        assert_eq!(trace.stop, StopReason::Converged, "{}", trace.n_iter());
        assert!(
            trace
                .objectives
                .windows(2)
                .all(|pair| pair[1] < pair[0] + 1e-12)
        );
        let reached = crf.objective(&model, &data).unwrap();
        assert!(
            (reached / optimum - 1.0).abs() < 1e-9,
            "{reached} {optimum}"
        );
        let pairs = model
            .weights()
            .to_vec()
            .into_iter()
            .zip(best.weights().to_vec());
        for (found, expected) in pairs {
            assert!((found - expected).abs() < 1e-6, "{found} {expected}");
        }
    }
}

// 000b:S26: groups without steps of their own keep their weights at zero.
#[test]
fn stochastic_learning_leaves_out_what_is_not_learned() {
    let (items, labels) = waves();
    let data = data(&items, &labels);
    let crf = Crf {
        solver: CrfSolver::Stochastic,
        ..as_crfsuite(0.5)
    };
    let model = crf.fit(data.clone()).unwrap();
    let weights = model.weights();
    assert!(
        weights
            .intercept
            .iter()
            .chain(&weights.start)
            .chain(&weights.end)
            .all(|w| *w == 0.0)
    );
    // The optimum of CRFsuite with c2 = 0.5.
    let objective = -crf.objective(&model, &data).unwrap();
    assert!(
        (objective / 40.710108398175024 - 1.0).abs() < 1e-9,
        "{objective}"
    );
}

#[test]
fn the_same_seed_takes_the_same_stochastic_path() {
    let (items, labels) = waves();
    let data = data(&items, &labels);
    let path = |seed| {
        let crf = Crf {
            max_iter: 5,
            ..stochastic(0.5, 0.5, 0.5, seed)
        };
        crf.fit(data.clone()).unwrap()
    };
    assert_eq!(path(3), path(3));
    assert_ne!(path(3), path(4));
    assert_eq!(path(3).trace().unwrap().stop, StopReason::IterationLimit);
}

// 000b:S24
#[test]
fn without_penalties_the_objective_is_the_likelihood_and_penalties_lower_it() {
    let (items, labels) = waves();
    let data = data(&items, &labels);
    let free = Crf {
        alpha: 0.0,
        transition_alpha: 0.0,
        end_alpha: 0.0,
        ..Crf::default()
    };
    let model = Crf::default().fit(data.clone()).unwrap();
    let fit: f64 = model
        .log_probabilities(&data.sequences, data.labels)
        .unwrap()
        .iter()
        .sum();
    assert_eq!(free.objective(&model, &data).unwrap(), fit);
    let weights = model.weights();
    let square = |values: &Array2<f64>| values.iter().map(|value| value * value).sum::<f64>();
    let price = 0.5 * square(&weights.coef) + 0.5 * square(&weights.transitions);
    let of_text = Crf {
        end_alpha: 0.0,
        ..Crf::default()
    };
    let priced = of_text.objective(&model, &data).unwrap();
    assert!((priced - (fit - price)).abs() < 1e-12 * fit.abs());
    let size = |alpha: f64| {
        let crf = Crf {
            alpha,
            transition_alpha: alpha,
            ..Crf::default()
        };
        square(&crf.fit(data.clone()).unwrap().weights().coef)
    };
    assert!(size(0.1) > size(1.0) && size(1.0) > size(10.0));
}

#[test]
fn the_trace_falls_to_the_optimum() {
    let (items, labels) = waves();
    let data = data(&items, &labels);
    let model = Crf::default().fit(data.clone()).unwrap();
    let trace = model.trace().unwrap();
    assert_eq!(trace.stop, StopReason::Converged);
    assert!(trace.objectives.windows(2).all(|pair| pair[1] <= pair[0]));
    let last = trace.objectives[trace.n_iter() - 1] * labels.indices.len() as f64;
    let objective = -Crf::default().objective(&model, &data).unwrap();
    assert!((last / objective - 1.0).abs() < 1e-12, "{last} {objective}");
}

// 000b:S02 000b:S28: softmax regression on its own items is the chain without context.
#[test]
fn the_item_classifier_is_softmax_regression() {
    let (items, labels) = waves();
    let data = data(&items, &labels);
    let baseline = ItemClassifier {
        tol: 1e-10,
        max_iter: 2000,
        ..ItemClassifier::default()
    };
    let model = baseline.fit(data.clone()).unwrap();
    let softmax = LogisticRegression {
        tol: 1e-10,
        max_iter: 2000,
        ..LogisticRegression::default()
    };
    let softmax = softmax
        .fit(Labelled::new(&items, &labels).unwrap())
        .unwrap();
    let probabilities = didact_core::Probabilities::predict_proba(&softmax, &items).unwrap();
    close(
        &model.state_probabilities(&data.sequences).unwrap(),
        &probabilities,
        1e-7,
    );
    let path = model.decode(&data.sequences).unwrap().0;
    assert_eq!(path, label_items(&softmax, &data.sequences).unwrap());
    assert_eq!(path, Classify::predict(&softmax, &items).unwrap());
    let weights = model.weights();
    assert!(
        weights
            .transitions
            .iter()
            .chain(&weights.start)
            .chain(&weights.end)
            .all(|w| *w == 0.0)
    );
}

/// Two states that last, seen through much noise.
fn noisy_levels(n_sequences: usize, seed: u64) -> (Array2<f64>, Labels, Vec<usize>) {
    let random = &mut generator(seed, 8);
    let (mut values, mut names) = (Vec::new(), Vec::new());
    for _ in 0..n_sequences {
        let mut state = random.random::<f64>() < 0.5;
        for _ in 0..30 {
            state ^= random.random::<f64>() < 0.1;
            let noise: f64 = (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0;
            values.push(noise + f64::from(u8::from(state)));
            names.push(if state { "up" } else { "down" });
        }
    }
    let items = Array2::from_shape_vec((values.len(), 1), values).unwrap();
    names.insert(0, "down");
    let mut labels = Labels::from_names(names);
    labels.indices.remove(0);
    (items, labels, vec![30; n_sequences])
}

// 000b:S02 000b:S28: what the chain gains is what the neighbours tell.
#[test]
fn context_labels_more_items_right_than_the_baseline() {
    let (items, labels, lengths) = noisy_levels(60, 1);
    let (new_items, truth, new_lengths) = noisy_levels(60, 2);
    let learned =
        LabelledSequences::new(Sequences::new(&items, &lengths).unwrap(), &labels).unwrap();
    let new = Sequences::new(&new_items, &new_lengths).unwrap();
    let right = |path: Vec<usize>| {
        let same = path
            .iter()
            .zip(&truth.indices)
            .filter(|(a, b)| a == b)
            .count();
        same as f64 / truth.indices.len() as f64
    };
    let chain = right(
        Crf::default()
            .fit(learned.clone())
            .unwrap()
            .decode(&new)
            .unwrap()
            .0,
    );
    let alone = right(
        ItemClassifier::default()
            .fit(learned.clone())
            .unwrap()
            .decode(&new)
            .unwrap()
            .0,
    );
    let markov = right(Hmm::default().fit(learned).unwrap().decode(&new).unwrap().0);
    // Φ(½) = 0.69 is the best that an item by itself allows; its standard error here is 0.011.
    assert!((alone - 0.69).abs() < 0.04, "{alone}");
    assert!(chain > alone + 0.08, "{chain} {alone}");
    // The data come from a hidden Markov model, whose labels the chain can give as well.
    assert!((chain - markov).abs() < 0.03, "{chain} {markov}");
}

#[test]
fn learning_is_the_same_with_any_number_of_threads_and_after_saving() {
    let (items, labels, lengths) = noisy_levels(300, 3);
    let data = LabelledSequences::new(Sequences::new(&items, &lengths).unwrap(), &labels).unwrap();
    let fit = |threads| {
        Crf::default()
            .fit_with(data.clone(), &Run::new().threads(threads))
            .unwrap()
    };
    let model = fit(1);
    assert_eq!(model, fit(2));
    assert_eq!(model, fit(4));
    let bytes = encoding::to_bytes(&model).unwrap();
    let again = decode_model::<CrfModel>(&bytes).unwrap();
    assert_eq!(again.as_any().downcast_ref::<CrfModel>(), Some(&model));
    let together = model.state_probabilities(&data.sequences).unwrap();
    for index in [0, 7, 299] {
        let alone = model
            .state_probabilities(&data.sequences.slice(index..index + 1))
            .unwrap();
        let rows = together.slice(ndarray::s![30 * index..30 * (index + 1), ..]);
        assert_eq!(alone, rows);
    }
    let cancel = Cancel::new();
    cancel.cancel();
    let cancelled = Crf::default().fit_with(data.clone(), &Run::new().cancelled_by(&cancel));
    assert!(matches!(cancelled, Err(Error::Cancelled)));
}

#[test]
fn units_and_places_of_columns_do_not_matter_without_their_price() {
    let (items, labels) = waves();
    let crf = Crf {
        alpha: 0.0,
        end_alpha: 1.0,
        ..Crf::default()
    };
    let items = items.slice(ndarray::s![.., ..2]).to_owned();
    let usual = crf.fit(data(&items, &labels)).unwrap();
    let path = usual.decode(&data(&items, &labels).sequences).unwrap().0;
    for (unit, place) in [(1e300, 0.0), (1e-200, 0.0), (1.0, 1e6), (1e150, -3e150)] {
        let moved = items.mapv(|value| value * unit + place);
        let model = crf.fit(data(&moved, &labels)).unwrap();
        let sequences = data(&moved, &labels).sequences;
        assert_eq!(model.decode(&sequences).unwrap().0, path, "{unit} {place}");
    }
}

#[test]
fn awkward_data_give_a_finite_model_or_a_clear_error() {
    let (items, labels) = waves();
    let n = items.nrows();
    let one_class = Labels::from_names(vec!["only"; n]);
    let cases = [
        (Array2::zeros((n, 2)), &labels),
        (Array2::from_elem((n, 2), 2.5), &labels),
        (&items * 1e300, &labels),
        (&items * 1e-300, &labels),
        (&items + 1e8, &labels),
        (items.clone(), &one_class),
        (
            Array2::from_shape_fn((n, 100), |(i, j)| ((i * j) as f64).sin()),
            &labels,
        ),
    ];
    for (items, labels) in &cases {
        for alpha in [0.0, 1.0] {
            let model = Crf {
                alpha,
                ..Crf::default()
            }
            .fit(data(items, labels))
            .unwrap();
            let sequences = data(items, labels).sequences;
            let probabilities = model.state_probabilities(&sequences).unwrap();
            assert!(
                probabilities
                    .rows()
                    .into_iter()
                    .all(|row| (row.sum() - 1.0).abs() < 1e-9)
            );
            assert!(
                model
                    .decode(&sequences)
                    .unwrap()
                    .1
                    .iter()
                    .all(|log| *log <= 0.0)
            );
        }
    }
    let mut far = items.clone();
    far[[0, 0]] = 1.7e308;
    far[[1, 0]] = -1.7e308;
    let error = Crf::default()
        .fit(data(&far, &labels))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("column 0") && error.contains("divide"),
        "{error}"
    );
    let single = array![[1.0]];
    let label = Labels::from_names(["a"]);
    let single = LabelledSequences::new(Sequences::new(&single, &[1]).unwrap(), &label).unwrap();
    assert!(Crf::default().fit(single).is_ok());
    let error = Crf {
        alpha: -1.0,
        ..Crf::default()
    }
    .fit(data(&items, &labels))
    .unwrap_err();
    assert!(error.to_string().contains("alpha is -1"), "{error}");
}
