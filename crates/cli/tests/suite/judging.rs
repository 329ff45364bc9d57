//! Judging methods by the command: cv, compare, search.

use crate::shared::{done, json, refused, text};
use serde_json::Value;

fn number(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn cv_shows_every_fold_the_summary_and_the_baseline() {
    let arguments = [
        "cv",
        "standard-scaler | logistic-regression",
        "--data",
        "iris",
    ];
    let found = json(&arguments);
    assert_eq!(found["folds"].as_array().unwrap().len(), 5);
    assert_eq!(found["folds"][0]["test_rows"], 30);
    let accuracy = &found["summaries"][0];
    assert_eq!(accuracy["metric"], "accuracy");
    assert!(number(&accuracy["mean"]) > 0.9);
    assert!(number(&accuracy["lower_quartile"]) <= number(&accuracy["upper_quartile"]));
    // Three classes of equal size: the baseline is right a third of the time.
    let baseline = number(&found["baseline"]["summaries"][0]["mean"]);
    assert!((baseline - 1.0 / 3.0).abs() < 1e-12);
    assert!(number(&found["baseline"]["difference"]["p_value"]) < 1e-3);
    let table = done(&arguments);
    for word in [
        "fold",
        "lower quartile",
        "baseline",
        "better than the baseline",
    ] {
        assert!(table.contains(word), "{table}");
    }
}

#[test]
fn cv_judges_by_the_figures_that_are_named_and_saves_json_and_picture() {
    let folder = tempfile::tempdir().unwrap();
    let (saved, picture) = (folder.path().join("cv.json"), folder.path().join("cv.svg"));
    let table = done(&[
        "cv",
        "ridge",
        "--data",
        "diabetes",
        "--metric",
        "rmse",
        "--metric",
        "max-error",
        "--folds",
        "4",
        "--repeats",
        "2",
        "--out",
        text(&saved),
        "--plot",
        text(&picture),
    ]);
    assert!(
        table.contains("RMSE") && table.contains("largest error"),
        "{table}"
    );
    let found: Value = serde_json::from_slice(&std::fs::read(&saved).unwrap()).unwrap();
    assert_eq!(found["folds"].as_array().unwrap().len(), 8);
    assert_eq!(found["summaries"][0]["metric"], "RMSE");
    let drawn = std::fs::read_to_string(&picture).unwrap();
    assert!(drawn.starts_with("<svg") && drawn.contains("baseline"));
}

#[test]
fn groups_stay_whole_and_time_runs_forward() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("visits.csv");
    // The target is told by the patient alone: folds that mix patients would look perfect.
    let mut rows = String::from("patient,x,day,y\n");
    for row in 0..40 {
        let patient = row % 8;
        rows += &format!("p{patient},{},{row},{}\n", row % 3, (patient * 37) % 11);
    }
    std::fs::write(&data, rows).unwrap();
    let base = [
        "cv",
        "ridge",
        "--data",
        text(&data),
        "--target",
        "y",
        "--task",
        "regression",
    ];
    let grouped = json(&[&base[..], &["--groups", "patient", "--folds", "4"]].concat());
    let folds = grouped["folds"].as_array().unwrap();
    assert!(folds.iter().all(|fold| fold["test_rows"] == 10));
    assert_eq!(grouped["splitter"]["kind"], "grouped");
    let left_out = [
        "--groups",
        "patient",
        "--splitter",
        "leave-one-group-out",
        "--metric",
        "mae",
    ];
    let left_out = json(&[&base[..], &left_out].concat());
    assert_eq!(left_out["folds"].as_array().unwrap().len(), 8);
    let forward = [
        "--time",
        "day",
        "--splitter",
        "time-series",
        "--folds",
        "3",
        "--ignore",
        "patient",
    ];
    let forward = json(&[&base[..], &forward].concat());
    let sizes: Vec<u64> = forward["folds"]
        .as_array()
        .unwrap()
        .iter()
        .map(|fold| fold["train_rows"].as_u64().unwrap())
        .collect();
    assert_eq!(sizes, [10, 20, 30]);
    let (code, message) = refused(&[&base[..], &["--groups", "patient", "--time", "day"]].concat());
    assert_eq!(code, 2);
    assert!(message.contains("--groups does not go with"), "{message}");
    let again = ["--groups", "patient", "--folds", "4", "--repeats", "2"];
    let (_, message) = refused(&[&base[..], &again].concat());
    assert!(message.contains("--repeats is 2"), "{message}");
}

