//! Expectation–maximisation over rows that come in pieces: one pass for the start, then one per
//! iteration.

use super::model::GaussianMixtureModel;
use super::observed::ObservedColumns;
use super::statistics::Statistics;
use super::{Climb, GaussianMixture, SKETCH};
use didact_cluster::RowSketch;
use didact_core::{Error, LearnInPieces, Next, Result, Run, Samples, ensure_belongs};
use serde::{Deserialize, Serialize};

/// What is known between two passes: nothing, then the components of every start.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GaussianMixtureState(Option<Vec<Climb>>);

/// What a pass keeps of a chunk.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GaussianMixtureSummary(Kept);

#[derive(Clone, Debug, Serialize, Deserialize)]
enum Kept {
    Sketch(RowSketch, ObservedColumns),
    /// Nothing for starts that have arrived.
    Climbs(Vec<Option<Statistics>>),
}

impl LearnInPieces<Samples<'_>> for GaussianMixture {
    type State = GaussianMixtureState;
    type Summary = GaussianMixtureSummary;

    fn start(&self) -> Result<GaussianMixtureState> {
        Ok(GaussianMixtureState(None))
    }

    fn summarise(
        &self,
        state: &GaussianMixtureState,
        chunk: Samples<'_>,
        _: usize,
        run: &Run,
    ) -> Result<GaussianMixtureSummary> {
        let kept = match &state.0 {
            None => Kept::Sketch(
                RowSketch::of(&chunk, SKETCH, self.random_state, run)?,
                ObservedColumns::summarise(&chunk, run)?,
            ),
            Some(climbs) => {
                let rows = chunk.dense()?;
                let expected = climbs
                    .first()
                    .map_or(0, |climb| climb.components.means.ncols());
                if rows.ncols() != expected {
                    return Err(Error::Columns {
                        expected,
                        found: rows.ncols(),
                    });
                }
                let of = |climb: &Climb| match climb.stop {
                    Some(_) => Ok(None),
                    None => Statistics::of(&climb.components, rows, chunk.weights(), run).map(Some),
                };
                Kept::Climbs(climbs.iter().map(of).collect::<Result<_>>()?)
            }
        };
        Ok(GaussianMixtureSummary(kept))
    }

    fn check_summary(
        &self,
        state: &GaussianMixtureState,
        summary: &GaussianMixtureSummary,
    ) -> Result<()> {
        ensure_belongs(match (&state.0, &summary.0) {
            (None, Kept::Sketch(sketch, columns)) => {
                sketch.is_consistent_with_gaps() && columns.has_columns(sketch.n_columns())
            }
            (Some(climbs), Kept::Climbs(statistics)) => {
                let fits = |(climb, statistics): (&Climb, &Option<Statistics>)| match statistics {
                    Some(statistics) => statistics.suits(&climb.components),
                    None => climb.stop.is_some(),
                };
                climbs.len() == statistics.len() && climbs.iter().zip(statistics).all(fits)
            }
            _ => false,
        })
    }

    fn merge(
        &self,
        left: GaussianMixtureSummary,
        right: GaussianMixtureSummary,
    ) -> Result<GaussianMixtureSummary> {
        let merged = match (left.0, right.0) {
            (Kept::Sketch(a, x), Kept::Sketch(b, y)) => Kept::Sketch(a.merge(b)?, x.merge(y)),
            (Kept::Climbs(a), Kept::Climbs(b)) if a.len() == b.len() => {
                let merge = |(a, b): (Option<Statistics>, Option<Statistics>)| match (a, b) {
                    (Some(a), Some(b)) => {
                        ensure_belongs(a.has_shape_of(&b))?;
                        Ok(Some(a.merge(b)))
                    }
                    _ => Ok(None),
                };
                Kept::Climbs(a.into_iter().zip(b).map(merge).collect::<Result<_>>()?)
            }
            _ => return Err(Error::data("the summaries are of different passes")),
        };
        Ok(GaussianMixtureSummary(merged))
    }

    fn step(
        &self,
        state: GaussianMixtureState,
        summary: GaussianMixtureSummary,
        run: &Run,
    ) -> Result<Next<GaussianMixtureState, GaussianMixtureModel>> {
        let climbs = match (state.0, summary.0) {
            (None, Kept::Sketch(sketch, columns)) => self.starts(&sketch, &columns, run)?,
            (Some(mut climbs), Kept::Climbs(statistics)) => {
                for (climb, statistics) in climbs.iter_mut().zip(statistics) {
                    if let Some(statistics) = statistics {
                        self.advance(climb, statistics, run)?;
                    }
                }
                climbs
            }
            _ => return Err(Error::data("the summary is of another pass than the state")),
        };
        match climbs.iter().all(|climb: &Climb| climb.stop.is_some()) {
            true => Ok(Next::Done(self.finish(highest(climbs)))),
            false => Ok(Next::Pass(GaussianMixtureState(Some(climbs)))),
        }
    }
}

/// The climb that got highest, the first of equals.
pub(super) fn highest(climbs: Vec<Climb>) -> Climb {
    let higher = |best: Climb, other: Climb| match other.objective() > best.objective() {
        true => other,
        false => best,
    };
    climbs
        .into_iter()
        .reduce(higher)
        .expect("there is at least one start")
}
