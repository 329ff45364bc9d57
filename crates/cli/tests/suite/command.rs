//! The command as a user meets it: what it prints, writes and returns.

use crate::shared::{didact, done, json, refused, text};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn list_and_describe_show_every_algorithm() {
    let entries = json(&["list"]);
    let table = done(&["list"]);
    for entry in entries.as_array().unwrap() {
        let id = entry["id"].as_str().unwrap();
        assert!(table.contains(id), "{id}");
        let description = done(&["describe", id]);
        assert!(
            description.contains(entry["summary"].as_str().unwrap()),
            "{description}"
        );
        assert_eq!(json(&["describe", id])["id"], *id);
    }
    assert!(done(&["list", "--task", "clustering"]).contains("k-means"));
    assert!(!done(&["list", "--task", "clustering"]).contains("ridge"));
}

#[test]
fn fit_predict_score_and_inspect_go_together() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("iris.didact");
    let spec = "standard-scaler | logistic-regression(C=10)";
    let fitted = done(&["fit", spec, "--data", "iris", "--out", text(&model)]);
    assert!(fitted.contains("150 rows × 4 columns"), "{fitted}");
    let predictions = done(&["predict", text(&model), "--data", "iris"]);
    let lines: Vec<&str> = predictions.lines().collect();
    assert_eq!(lines.len(), 151);
    assert_eq!(
        lines[0],
        "prediction,probability_setosa,probability_versicolor,probability_virginica"
    );
    assert!(lines[1].starts_with("setosa,0.9"), "{}", lines[1]);
    let figures = json(&["score", text(&model), "--data", "iris"]);
    assert_eq!(figures[0]["metric"], "accuracy");
    assert!(figures[0]["value"].as_f64().unwrap() > 0.95);
    let inspected = json(&["inspect", text(&model)]);
    assert_eq!(inspected["header"]["classes"][2], "virginica");
    assert_eq!(inspected["attributes"]["coef"].as_array().unwrap().len(), 3);
    assert!(done(&["inspect", text(&model)]).contains("coef: "));
}

#[test]
fn a_model_fitted_on_bare_rows_predicts_scores_and_shows_itself() {
    use didact::prelude::*;
    let folder = tempfile::tempdir().unwrap();
    let (model, data) = (folder.path().join("m.didact"), folder.path().join("d.csv"));
    let iris = datasets::iris();
    let spec: Spec = "standard-scaler | logistic-regression".parse().unwrap();
    let learner = spec.learner().unwrap();
    let rows = Data::Labelled(iris.labelled().unwrap());
    let trained = Trained::fit(&spec, learner.as_ref(), rows, &Run::new()).unwrap();
    trained.save(&model).unwrap();
    let predictions = done(&["predict", text(&model), "--data", "iris"]);
    assert_eq!(predictions.lines().count(), 151);
    assert!(
        predictions
            .lines()
            .nth(1)
            .unwrap()
            .starts_with("setosa,0.9")
    );
    let figures = json(&["score", text(&model), "--data", "iris"]);
    assert!(figures[0]["value"].as_f64().unwrap() > 0.95, "{figures}");
    assert!(done(&["inspect", text(&model)]).contains("columns: x0, x1, x2, x3"));
    // Without words and without a target that is known, every column of numbers is a feature.
    std::fs::write(&data, "a,b,c,d,y\n5,3,1,0,7\n").unwrap();
    let (code, message) = refused(&["predict", text(&model), "--data", text(&data)]);
    assert_eq!(code, 1);
    assert!(message.contains("x0, x1, x2, x3"), "{message}");
    assert!(message.contains("a, b, c, d, y"), "{message}");
    let told = done(&[
        "predict",
        text(&model),
        "--data",
        text(&data),
        "--target",
        "y",
    ]);
    assert!(told.contains("setosa"), "{told}");
}

/// A file of sparse rows: the class is told by column 1 to 10, the other columns are noise.
fn sparse_file(path: &Path, rows: usize, columns: usize) {
    let mut content = String::new();
    // A multiplicative congruence spreads the noise over the columns.
    let mut state: usize = 1;
    for row in 0..rows {
        let class = row % 2;
        content += if class == 0 { "-1" } else { "+1" };
        content += &format!(" {}:1", 1 + class * 5 + row % 5);
        let mut noise: Vec<usize> = (0..19)
            .map(|_| {
                state = (state * 48_271) % 2_147_483_647;
                11 + state % (columns - 10)
            })
            .collect();
        if row == 0 {
            noise.push(columns);
        }
        noise.sort_unstable();
        noise.dedup();
        for column in noise {
            content += &format!(" {column}:0.5");
        }
        content.push('\n');
    }
    std::fs::write(path, content).unwrap();
}

