//! Whatever is sent to the studio, it answers, and never with a bug of its own.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use didact_studio::{Options, router};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::runtime::Runtime;
use tower::ServiceExt;

const PATHS: [&str; 21] = [
    "/api/fit",
    "/api/judge",
    "/api/picture",
    "/api/model",
    "/api/generate",
    "/api/count",
    "/api/law",
    "/api/descent",
    "/api/chain",
    "/api/world",
    "/api/filter",
    "/api/dynamics",
    "/api/isolines",
    "/api/lesion",
    "/api/activations",
    "/api/unit",
    "/api/dag",
    "/api/plasticity",
    "/api/memory",
    "/api/weight-space",
    "/api/optimise",
];

fn studio(time_limit: Duration) -> (Router, String) {
    let address: SocketAddr = "127.0.0.1:8642".parse().unwrap();
    let options = Options {
        time_limit,
        ..Options::default()
    };
    (router(address, &options), address.to_string())
}

/// The status and text of the answer.
fn post(runtime: &Runtime, path: &str, body: Vec<u8>) -> (u16, String) {
    post_within(Options::default().time_limit, runtime, path, body)
}

/// The same where work may take so long.
fn post_within(limit: Duration, runtime: &Runtime, path: &str, body: Vec<u8>) -> (u16, String) {
    let (studio, host) = studio(limit);
    let request = Request::post(path)
        .header("host", host)
        .header("content-type", "application/json")
        .body(Body::from(body))
        .unwrap();
    runtime.block_on(async {
        let response = studio.oneshot(request).await.unwrap();
        let status = response.status().as_u16();
        let bytes = to_bytes(response.into_body(), 1 << 26).await.unwrap();
        (status, String::from_utf8_lossy(&bytes).into_owned())
    })
}

/// Any JSON, small.
fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-z0-9(=|) -]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map("[a-z_]{1,8}", inner, 0..5)
                .prop_map(|map| map.into_iter().collect::<serde_json::Map<_, _>>().into()),
        ]
    })
}

/// A request that would be answered.
fn good() -> Value {
    json!({
        "spec": "gaussian-nb",
        "rows": [[0.0, 1.0], [1.0, 0.0], [4.0, 5.0], [5.0, 4.0], [0.5, 0.5], [4.5, 4.5]],
        "labels": [0, 0, 1, 1, 0, 1],
        "classes": ["A", "B"],
        "grid": { "x": [-1, 6], "y": [6, -1], "width": 8, "height": 8, "columns": [0, 1] },
        "kind": "roc",
        "folds": 2,
        "id": "blobs",
        "parameters": [],
        "margins": true,
        "criterion": "elbow",
        "most": 3,
        "map": "..G\n.#.\nS..",
        "sequence": 0,
        "picture": [[1, 0], [0, 1]],
        "filter": [[1]],
        "view": "portrait",
        "weights": [[1, 1], [-1, 1]],
        "biases": [0, 0],
        "inputs": [0, 0],
        "low": -1,
        "high": 1,
        "starts": [[0, 0]],
    })
}

/// Requests of the laboratories, each of which would be answered.
fn laboratories() -> Vec<(&'static str, Value)> {
    let layer = json!({ "weights": [[1, -1]], "biases": [0.5] });
    vec![
        (
            "/api/activations",
            json!({ "layers": [layer], "activation": "tanh", "output": "logistic", "input": [1, 2] }),
        ),
        (
            "/api/unit",
            json!({ "transfer": { "name": "radial", "alpha": 5 }, "weights": [-1, 1, 1], "targets": [0, 1, 1, 0], "learn": true }),
        ),
        (
            "/api/dag",
            json!({ "nodes": ["a", "b", "c"], "edges": [["a", "b"], ["c", "b"]], "from": ["a"], "to": ["c"], "given": ["b"] }),
        ),
        (
            "/api/plasticity",
            json!({ "view": "hebb", "rate": 0.1, "decay": "none", "bound": "clip", "largest": 2, "start": [0.1, 0.2], "inputs": [[1, 2]], "output": 1 }),
        ),
        (
            "/api/plasticity",
            json!({ "view": "foldiak", "rate": 0.1, "inputs": [[1, 2], [2, 1]], "correlation": 0.5, "deviations": [1, 1] }),
        ),
        (
            "/api/plasticity",
            json!({ "view": "cca", "rate": 0.1, "multiplier_rate": 0.1, "start": [[1, 0], [0, 1]], "inputs": [[[1, 2], [2, 1]]] }),
        ),
        (
            "/api/memory",
            json!({ "view": "willshaw", "n_inputs": 4, "n_outputs": 3, "pairs": [[[0], [1]]], "cue": [0], "threshold": "one" }),
        ),
        (
            "/api/memory",
            json!({ "view": "hopfield", "patterns": [[1, -1, 1]], "rule": "hebbian", "synchronous": false, "cue": [1, 1, 1] }),
        ),
        (
            "/api/weight-space",
            json!({ "points": [[1, 2]], "signs": [1], "deviation": 1, "weight_reach": 3, "reach": 4 }),
        ),
        (
            "/api/optimise",
            json!({ "view": "curve", "start": 2, "step": 0.1, "max_iter": 20 }),
        ),
        (
            "/api/optimise",
            json!({ "view": "valley", "start": [8, 4], "ratio": 10, "degrees": 20 }),
        ),
        (
            "/api/optimise",
            json!({ "view": "bound", "observations": [0, 3], "theta": 1, "low": -1, "high": 4 }),
        ),
    ]
}

