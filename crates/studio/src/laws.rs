//! Laws of one variable: density and cumulative probability, for the explorer of distributions.

use crate::Shared;
use crate::events::stream;
use crate::failure::Failure;
use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use didact::{Error, Result};
use didact_probability::laws::{
    Beta, Cauchy, Exponential, Gamma, Laplace, LogNormal, Normal, StudentT, Uniform, Weibull,
};
use didact_probability::{Cumulative, Density, Moments};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// Places along the axis where a law is asked.
const PLACES: usize = 481;

/// The share of the probability that is left out of the picture on either side.
const TAIL: f64 = 0.004;

/// What the explorer asks of a law.
trait Curve {
    fn density_at(&self, x: f64) -> f64;
    fn cumulative_at(&self, x: f64) -> f64;
    /// The place below which the share lies.
    fn place(&self, share: f64) -> Result<f64>;
    /// Mean and variance, where they exist.
    fn moments(&self) -> [Option<f64>; 2];
}

impl<L: Density<f64> + Cumulative<f64> + Moments<Mean = f64, Variance = f64>> Curve for L {
    fn density_at(&self, x: f64) -> f64 {
        self.density(x)
    }

    fn cumulative_at(&self, x: f64) -> f64 {
        self.cumulative(x)
    }

    fn place(&self, share: f64) -> Result<f64> {
        self.quantile(share)
    }

    fn moments(&self) -> [Option<f64>; 2] {
        [self.mean(), self.variance()]
    }
}