#[test]
fn wide_sparse_files_are_fitted_predicted_scored_and_compared_as_sparse_rows() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let (train, test, model) = (file("train.svm"), file("test.svm"), file("m.didact"));
    sparse_file(&train, 1000, 100_000);
    // Fewer rows reach fewer columns, and some that the model has never seen.
    sparse_file(&test, 20, 100_100);
    let fit = [
        "fit",
        "logistic-regression",
        "--data",
        text(&train),
        "--out",
    ];
    let started = std::time::Instant::now();
    done(&[&fit[..], &[text(&model)]].concat());
    assert!(started.elapsed().as_secs() < 10, "{:?}", started.elapsed());
    let predictions = done(&["predict", text(&model), "--data", text(&test)]);
    let lines: Vec<&str> = predictions.lines().collect();
    assert_eq!(lines.len(), 21);
    assert_eq!(lines[0], "prediction,probability_-1,probability_1");
    for (row, line) in lines[1..].iter().enumerate() {
        assert_eq!(line.starts_with("-1,"), row % 2 == 0, "{line}");
    }
    let figures = json(&["score", text(&model), "--data", text(&test)]);
    assert_eq!(figures[0]["value"], 1.0);
    assert!(done(&["inspect", text(&model)]).contains("column_1, column_2"));
    let compared = json(&[
        "compare",
        "baseline",
        "logistic-regression",
        "--data",
        text(&train),
        "--folds",
        "2",
    ]);
    assert_eq!(compared["methods"][0]["method"], "logistic-regression");
    assert_eq!(compared["columns"], 100_000);
    let (code, message) = refused(&["fit", "gaussian-nb", "--data", text(&train)]);
    assert_eq!(code, 1);
    assert!(
        message.contains("choose one that takes sparse rows"),
        "{message}"
    );
}

#[test]
fn narrow_sparse_files_serve_every_method_and_may_lack_columns() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let (train, test, model) = (file("train.svm"), file("test.svm"), file("m.didact"));
    sparse_file(&train, 200, 50);
    std::fs::write(&test, "-1 1:1\n+1 6:1 12:0.5\n").unwrap();
    let spec = "standard-scaler | gaussian-nb";
    done(&["fit", spec, "--data", text(&train), "--out", text(&model)]);
    let predictions = done(&["predict", text(&model), "--data", text(&test)]);
    assert_eq!(predictions.lines().count(), 3);
    let figures = json(&["score", text(&model), "--data", text(&test)]);
    assert_eq!(figures[0]["metric"], "accuracy");
}

#[test]
fn how_columns_become_numbers_can_be_set() {
    let folder = tempfile::tempdir().unwrap();
    let (data, new, model) = (
        folder.path().join("d.csv"),
        folder.path().join("new.csv"),
        folder.path().join("m.didact"),
    );
    std::fs::write(&data, "kind,y\na,1.5\nb,2.5\nc,3.5\na,1.25\nb,2.75\n").unwrap();
    std::fs::write(&new, "kind\nz\n").unwrap();
    let fit = |options: &[&str]| {
        let start = [
            "fit",
            "ridge",
            "--data",
            text(&data),
            "--target",
            "y",
            "--out",
            text(&model),
        ];
        json(&[&start[..], options].concat())["training"]["columns"].clone()
    };
    assert_eq!(fit(&[]), 3);
    assert_eq!(fit(&["--encode", "categories=drop-first"]), 2);
    assert_eq!(fit(&["--encode", "categories=ordinal"]), 1);
    let predict = ["predict", text(&model), "--data", text(&new)];
    assert!(refused(&predict).1.contains("the word z"));
    assert_eq!(
        fit(&["--encode", "unknown=ignore", "--encode", "max_categories=5"]),
        3
    );
    assert!(done(&predict).lines().count() == 2);
    for (encode, hint) in [
        ("categoriess=ordinal", "did you mean categories"),
        ("categories=nothing", "one-hot"),
        ("max_categories=0", "at least 1"),
        ("ordinal", "NAME=VALUE"),
    ] {
        let (code, message) = refused(&[
            "fit",
            "ridge",
            "--data",
            text(&data),
            "--target",
            "y",
            "--encode",
            encode,
        ]);
        assert_eq!(code, 2, "{message}");
        assert!(message.contains(hint), "{message}");
    }
    let compare = [
        "compare",
        "ridge",
        "--data",
        text(&data),
        "--target",
        "y",
        "--folds",
        "2",
    ];
    done(&[&compare[..], &["--encode", "categories=ordinal"]].concat());
    assert!(done(&["fit", "--help"]).contains("max_categories=100"));
}

