//! Checks of parameters: each error names the parameter, its value and what would be right.

use didact_core::{Error, Result};
use didact_math::linalg::Cholesky;
use didact_math::numeric::compensated_sum;
use ndarray::{ArrayView1, ArrayView2};

/// How far probabilities may sum from one: the rounding of many printed digits, not a mistake.
const ROUNDING: f64 = 1e-9;

pub(crate) fn finite(name: &str, value: f64) -> Result<f64> {
    match value.is_finite() {
        true => Ok(value),
        false => Err(Error::parameter(name, value, "it must be a finite number")),
    }
}

pub(crate) fn positive(name: &str, value: f64) -> Result<f64> {
    match value > 0.0 && value.is_finite() {
        true => Ok(value),
        false => Err(Error::parameter(
            name,
            value,
            "it must be greater than 0 and finite",
        )),
    }
}

pub(crate) fn probability(name: &str, value: f64) -> Result<f64> {
    match (0.0..=1.0).contains(&value) {
        true => Ok(value),
        false => Err(Error::parameter(name, value, "it must be between 0 and 1")),
    }
}

/// The larger of a value and the end of a support; unlike `max` it passes a NaN on.
pub(crate) fn at_least(x: f64, low: f64) -> f64 {
    if x < low { low } else { x }
}

/// Weights that are not probabilities are refused rather than renormalised in silence.
pub(crate) fn probabilities(name: &str, values: &[f64]) -> Result<()> {
    if values.is_empty() {
        return Err(Error::parameter(
            name,
            "empty",
            "it must have at least one entry",
        ));
    }
    if let Some(index) = values.iter().position(|value| !(0.0..=1.0).contains(value)) {
        return Err(Error::parameter(
            format!("{name}[{index}]"),
            values[index],
            "it must be between 0 and 1",
        ));
    }
    let total = compensated_sum(values.iter().copied());
    match (total - 1.0).abs() <= ROUNDING {
        true => Ok(()),
        false => Err(Error::parameter(
            format!("the sum of {name}"),
            total,
            "it must be 1",
        )),
    }
}

pub(crate) fn positive_all(name: &str, values: ArrayView1<'_, f64>) -> Result<()> {
    if values.is_empty() {
        return Err(Error::parameter(
            name,
            "empty",
            "it must have at least one entry",
        ));
    }
    for (index, &value) in values.iter().enumerate() {
        positive(&format!("{name}[{index}]"), value)?;
    }
    Ok(())
}

pub(crate) fn finite_all(name: &str, values: ArrayView1<'_, f64>) -> Result<()> {
    if values.is_empty() {
        return Err(Error::parameter(
            name,
            "empty",
            "it must have at least one entry",
        ));
    }
    for (index, &value) in values.iter().enumerate() {
        finite(&format!("{name}[{index}]"), value)?;
    }
    Ok(())
}

/// The Cholesky factor of a matrix that must be square, symmetric and positive definite.
pub(crate) fn positive_definite(name: &str, matrix: ArrayView2<'_, f64>) -> Result<Cholesky> {
    symmetric(name, matrix)?;
    Cholesky::new(matrix).map_err(|_| {
        Error::parameter(
            name,
            "not positive definite",
            "its eigenvalues must all be greater than 0",
        )
    })
}

/// A square matrix of finite numbers that equals its transpose up to rounding.
pub(crate) fn symmetric(name: &str, matrix: ArrayView2<'_, f64>) -> Result<()> {
    let (rows, columns) = matrix.dim();
    if rows != columns || rows == 0 {
        return Err(Error::parameter(
            name,
            format!("{rows} by {columns}"),
            "it must be square and not empty",
        ));
    }
    for ((i, j), &value) in matrix.indexed_iter() {
        finite(&format!("{name}[{i}, {j}]"), value)?;
        let scale = (matrix[[i, i]] * matrix[[j, j]]).abs().sqrt();
        if (value - matrix[[j, i]]).abs() > 1e-8 * scale.max(value.abs()) {
            return Err(Error::parameter(
                format!("{name}[{i}, {j}]"),
                value,
                format!(
                    "it must equal {name}[{j}, {i}], which is {}",
                    matrix[[j, i]]
                ),
            ));
        }
    }
    Ok(())
}

pub(crate) fn same_dimension(name: &str, found: usize, expected: usize) -> Result<()> {
    match found == expected {
        true => Ok(()),
        false => Err(Error::parameter(
            format!("the dimension of {name}"),
            found,
            format!("it must be {expected}"),
        )),
    }
}

/// A matrix law has a density only where ν > d − 1.
pub(crate) fn freedom(value: f64, dimension: usize) -> Result<()> {
    let least = dimension as f64 - 1.0;
    match value > least && value.is_finite() {
        true => Ok(()),
        false => Err(Error::parameter(
            "freedom",
            value,
            format!("it must be greater than the dimension minus one, which is {least}"),
        )),
    }
}

/// A law that serde reads through `new`, so that a file cannot hold parameters that `new`
/// refuses. One law per module, because the twin that serde reads is called `Raw`.
macro_rules! law {
    (
        $(#[$meta:meta])*
        pub struct $name:ident { $($(#[$field_meta:meta])* $field:ident: $kind:ty,)* }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, ::serde::Serialize, ::serde::Deserialize)]
        #[serde(try_from = "Raw")]
        pub struct $name { $($(#[$field_meta])* $field: $kind,)* }

        #[derive(::serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Raw { $($field: $kind,)* }

        impl TryFrom<Raw> for $name {
            type Error = ::didact_core::Error;

            fn try_from(raw: Raw) -> ::didact_core::Result<Self> {
                $name::new($(raw.$field),*)
            }
        }
    };
}
pub(crate) use law;
