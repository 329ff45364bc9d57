//! Laws by what their values are: numbers, counts, choices, vectors, matrices.

use super::AnyLaw;
use didact::core::Value;
use didact::core::random::Generator;
use didact::{Error, Result};
use didact_probability::{Cumulative, Density, Draw, Modal, Mode, Moments};
use ndarray::{Array, Array1, Array2, ArrayD, ArrayView1, ArrayView2, ArrayViewD, Axis, Dimension};
use serde::Serialize;
use serde_json::Value as Json;

/// What can be asked about a point.
#[derive(Clone, Copy)]
pub(crate) enum Question {
    Density,
    LogDensity,
    Cumulative,
    Survival,
    LogCumulative,
    LogSurvival,
    Quantile,
    UpperQuantile,
}

impl Question {
    pub(super) fn named(name: &str) -> Result<Self> {
        Ok(match name {
            "density" => Question::Density,
            "log_density" => Question::LogDensity,
            "cumulative" => Question::Cumulative,
            "survival" => Question::Survival,
            "log_cumulative" => Question::LogCumulative,
            "log_survival" => Question::LogSurvival,
            "quantile" => Question::Quantile,
            "upper_quantile" => Question::UpperQuantile,
            _ => return Err(Error::unsupported(format!("there is no question {name}"))),
        })
    }

    fn of_density(self, log_density: f64) -> Result<f64> {
        match self {
            Question::LogDensity => Ok(log_density),
            Question::Density => Ok(log_density.exp()),
            _ => Err(Error::unsupported("this law has no cumulative function")),
        }
    }

    /// The answer for a value of a law with a cumulative function.
    fn about<X: Copy, L: Density<X> + Cumulative<X>>(self, law: &L, x: X) -> f64 {
        match self {
            Question::Density => law.density(x),
            Question::Cumulative => law.cumulative(x),
            Question::Survival => law.survival(x),
            Question::LogCumulative => law.log_cumulative(x),
            Question::LogSurvival => law.log_survival(x),
            _ => law.log_density(x),
        }
    }
}

/// How a law knows its entropy, where it does.
pub(crate) type EntropyOf<L> = Option<fn(&L) -> f64>;