#[test]
fn a_table_of_mixed_kinds_with_missing_values_is_no_trouble() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("m.didact");
    let output = didact(&[
        "fit",
        "gaussian-nb",
        "--data",
        "penguins",
        "--out",
        text(&model),
    ]);
    let notes = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{notes}");
    assert!(notes.contains("simple-imputer was put in front"), "{notes}");
    assert_eq!(
        done(&["predict", text(&model), "--data", "penguins"])
            .lines()
            .count(),
        345
    );
}

#[test]
fn standard_input_and_output_are_dashes() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_didact"))
        .args(["data", "convert", "-", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"a;b\n1;x\n2;y\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        String::from_utf8_lossy(&output.stdout).trim(),
        "a,b\n1,x\n2,y"
    );
}

#[test]
fn data_are_generated_split_and_described() {
    let folder = tempfile::tempdir().unwrap();
    let all = folder.path().join("moons.parquet");
    let (train, test) = (
        folder.path().join("train.csv"),
        folder.path().join("test.csv"),
    );
    done(&[
        "data",
        "generate",
        "moons",
        "--set",
        "n_samples=90",
        "--seed",
        "3",
        "--out",
        text(&all),
    ]);
    let described = json(&["data", "describe", text(&all)]);
    assert_eq!(described["rows"], 90);
    let sizes = json(&[
        "data",
        "split",
        text(&all),
        "--train",
        text(&train),
        "--test",
        text(&test),
    ]);
    assert_eq!(
        (&sizes["train"], &sizes["test"]),
        (&Value::from(60), &Value::from(30))
    );
    let again = done(&[
        "data",
        "generate",
        "moons",
        "--set",
        "n_samples=90",
        "--seed",
        "3",
    ]);
    assert_eq!(again, done(&["data", "convert", text(&all), "-"]));
    assert!(done(&["data", "list"]).contains("breast-cancer"));
}

#[test]
fn compare_ranks_methods_above_the_baseline() {
    let result = json(&["compare", "--data", "wine", "--folds", "3"]);
    let methods = result["methods"].as_array().unwrap();
    let mean = |row: &Value| row["figures"][0]["mean"].as_f64().unwrap();
    assert!(
        methods
            .windows(2)
            .all(|pair| mean(&pair[0]) >= mean(&pair[1]))
    );
    for row in &methods[methods.len() - 2..] {
        assert!(row["method"].as_str().unwrap().starts_with("baseline"));
    }
    assert!(mean(&methods[0]) > 0.95);
    let table = done(&[
        "compare", "ridge", "baseline", "--data", "diabetes", "--folds", "4",
    ]);
    assert!(table.contains("R²") && table.contains("ridge"), "{table}");
}

#[test]
fn streaming_a_file_gives_the_same_model_as_reading_it() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("d.csv");
    done(&[
        "data",
        "generate",
        "classification",
        "--set",
        "n_samples=500",
        "--out",
        text(&data),
    ]);
    let (whole, streamed) = (
        folder.path().join("whole.didact"),
        folder.path().join("streamed.didact"),
    );
    let target = json(&["data", "describe", text(&data)])["columns"]
        .as_array()
        .unwrap()
        .last()
        .unwrap()["name"]
        .clone();
    let target = target.as_str().unwrap();
    let fit = [
        "fit",
        "standard-scaler | gaussian-nb",
        "--data",
        text(&data),
        "--target",
        target,
        "--out",
    ];
    done(&[&fit[..], &[text(&whole)]].concat());
    done(&[&fit[..], &[text(&streamed), "--stream"]].concat());
    let attributes = |path: &Path| json(&["inspect", text(path)])["attributes"]["theta"].clone();
    let numbers = |value: Value| -> Vec<f64> {
        value
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|row| row.as_array().unwrap().clone())
            .map(|v| v.as_f64().unwrap())
            .collect()
    };
    let (left, right) = (numbers(attributes(&whole)), numbers(attributes(&streamed)));
    assert!(
        left.iter().zip(&right).all(|(a, b)| (a - b).abs() < 1e-9),
        "{left:?} {right:?}"
    );
}