#[test]
fn every_question_of_a_laboratory_is_answered() {
    let runtime = Runtime::new().unwrap();
    for (path, request) in laboratories() {
        let (status, text) = post(&runtime, path, request.to_string().into_bytes());
        assert!(
            status == 200 && text.contains("event: answer"),
            "{path}: {text}"
        );
    }
}

fn check(path: &str, (status, text): (u16, String)) -> Result<(), TestCaseError> {
    prop_assert!(
        matches!(status, 200 | 400 | 413 | 415 | 422 | 404),
        "{path}: {status} {text}"
    );
    prop_assert!(!text.contains("bug of didact"), "{path}: {text}");
    Ok(())
}

#[test]
fn the_good_request_is_answered_by_every_path_that_takes_it() {
    let runtime = Runtime::new().unwrap();
    for path in ["/api/fit", "/api/judge", "/api/picture"] {
        let (status, text) = post(&runtime, path, good().to_string().into_bytes());
        assert_eq!(status, 200, "{path}: {text}");
        assert!(text.contains("event: answer"), "{path}: {text}");
    }
}

#[test]
fn two_views_are_related_and_a_line_descends() {
    let runtime = Runtime::new().unwrap();
    let mut request = good();
    request["spec"] = json!("cca");
    request["labels"] = Value::Null;
    request["grid"] = Value::Null;
    request["targets"] = json!([[0.1], [1.2], [4.0], [5.5], [0.4], [4.4]]);
    let (_, text) = post(&runtime, "/api/fit", request.to_string().into_bytes());
    assert!(text.contains("\"wilks\":"), "{text}");
    request["targets"] = json!([[0.1]]);
    let (_, text) = post(&runtime, "/api/fit", request.to_string().into_bytes());
    assert!(
        text.contains("6 points have a first view and 1 a second one"),
        "{text}"
    );
    let body = json!({ "x": [0, 1, 2], "y": [1, 0, 3], "start": [0, 0], "step": 1.0, "max_iter": 500, "gradient_tolerance": 1e-6 });
    let (_, text) = post(&runtime, "/api/descent", body.to_string().into_bytes());
    assert!(text.contains("\"stop\":\"gradient\""), "{text}");
}