/// A parameter: its name, its usual value, and from where to where it can be moved.
type Parameter = (&'static str, f64, f64, f64);

struct Law {
    name: &'static str,
    summary: &'static str,
    parameters: &'static [Parameter],
    make: fn(&[f64]) -> Result<Box<dyn Curve>>,
}

const LAWS: [Law; 10] = [
    Law {
        name: "uniform",
        summary: "Every value between low and high alike: the narrower, the higher, without bound.",
        parameters: &[("low", 0.0, -5.0, 5.0), ("high", 1.0, -5.0, 5.0)],
        make: |p| Ok(Box::new(Uniform::new(p[0], p[1])?)),
    },
    Law {
        name: "normal",
        summary: "The Gaussian bell: 68.3 % within one deviation, 95.4 % within two.",
        parameters: &[("mean", 0.0, -5.0, 5.0), ("deviation", 1.0, 0.1, 5.0)],
        make: |p| Ok(Box::new(Normal::with_deviation(p[0], p[1])?)),
    },
    Law {
        name: "exponential",
        summary: "The time to an event that does not age.",
        parameters: &[("rate", 1.0, 0.1, 5.0)],
        make: |p| Ok(Box::new(Exponential::new(p[0])?)),
    },
    Law {
        name: "gamma",
        summary: "The time to several such events, and any shape in between.",
        parameters: &[("shape", 2.0, 1.0, 10.0), ("rate", 1.0, 0.1, 5.0)],
        make: |p| Ok(Box::new(Gamma::new(p[0], p[1])?)),
    },
    Law {
        name: "beta",
        summary: "What is believed about a probability after some successes and failures.",
        parameters: &[("a", 2.0, 1.0, 20.0), ("b", 3.0, 1.0, 20.0)],
        make: |p| Ok(Box::new(Beta::new(p[0], p[1])?)),
    },
    Law {
        name: "Laplace",
        summary: "Two exponentials back to back: its mean absolute error is what medians lower.",
        parameters: &[("location", 0.0, -5.0, 5.0), ("scale", 1.0, 0.1, 5.0)],
        make: |p| Ok(Box::new(Laplace::new(p[0], p[1])?)),
    },
    Law {
        name: "Student's t",
        summary: "A bell with heavier tails the fewer degrees of freedom it has.",
        parameters: &[
            ("freedom", 3.0, 1.0, 50.0),
            ("location", 0.0, -5.0, 5.0),
            ("scale", 1.0, 0.1, 5.0),
        ],
        make: |p| Ok(Box::new(StudentT::new(p[0], p[1], p[2])?)),
    },
    Law {
        name: "Cauchy",
        summary: "Tails so heavy that neither mean nor variance exists.",
        parameters: &[("location", 0.0, -5.0, 5.0), ("scale", 1.0, 0.1, 5.0)],
        make: |p| Ok(Box::new(Cauchy::new(p[0], p[1])?)),
    },
    Law {
        name: "log-normal",
        summary: "What many small factors multiply to.",
        parameters: &[
            ("log_mean", 0.0, -2.0, 2.0),
            ("log_deviation", 0.5, 0.1, 1.5),
        ],
        make: |p| Ok(Box::new(LogNormal::new(p[0], p[1])?)),
    },
    Law {
        name: "Weibull",
        summary: "The time to a failure that ages: earlier and earlier as the shape grows.",
        parameters: &[("shape", 1.5, 1.0, 8.0), ("scale", 1.0, 0.1, 5.0)],
        make: |p| Ok(Box::new(Weibull::new(p[0], p[1])?)),
    },
];

/// Every law with the schema of its parameters.
pub(crate) async fn list() -> Json<Value> {
    let laws = LAWS.iter().map(|law| {
        let properties: Map<String, Value> = law
            .parameters
            .iter()
            .map(|&(name, usual, least, most)| {
                let schema =
                    json!({ "type": "number", "default": usual, "minimum": least, "maximum": most });
                (name.to_owned(), schema)
            })
            .collect();
        json!({ "name": law.name, "summary": law.summary, "schema": { "properties": properties } })
    });
    Json(laws.collect())
}

/// A law with its parameters, and a place at which it is asked.
#[derive(Deserialize)]
pub(crate) struct Wanted {
    name: String,
    #[serde(default)]
    parameters: Map<String, Value>,
    #[serde(default)]
    at: Option<f64>,
}

/// The law along its axis, and at the place.
pub(crate) async fn law(State(shared): State<Shared>, Json(wanted): Json<Wanted>) -> Response {
    stream(shared, move |_| {
        let found = LAWS.iter().find(|law| law.name == wanted.name);
        let law = found.ok_or_else(|| Failure::NotFound(format!("law {}", wanted.name)))?;
        Ok(wanted.describe(law)?)
    })
    .into_response()
}

impl Wanted {
    fn describe(&self, law: &Law) -> Result<Value> {
        let curve = (law.make)(&self.values(law)?)?;
        let (low, high) = (curve.place(TAIL)?, curve.place(1.0 - TAIL)?);
        // A margin on either side, so that the ends of a bounded law are seen.
        let margin = 0.15 * (high - low);
        let x: Vec<f64> = (0..PLACES)
            .map(|place| {
                let share = place as f64 / (PLACES - 1) as f64;
                low - margin + share * (high - low + 2.0 * margin)
            })
            .collect();
        let [mean, variance] = curve.moments();
        let median = curve.place(0.5)?;
        let at = self.at.filter(|at| at.is_finite()).unwrap_or(median);
        Ok(json!({
            "density": x.iter().map(|&x| curve.density_at(x)).collect::<Vec<_>>(),
            "cumulative": x.iter().map(|&x| curve.cumulative_at(x)).collect::<Vec<_>>(),
            "x": x,
            "mean": mean,
            "deviation": variance.map(f64::sqrt),
            "median": median,
            "at": { "x": at, "density": curve.density_at(at), "cumulative": curve.cumulative_at(at) },
        }))
    }

    fn values(&self, law: &Law) -> Result<Vec<f64>> {
        let one = |&(name, usual, ..): &Parameter| match self.parameters.get(name) {
            None => Ok(usual),
            Some(value) => value
                .as_f64()
                .ok_or_else(|| Error::parameter(name, value, "it must be a number")),
        };
        law.parameters.iter().map(one).collect()
    }
}