macro_rules! kind {
    ($(#[doc = $document:literal])* $name:ident) => {
        $(#[doc = $document])*
        pub(crate) struct $name<L> {
            law: L,
            entropy: EntropyOf<L>,
        }

        impl<L> $name<L> {
            pub(crate) fn new(law: L, entropy: EntropyOf<L>) -> Self {
                $name { law, entropy }
            }
        }
    };
}

kind!(/// A law of real numbers.
    Numbers);
kind!(/// A law of counts.
    Counts);
kind!(/// A law of yes and no.
    Flags);
kind!(/// A law of categories.
    Categories);
kind!(/// A law of vectors.
    Vectors);
kind!(/// A law of vectors of counts.
    CountVectors);
kind!(/// A law of symmetric matrices.
    Matrices);

fn entropy<L>(law: &L, entropy: EntropyOf<L>) -> Result<Value<'static>> {
    match entropy {
        Some(entropy) => Ok(Value::Number(entropy(law))),
        None => Err(unknown("entropy")),
    }
}

fn unknown(figure: &str) -> Error {
    Error::unsupported(format!("the {figure} of this law is not known"))
}

fn parameters(law: &impl Serialize) -> Result<Json> {
    serde_json::to_value(law).map_err(super::unreadable)
}

fn point<X>(mode: Mode<X>, value: impl Fn(X) -> Value<'static>) -> Value<'static> {
    mode.point().map_or(Value::Absent, value)
}

fn drawn<X>(
    law: &impl Draw<X>,
    count: usize,
    generator: &mut Generator,
    number: impl Fn(X) -> f64,
) -> Result<ArrayD<f64>> {
    let values = law.draw_many(count, generator).into_iter().map(number);
    Ok(Array1::from_iter(values).into_dyn())
}

/// Values of more than one number, one after the other along the first axis.
fn stacked<D: Dimension>(values: Vec<Array<f64, D>>, shape: &[usize]) -> Result<ArrayD<f64>> {
    let mut whole = vec![values.len()];
    whole.extend_from_slice(shape);
    let numbers: Vec<f64> = values
        .iter()
        .flat_map(|value| value.iter().copied())
        .collect();
    ArrayD::from_shape_vec(whole, numbers).map_err(|error| Error::data(error.to_string()))
}

impl<L> AnyLaw for Numbers<L>
where
    L: Density<f64>
        + Cumulative<f64>
        + Moments<Mean = f64, Variance = f64>
        + Modal<f64>
        + Draw<f64>
        + Serialize
        + Send
        + Sync,
{
    fn evaluate(&self, question: Question, points: ArrayViewD<'_, f64>) -> Result<Array1<f64>> {
        let answer = |&x: &f64| match question {
            Question::Quantile => self.law.quantile(x),
            Question::UpperQuantile => self.law.upper_quantile(x),
            _ => Ok(question.about(&self.law, x)),
        };
        points.iter().map(answer).collect()
    }

    fn figure(&self, name: &str) -> Result<Value<'static>> {
        Ok(match name {
            "mean" => self.law.mean().into(),
            "variance" => self.law.variance().into(),
            "mode" => point(self.law.mode(), Value::Number),
            "median" => self.law.median().into(),
            _ => entropy(&self.law, self.entropy)?,
        })
    }

    fn draw(&self, count: usize, generator: &mut Generator) -> Result<ArrayD<f64>> {
        drawn(&self.law, count, generator, |value| value)
    }

    fn parameters(&self) -> Result<Json> {
        parameters(&self.law)
    }
}

/// A whole number not below zero, if it is one.
fn whole(x: f64) -> Option<u64> {
    (x >= 0.0 && x.fract() == 0.0 && x < 2_f64.powi(63)).then_some(x as u64)
}

impl<L> AnyLaw for Counts<L>
where
    L: Density<u64>
        + Cumulative<u64>
        + Moments<Mean = f64, Variance = f64>
        + Modal<u64>
        + Draw<u64>
        + Serialize
        + Send
        + Sync,
{
    fn evaluate(&self, question: Question, points: ArrayViewD<'_, f64>) -> Result<Array1<f64>> {
        let answer = |&x: &f64| -> Result<f64> {
            Ok(match question {
                Question::Quantile => self.law.quantile(x)? as f64,
                Question::UpperQuantile => self.law.upper_quantile(x)? as f64,
                _ if x.is_nan() => f64::NAN,
                // What is no count never happens.
                Question::Density | Question::LogDensity => match whole(x) {
                    Some(count) => question.about(&self.law, count),
                    None => question.of_density(f64::NEG_INFINITY)?,
                },
                Question::Cumulative | Question::LogCumulative if x < 0.0 => {
                    if matches!(question, Question::Cumulative) {
                        0.0
                    } else {
                        f64::NEG_INFINITY
                    }
                }
                Question::Survival | Question::LogSurvival if x < 0.0 => {
                    f64::from(u8::from(matches!(question, Question::Survival)))
                }
                _ => question.about(&self.law, x.floor().min(2_f64.powi(62)) as u64),
            })
        };
        points.iter().map(answer).collect()
    }

    fn figure(&self, name: &str) -> Result<Value<'static>> {
        Ok(match name {
            "mean" => self.law.mean().into(),
            "variance" => self.law.variance().into(),
            "mode" => point(self.law.mode(), |count| Value::Integer(count as i64)),
            "median" => Value::Integer(self.law.median() as i64),
            _ => entropy(&self.law, self.entropy)?,
        })
    }

    fn draw(&self, count: usize, generator: &mut Generator) -> Result<ArrayD<f64>> {
        drawn(&self.law, count, generator, |value| value as f64)
    }

    fn parameters(&self) -> Result<Json> {
        parameters(&self.law)
    }
}