// 001:RL-02, test vector T-24: the room with an exit and a pit has these values and this policy.
#[test]
fn the_robot_room_has_the_values_of_the_test_vector() {
    let body = json!({
        "map": "...E\n.#.P\n....\n\nE = 1 exit\nP = -1 exit\n",
        "slip": 0.1, "step": -0.04, "discount": 0.9,
    });
    let runtime = Runtime::new().unwrap();
    let (_, text) = post(&runtime, "/api/world", body.to_string().into_bytes());
    let answer = answered(&text);
    let values: Vec<f64> = serde_json::from_value(answer["values"].clone()).unwrap();
    let expected = [
        0.610_462, 0.766_207, 0.928_180, 0.0, 0.487_235, 0.584_934, 0.0, 0.373_852, 0.326_623,
        0.427_543, 0.188_825,
    ];
    for (value, expected) in values.iter().zip(expected) {
        assert!((value - expected).abs() < 1e-6, "{value} {expected}");
    }
    // Up is 0, right 1, down 2, left 3; exits need no action.
    let policy = json!([1, 1, 1, null, 0, 0, null, 0, 1, 0, 3]);
    assert_eq!(answer["policy"], policy);
    assert_eq!(answer["walk"]["ended"], true);
    let (_, text) = post(&runtime, "/api/world", br#"{"map": "..."}"#.to_vec());
    assert!(text.contains("the map has no exit"), "{text}");
}

// 002b:NN-03: the whole network is that of the method, and without weights it says one class.
#[test]
fn a_network_loses_its_weights_share_by_share() {
    let row = |i: usize| {
        [
            (i % 3) as f64 * 4.0 + 0.1 * (i / 3) as f64,
            0.3 * (i / 3) as f64,
        ]
    };
    let rows: Vec<[f64; 2]> = (0..30).map(row).collect();
    let labels: Vec<usize> = (0..30).map(|i| i % 3).collect();
    let mut body = json!({
        "spec": "standard-scaler | mlp(hidden_layer_sizes=[8], solver=lbfgs)", "rows": rows,
        "labels": labels, "classes": ["A", "B", "C", "nobody"], "repeats": 5, "seed": 3,
        "grid": { "x": [-1, 10], "y": [4, -1], "width": 4, "height": 3, "columns": [0, 1] },
    });
    let runtime = Runtime::new().unwrap();
    let mut ask = |name: &str, value: Value| {
        body[name] = value;
        post(&runtime, "/api/lesion", body.to_string().into_bytes()).1
    };
    let answer = answered(&ask("seed", json!(3)));
    let steps = answer["steps"].as_array().unwrap();
    assert_eq!(steps.len(), 21);
    assert_eq!(steps[0]["scores"], json!([1.0, 1.0, 1.0, 1.0, 1.0]));
    assert_eq!(steps[0]["removed"], 0);
    // Two inputs, eight units, three classes that have points: 2·8 + 8·3 weights.
    assert_eq!(
        (&answer["weights"], &steps[10]["removed"]),
        (&json!(40), &json!(20))
    );
    let last = steps[20]["scores"].as_array().unwrap();
    assert!(
        last.iter()
            .all(|score| (score.as_f64().unwrap() - 1.0 / 3.0).abs() < 1e-12)
    );
    let text = ask("repeats", json!(0));
    assert!(text.contains("repeats is 0"), "{text}");
    ask("repeats", json!(5));
    let text = ask("spec", json!("gaussian-nb"));
    assert!(text.contains("choose mlp for classification"), "{text}");
}

// 002a:KP04: the projections of the cells and of the points are those of the transform.
#[test]
fn projections_are_given_for_cells_and_points_alike() {
    let rows = [[0.0, 0.0], [1.0, 0.2], [0.4, 1.5], [2.0, 1.0]];
    // Four cells whose middles are the corners of the unit square, one of them a point.
    let mut body = json!({
        "spec": "kernel-pca(kernel=rbf, gamma=0.5)", "rows": rows, "first": 1, "count": 9,
        "grid": { "x": [-0.5, 1.5], "y": [1.5, -0.5], "width": 2, "height": 2, "columns": [0, 1] },
    });
    let runtime = Runtime::new().unwrap();
    let mut ask = |name: &str, value: Value| {
        body[name] = value;
        post(&runtime, "/api/isolines", body.to_string().into_bytes()).1
    };
    let answer = answered(&ask("first", json!(1)));
    // Of four points there are three projections; the first was not asked for.
    assert_eq!(
        (&answer["there"], &answer["gamma"]),
        (&json!(3), &json!(0.5))
    );
    let projections = answer["projections"].as_array().unwrap();
    assert_eq!(projections.len(), 2);
    let bytes = BASE64
        .decode(projections[0]["heights"].as_str().unwrap())
        .unwrap();
    let heights: Vec<f32> = bytes
        .chunks(4)
        .map(|four| f32::from_le_bytes(four.try_into().unwrap()))
        .collect();
    let own = projections[0]["points"][0].as_f64().unwrap();
    assert!(
        (f64::from(heights[2]) - own).abs() < 1e-6,
        "{heights:?} {own}"
    );
    let text = ask("first", json!(3));
    assert!(text.contains("there are 3 projections"), "{text}");
    ask("first", json!(0));
    let text = ask("spec", json!("dbscan"));
    assert!(text.contains("dbscan projects nothing"), "{text}");
    let text = ask("count", json!(99));
    assert!(text.contains("count is 99"), "{text}");
}

// 001:HMM-03: the product of the edges along the best path is its probability together with the
// items, and no path of the trellis has a larger one.
#[test]
fn the_edges_of_the_best_path_multiply_to_its_probability() {
    let rows: Vec<[f64; 1]> = [0.1, 0.2, 3.1, 2.9, 0.0, 3.2, 3.0, 0.3]
        .map(|x| [x])
        .to_vec();
    let body =
        json!({ "spec": "hmm(n_components=2)", "rows": rows, "lengths": [5, 3], "sequence": 1 });
    let runtime = Runtime::new().unwrap();
    let (_, text) = post(&runtime, "/api/chain", body.to_string().into_bytes());
    let answer = answered(&text);
    let lattice = &answer["lattice"];
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NEG_INFINITY);
    let path: Vec<usize> = serde_json::from_value(answer["path"].clone()).unwrap();
    let mut sum = number(&lattice["start"][path[0]]).ln();
    for (t, &state) in path.iter().enumerate() {
        sum += number(&lattice["emissions"][t][state]);
        if t > 0 {
            sum += number(&lattice["transitions"][path[t - 1]][state]).ln();
        }
    }
    assert!((sum - number(&answer["log_probability"])).abs() < 1e-9);
    // α·β/p(x) is the probability of each state, and its arcs add up to it.
    for t in 0..3 {
        for state in 0..2 {
            let both =
                number(&lattice["forward"][t][state]) + number(&lattice["backward"][t][state]);
            let share = (both - number(&lattice["log_likelihood"])).exp();
            assert!((share - number(&answer["posteriors"][t][state])).abs() < 1e-9);
            if t < 2 {
                let arcs = [0, 1].map(|next| number(&lattice["pairs"][t][state][next]));
                assert!((arcs.iter().sum::<f64>() - share).abs() < 1e-9);
            }
        }
    }
}

