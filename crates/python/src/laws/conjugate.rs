//! Beliefs that data turn into beliefs of the same kind.

use super::kinds::as_rows;
use super::unreadable;
use didact::{Error, Result};
use didact_probability::Density;
use didact_probability::conjugate::Conjugate;
use ndarray::{Array1, ArrayView1, ArrayViewD};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

/// How a belief learns from data; beliefs travel as their parameters.
pub(crate) struct Conjugacy {
    /// How many axes a datum has.
    pub(crate) axes: usize,
    pub(crate) update: fn(Json, ArrayViewD<'_, f64>) -> Result<Json>,
    pub(crate) log_evidence: fn(Json, ArrayViewD<'_, f64>) -> Result<f64>,
    pub(crate) log_predictive: fn(Json, ArrayViewD<'_, f64>) -> Result<Array1<f64>>,
}

/// A datum that is written as one number.
pub(crate) trait Datum: Copy {
    fn of(number: f64) -> Option<Self>;
    const WHAT: &'static str;
}

impl Datum for f64 {
    const WHAT: &'static str = "a finite number";
    fn of(number: f64) -> Option<Self> {
        number.is_finite().then_some(number)
    }
}

impl Datum for bool {
    const WHAT: &'static str = "0 or 1";
    fn of(number: f64) -> Option<Self> {
        (number == 0.0 || number == 1.0).then_some(number == 1.0)
    }
}

impl Datum for u64 {
    const WHAT: &'static str = "a whole number not below 0";
    fn of(number: f64) -> Option<Self> {
        let whole = number >= 0.0 && number.fract() == 0.0 && number < 2_f64.powi(53);
        whole.then_some(number as u64)
    }
}

impl Datum for usize {
    const WHAT: &'static str = u64::WHAT;
    fn of(number: f64) -> Option<Self> {
        u64::of(number).map(|number| number as usize)
    }
}

fn data<X: Datum>(points: ArrayViewD<'_, f64>) -> Result<Vec<X>> {
    let read = |(place, &number): (usize, &f64)| {
        X::of(number).ok_or_else(|| {
            Error::data(format!("value {place} is {number}; it must be {}", X::WHAT))
        })
    };
    points.iter().enumerate().map(read).collect()
}

fn belief<P: DeserializeOwned>(parameters: Json) -> Result<P> {
    serde_json::from_value(parameters).map_err(unreadable)
}

/// Learning from numbers, counts, flags or categories.
pub(crate) const fn from_values<P, X>() -> Conjugacy
where
    P: Conjugate<X> + Serialize + DeserializeOwned,
    X: Datum,
{
    Conjugacy {
        axes: 0,
        update: |prior, points| {
            let posterior = belief::<P>(prior)?.update(data::<X>(points)?)?;
            serde_json::to_value(posterior).map_err(unreadable)
        },
        log_evidence: |prior, points| {
            let prior: P = belief(prior)?;
            prior.log_evidence(&prior.summarise(data::<X>(points)?))
        },
        log_predictive: |prior, points| {
            let predictive = belief::<P>(prior)?.predictive()?;
            let values = data::<X>(points)?.into_iter();
            Ok(values.map(|value| predictive.log_density(value)).collect())
        },
    }
}

/// Learning from vectors.
pub(crate) const fn from_rows<P>() -> Conjugacy
where
    P: for<'a> Conjugate<ArrayView1<'a, f64>> + Serialize + DeserializeOwned,
{
    Conjugacy {
        axes: 1,
        update: |prior, points| {
            let rows = as_rows(&points)?;
            let posterior = updated(&belief::<P>(prior)?, rows.rows().into_iter())?;
            serde_json::to_value(posterior).map_err(unreadable)
        },
        log_evidence: |prior, points| {
            let rows = as_rows(&points)?;
            evidence(&belief::<P>(prior)?, rows.rows().into_iter())
        },
        log_predictive: |prior, points| {
            let rows = as_rows(&points)?;
            predicted(&belief::<P>(prior)?, rows.rows().into_iter())
        },
    }
}

fn updated<'a, P: Conjugate<ArrayView1<'a, f64>>>(
    prior: &P,
    rows: impl Iterator<Item = ArrayView1<'a, f64>>,
) -> Result<P> {
    prior.update(rows)
}

fn evidence<'a, P: Conjugate<ArrayView1<'a, f64>>>(
    prior: &P,
    rows: impl Iterator<Item = ArrayView1<'a, f64>>,
) -> Result<f64> {
    prior.log_evidence(&prior.summarise(rows))
}

fn predicted<'a, P: Conjugate<ArrayView1<'a, f64>>>(
    prior: &P,
    rows: impl Iterator<Item = ArrayView1<'a, f64>>,
) -> Result<Array1<f64>> {
    let predictive = prior.predictive()?;
    Ok(rows.map(|row| predictive.log_density(row)).collect())
}
