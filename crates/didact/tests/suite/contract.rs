//! The contracts of learners, on named methods: generative against discriminative, learning
//! on-line, the papers of a model, the growth of cost.

use didact::Framing;
use didact::core::Modelling;
use didact::core::random::generator;
use didact::evaluate::growth_exponent;
use didact::prelude::*;
use ndarray::{Array2, Axis, concatenate};
use rand::RngExt;
use rand::seq::SliceRandom;
use std::time::Instant;

/// Two columns of the breast cancer data, scaled: their classes overlap, so that maximum
/// likelihood has a finite answer.
fn two_columns() -> (Array2<f64>, Labels) {
    let data = datasets::breast_cancer();
    let x = data.features().select(Axis(1), &[0, 1]);
    let scaled = StandardScaler::default()
        .fit(Samples::from(&x))
        .unwrap()
        .transform(&x)
        .unwrap()
        .into_dense();
    (scaled, data.labels().unwrap().clone())
}

/// Σ ln P(y | x) over the rows.
fn conditional_log_likelihood(probabilities: &Array2<f64>, labels: &Labels) -> f64 {
    let rows = probabilities.rows().into_iter().zip(&labels.indices);
    rows.map(|(row, &label)| row[label].ln()).sum()
}

// 000a:GEN-11, 001:CLS-23, 004:M12: with a Gaussian for each class and column, ln P(y | x) is a
// quadratic without mixed terms, which is what logistic regression on [x, x²] can be. It
// maximises P(y | x) itself, not the P(x | y) that two texts print.
#[test]
fn the_discriminative_fit_beats_the_generative_one_at_the_conditional_likelihood() {
    let (x, labels) = two_columns();
    let generative = GaussianNB::default()
        .fit(Labelled::new(&x, &labels).unwrap())
        .unwrap();
    let squares = concatenate![Axis(1), x, x.mapv(|value| value * value)];
    let discriminative = LogisticRegression {
        penalty: Penalty::None,
        ..LogisticRegression::default()
    }
    .fit(Labelled::new(&squares, &labels).unwrap())
    .unwrap();
    let by_generative = conditional_log_likelihood(&generative.predict_proba(&x).unwrap(), &labels);
    let by_discriminative =
        conditional_log_likelihood(&discriminative.predict_proba(&squares).unwrap(), &labels);
    assert!(by_generative.is_finite() && by_discriminative < 0.0);
    assert!(
        by_discriminative > by_generative + 1.0,
        "{by_discriminative} {by_generative}"
    );
    let kind = |id: &str| didact::find(id).unwrap().card.modelling;
    assert_eq!(kind("gaussian-nb"), Modelling::Generative);
    assert_eq!(kind("logistic-regression"), Modelling::Discriminative);
    let objective = didact::find("logistic-regression").unwrap().card.objective;
    assert!(objective.contains("P(y|x)"), "{objective}");
}

// 002b:GP-14, 003:P21: p(x) = Σ_y p(y)·p(x | y), and the posterior is the joint over it.
#[test]
fn the_density_is_the_joint_summed_over_the_classes() {
    let (x, labels) = two_columns();
    let model = GaussianNB::default()
        .fit(Labelled::new(&x, &labels).unwrap())
        .unwrap();
    let joint = model.joint_log_densities(Rows::Dense(x.view())).unwrap();
    let density = model.score_samples(&x).unwrap();
    let posterior = model.predict_proba(&x).unwrap();
    for row in 0..x.nrows() {
        let largest = joint.row(row).iter().copied().fold(f64::MIN, f64::max);
        let sum: f64 = joint
            .row(row)
            .iter()
            .map(|value| (value - largest).exp())
            .sum();
        let marginal = largest + sum.ln();
        assert!((density[row] - marginal).abs() <= 1e-12 * marginal.abs().max(1.0));
        for class in 0..2 {
            let expected = (joint[[row, class]] - marginal).exp();
            assert!((posterior[[row, class]] - expected).abs() < 1e-12);
        }
    }
}

// 001:GEN-14, 003:P21: draw y, then x given y; frequencies and a new fit find the parameters.
#[test]
fn a_refit_on_drawn_rows_recovers_the_parameters() {
    let iris = datasets::iris();
    let model = GaussianNB::default().fit(iris.labelled().unwrap()).unwrap();
    let drawn = model.sample(30_000, 5).unwrap();
    let labels = Labels {
        indices: drawn.labels,
        classes: model.classes().clone(),
    };
    let again = GaussianNB::default()
        .fit(Labelled::new(&drawn.rows, &labels).unwrap())
        .unwrap();
    let n = drawn.rows.nrows() as f64;
    for class in 0..3 {
        let prior = model.class_prior()[class];
        let error = (prior * (1.0 - prior) / n).sqrt();
        assert!((again.class_prior()[class] - prior).abs() < 4.0 * error);
        let rows = again.class_count()[class];
        for column in 0..4 {
            let variance = model.var()[[class, column]];
            let shift = again.theta()[[class, column]] - model.theta()[[class, column]];
            assert!(shift.abs() < 4.0 * (variance / rows).sqrt());
            // The standard error of a Gaussian's variance is σ²·√(2/n).
            let stretch = again.var()[[class, column]] - variance;
            assert!(stretch.abs() < 4.0 * variance * (2.0 / rows).sqrt());
        }
    }
}

