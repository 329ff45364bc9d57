//! Learning chunk by chunk, with a model after each: what `partial_fit` is made of.

use crate::error::exception;
use crate::input::{Input, RowArrays, TargetArrays};
use crate::model::Model;
use crate::watch::watched;
use didact::core::learner::Pieces;
use didact::{Spec, Trained};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use std::sync::{Mutex, PoisonError};

/// Learning under way.
#[pyclass(frozen)]
pub(crate) struct Online {
    spec: Spec,
    progress: Mutex<Progress>,
}

#[derive(Default)]
struct Progress {
    pieces: Option<Box<dyn Pieces>>,
    rows: usize,
}

impl Online {
    pub(crate) fn new(spec: Spec) -> Self {
        Online {
            spec,
            progress: Mutex::default(),
        }
    }
}

#[pymethods]
impl Online {
    /// Goes on where a fitted model ended.
    fn resume(&self, py: Python<'_>, model: &Model) -> PyResult<()> {
        let trained = model.trained();
        let resumed = || -> didact::Result<Progress> {
            let mut pieces = self.spec.learner()?.pieces(trained.header.kind)?;
            pieces.resume(trained.model.as_ref())?;
            Ok(Progress {
                pieces: Some(pieces),
                rows: trained.header.training.rows,
            })
        };
        let progress = resumed().map_err(exception)?;
        // Whoever learns at the moment may want the interpreter before the progress is free.
        py.detach(|| *self.progress.lock().unwrap_or_else(PoisonError::into_inner) = progress);
        Ok(())
    }

    /// Learns from one more chunk and gives the model of all chunks so far.
    #[pyo3(signature = (rows, targets=None, weights=None, threads=None))]
    fn observe(
        &self,
        py: Python<'_>,
        rows: RowArrays<'_>,
        targets: Option<TargetArrays<'_>>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
        threads: Option<usize>,
    ) -> PyResult<Model> {
        let input = Input::new(rows, targets, weights, None)?;
        let data = input.data()?;
        let kind = input.kind();
        let trained = watched(py, threads, None, input.n_values()?, |run| {
            let learner = self.spec.learner()?;
            let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
            let kind = learner.route_for(kind)?.kind;
            let rows = data.samples().map_or(0, |samples| samples.n_rows());
            if progress.pieces.is_none() {
                progress.pieces = Some(learner.pieces(kind)?);
            }
            let before = progress.rows;
            let pieces = progress.pieces.as_mut().expect("it was just put there");
            pieces.observe(data, before, run)?;
            let model = pieces.model_so_far(run)?;
            progress.rows += rows;
            Trained::new(
                &self.spec,
                learner.as_ref(),
                kind,
                model,
                progress.rows,
                0.0,
            )
        })?;
        Ok(Model::new(trained))
    }
}
