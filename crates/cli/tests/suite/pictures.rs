//! Pictures, cards and reports by the command.

use crate::shared::{done, json, refused, text};
use serde_json::Value;
use std::path::Path;

fn fitted(folder: &Path, spec: &str, data: &str) -> String {
    let model = folder.join("m.didact");
    done(&["fit", spec, "--data", data, "--out", text(&model)]);
    text(&model).to_owned()
}

#[test]
fn plot_alone_lists_every_kind() {
    let table = done(&["plot"]);
    let kinds = json(&["plot"]);
    let kinds = kinds.as_array().unwrap();
    assert!(kinds.len() >= 25);
    for kind in kinds {
        assert!(table.contains(kind["kind"].as_str().unwrap()));
        assert!(table.contains(kind["shows"].as_str().unwrap()));
    }
}

#[test]
fn every_kind_is_drawn_from_a_model_or_a_specification() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("p.svg");
    let classifier = "standard-scaler | logistic-regression";
    let pca = "standard-scaler | pca(n_components=3)";
    let hmm = "hmm(n_components=2, emission=gaussian)";
    let heat = ["--over", "n_neighbors=3..9 2", "--over", "weights"];
    for (kind, spec, data, more, word) in [
        ("scatter", classifier, "iris", &[][..], "virginica"),
        (
            "decision-map",
            classifier,
            "iris",
            &["--feature", "petal_length", "--feature", "petal_width"],
            "petal_width",
        ),
        (
            "decision-map",
            "k-means(n_clusters=3)",
            "iris",
            &[],
            "cluster",
        ),
        ("roc", classifier, "wine", &[], "AUC"),
        (
            "precision-recall",
            classifier,
            "breast-cancer",
            &["--positive", "malignant"],
            "malignant",
        ),
        ("confusion", classifier, "penguins", &[], "Gentoo"),
        (
            "calibration",
            classifier,
            "breast-cancer",
            &[],
            "Predicted probability",
        ),
        ("residuals", "ridge", "diabetes", &[], "Residual"),
        (
            "regression-curve",
            "ridge",
            "diabetes",
            &["--feature", "bmi"],
            "bmi",
        ),
        (
            "partial-dependence",
            "ridge",
            "diabetes",
            &["--feature", "bmi"],
            "Effect of bmi",
        ),
        ("importance", classifier, "iris", &[], "petal_length"),
        ("coefficients", classifier, "iris", &[], "Coefficient"),
        (
            "learning-curve",
            "gaussian-nb",
            "wine",
            &[],
            "Training rows",
        ),
        (
            "validation-curve",
            "ridge",
            "diabetes",
            &["--over", "alpha=0.1..10 log 3"],
            "alpha",
        ),
        ("cv", "gaussian-nb", "wine", &[], "baseline"),
        ("heat-map", "k-neighbors", "wine", &heat, "n_neighbors"),
        ("silhouette", "k-means(n_clusters=3)", "iris", &[], "mean"),
        (
            "elbow",
            "k-means",
            "iris",
            &["--over", "n_clusters=1..6"],
            "bend at",
        ),
        (
            "criteria",
            "gaussian-mixture",
            "iris",
            &["--over", "n_components=1..4"],
            "BIC, lowest at 2",
        ),
        ("scree", pca, "wine", &[], "variance"),
        ("biplot", pca, "wine", &[], "proline"),
        ("trace", "k-means(n_clusters=3)", "iris", &[], "inertia"),
        ("state-path", hmm, "nile", &[], "state 1"),
        ("trellis", hmm, "nile", &[], "state 1"),
    ] {
        let base = [
            "plot",
            kind,
            spec,
            "--data",
            data,
            "--out",
            text(&out),
            "--quiet",
        ];
        done(&[&base[..], more].concat());
        let drawn = std::fs::read_to_string(&out).unwrap();
        assert!(
            drawn.starts_with("<svg") && drawn.contains(word),
            "{kind} lacks {word}"
        );
    }
}

#[test]
fn a_density_of_two_features_and_a_saved_model_are_drawn_in_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("blobs.csv");
    done(&[
        "data",
        "generate",
        "blobs",
        "--set",
        "n_samples=60",
        "--out",
        text(&data),
    ]);
    let base = [
        "plot",
        "density",
        "gaussian-mixture(n_components=2)",
        "--data",
        text(&data),
    ];
    let target = std::fs::read_to_string(&data).unwrap();
    let last = target
        .lines()
        .next()
        .unwrap()
        .rsplit(',')
        .next()
        .unwrap()
        .to_owned();
    let drawn = done(&[&base[..], &["--ignore", &last]].concat());
    assert!(drawn.contains("Density"), "{drawn}");
    let model = fitted(folder.path(), "gaussian-nb", "iris");
    let drawn = done(&["plot", "roc", &model, "--data", "iris"]);
    assert!(
        drawn.contains("ROC curve") && drawn.contains("virginica"),
        "{drawn}"
    );
    let png = folder.path().join("p.png");
    done(&[
        "plot",
        "roc",
        &model,
        "--data",
        "iris",
        "--dark",
        "--out",
        text(&png),
    ]);
    assert_eq!(&std::fs::read(&png).unwrap()[1..4], b"PNG");
}