// 001:CNN-02, test vector T-14: the diagonal is found twice; an asymmetric filter tells sliding
// from true convolution.
#[test]
fn a_filter_finds_its_pattern_at_every_place_of_the_largest_response() {
    let rows = ["100001", "010010", "001100", "100010", "010010", "001010"];
    let picture = rows.map(|row| {
        row.chars()
            .map(|c| f64::from(c as u8 - b'0'))
            .collect::<Vec<_>>()
    });
    let mut body = json!({
        "picture": picture, "filter": [[1, -1, -1], [-1, 1, -1], [-1, -1, 1]],
        "window": 2, "window_stride": 1,
    });
    let runtime = Runtime::new().unwrap();
    let ask = |body: &Value| -> Value {
        let (_, text) = post(&runtime, "/api/filter", body.to_string().into_bytes());
        answered(&text)
    };
    let answer = ask(&body);
    let map = json!([
        [3., -1., -3., -1.],
        [-3., 1., 0., -3.],
        [-3., -3., 0., 1.],
        [3., -2., -2., -1.]
    ]);
    assert_eq!(answer["map"], map);
    assert_eq!(answer["places"], json!([[0, 0], [3, 0]]));
    assert_eq!(
        answer["pooled"],
        json!([[3., 1., 0.], [1., 1., 1.], [3., 0., 1.]])
    );
    body["window_stride"] = json!(2);
    assert_eq!(ask(&body)["pooled"], json!([[3., 0.], [3., 1.]]));
    let corner = json!({ "picture": [[1, 2], [3, 4]], "filter": [[1, 0], [0, 0]] });
    assert_eq!(ask(&corner)["map"], json!([[1.]]));
    let mut turned = corner.clone();
    turned["flipped"] = json!(true);
    assert_eq!(ask(&turned)["map"], json!([[4.]]));
    body["filter"] = json!([[1, 2], [3]]);
    let (_, text) = post(&runtime, "/api/filter", body.to_string().into_bytes());
    assert!(text.contains("no rectangle"), "{text}");
}