impl<L> AnyLaw for Flags<L>
where
    L: Density<bool>
        + Moments<Mean = f64, Variance = f64>
        + Modal<bool>
        + Draw<bool>
        + Serialize
        + Send
        + Sync,
{
    fn evaluate(&self, question: Question, points: ArrayViewD<'_, f64>) -> Result<Array1<f64>> {
        let answer = |&x: &f64| match whole(x) {
            Some(flag @ (0 | 1)) => question.of_density(self.law.log_density(flag == 1)),
            _ => question.of_density(f64::NEG_INFINITY),
        };
        points.iter().map(answer).collect()
    }

    fn figure(&self, name: &str) -> Result<Value<'static>> {
        Ok(match name {
            "mean" => self.law.mean().into(),
            "variance" => self.law.variance().into(),
            "mode" => point(self.law.mode(), |flag| Value::Integer(i64::from(flag))),
            "entropy" => entropy(&self.law, self.entropy)?,
            _ => return Err(unknown(name)),
        })
    }

    fn draw(&self, count: usize, generator: &mut Generator) -> Result<ArrayD<f64>> {
        drawn(&self.law, count, generator, |flag| {
            f64::from(u8::from(flag))
        })
    }

    fn parameters(&self) -> Result<Json> {
        parameters(&self.law)
    }
}

impl<L> AnyLaw for Categories<L>
where
    L: Density<usize> + Modal<usize> + Draw<usize> + Serialize + Send + Sync,
{
    fn evaluate(&self, question: Question, points: ArrayViewD<'_, f64>) -> Result<Array1<f64>> {
        let answer = |&x: &f64| match whole(x) {
            Some(category) => question.of_density(self.law.log_density(category as usize)),
            None => question.of_density(f64::NEG_INFINITY),
        };
        points.iter().map(answer).collect()
    }

    fn figure(&self, name: &str) -> Result<Value<'static>> {
        Ok(match name {
            "mode" => point(self.law.mode(), |category| Value::Integer(category as i64)),
            "entropy" => entropy(&self.law, self.entropy)?,
            _ => return Err(unknown(name)),
        })
    }

    fn draw(&self, count: usize, generator: &mut Generator) -> Result<ArrayD<f64>> {
        drawn(&self.law, count, generator, |category| category as f64)
    }

    fn parameters(&self) -> Result<Json> {
        parameters(&self.law)
    }
}

/// Points as rows of a matrix of the right width.
pub(crate) fn as_rows<'a>(points: &'a ArrayViewD<'_, f64>) -> Result<ArrayView2<'a, f64>> {
    let points = points.view().into_dimensionality();
    points.map_err(|_| Error::data("vectors are given as rows of a matrix"))
}

fn check_width(found: usize, expected: usize) -> Result<()> {
    match found == expected {
        true => Ok(()),
        false => Err(Error::data(format!(
            "the points have {found} coordinates but the law has {expected}"
        ))),
    }
}

impl<L> AnyLaw for Vectors<L>
where
    L: for<'a> Density<ArrayView1<'a, f64>>
        + Moments<Mean = Array1<f64>, Variance = Array2<f64>>
        + Modal<Array1<f64>>
        + Draw<Array1<f64>>
        + Serialize
        + Send
        + Sync,
{
    fn evaluate(&self, question: Question, points: ArrayViewD<'_, f64>) -> Result<Array1<f64>> {
        let rows = as_rows(&points)?;
        if let Some(width) = self.law.mean().map(|mean| mean.len()) {
            check_width(rows.ncols(), width)?;
        }
        let answer = |row: ArrayView1<'_, f64>| question.of_density(self.law.log_density(row));
        rows.rows().into_iter().map(answer).collect()
    }

    fn figure(&self, name: &str) -> Result<Value<'static>> {
        Ok(match name {
            "mean" => self.law.mean().into(),
            "variance" => self.law.variance().into(),
            "mode" => point(self.law.mode(), Value::from),
            "entropy" => entropy(&self.law, self.entropy)?,
            _ => return Err(unknown(name)),
        })
    }

    fn draw(&self, count: usize, generator: &mut Generator) -> Result<ArrayD<f64>> {
        let values = self.law.draw_many(count, generator);
        let width = values.first().map_or(0, Array1::len);
        stacked(values, &[width])
    }

    fn parameters(&self) -> Result<Json> {
        parameters(&self.law)
    }
}

