//! What machines are used for: texts, choosing kernels, pictures, files.

use didact_core::model::decode_model;
use didact_core::{
    AnyModel, Classify, Fit, Labelled, Labels, Measured, Model, Regress, Rows, Run, Samples,
    Scores, Shape,
};
use didact_math::kernel::{Gamma, KernelName, kernel_matrix};
use didact_preprocess::{BagOfWords, Weighting};
use didact_svm::{Role, Svc, SvcModel, Svr, SvrModel};
use didact_testing::random_matrix;
use ndarray::{Array2, Axis};

// 001:SVM-09: bags of words and a linear machine tell short texts apart that it has never seen.
#[test]
fn short_texts_are_told_apart_by_a_linear_machine_on_bags_of_words() {
    let texts = [
        ("the team won the match in the last minute", "sport"),
        ("a late goal decided the game for the home team", "sport"),
        (
            "the player scored twice before the referee stopped the match",
            "sport",
        ),
        (
            "fans cheered as the striker scored the winning goal",
            "sport",
        ),
        ("the coach praised the team after the game", "sport"),
        ("simmer the soup with onion and a pinch of salt", "kitchen"),
        ("bake the bread until the crust is brown", "kitchen"),
        ("stir butter and flour into a smooth sauce", "kitchen"),
        ("season the soup with salt and fresh pepper", "kitchen"),
        ("knead the dough and bake it with olive oil", "kitchen"),
    ];
    let bag = BagOfWords {
        weighting: Weighting::TfIdf,
        ..Default::default()
    };
    let vocabulary = bag.fit_texts(texts.iter().map(|(text, _)| *text)).unwrap();
    let rows = vocabulary
        .encode_texts(texts.iter().map(|(text, _)| *text))
        .unwrap();
    let labels = Labels::from_names(texts.iter().map(|(_, topic)| *topic));
    let svc = Svc {
        kernel: KernelName::Linear.into(),
        ..Default::default()
    };
    let model = svc.fit(Labelled::new(&rows, &labels).unwrap()).unwrap();
    let asked = [
        "the striker won the game with a goal",
        "salt the dough before you bake the bread",
        "the referee and the coach argued after the match",
        "a sauce of butter, onion and pepper",
    ];
    let queries = vocabulary.encode_texts(asked).unwrap();
    let topics: Vec<String> = model
        .predict(&queries)
        .unwrap()
        .into_iter()
        .map(|class| labels.classes.names()[class].to_string())
        .collect();
    assert_eq!(topics, ["sport", "kitchen", "sport", "kitchen"]);
}

/// Two spirals of points, which no line can separate.
fn spirals(n: usize) -> (Array2<f64>, Labels) {
    let noise = random_matrix(n, 2, 3) * 0.1;
    let x = Array2::from_shape_fn((n, 2), |(row, column)| {
        let turn = 0.5 + 4.0 * (row / 2) as f64 / (n / 2) as f64;
        let angle = turn + std::f64::consts::PI * (row % 2) as f64;
        let side = if column == 0 {
            angle.cos()
        } else {
            angle.sin()
        };
        turn * side + noise[[row, column]]
    });
    (x, Labels::from_indices((0..n).map(|row| row % 2).collect()))
}

fn right(model: &SvcModel, x: &Array2<f64>, y: &[usize]) -> f64 {
    let predicted = model.predict(x).unwrap();
    let right = predicted.iter().zip(y).filter(|(a, b)| a == b).count();
    right as f64 / y.len() as f64
}

/// The mean shares of right answers on the rows learned from and on those left out, over five folds.
fn cross_validated(svc: &Svc, x: &Array2<f64>, labels: &Labels) -> (f64, f64) {
    let (mut taught, mut asked) = (0.0, 0.0);
    for fold in 0..5 {
        // Pairs of rows, one of each class, stay together.
        let (test, train): (Vec<usize>, Vec<usize>) =
            (0..x.nrows()).partition(|row| row / 2 % 5 == fold);
        let part = |rows: &[usize]| {
            let indices: Vec<usize> = rows.iter().map(|&row| labels.indices[row]).collect();
            (x.select(Axis(0), rows), indices)
        };
        let ((x_train, y_train), (x_test, y_test)) = (part(&train), part(&test));
        let own = Labels {
            indices: y_train.clone(),
            classes: labels.classes.clone(),
        };
        let model = svc.fit(Labelled::new(&x_train, &own).unwrap()).unwrap();
        taught += right(&model, &x_train, &y_train) / 5.0;
        asked += right(&model, &x_test, &y_test) / 5.0;
    }
    (taught, asked)
}