/// The answer among the events.
fn answered(text: &str) -> Value {
    let line = text.split("event: answer").nth(1).expect(text);
    let data = line.split("data:").nth(1).unwrap().lines().next().unwrap();
    serde_json::from_str(data).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]

    #[test]
    fn any_bytes_are_answered(body in prop::collection::vec(any::<u8>(), 0..200), path in 0..PATHS.len()) {
        let answer = post(&Runtime::new().unwrap(), PATHS[path], body);
        check(PATHS[path], answer)?;
    }

    #[test]
    fn one_wrong_part_is_an_error_and_not_a_breakdown(
        path in 0..PATHS.len(),
        key in prop::sample::select(vec!["spec", "rows", "labels", "classes", "grid", "kind", "folds", "values", "targets", "lengths", "train", "parameters", "threshold", "margins", "known", "criterion", "most", "others", "seed", "share", "learned"]),
        value in anything(),
    ) {
        let mut request = good();
        request[key] = value;
        let answer = post(&Runtime::new().unwrap(), PATHS[path], request.to_string().into_bytes());
        check(PATHS[path], answer)?;
    }

    #[test]
    fn one_wrong_part_of_a_question_of_a_laboratory_is_an_error_and_not_a_breakdown(
        which in any::<prop::sample::Index>(),
        part in any::<prop::sample::Index>(),
        value in prop_oneof![
            anything(),
            any::<f64>().prop_map(Value::from),
            prop::sample::select(vec![0.0, -1.0, 1e-300, 1e300, 1e9]).prop_map(Value::from),
            prop::collection::vec(prop::sample::select(vec![0.0, -1.0, 1e-300, 1e300]), 0..4).prop_map(Value::from),
        ],
    ) {
        let (path, mut request) = which.get(&laboratories()).clone();
        let keys: Vec<String> = request.as_object().unwrap().keys().cloned().collect();
        request[part.get(&keys)] = value;
        let answer = post(&Runtime::new().unwrap(), path, request.to_string().into_bytes());
        check(path, answer)?;
    }

    #[test]
    fn a_request_with_some_bytes_changed_is_answered(
        path in 0..PATHS.len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in any::<prop::sample::Index>(),
        shorten in any::<bool>(),
    ) {
        let mut body = good().to_string().into_bytes();
        for (place, byte) in &changes {
            let place = place.index(body.len());
            body[place] = *byte;
        }
        if shorten {
            body.truncate(cut.index(body.len()));
        }
        let answer = post(&Runtime::new().unwrap(), PATHS[path], body);
        check(PATHS[path], answer)?;
    }
}

#[test]
fn laws_answer_whatever_their_parameters_are() {
    let runtime = Runtime::new().unwrap();
    for name in [
        "uniform",
        "normal",
        "gamma",
        "beta",
        "Student's t",
        "Weibull",
    ] {
        for value in [json!(0), json!(-1), json!(1e308), json!(1e-308), json!("x")] {
            let keys = ["low", "deviation", "shape", "a", "freedom", "scale"];
            let parameters: serde_json::Map<String, Value> = keys
                .map(|key| (key.to_owned(), value.clone()))
                .into_iter()
                .collect();
            let body = json!({ "name": name, "parameters": parameters, "at": 1e300 });
            let answer = post(&runtime, "/api/law", body.to_string().into_bytes());
            check("/api/law", answer).unwrap();
        }
    }
    let (_, text) = post(&runtime, "/api/law", br#"{"name": "no-such"}"#.to_vec());
    assert!(text.contains("there is no law no-such"), "{text}");
}

#[test]
fn too_much_data_is_refused_and_not_drawn() {
    let runtime = Runtime::new().unwrap();
    for parameters in [
        json!({ "n_samples": 1_000_000 }),
        json!({ "n_samples": 20_000, "n_features": 20_000 }),
        json!({ "n_features": u64::MAX }),
    ] {
        let body = json!({ "id": "blobs", "parameters": parameters });
        let (status, text) = post(&runtime, "/api/generate", body.to_string().into_bytes());
        assert_eq!(status, 422, "{text}");
        assert!(text.contains("at most"), "{text}");
    }
}

#[test]
fn work_that_takes_too_long_is_stopped_with_a_sentence() {
    let runtime = Runtime::new().unwrap();
    let rows: Vec<[f64; 2]> = (0..3000)
        .map(|row| [f64::from(row).sin(), f64::from(row * row).cos()])
        .collect();
    let body = json!({ "spec": "affinity-propagation", "rows": rows }).to_string();
    for path in ["/api/fit", "/api/model"] {
        let limit = Duration::from_millis(30);
        let (_, text) = post_within(limit, &runtime, path, body.clone().into_bytes());
        assert!(text.contains("longer than"), "{path}: {text}");
    }
}

#[test]
fn every_parameter_that_counts_may_be_asked_to_be_huge() {
    // A number of groups, states or columns that would fill the memory is an error and no abort;
    // a number of starts or trials is worked on until the time is up.
    let runtime = Runtime::new().unwrap();
    for entry in didact::catalogue() {
        let properties = entry.schema["properties"].as_object().unwrap();
        for name in properties.keys().filter(|name| name.starts_with("n_")) {
            let mut request = good();
            let huge = json!({ name: 100_000_000_000_u64 });
            request["spec"] = json!([{ "algorithm": entry.id, "parameters": huge }]);
            request["grid"] = Value::Null;
            let body = request.to_string().into_bytes();
            let answer = post_within(Duration::from_millis(200), &runtime, "/api/fit", body);
            check(&format!("{} {name}", entry.id), answer).unwrap();
        }
    }
}
