//! How good groups are: by themselves, and beside the classes that were drawn.

use crate::request::{Points, Request};
use didact::core::{AnyModel, Result, Rows, Run};
use didact::evaluate::{
    Contingency, FewLabelF1, Noise, PartitionLikelihood, partition_criteria, place_noise,
    silhouette_sampled, within_sse,
};
use serde_json::{Value, json};

/// Points of which silhouettes are computed; of more a sample is taken.
const SILHOUETTE_POINTS: usize = 2_000;

/// The figures of a model that finds groups: internal ones need the points alone, external ones
/// the classes of some. Nothing for other models.
pub(crate) fn quality(request: &Request, points: &Points, model: &dyn AnyModel) -> Result<Value> {
    let Some(assign) = model.as_assign() else {
        return Ok(Value::Null);
    };
    if points.len() == 0 {
        return Ok(Value::Null);
    }
    let clusters = assign.assign(Rows::Dense(points.rows.view()))?;
    let known: Vec<Option<usize>> = points
        .places
        .iter()
        .map(|&place| request.known.get(place).copied().flatten())
        .collect();
    Ok(json!({
        "groups": groups(&clusters),
        "noise": clusters.iter().filter(|cluster| cluster.is_none()).count(),
        "internal": internal(points, &clusters),
        "external": external(&clusters, &known),
    }))
}

fn groups(clusters: &[Option<usize>]) -> usize {
    let (_, places) = place_noise(clusters, Noise::Excluded);
    places.iter().max().map_or(0, |largest| largest + 1)
}

/// A figure with its meaning; figures that are not defined for these groups are left out.
fn figure(name: &str, better: &str, value: Option<f64>) -> Option<Value> {
    let value = value.filter(|value| value.is_finite())?;
    Some(json!({ "name": name, "better": better, "value": value }))
}

fn internal(points: &Points, clusters: &[Option<usize>]) -> Vec<Value> {
    let rows = points.rows.view();
    // Points in no group count as one more: else leaving out what fits badly would be rewarded.
    let (_, all) = place_noise(clusters, Noise::OneGroup);
    let all: Vec<Option<usize>> = all.into_iter().map(Some).collect();
    let criteria = partition_criteria(rows, &all, PartitionLikelihood::Rss).ok();
    let (kept, places) = place_noise(clusters, Noise::Excluded);
    let inside = rows.select(ndarray::Axis(0), &kept);
    let silhouette =
        silhouette_sampled(inside.view(), &places, SILHOUETTE_POINTS, 0, &Run::new()).ok();
    [
        figure("RSS", "low", within_sse(rows, &all).ok()),
        figure("AIC", "low", criteria.map(|criteria| criteria.aic)),
        figure("AICc", "low", criteria.and_then(|criteria| criteria.aicc)),
        figure("BIC", "low", criteria.map(|criteria| criteria.bic)),
        figure("silhouette", "high", silhouette),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn external(clusters: &[Option<usize>], known: &[Option<usize>]) -> Vec<Value> {
    let few = FewLabelF1::new(clusters, known, Default::default()).ok();
    let (kept, groups) = place_noise(clusters, Noise::Singletons);
    let both: Vec<(usize, usize)> = kept
        .iter()
        .zip(groups)
        .filter_map(|(&row, group)| Some((known[row]?, group)))
        .collect();
    let (truth, found): (Vec<usize>, Vec<usize>) = both.into_iter().unzip();
    let table = Contingency::new(&truth, &found).ok();
    [
        figure("F₁", "high", few.map(|few| few.total)),
        figure(
            "adjusted Rand",
            "high",
            table.as_ref().map(Contingency::adjusted_rand),
        ),
        figure("purity", "high", table.as_ref().map(Contingency::purity)),
    ]
    .into_iter()
    .flatten()
    .collect()
}
