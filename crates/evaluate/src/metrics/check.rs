//! What every figure checks first, and the weighted mean.

use didact_core::{Error, Result};

/// Fails unless there are as many predictions as truths, and at least one.
pub(crate) fn check_lengths(truth: usize, predicted: usize) -> Result<()> {
    match (truth == predicted, truth) {
        (_, 0) => Err(Error::data("there is nothing to judge: no rows were given")),
        (true, _) => Ok(()),
        (false, _) => Err(Error::data(format!(
            "there are {truth} true values but {predicted} predicted ones"
        ))),
    }
}

/// Fails unless there is one finite, non-negative weight per row and some are above zero.
pub(crate) fn check_weights(weights: Option<&[f64]>, n_rows: usize) -> Result<()> {
    let Some(weights) = weights else {
        return Ok(());
    };
    if weights.len() != n_rows {
        return Err(Error::data(format!(
            "there are {} weights for {n_rows} rows",
            weights.len()
        )));
    }
    let fault = |weight: &f64| !(*weight >= 0.0 && weight.is_finite());
    if let Some(row) = weights.iter().position(fault) {
        return Err(Error::data(format!(
            "the weight of row {row} is {}; weights must be finite and not negative",
            weights[row]
        )));
    }
    match weights.iter().any(|&weight| weight > 0.0) {
        true => Ok(()),
        false => Err(Error::data(
            "all weights are zero; at least one row must count",
        )),
    }
}

/// Fails at the first value that is not finite.
pub(crate) fn check_finite<'a>(
    what: &str,
    values: impl IntoIterator<Item = &'a f64>,
) -> Result<()> {
    let fault = values
        .into_iter()
        .enumerate()
        .find(|(_, value)| !value.is_finite());
    match fault {
        None => Ok(()),
        Some((place, value)) => Err(Error::data(format!(
            "{what} {place} is {value}; every {what} must be a finite number"
        ))),
    }
}

/// The weight of a row, one where rows are not weighted.
pub(crate) fn weight(weights: Option<&[f64]>, row: usize) -> f64 {
    weights.map_or(1.0, |weights| weights[row])
}

/// Σ wᵢvᵢ / Σ wᵢ.
pub(crate) fn weighted_mean(values: impl IntoIterator<Item = f64>, weights: Option<&[f64]>) -> f64 {
    let (mut sum, mut total) = (0.0, 0.0);
    for (row, value) in values.into_iter().enumerate() {
        let weight = weight(weights, row);
        // A row that does not count may hold anything.
        if weight > 0.0 {
            sum += weight * value;
            total += weight;
        }
    }
    sum / total
}

/// The q-quantile of sorted values, by linear interpolation between the two nearest.
pub(crate) fn quantile(sorted: &[f64], q: f64) -> f64 {
    let place = q * (sorted.len() - 1) as f64;
    let below = place.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    let (low, high, share) = (sorted[below], sorted[above], place - below as f64);
    // From the nearer end, so that the ends themselves are exact.
    match share < 0.5 {
        true => low + (high - low) * share,
        false => high - (high - low) * (1.0 - share),
    }
}