/// Iris in an order that does not give the classes away.
fn shuffled_iris(seed: u64) -> (Array2<f64>, Labels) {
    let iris = datasets::iris();
    let mut order: Vec<usize> = (0..iris.features().nrows()).collect();
    order.shuffle(&mut generator(seed, 0));
    let labels = iris.labels().unwrap();
    let indices = order.iter().map(|&row| labels.indices[row]).collect();
    let classes = labels.classes.clone();
    (
        iris.features().select(Axis(0), &order),
        Labels { indices, classes },
    )
}

// 000a:GEN-12: predict first, then be told, suffer the loss and learn. (That mistakes equal
// updates holds for mistake-driven learners; the descent of batch gradients for optimisers.)
#[test]
fn mistakes_made_on_line_are_fewer_than_those_of_the_commonest_class() {
    let (x, labels) = shuffled_iris(1);
    let stream = Labelled::new(&x, &labels).unwrap();
    let run = Run::new();
    let mut online = Online::new(GaussianNB::default()).unwrap();
    let (mut mistakes, mut naive_mistakes, mut predictions) = (0, 0, 0);
    let mut counts = [0usize; 3];
    for row in 0..x.nrows() {
        let truth = labels.indices[row];
        let guess = (0..3)
            .max_by_key(|&class| (counts[class], 2 - class))
            .unwrap();
        let predicted = online
            .predict_then_learn(stream.slice(row..row + 1), &run, |model, chunk| {
                model.classify(chunk.samples.rows())
            })
            .unwrap();
        assert_eq!(
            predicted.is_none(),
            row == 0,
            "nothing is known before the first row"
        );
        if let Some(predicted) = predicted {
            predictions += 1;
            mistakes += usize::from(predicted[0] != truth);
            naive_mistakes += usize::from(guess != truth);
        }
        counts[truth] += 1;
    }
    assert_eq!((predictions, online.rows_seen()), (149, 150));
    assert!(mistakes * 4 < naive_mistakes, "{mistakes} {naive_mistakes}");
}

// 000a:GEN-12: what is known after the stream is what a batch would have given.
#[test]
fn a_stream_of_chunks_teaches_what_the_whole_teaches() {
    let run = Run::new();
    let (x, labels) = shuffled_iris(2);
    let stream = Labelled::new(&x, &labels).unwrap();
    let whole = GaussianNB::default().fit(stream.clone()).unwrap();
    let diabetes = datasets::diabetes();
    let measured = diabetes.measured().unwrap();
    let line = LinearRegression::default().fit(measured.clone()).unwrap();
    let close = |left: &Array2<f64>, right: &Array2<f64>| {
        let pairs = left.iter().zip(right);
        pairs.fold(0.0f64, |worst, (a, b)| {
            worst.max((a - b).abs() / b.abs().max(1.0))
        }) < 1e-9
    };
    for size in [1, 7, 50] {
        let mut online = Online::new(GaussianNB::default()).unwrap();
        for start in (0..150).step_by(size) {
            let chunk = stream.slice(start..(start + size).min(150));
            online.learn(chunk, &run).unwrap();
        }
        let model = online.model::<Labelled<'_>>(&run).unwrap().unwrap();
        assert!(close(model.theta(), whole.theta()) && close(model.var(), whole.var()));
        let mut online = Online::new(LinearRegression::default()).unwrap();
        for start in (0..442).step_by(size) {
            let chunk = measured.slice(start..(start + size).min(442));
            online.learn(chunk, &run).unwrap();
        }
        let model = online.model::<Measured<'_>>(&run).unwrap().unwrap();
        assert!(close(model.coef(), line.coef()), "{size}");
    }
}