#[test]
fn methods_without_targets_are_cross_validated_too() {
    let found = json(&[
        "cv",
        "gaussian-mixture",
        "--data",
        "iris",
        "--set",
        "n_components=3",
    ]);
    let metrics: Vec<&str> = found["summaries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["metric"].as_str().unwrap())
        .collect();
    assert_eq!(metrics, ["adjusted Rand", "log-likelihood per row"]);
}

#[test]
fn unsuitable_metrics_and_splitters_are_refused_in_words() {
    let (code, message) = refused(&["cv", "ridge", "--data", "diabetes", "--metric", "rms"]);
    assert_eq!(code, 2);
    assert!(message.contains("did you mean rmse?"), "{message}");
    let (_, message) = refused(&["cv", "ridge", "--data", "diabetes", "--metric", "roc-auc"]);
    assert!(message.contains("roc-auc does not suit"), "{message}");
    let (_, message) = refused(&["cv", "ridge", "--data", "diabetes", "--splitter", "grouped"]);
    assert!(message.contains("needs the group of each row"), "{message}");
    let (_, message) = refused(&["cv", "ridge", "--data", "diabetes", "--folds", "1"]);
    assert!(message.contains("at least 2"), "{message}");
}

#[test]
fn compare_tests_every_method_against_the_best() {
    let folder = tempfile::tempdir().unwrap();
    let saved = folder.path().join("c.json");
    let arguments = [
        "compare",
        "standard-scaler | logistic-regression",
        "gaussian-nb",
        "--data",
        "wine",
        "--folds",
        "5",
        "--repeats",
        "2",
        "--out",
        text(&saved),
    ];
    let table = done(&arguments);
    assert!(table.contains("behind the best (95 %)"), "{table}");
    assert!(table.contains("baseline at random"), "{table}");
    let found: Value = serde_json::from_slice(&std::fs::read(&saved).unwrap()).unwrap();
    let methods = found["methods"].as_array().unwrap();
    assert!(methods[0]["behind_the_best"].is_null());
    let last = &methods.last().unwrap()["behind_the_best"];
    assert!(number(&last["p_value"]) < 1e-3);
    assert!(number(&last["interval"][0]) > 0.0);
    assert_eq!(methods[0]["folds"].as_array().unwrap().len(), 10);
}

#[test]
fn a_grid_is_ranked_refitted_and_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let (model, map) = (
        folder.path().join("m.didact"),
        folder.path().join("map.svg"),
    );
    let arguments = [
        "search",
        "standard-scaler | k-neighbors",
        "--data",
        "wine",
        "--over",
        "n_neighbors=1..21 6",
        "--over",
        "weights=uniform,distance",
        "--folds",
        "4",
    ];
    let table = done(
        &[
            &arguments[..],
            &["--out", text(&model), "--plot", text(&map)],
        ]
        .concat(),
    );
    assert!(
        table.contains("12 tries on wine (grid), best first"),
        "{table}"
    );
    let found = json(&arguments);
    let trials = found["trials"].as_array().unwrap();
    let mean = |trial: &Value| number(&trial["test"]["Ok"]["mean"]);
    let best = &trials[found["best"].as_u64().unwrap() as usize];
    assert!(trials.iter().all(|trial| mean(trial) <= mean(best)));
    let inspected = json(&["inspect", text(&model)]);
    let parameters = &inspected["header"]["specification"][1]["parameters"];
    assert_eq!(parameters["n_neighbors"], best["parameters"]["n_neighbors"]);
    let drawn = std::fs::read_to_string(&map).unwrap();
    assert!(drawn.contains("n_neighbors") && drawn.contains("distance"));
}

#[test]
fn random_halving_and_nested_searches_find_something_good() {
    let over = ["--over", "alpha=0.001..1000 log"];
    let base = ["search", "ridge", "--data", "diabetes", "--metric", "rmse"];
    let random = json(&[&base[..], &over, &["--method", "random", "--tries", "8"]].concat());
    assert_eq!(random["trials"].as_array().unwrap().len(), 8);
    assert_eq!(random["metric"], "RMSE");
    let halving = json(&[&base[..], &over, &["--method", "halving", "--tries", "9"]].concat());
    let rounds = halving["halving"]["rounds"].as_array().unwrap();
    let sizes: Vec<usize> = rounds
        .iter()
        .map(|round| round["trials"].as_array().unwrap().len())
        .collect();
    assert_eq!(sizes, [9, 3, 1]);
    let nested = json(&[&base[..], &["--over", "alpha", "--steps", "3", "--nested"]].concat());
    assert_eq!(nested["nested"]["chosen"].as_array().unwrap().len(), 5);
    let words = done(&[&base[..], &["--over", "alpha", "--steps", "3", "--nested"]].concat());
    assert!(words.contains("on rows that it has not seen"), "{words}");
}

