//! Nested cross-validation: the choice of parameters is judged, too.

use super::search::Search;
use crate::metric::Metric;
use crate::score::{Figure, score_by};
use crate::split::Split;
use crate::subset::Subset;
use crate::validation::{MakeLearner, Splitter, Spread};
use didact_core::{Data, Result, Run};
use serde::Serialize;
use serde_json::{Map, Value};

/// What nested cross-validation found in each outer fold.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Nested {
    /// The parameters that each outer fold's inner search chose.
    pub chosen: Vec<Map<String, Value>>,
    /// The figures of each choice on rows that neither fitted nor chose it.
    pub figures: Vec<Vec<Figure>>,
}

impl Nested {
    /// [`nested_cross_validation`] by the first of the metrics, or by what suits where none is
    /// named. A run that is cancelled leaves the outer folds that were finished; `done` hears of
    /// each finished inner fold.
    #[expect(
        clippy::too_many_arguments,
        reason = "they are those of `nested_cross_validation`"
    )]
    pub fn judge(
        &mut self,
        make: &MakeLearner<'_>,
        candidates: &[Map<String, Value>],
        data: &Data<'_>,
        outer: &[Split],
        (inner, seed): (&Splitter, u64),
        metrics: &[Metric],
        run: &Run,
        done: &(dyn Fn() + Sync),
    ) -> Result<()> {
        for split in outer {
            let train = Subset::new(data, &split.train)?;
            let test = Subset::new(data, &split.test)?;
            let inside = inner.cut_data(&train.data()?, None, seed)?;
            let mut found = Search::new();
            found.judge(
                make,
                candidates,
                &train.data()?,
                &inside,
                metrics,
                run,
                done,
            )?;
            found.settle()?;
            let model = found.refit(make, train.data()?, &run.quietly())?;
            let figures = score_by(model.as_ref(), &test.data()?, metrics)?;
            self.figures.push(figures);
            self.chosen.push(found.best_trial().parameters.clone());
        }
        Ok(())
    }

    /// Mean and spread of the first figure.
    pub fn spread(&self) -> Result<Spread> {
        let first = |figures: &Vec<Figure>| figures.first().map(|figure| figure.value);
        Spread::of(&self.figures.iter().filter_map(first).collect::<Vec<_>>())
    }
}

/// Searches inside each outer training part, refits the winner there, and judges it on the outer
/// test part, which took part in neither.
pub fn nested_cross_validation(
    make: &MakeLearner<'_>,
    candidates: &[Map<String, Value>],
    data: &Data<'_>,
    outer: &[Split],
    inner: &Splitter,
    seed: u64,
    run: &Run,
) -> Result<Nested> {
    let mut nested = Nested::default();
    nested.judge(
        make,
        candidates,
        data,
        outer,
        (inner, seed),
        &[],
        run,
        &|| (),
    )?;
    Ok(nested)
}