#[test]
fn faults_of_the_command_line_exit_with_two_and_say_what_would_be_right() {
    for (arguments, hint) in [
        (
            vec!["fit", "ridgee", "--data", "iris"],
            "did you mean ridge",
        ),
        (
            vec!["fit", "ridge", "--data", "diabetes", "--set", "alpha=-1"],
            "alpha is -1; it must be at least 0",
        ),
        (
            vec!["fit", "ridge", "--data", "diabetes", "--set", "alhpa=1"],
            "did you mean alpha",
        ),
        (
            vec!["fit", "ridge(alpha=1", "--data", "diabetes"],
            "bracket without its partner",
        ),
        (
            vec!["fit", "ridge", "--data", "irsi"],
            "did you mean the built-in iris",
        ),
        (
            vec!["fit", "gaussian-nb | ridge", "--data", "diabetes"],
            "gaussian-nb does not transform",
        ),
        (vec!["frobnicate"], "unrecognized subcommand"),
        (vec!["list", "--task", "cooking"], "tasks are"),
    ] {
        let (code, message) = refused(&arguments);
        assert_eq!(code, 2, "{arguments:?}: {message}");
        assert!(message.contains(hint), "{arguments:?}: {message}");
    }
}

#[test]
fn faults_of_the_data_exit_with_one_and_name_the_column() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, content: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        path
    };
    let empty = write("empty.csv", "");
    let (code, message) = refused(&["fit", "k-means", "--data", text(&empty)]);
    assert_eq!(code, 1);
    assert!(message.contains("empty"), "{message}");
    let (code, message) = refused(&[
        "fit",
        "ridge",
        "--data",
        "diabetes",
        "--target",
        "progession",
    ]);
    assert_eq!(code, 1);
    assert!(
        message.contains("there is no column progession"),
        "{message}"
    );
    let infinite = write("inf.csv", "a,y\n1,1\ninf,2\n3,1\n4,2\n");
    let (code, message) = refused(&["fit", "ridge", "--data", text(&infinite), "--target", "y"]);
    assert_eq!(code, 1);
    assert!(
        message.contains("column a has an infinite value"),
        "{message}"
    );
    let no_model = write("m.didact", "hello");
    let (code, message) = refused(&["predict", text(&no_model), "--data", "iris"]);
    assert_eq!(code, 1);
    assert!(message.contains("no didact model file"), "{message}");
    let words = write("words.csv", "a,y\n1,x\n2,y\n3,x\n");
    let (code, message) = refused(&["fit", "ridge", "--data", text(&words), "--target", "y"]);
    assert_eq!(code, 1);
    assert!(message.contains("choose a classifier"), "{message}");
}

#[test]
fn a_reader_that_goes_away_ends_the_command_quietly() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_didact"))
        .args(["predict", "--help"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let _ = child.wait().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("m.didact");
    done(&["fit", "pca", "--data", "digits", "--out", text(&model)]);
    let mut child = Command::new(env!("CARGO_BIN_EXE_didact"))
        .args(["predict", text(&model), "--data", "digits"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"));
}

#[test]
fn completions_are_printed_for_every_shell() {
    for shell in ["bash", "zsh", "fish"] {
        assert!(done(&["completions", shell]).contains("didact"));
    }
}

#[test]
fn rows_without_a_class_are_learned_from() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("few.csv");
    let rows = "a,b,kind\n0.1,0.2,x\n0.2,0.1,\n0.0,0.3,\n3.1,3.2,y\n3.0,2.9,\n2.8,3.3,\n";
    std::fs::write(&table, rows).unwrap();
    let model = folder.path().join("model.didact");
    let (table, model) = (text(&table), text(&model));
    done(&[
        "fit",
        "label-propagation",
        "--data",
        table,
        "--target",
        "kind",
        "--out",
        model,
    ]);
    let predicted = done(&["predict", model, "--data", table]);
    let classes: Vec<&str> = predicted.lines().skip(1).map(|line| &line[..1]).collect();
    assert_eq!(classes, ["x", "x", "x", "y", "y", "y"]);
    // Others say what is missing, and what would take it.
    let lda = [
        "fit", "lda", "--data", table, "--target", "kind", "--out", model,
    ];
    let (code, message) = refused(&lda);
    assert_eq!(code, 1);
    assert!(message.contains("4 of 6 labels are missing"), "{message}");
}