#[test]
fn the_number_of_groups_is_chosen_by_every_rule() {
    let chosen = |spec: &str, rule: &str| {
        let found = json(&[
            "search",
            spec,
            "--data",
            "iris",
            "--criterion",
            rule,
            "--folds",
            "3",
        ]);
        assert_eq!(found["choice"]["trials"].as_array().unwrap().len(), 10);
        found["choice"]["chosen"].as_u64().unwrap()
    };
    assert_eq!(chosen("k-means", "silhouette"), 2);
    assert_eq!(chosen("gaussian-mixture", "bic"), 2);
    assert!((2..=4).contains(&chosen("k-means", "elbow")));
    assert!(chosen("gaussian-mixture", "aic") > 2);
    assert!(chosen("gaussian-mixture", "held-out") > 1);
    let table = done(&[
        "search",
        "k-means",
        "--data",
        "iris",
        "--criterion",
        "elbow",
    ]);
    assert!(
        table.contains("★") && table.contains("silhouette"),
        "{table}"
    );
}

#[test]
fn a_search_says_what_it_cannot_do() {
    let (code, message) = refused(&["search", "ridge", "--data", "diabetes"]);
    assert_eq!(code, 2);
    assert!(message.contains("--over alpha"), "{message}");
    let (_, message) = refused(&["search", "ridge", "--data", "diabetes", "--over", "beta"]);
    assert!(message.contains("there is no parameter beta"), "{message}");
    let (_, message) = refused(&[
        "search",
        "ridge",
        "--data",
        "diabetes",
        "--criterion",
        "bic",
    ]);
    assert!(message.contains("no number of clusters"), "{message}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_shows_what_is_done_so_far() {
    use std::process::{Command, Stdio};
    // A hundred thousand tries would take minutes; a busy machine needs a while for the first.
    let child = Command::new(env!("CARGO_BIN_EXE_didact"))
        .args([
            "search", "ridge", "--data", "diabetes", "--over", "alpha", "--steps", "100000",
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_secs(6));
    let stopped = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(stopped.unwrap().success());
    let output = child.wait_with_output().unwrap();
    let table = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(130));
    assert!(
        table.contains("tries on diabetes") && table.contains("best: ridge"),
        "{table}"
    );
    let notes = String::from_utf8_lossy(&output.stderr);
    assert!(notes.contains("this is what there is"), "{notes}");
}

// 000b:E09: labellers of sequences on the same folds of whole sequences.
#[test]
fn compare_ranks_labellers_of_sequences_beside_items_by_themselves() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("sequences.csv");
    let mut table = String::from("sequence,x,label\n");
    for row in 0..240 {
        // Labels stay for six items; the column leans to the label and swings.
        let label = row / 6 % 2;
        let x = f64::from(label) + 1.5 * (f64::from(row) * 2.3).sin();
        table += &format!("{},{x},{}\n", row / 24, ["low", "high"][label as usize]);
    }
    std::fs::write(&data, table).unwrap();
    let result = json(&[
        "compare",
        "hmm(emission=gaussian)",
        "crf",
        "deep-crf(max_iter=20)",
        "lstm(max_iter=20)",
        "--data",
        text(&data),
        "--sequence",
        "sequence",
        "--target",
        "label",
        "--folds",
        "5",
    ]);
    let methods = result["methods"].as_array().unwrap();
    let names: Vec<&str> = methods
        .iter()
        .map(|row| row["method"].as_str().unwrap())
        .collect();
    assert!(methods.iter().all(|row| row["error"].is_null()), "{result}");
    assert_eq!(methods.len(), 5);
    let accuracy = |name: &str| {
        let place = names
            .iter()
            .position(|known| known.starts_with(name))
            .unwrap();
        assert_eq!(methods[place]["folds"].as_array().unwrap().len(), 5);
        methods[place]["figures"][0]["mean"].as_f64().unwrap()
    };
    // Neighbours tell what the item alone cannot.
    assert!(accuracy("crf") > accuracy("item-classifier"));
    assert!(accuracy("hmm") > accuracy("item-classifier"));
}