impl<L> AnyLaw for CountVectors<L>
where
    L: for<'a> Density<&'a [u64]>
        + Moments<Mean = Array1<f64>, Variance = Array2<f64>>
        + Draw<Vec<u64>>
        + Serialize
        + Send
        + Sync,
{
    fn evaluate(&self, question: Question, points: ArrayViewD<'_, f64>) -> Result<Array1<f64>> {
        let rows = as_rows(&points)?;
        if let Some(width) = self.law.mean().map(|mean| mean.len()) {
            check_width(rows.ncols(), width)?;
        }
        let answer = |row: ArrayView1<'_, f64>| {
            let counts: Option<Vec<u64>> = row.iter().map(|&count| whole(count)).collect();
            question.of_density(match counts {
                Some(counts) => self.law.log_density(&counts),
                None => f64::NEG_INFINITY,
            })
        };
        rows.rows().into_iter().map(answer).collect()
    }

    fn figure(&self, name: &str) -> Result<Value<'static>> {
        Ok(match name {
            "mean" => self.law.mean().into(),
            "variance" => self.law.variance().into(),
            "entropy" => entropy(&self.law, self.entropy)?,
            _ => return Err(unknown(name)),
        })
    }

    fn draw(&self, count: usize, generator: &mut Generator) -> Result<ArrayD<f64>> {
        let values = self.law.draw_many(count, generator).into_iter();
        let values: Vec<Array1<f64>> = values
            .map(|counts| counts.into_iter().map(|count| count as f64).collect())
            .collect();
        let width = values.first().map_or(0, Array1::len);
        stacked(values, &[width])
    }

    fn parameters(&self) -> Result<Json> {
        parameters(&self.law)
    }
}

impl<L> AnyLaw for Matrices<L>
where
    L: for<'a> Density<ArrayView2<'a, f64>>
        + Moments<Mean = Array2<f64>, Variance = Array2<f64>>
        + Modal<Array2<f64>>
        + Draw<Array2<f64>>
        + Serialize
        + Send
        + Sync,
{
    fn evaluate(&self, question: Question, points: ArrayViewD<'_, f64>) -> Result<Array1<f64>> {
        let answer = |matrix: ArrayViewD<'_, f64>| {
            let matrix: ArrayView2<'_, f64> = matrix
                .into_dimensionality()
                .map_err(|_| Error::data("points are matrices"))?;
            question.of_density(self.law.log_density(matrix))
        };
        points.axis_iter(Axis(0)).map(answer).collect()
    }

    fn figure(&self, name: &str) -> Result<Value<'static>> {
        Ok(match name {
            "mean" => self.law.mean().into(),
            "variance" => self.law.variance().into(),
            "mode" => point(self.law.mode(), Value::from),
            "entropy" => entropy(&self.law, self.entropy)?,
            _ => return Err(unknown(name)),
        })
    }

    fn draw(&self, count: usize, generator: &mut Generator) -> Result<ArrayD<f64>> {
        let values = self.law.draw_many(count, generator);
        let width = values.first().map_or(0, Array2::nrows);
        stacked(values, &[width, width])
    }

    fn parameters(&self) -> Result<Json> {
        parameters(&self.law)
    }
}

/// What is believed about several parameters at once; it is updated, not evaluated.
pub(crate) struct Prior<L> {
    law: L,
}

impl<L> Prior<L> {
    pub(crate) fn new(law: L, _: EntropyOf<L>) -> Self {
        Prior { law }
    }
}

impl<L: Serialize + Send + Sync> AnyLaw for Prior<L> {
    fn evaluate(&self, _: Question, _: ArrayViewD<'_, f64>) -> Result<Array1<f64>> {
        Err(unknown("density"))
    }

    fn figure(&self, name: &str) -> Result<Value<'static>> {
        Err(unknown(name))
    }

    fn draw(&self, _: usize, _: &mut Generator) -> Result<ArrayD<f64>> {
        Err(Error::unsupported("this belief is not drawn from"))
    }

    fn parameters(&self) -> Result<Json> {
        parameters(&self.law)
    }
}