// 002a:KT09: kernels compared on training and test rows by cross-validation.
#[test]
fn cross_validation_finds_the_kernel_that_suits_the_data() {
    let (x, labels) = spirals(200);
    let table: Vec<(KernelName, f64, f64)> = [
        KernelName::Linear,
        KernelName::Poly,
        KernelName::Rbf,
        KernelName::Sigmoid,
    ]
    .into_iter()
    .map(|kernel| {
        let svc = Svc {
            kernel: kernel.into(),
            c: 10.0,
            gamma: Gamma::Value(1.0),
            ..Default::default()
        };
        let (taught, asked) = cross_validated(&svc, &x, &labels);
        (kernel, taught, asked)
    })
    .collect();
    let best = table.iter().max_by(|a, b| a.2.total_cmp(&b.2)).unwrap();
    assert_eq!(best.0, KernelName::Rbf, "{table:?}");
    assert!(best.2 > 0.95 && best.1 >= best.2 - 0.02, "{table:?}");
    assert!(table[0].2 < 0.9, "{table:?}");
}

// 003:P95, 001:SVM-05: a kernel matrix that is known already gives the machine of its rows.
#[test]
fn a_known_kernel_matrix_gives_the_machine_of_its_rows() {
    let iris = didact_datasets::iris();
    let labels = iris.labels().unwrap();
    let x = iris.samples().dense().unwrap().to_owned();
    let svc = Svc {
        gamma: Gamma::Value(0.3),
        tol: 1e-9,
        ..Default::default()
    };
    let model = svc.fit(iris.labelled().unwrap()).unwrap();
    let rows = Rows::Dense(x.view());
    let kernel = kernel_matrix(rows, rows, model.kernel(), &Run::new()).unwrap();
    let known = svc
        .fit_kernel_matrix(kernel.view(), labels, &Run::new())
        .unwrap();
    let scores = known.decision_function(kernel.view()).unwrap();
    let expected = model.decision_function(&x).unwrap();
    assert!((scores - expected).iter().all(|error| error.abs() < 1e-6));
    assert_eq!(
        known.predict(kernel.view()).unwrap(),
        model.predict(&x).unwrap()
    );
    let narrow = kernel.slice(ndarray::s![.., ..3]);
    assert!(known.predict(narrow).is_err());
    assert!(svc.fit_kernel_matrix(narrow, labels, &Run::new()).is_err());
}

fn shape(model: &dyn AnyModel, name: &str) -> Option<Shape> {
    let figures = model.figures().into_iter();
    figures
        .filter(|(described, _)| described.name == name)
        .map(|(_, shape)| shape)
        .next()
}

// 000a:fx-T11: the data of a picture of linear and kernel machines: margin planes, and support vectors
// with their roles, which are drawn with rings.
#[test]
fn pictures_have_margins_and_support_vectors_by_role() {
    let x = random_matrix(80, 2, 5);
    let class = |row: usize| {
        usize::from(x[[row, 0]] + x[[row, 1]] + 0.5 * ((row % 7) as f64 - 3.0) / 3.0 > 0.0)
    };
    let labels = Labels::from_indices((0..80).map(class).collect());
    for kernel in [KernelName::Linear, KernelName::Rbf] {
        let svc = Svc {
            kernel: kernel.into(),
            tol: 1e-8,
            ..Default::default()
        };
        let model = svc.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
        let count = |role: Role| model.roles().iter().filter(|own| **own == role).count();
        for (name, role) in [
            ("support vectors", Role::Edge),
            ("bound support vectors", Role::Bound),
        ] {
            let Some(Shape::Points { points }) = shape(&model, name) else {
                panic!("{name} are points")
            };
            assert_eq!(points.nrows(), count(role));
        }
        assert_eq!(
            count(Role::Edge) + count(Role::Bound),
            model.support().len()
        );
        match (kernel, shape(&model, "margins")) {
            (KernelName::Linear, Some(Shape::Hyperplanes { normals, offsets })) => {
                // The planes are 2/‖w‖ apart.
                let length = normals.row(0).dot(&normals.row(0)).sqrt();
                let width = (offsets[0] - offsets[1]).abs() / length;
                assert!((width - model.margin()[0]).abs() < 1e-9);
            }
            (KernelName::Rbf, None) => {}
            (_, other) => panic!("{other:?}"),
        }
    }
}

