//! Linear models and discriminants from the command line.

use crate::shared::{done, json, refused, text};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(list) => list.iter().flat_map(numbers).collect(),
        other => vec![other.as_f64().unwrap()],
    }
}

/// Weights and intercepts of a saved model.
fn weights(model: &Path) -> Vec<f64> {
    let attributes = json(&["inspect", text(model)])["attributes"].clone();
    let mut all = numbers(&attributes["coef"]);
    all.extend(numbers(&attributes["intercept"]));
    all
}

fn iterations(model: &Path) -> u64 {
    let header = json(&["inspect", text(model)])["header"].clone();
    header["training"]["iterations"].as_u64().unwrap()
}

/// A file of labelled rows: two or three noisy classes.
fn labelled_file(path: PathBuf, names: &str, rows: usize, classes: usize) -> PathBuf {
    let mut lines = vec![names.to_owned()];
    for row in 0..rows {
        let noise = |shift: usize| ((row * 31 + shift) as f64 * 78.233).sin();
        let class = row * 7 % classes;
        let place = class as f64;
        lines.push(format!(
            "{},{},class{class}",
            place + noise(0),
            noise(7) - 0.5 * place + noise(1009)
        ));
    }
    std::fs::write(&path, lines.join("\n")).unwrap();
    path
}

// More rows than are read at once, so that passes are cut.
#[test]
fn stochastic_gradients_learn_from_a_stream_what_they_learn_from_the_rows_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let two = labelled_file(folder.path().join("two.csv"), "a,b,y", 70_000, 2);
    let three = labelled_file(folder.path().join("three.csv"), "a,b,y", 70_000, 3);
    for (data, spec) in [
        (&two, "sgd-classifier(shuffle=false, max_iter=3, tol=0)"),
        (
            &three,
            "sgd-classifier(shuffle=false, max_iter=2, loss=log-loss, penalty=elasticnet, average=true)",
        ),
    ] {
        let (whole, streamed) = (
            folder.path().join("whole.didact"),
            folder.path().join("streamed.didact"),
        );
        let fit = ["fit", spec, "--data", text(data), "--target", "y", "--out"];
        done(&[&fit[..], &[text(&whole)]].concat());
        done(&[&fit[..], &[text(&streamed), "--stream"]].concat());
        let (a, b) = (weights(&whole), weights(&streamed));
        assert!(a.len() >= 3 && a.len() == b.len());
        for (a, b) in a.iter().zip(&b) {
            assert!((a - b).abs() <= 1e-12 * (1.0 + a.abs()), "{spec}: {a} {b}");
        }
        assert_eq!(iterations(&whole), iterations(&streamed));
        let answers = done(&["predict", text(&streamed), "--data", text(data)]);
        assert_eq!(answers.lines().count(), 70_001);
    }
}

#[test]
fn a_fit_goes_on_from_a_saved_model_of_the_same_method() {
    let folder = tempfile::tempdir().unwrap();
    let data = labelled_file(folder.path().join("d.csv"), "a,b,y", 400, 3);
    let (first, second, third) = (
        folder.path().join("first.didact"),
        folder.path().join("second.didact"),
        folder.path().join("third.didact"),
    );
    let fit = |spec: &str, data: &Path, out: &Path, more: &[&str]| {
        let start = ["fit", spec, "--data", text(data), "--target", "y", "--out"];
        done(&[&start[..], &[text(out)], more].concat())
    };
    for solver in ["lbfgs", "saga"] {
        let spec = format!("logistic-regression(C=0.5, tol=1e-10, solver={solver})");
        fit(&spec, &data, &first, &[]);
        fit(&spec, &data, &second, &["--start-from", text(&first)]);
        let (whole, rest) = (iterations(&first), iterations(&second));
        assert!(rest < whole, "{solver}: {rest} of {whole}");
        for (a, b) in weights(&first).iter().zip(&weights(&second)) {
            assert!((a - b).abs() <= 1e-6, "{solver}: {a} {b}");
        }
    }
    // Other parameters of the same method: it starts from there and ends where it would anyway.
    let other = "logistic-regression(C=2, tol=1e-10)";
    fit(other, &data, &second, &["--start-from", text(&first)]);
    fit(other, &data, &third, &[]);
    for (a, b) in weights(&second).iter().zip(&weights(&third)) {
        assert!((a - b).abs() <= 1e-6, "{a} {b}");
    }
}

#[test]
fn a_model_of_another_method_or_of_other_columns_is_no_start() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let data = labelled_file(path("d.csv"), "a,b,y", 60, 2);
    let renamed = labelled_file(path("r.csv"), "a,c,y", 60, 2);
    let classes = labelled_file(path("c.csv"), "a,b,y", 60, 3);
    std::fs::write(path("n.csv"), "a,y\n1,x\n2,z\n3,x\n4,z\n").unwrap();
    let model = path("m.didact");
    let fit = ["fit", "logistic-regression", "--target", "y"];
    done(&[&fit[..], &["--data", text(&data), "--out", text(&model)]].concat());
    let narrow = path("n.csv");
    for (spec, rows, hint) in [
        (
            "perceptron",
            &data,
            "the model to start from is of another method",
        ),
        (
            "gaussian-nb",
            &data,
            "gaussian-nb cannot start from an earlier model",
        ),
        (
            "logistic-regression",
            &renamed,
            "the model to start from has a column b where these data have c",
        ),
        (
            "logistic-regression",
            &narrow,
            "the model to start from has 2 columns and these data have 1",
        ),
        (
            "logistic-regression",
            &classes,
            "the model to start from tells other classes apart",
        ),
    ] {
        let (code, message) = refused(&[
            "fit",
            spec,
            "--data",
            text(rows),
            "--target",
            "y",
            "--start-from",
            text(&model),
        ]);
        assert_eq!(code, 1, "{message}");
        assert!(message.contains(hint), "{message}");
    }
}

// 002a:BC04: the unknown region reaches the table of predictions.
#[test]
fn rows_that_are_left_undecided_have_no_prediction() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("m.didact");
    let asked = folder.path().join("asked.csv");
    let names = json(&["data", "describe", "iris"])["columns"].clone();
    let names: Vec<&str> = (0..4).map(|j| names[j]["name"].as_str().unwrap()).collect();
    let rows = format!("{}\n5.1,3.5,1.4,0.2\n90,90,90,90\n", names.join(","));
    std::fs::write(&asked, rows).unwrap();
    for (spec, second_is_unknown) in [
        ("bayes-classifier", false),
        ("bayes-classifier(reject_quantile=0.01)", true),
        (
            "standard-scaler | bayes-classifier(reject_quantile=0.01)",
            true,
        ),
    ] {
        done(&["fit", spec, "--data", "iris", "--out", text(&model)]);
        let answers = done(&["predict", text(&model), "--data", text(&asked)]);
        let said: Vec<&str> = answers
            .lines()
            .skip(1)
            .map(|line| line.split(',').next().unwrap())
            .collect();
        assert_eq!(said[0], "setosa", "{answers}");
        assert_eq!(said[1].is_empty(), second_is_unknown, "{answers}");
    }
}