// 002b:NN-01, 002b:SM-09: using a model never changes it; learning while running is asked for.
#[test]
fn running_a_model_never_changes_it() {
    let run = Run::new();
    let (x, labels) = shuffled_iris(3);
    let stream = Labelled::new(&x, &labels).unwrap();
    let mut online = Online::new(GaussianNB::default()).unwrap();
    online.learn(stream.slice(0..75), &run).unwrap();
    let model = online.model::<Labelled<'_>>(&run).unwrap().unwrap();
    let before = model.encode().unwrap();
    for _ in 0..3 {
        model.predict(&x).unwrap();
        model.predict_proba(&x).unwrap();
        model.score_samples(&x).unwrap();
        model.sample(10, 1).unwrap();
    }
    assert_eq!(model.encode().unwrap(), before);
    let same = online.model::<Labelled<'_>>(&run).unwrap().unwrap();
    assert_eq!(same.encode().unwrap(), before);
    online
        .predict_then_learn(stream.slice(75..150), &run, |_, _| Ok(()))
        .unwrap();
    let learned = online.model::<Labelled<'_>>(&run).unwrap().unwrap();
    assert_ne!(learned.encode().unwrap(), before);
    assert_eq!(
        model.encode().unwrap(),
        before,
        "a model that was handed out stays as it is"
    );
}

// 002b:SM-09: y = 3x turns into y = −3x half-way; who forgets follows, who remembers all does not.
#[test]
fn forgetting_old_chunks_follows_a_drift() {
    let run = Run::new();
    let mut generator = generator(7, 0);
    let x = Array2::from_shape_fn((200, 1), |_| generator.random_range(-1.0..1.0));
    let slope = |row: usize| if row < 100 { 3.0 } else { -3.0 };
    let targets: Vec<f64> = (0..200).map(|row| slope(row) * x[[row, 0]]).collect();
    let stream = Measured::new(&x, &targets).unwrap();
    let mut everything = Online::new(LinearRegression::default()).unwrap();
    let mut recent = Online::new(LinearRegression::default())
        .unwrap()
        .remembering(4);
    for start in (0..200).step_by(10) {
        for online in [&mut everything, &mut recent] {
            online.learn(stream.slice(start..start + 10), &run).unwrap();
        }
    }
    let slope = |online: &Online<LinearRegression, _>| {
        online.model::<Measured<'_>>(&run).unwrap().unwrap().coef()[[0, 0]]
    };
    assert!((slope(&recent) + 3.0).abs() < 1e-12);
    assert!(slope(&everything).abs() < 2.0);
    assert_eq!(recent.rows_seen(), 200);
}