#[test]
fn an_unsuitable_model_is_told_which_kinds_suit() {
    let folder = tempfile::tempdir().unwrap();
    let model = fitted(folder.path(), "ridge", "diabetes");
    let (code, message) = refused(&["plot", "roc", &model, "--data", "diabetes"]);
    assert_eq!(code, 1);
    assert!(message.contains("roc needs a classifier"), "{message}");
    assert!(message.contains("residuals"), "{message}");
    let (_, message) = refused(&["plot", "residuals", &model]);
    assert!(message.contains("data with known targets"), "{message}");
    let (code, message) = refused(&["plot", "rok", &model]);
    assert_eq!(code, 2);
    assert!(message.contains("did you mean roc?"), "{message}");
    let (_, message) = refused(&["plot", "roc", "missing.didact"]);
    assert!(
        message.contains("there is no model file missing.didact"),
        "{message}"
    );
    let wrong = [
        "plot",
        "regression-curve",
        &model,
        "--data",
        "diabetes",
        "--feature",
        "bmy",
    ];
    let (_, message) = refused(&wrong);
    assert!(message.contains("did you mean bmi?"), "{message}");
}

#[test]
fn the_card_tells_what_a_model_is_and_how_good() {
    let folder = tempfile::tempdir().unwrap();
    let model = fitted(
        folder.path(),
        "standard-scaler | ridge(alpha=2)",
        "diabetes",
    );
    let words = done(&["inspect", &model]);
    for word in [
        "alpha=2.0 (set)",
        "predicts: progression",
        "strongest features",
        "bytes",
    ] {
        assert!(words.contains(word), "{word}: {words}");
    }
    let judged = done(&["inspect", &model, "--data", "diabetes"]);
    for word in ["95 % interval", "baseline", "careful:", "shuffled"] {
        assert!(judged.contains(word), "{word}: {judged}");
    }
    let card = &json(&["inspect", &model, "--data", "diabetes"])["card"];
    assert_eq!(card["judged"]["figures"][0]["metric"], "R²");
    let interval = &card["judged"]["figures"][0]["interval"];
    assert!(interval[0].as_f64() < interval[1].as_f64());
    assert_eq!(
        card["strongest"][0]["feature"].as_str().map(str::is_empty),
        Some(false)
    );
    let model = fitted(folder.path(), "gaussian-nb", "penguins");
    let classes = &json(&["inspect", &model])["card"]["classes"];
    let counts: Vec<u64> = classes
        .as_array()
        .unwrap()
        .iter()
        .map(|class| class["count"].as_u64().unwrap())
        .collect();
    assert_eq!(counts, [152, 68, 124]);
}

#[test]
fn score_takes_named_figures_and_gives_intervals() {
    let folder = tempfile::tempdir().unwrap();
    let model = fitted(folder.path(), "gaussian-nb", "breast-cancer");
    let base = ["score", &model, "--data", "breast-cancer"];
    let figures = json(&[&base[..], &["--metric", "roc-auc", "--metric", "f1"]].concat());
    let metrics: Vec<&str> = figures
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["metric"].as_str().unwrap())
        .collect();
    assert_eq!(metrics, ["ROC AUC", "F₁"]);
    for one in figures.as_array().unwrap() {
        let (value, low) = (one["value"].as_f64(), one["interval"][0].as_f64());
        assert!(low < value, "{one}");
    }
}

#[test]
fn a_report_is_one_page_without_links_to_anywhere() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("r.html");
    let model = fitted(
        folder.path(),
        "standard-scaler | logistic-regression",
        "iris",
    );
    let base = ["report", &model, "--data", "iris", "--out", text(&out)];
    let card: Value = json(&base);
    assert_eq!(card["judged"]["data"], "iris");
    let page = std::fs::read_to_string(&out).unwrap();
    for word in [
        "<!doctype html>",
        "Confusion matrix",
        "Learning curve",
        "Effect of",
        "What to be careful of",
    ] {
        assert!(page.contains(word), "{word}");
    }
    for outside in ["src=", "http-equiv", "url(", "@import", "<script"] {
        assert!(!page.contains(outside), "{outside}");
    }
    let addresses = page.matches("http").count();
    // The name of the SVG language is an address that nobody visits.
    assert_eq!(
        addresses,
        page.matches("http://www.w3.org/2000/svg").count()
    );
    done(&[&base[..], &["--quick"]].concat());
    let quick = std::fs::read_to_string(&out).unwrap();
    assert!(!quick.contains("Learning curve") && quick.contains("Confusion matrix"));
}
