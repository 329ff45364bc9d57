//! The contracts on the smallest algorithm there is: predicting the mean.

use didact_core::learner::learn_in_pieces;
use didact_core::*;
use ndarray::{Array1, Array2, Axis, array};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

/// Predicts the mean of the targets, shrunk towards zero.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Mean {
    /// Number of zeros to pretend to have seen.
    #[schemars(range(min = 0.0))]
    shrinkage: f64,
}

#[derive(Serialize, Deserialize)]
struct MeanModel {
    n_features: usize,
    mean: Array1<f64>,
}

#[derive(Serialize, Deserialize)]
struct Sums {
    n_features: usize,
    weight: f64,
    sum: Array1<f64>,
}

impl Fit<Measured<'_>> for Mean {
    type Model = MeanModel;
    const ACCEPTS: Accepts = Accepts::WEIGHTS.union(Accepts::MULTI_OUTPUT);

    fn learn(&self, data: Measured<'_>, run: &Run) -> Result<MeanModel> {
        let summary = self.summarise(&(), data, 0, run)?;
        match LearnInPieces::<Measured<'static>>::step(self, (), summary, run)? {
            Next::Done(model) => Ok(model),
            Next::Pass(()) => unreachable!("one pass is enough"),
        }
    }
}

impl LearnInPieces<Measured<'_>> for Mean {
    type State = ();
    type Summary = Sums;

    fn start(&self) -> Result<()> {
        Ok(())
    }

    fn summarise(&self, _: &(), chunk: Measured<'_>, _: usize, _: &Run) -> Result<Sums> {
        let mut sum = Array1::zeros(chunk.n_targets());
        for (row, target) in chunk.targets.rows().into_iter().enumerate() {
            sum.scaled_add(chunk.samples.weight(row), &target);
        }
        Ok(Sums {
            n_features: chunk.samples.n_columns(),
            weight: chunk.samples.total_weight(),
            sum,
        })
    }

    fn merge(&self, left: Sums, right: Sums) -> Result<Sums> {
        Ok(Sums {
            weight: left.weight + right.weight,
            sum: left.sum + right.sum,
            ..left
        })
    }

    fn step(&self, _: (), summary: Sums, _: &Run) -> Result<Next<(), MeanModel>> {
        Ok(Next::Done(MeanModel {
            n_features: summary.n_features,
            mean: summary.sum / (summary.weight + self.shrinkage),
        }))
    }
}

impl Features for MeanModel {
    fn n_features(&self) -> usize {
        self.n_features
    }
}

impl Regress for MeanModel {
    fn regress(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let mean = self.mean.view().insert_axis(Axis(0));
        Ok(mean
            .broadcast((rows.n_rows(), self.mean.len()))
            .expect("one row repeated")
            .to_owned())
    }
}

impl Model for MeanModel {
    const ABILITIES: Abilities<Self> = Abilities::none().regress();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[Attribute {
        name: "mean",
        meaning: "The predicted value of each target.",
        get: |model| Value::from(&model.mean),
    }];
}

fn entry() -> Entry {
    Entry::of::<Mean>("mean")
        .family("example")
        .regressor()
        .measured_in_pieces()
        .into()
}

#[test]
fn typed_fit_and_predict_check_what_they_get() {
    let x = array![[1.0], [2.0], [4.0]];
    let y = [1.0, 2.0, 6.0];
    let model = Mean::default().fit(Measured::new(&x, &y).unwrap()).unwrap();
    assert_eq!(model.predict(&array![[7.0]]).unwrap(), array![[3.0]]);
    let error = model.predict(&array![[7.0, 8.0]]).unwrap_err().to_string();
    assert_eq!(
        error,
        "the rows have 2 columns but the model was fitted with 1"
    );
    assert!(model.predict(&array![[f64::NAN]]).is_err());
    let negative = Mean { shrinkage: -1.0 }.fit(Measured::new(&x, &y).unwrap());
    assert_eq!(
        negative.err().unwrap().to_string(),
        "shrinkage is -1.0; it must be at least 0"
    );
    let missing =
        Mean::default().fit(Measured::new(&array![[1.0], [f64::NAN], [0.0]], &y).unwrap());
    assert!(
        missing
            .err()
            .unwrap()
            .to_string()
            .starts_with("row 1, column 0 is NaN")
    );
}

#[test]
fn the_entry_tells_what_the_faces_need() {
    let entry = entry();
    assert_eq!(
        (entry.name.as_str(), entry.summary.as_str()),
        (
            "Mean",
            "Predicts the mean of the targets, shrunk towards zero."
        )
    );
    let route = entry.route(DataKind::Measured).unwrap();
    assert_eq!(route.abilities, ["regress"]);
    assert_eq!(route.attributes[0].name, "mean");
    assert!(route.in_pieces);
    let described = serde_json::to_value(&entry).unwrap();
    assert_eq!(
        described["routes"][0]["accepts"],
        json!(["weights", "multi-output"])
    );
    assert_eq!(
        described["schema"]["properties"]["shrinkage"]["minimum"],
        json!(0.0)
    );
}

#[test]
fn erased_fit_save_load_and_pieces_agree_with_the_typed_fit() {
    let x = array![[1.0], [2.0], [4.0], [0.0]];
    let y = [1.0, 2.0, 6.0, 3.0];
    let parameters = json!({"shrinkage": 2.0}).as_object().unwrap().clone();
    let learner = entry().learner(&parameters).unwrap();
    assert_eq!(learner.parameters().unwrap(), json!({"shrinkage": 2.0}));
    let data = Measured::new(&x, &y).unwrap();
    let run = Run::new();
    let model = learner.fit(Data::Measured(data.clone()), &run).unwrap();
    let loaded = entry().routes[0].decode(&model.encode().unwrap()).unwrap();
    let in_pieces = learn_in_pieces(
        learner.pieces(DataKind::Measured).unwrap(),
        |observe| {
            observe(Data::Measured(data.slice(0..1)), 0)?;
            observe(Data::Measured(data.slice(1..4)), 1)
        },
        &run,
    )
    .unwrap();
    for model in [model, loaded, in_pieces] {
        let regress = model.as_regress().unwrap();
        assert_eq!(regress.regress(Rows::Dense(x.view())).unwrap()[[3, 0]], 2.0);
        assert!(model.as_classify().is_none());
        assert_eq!(model.attributes()[0].1.as_array().unwrap()[0], 2.0);
    }
}

#[test]
fn summaries_travel_as_bytes_between_workers() {
    let x = array![[1.0], [2.0]];
    let data = Measured::new(&x, &[1.0, 3.0]).unwrap();
    let learner = entry().learner(&Map::new()).unwrap();
    let run = Run::new();
    let worker = learner.pieces(DataKind::Measured).unwrap();
    let mut leader = learner.pieces(DataKind::Measured).unwrap();
    for row in [1, 0] {
        let summary = worker
            .summarise(Data::Measured(data.slice(row..row + 1)), row, &run)
            .unwrap();
        leader.merge(&summary).unwrap();
    }
    let model = leader.end_pass(&run).unwrap().expect("one pass is enough");
    assert_eq!(model.attributes()[0].1.as_array().unwrap()[0], 2.0);
}

#[test]
fn data_of_the_wrong_kind_are_refused_by_name() {
    let x = array![[1.0], [2.0]];
    let learner = entry().learner(&Map::new()).unwrap();
    let error = learner
        .fit(Data::Samples(Samples::from(&x)), &Run::new())
        .err()
        .unwrap();
    assert_eq!(
        error.to_string(),
        "mean learns from rows with real targets but was given rows"
    );
}