// 002b:KM-10: bounded support vectors are drawn too; the tube is the hyperplane moved by ε.
#[test]
fn pictures_of_regressions_have_a_tube_and_rows_outside() {
    let x = Array2::from_shape_fn((40, 1), |(row, _)| row as f64 / 10.0);
    let y: Vec<f64> = (0..40)
        .map(|row| x[[row, 0]] + 0.4 * ((row * 7 % 5) as f64 - 2.0) / 2.0)
        .collect();
    let svr = Svr {
        kernel: KernelName::Linear.into(),
        epsilon: 0.25,
        tol: 1e-8,
        ..Default::default()
    };
    let model = svr.fit(Measured::new(&x, &y).unwrap()).unwrap();
    let Some(Shape::Points { points }) = shape(&model, "bound support vectors") else {
        panic!("there are rows outside")
    };
    let curve = model.predict(&points.select(Axis(1), &[0])).unwrap();
    assert!(
        points
            .rows()
            .into_iter()
            .zip(&curve)
            .all(|(point, f)| (point[1] - f).abs() > 0.25 - 1e-6)
    );
    let Some(Shape::Hyperplanes { offsets, .. }) = shape(&model, "tube") else {
        panic!("a linear tube has planes")
    };
    assert!((offsets[1] - offsets[0] - 0.5).abs() < 1e-12);
}

#[test]
fn models_come_back_from_their_bytes_and_damaged_ones_are_refused() {
    let iris = didact_datasets::iris();
    let model = Svc::default().fit(iris.labelled().unwrap()).unwrap();
    let bytes = model.encode().unwrap();
    let read = decode_model::<SvcModel>(&bytes).unwrap();
    assert_eq!(read.as_any().downcast_ref::<SvcModel>(), Some(&model));
    assert!(model.validate().is_ok());
    let x = Array2::from_shape_fn((20, 1), |(row, _)| row as f64);
    let y: Vec<f64> = (0..20).map(|row| f64::from(row % 3)).collect();
    let model = Svr::default().fit(Measured::new(&x, &y).unwrap()).unwrap();
    let read = decode_model::<SvrModel>(&model.encode().unwrap()).unwrap();
    assert_eq!(read.as_any().downcast_ref::<SvrModel>(), Some(&model));
    assert!(decode_model::<SvrModel>(&bytes).is_err());
}

#[test]
fn rows_one_at_a_time_are_judged_like_rows_together() {
    let x = random_matrix(75, 33, 8);
    let y: Vec<f64> = x.rows().into_iter().map(|row| row.sum().sin()).collect();
    for kernel in [
        KernelName::Rbf,
        KernelName::Linear,
        KernelName::Poly,
        KernelName::Laplacian,
    ] {
        let svr = Svr {
            kernel: kernel.into(),
            ..Default::default()
        };
        let model = svr.fit(Measured::new(&x, &y).unwrap()).unwrap();
        let together = model.predict(&x).unwrap();
        for row in 0..75 {
            let alone = model.predict(x.slice(ndarray::s![row..=row, ..])).unwrap();
            assert_eq!(alone[[0, 0]].to_bits(), together[[row, 0]].to_bits());
        }
    }
}

#[test]
fn awkward_rows_give_a_machine_or_a_clear_error() {
    let usual = random_matrix(40, 3, 9);
    let labels = Labels::from_indices((0..40).map(|row| row % 3 % 2).collect());
    let targets: Vec<f64> = (0..40).map(|row| f64::from(row % 5)).collect();
    let inputs = [
        Array2::from_elem((40, 3), 2.5),
        Array2::zeros((40, 3)),
        &usual + 1e8,
        &usual * 1e-200,
        &usual * 1e150,
        &usual * 1e300,
    ];
    let kernels = [
        KernelName::Linear,
        KernelName::Rbf,
        KernelName::Poly,
        KernelName::Sigmoid,
        KernelName::Cosine,
    ];
    for x in &inputs {
        for kernel in kernels {
            let svc = Svc {
                kernel: kernel.into(),
                ..Default::default()
            };
            if let Ok(model) = svc.fit(Labelled::new(x, &labels).unwrap()) {
                assert_eq!(model.predict(x).unwrap().len(), 40);
            }
            let svr = Svr {
                kernel: kernel.into(),
                ..Default::default()
            };
            match svr.fit(Measured::new(Samples::from(x), &targets).unwrap()) {
                Ok(model) => assert!(
                    model
                        .predict(x)
                        .unwrap()
                        .iter()
                        .all(|value| value.is_finite())
                ),
                Err(error) => assert!(error.to_string().contains("; "), "{error}"),
            }
        }
    }
}
