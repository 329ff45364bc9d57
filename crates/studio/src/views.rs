//! Two views of the same things: how many of their correlations are more than chance.

use crate::request::Points;
use didact::core::{AnyModel, Run, Value};
use didact::{Result, Spec};
use didact_probability::Cumulative;
use didact_probability::laws::ChiSquared;
use serde_json::{Value as Json, json};

/// For each pair of variates its correlation ρ and Bartlett's test that it and all smaller ones
/// are zero. Nothing for models without pairs.
///
/// With Λ = Π(1 − ρ²) over the pair and those after it, −(n − 1 − (p + q + 1)/2)·ln Λ has a χ² law
/// of (p − k)(q − k) degrees of freedom where the views are normal and k pairs are related. Under a
/// ridge the ρ are no correlations of the rows, and nothing is tested.
pub(crate) fn correlations(
    spec: &Spec,
    points: &Points,
    model: &dyn AnyModel,
    run: &Run,
) -> Result<Json> {
    let Some(found) = Pairs::of(model) else {
        return Ok(Json::Null);
    };
    let all = match found.rho.len() < found.most() {
        true => found.all(spec, points, run)?,
        false => Some(found.rho.clone()),
    };
    let tests = all.filter(|_| !has_ridge(spec)).map(|all| {
        let [p, q] = found.columns;
        let tests = (0..found.rho.len()).map(|k| bartlett(&all[k..], points.len(), [p, q], k));
        tests.collect::<Vec<_>>()
    });
    let rows = found.rho.iter().enumerate().map(|(k, rho)| {
        let test = tests.as_ref().and_then(|tests| tests[k]);
        json!({
            "correlation": rho,
            "wilks": test.map(|test| test.wilks),
            "statistic": test.map(|test| test.statistic),
            "freedom": test.map(|test| test.freedom),
            "p": test.map(|test| test.p),
        })
    });
    Ok(rows.collect())
}

/// The correlations of a model, and of how many columns each view is.
struct Pairs {
    rho: Vec<f64>,
    columns: [usize; 2],
}

impl Pairs {
    fn of(model: &dyn AnyModel) -> Option<Pairs> {
        let attributes = model.attributes();
        let array = |name: &str| {
            let found = attributes
                .iter()
                .find(|(described, _)| described.name == name);
            match found {
                Some((_, Value::Array(array))) => Some(array),
                _ => None,
            }
        };
        let width = |name: &str| array(name)?.shape().get(1).copied();
        Some(Pairs {
            rho: array("correlations")?.iter().copied().collect(),
            columns: [width("x_weights")?, width("y_weights")?],
        })
    }

    fn most(&self) -> usize {
        self.columns[0].min(self.columns[1])
    }

    /// The correlations of all pairs: the same method once more, without a limit on their number.
    /// Nothing where columns depend on each other, for which the test is not made.
    fn all(&self, spec: &Spec, points: &Points, run: &Run) -> Result<Option<Vec<f64>>> {
        let mut whole = spec.clone();
        if let Some(step) = whole.steps.last_mut() {
            step.parameters
                .insert("n_components".to_owned(), json!(self.most()));
        }
        let learner = whole.learner()?;
        let model = learner.fit(points.data()?, &run.quietly())?;
        let all = Pairs::of(model.as_ref()).map(|pairs| pairs.rho);
        Ok(all.filter(|all| all.len() == self.most()))
    }
}

fn has_ridge(spec: &Spec) -> bool {
    let step = spec.steps.last();
    let ridge = step.and_then(|step| step.parameters.get("regularization")?.as_f64());
    ridge.is_some_and(|ridge| ridge > 0.0)
}

#[derive(Clone, Copy)]
struct Test {
    wilks: f64,
    statistic: f64,
    freedom: usize,
    p: f64,
}

/// Bartlett's test that these correlations are all zero; `k` larger ones were taken before.
fn bartlett(rho: &[f64], n: usize, [p, q]: [usize; 2], k: usize) -> Option<Test> {
    let weight = n as f64 - 1.0 - (p + q + 1) as f64 / 2.0;
    let freedom = (p - k) * (q - k);
    if weight <= 0.0 {
        return None;
    }
    let log_wilks: f64 = rho.iter().map(|rho| (-rho * rho).ln_1p()).sum();
    let statistic = -weight * log_wilks;
    // Views that determine each other leave no doubt.
    let p = match statistic.is_finite() {
        true => ChiSquared::new(freedom as f64).ok()?.survival(statistic),
        false => 0.0,
    };
    Some(Test {
        wilks: log_wilks.exp(),
        statistic: statistic.min(f64::MAX),
        freedom,
        p,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    // 002a:S22, by hand: n = 50, p = q = 2, ρ = (0.8, 0.1). Λ = 0.36·0.99 = 0.3564, weight
    // 50 − 1 − 2.5 = 46.5, statistic s = −46.5·ln 0.3564 = 47.974 with 4 degrees of freedom, so
    // p = exp(−s/2)·(1 + s/2) = 9.6·10⁻¹⁰. For the second pair −46.5·ln 0.99 = 0.46734 with one
    // degree of freedom: p = erfc(√(s/2)) = 0.4942.
    #[test]
    fn the_statistic_is_bartletts() {
        let first = bartlett(&[0.8, 0.1], 50, [2, 2], 0).unwrap();
        assert!((first.wilks - 0.3564).abs() < 1e-12);
        assert!(
            (first.statistic - 47.974).abs() < 1e-3,
            "{}",
            first.statistic
        );
        assert_eq!(first.freedom, 4);
        assert!((first.p - 9.556e-10).abs() < 1e-12, "{}", first.p);
        let second = bartlett(&[0.1], 50, [2, 2], 1).unwrap();
        assert!((second.statistic - 0.46734).abs() < 1e-5);
        assert!((second.p - 0.4942).abs() < 1e-3, "{}", second.p);
    }

    #[test]
    fn few_rows_are_not_tested_and_perfect_pairs_are_no_chance() {
        assert!(bartlett(&[0.8], 4, [3, 3], 0).is_none());
        assert_eq!(bartlett(&[1.0], 50, [2, 2], 0).unwrap().p, 0.0);
    }
}