#[test]
fn a_chunk_that_cannot_be_learned_changes_nothing() {
    let run = Run::new();
    let (x, labels) = shuffled_iris(4);
    let narrow = x.select(Axis(1), &[0, 1]);
    for window in [None, Some(3)] {
        let mut online = Online::new(GaussianNB::default()).unwrap();
        if let Some(chunks) = window {
            online = online.remembering(chunks);
        }
        assert!(online.model::<Labelled<'_>>(&run).unwrap().is_none());
        assert!(online.rows_per_second().is_none());
        online
            .learn(Labelled::new(&x, &labels).unwrap(), &run)
            .unwrap();
        let before = online.model::<Labelled<'_>>(&run).unwrap();
        assert!(
            online
                .learn(Labelled::new(&narrow, &labels).unwrap(), &run)
                .is_err()
        );
        assert_eq!(online.model::<Labelled<'_>>(&run).unwrap(), before);
        assert_eq!(online.rows_seen(), 150);
    }
}

// 002a:BP02: frames of 16 × 16 grey values must be judged and learned from at 30 a second.
#[test]
fn single_images_are_learned_faster_than_a_camera_delivers_them() {
    let run = Run::new();
    let mut generator = generator(8, 0);
    let classes = Classes::new(["day", "night"]);
    let mut online = Online::new(GaussianNB::default()).unwrap();
    for frame in 0..120 {
        let label = [frame % 2];
        let brightness = 0.7 - 0.4 * (frame % 2) as f64;
        let pixels =
            Array2::from_shape_fn((1, 256), |_| brightness + 0.1 * generator.random::<f64>());
        let chunk = Labelled::from_parts(Samples::from(&pixels), &label, &classes).unwrap();
        online
            .predict_then_learn(chunk, &run, |model, chunk| {
                model.classify(chunk.samples.rows())
            })
            .unwrap();
    }
    let rate = online.rows_per_second().unwrap();
    assert!(rate >= 30.0, "{rate} frames per second");
}

// 001:OV-09: data, prior knowledge, algorithm, hyper-parameters, optimiser settings and seed.
// 001:CLU-18: the report of the time that a fit took.
#[test]
fn the_header_records_everything_that_made_the_model() {
    let mut spec: Spec = "standard-scaler | k-means(n_clusters=3, n_init=2)"
        .parse()
        .unwrap();
    spec.set_seed(42).unwrap();
    let iris = datasets::iris();
    let mut trained = Job::new(spec).fit(iris.into_table(), &Run::new()).unwrap();
    trained.header.data = Some("iris".to_owned());
    trained.header.framing = Some(sign_language());
    let loaded = Trained::from_bytes(&trained.to_bytes().unwrap()).unwrap();
    let header = serde_json::to_value(&loaded.header).unwrap();
    assert_eq!(header["data"], "iris");
    assert_eq!(header["training"]["rows"], 150);
    assert!(
        header["training"]["seconds"]
            .as_f64()
            .is_some_and(|seconds| seconds > 0.0)
    );
    assert_eq!(header["training"]["stop"], "converged");
    assert_eq!(header["framing"]["time_lag"], sign_language().time_lag);
    let steps = header["specification"].to_string();
    assert!(
        steps.contains("standard-scaler") && steps.contains("k-means"),
        "{steps}"
    );
    let parameters = header["parameters"].to_string();
    for setting in [
        "n_clusters",
        "init",
        "n_init",
        "max_iter",
        "tol",
        "\"random_state\":42",
    ] {
        assert!(parameters.contains(setting), "{setting}: {parameters}");
    }
}

// 002a:BP20, 002a:EX19: the scenario of understanding sign language.
/// Clusters of the rows after projection on one axis, and their agreement with the truth.
fn agreement_after_projection(rows: &Array2<f64>, truth: &[usize]) -> f64 {
    let spec: didact::Spec = "pca(n_components=1) | k-means(n_clusters=2)"
        .parse()
        .unwrap();
    let learner = spec.learner().unwrap();
    let data = didact::core::Data::Samples(Samples::from(rows));
    let model = learner.fit(data, &Run::new()).unwrap();
    let assign = model.as_assign().unwrap();
    let found = assign.assign(Samples::from(rows).rows()).unwrap();
    let found: Vec<usize> = found.into_iter().map(|cluster| cluster.unwrap()).collect();
    didact::evaluate::adjusted_rand(truth, &found).unwrap()
}

// 002a:PCA12: projecting before clustering helps where the groups differ along the axis of most
// variance, and fails on two tall clusters side by side (002a:FIG15).
#[test]
fn clusters_are_found_along_the_first_axis_only_where_they_differ_along_it() {
    let mut noise = generator(12, 0);
    let mut side = move || noise.random_range(-1.0..1.0);
    let truth: Vec<usize> = (0..200).map(|row| row % 2).collect();
    let mut groups = |apart: f64, tall: f64| {
        Array2::from_shape_fn((200, 2), |(row, column)| match column {
            0 => truth[row] as f64 * apart + 0.2 * side(),
            _ => tall * side(),
        })
    };
    let (far, tall) = (groups(9.0, 1.0), groups(2.0, 5.0));
    assert_eq!(agreement_after_projection(&far, &truth), 1.0);
    assert!(agreement_after_projection(&tall, &truth) < 0.05);
}

fn sign_language() -> Framing {
    Framing {
        inputs_and_outputs: "in: positions of hands and fingers over time; out: a word".into(),
        unknown_parameters: "how each word moves, and how signers differ".into(),
        performance_measure: "share of words understood, on signers never seen".into(),
        good_enough: "95 of 100 words".into(),
        too_poor: "less than half of the words".into(),
        time_lag: "the length of a sign, about a second".into(),
    }
}

// 000a:GEN-13, 002a:BP07: the card of naive Bayes says O(n·d); timings on logarithmic axes agree.
#[test]
fn the_time_of_naive_bayes_grows_linearly_in_rows_and_in_columns() {
    let seconds = |n_rows: usize, n_columns: usize| {
        let x = Array2::from_shape_fn((n_rows, n_columns), |(row, column)| {
            ((row * 31 + column * 17) % 101) as f64
        });
        let labels = Labels::from_indices((0..n_rows).map(|row| row % 2).collect());
        let run = Run::new().threads(1);
        // The fastest of several runs is the one that nothing else disturbed.
        (0..5)
            .map(|_| {
                let data = Labelled::new(&x, &labels).unwrap();
                let start = Instant::now();
                GaussianNB::default().fit_with(data, &run).unwrap();
                start.elapsed().as_secs_f64()
            })
            .fold(f64::INFINITY, f64::min)
    };
    let sizes = [1.0, 4.0, 16.0];
    let rows = sizes.map(|size| seconds(4_000 * size as usize, 16));
    // Wide enough that the work per row outweighs the price of visiting it.
    let columns = sizes.map(|size| seconds(2_000, 64 * size as usize));
    for times in [rows, columns] {
        let exponent = growth_exponent(&sizes, &times).unwrap();
        // Linear, neither constant nor quadratic, on a machine that others use too.
        assert!((0.5..1.5).contains(&exponent), "{exponent}: {times:?}");
    }
    assert_eq!(didact::find("gaussian-nb").unwrap().card.cost, "O(n·d)");
}
