//! Long work: the interpreter goes on, Ctrl-C stops it, progress is shown.

use crate::error::exception;
use didact::core::{Cancel, Progress, Run};
use pyo3::prelude::*;
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How often signals are looked at and progress is shown.
const BEAT: Duration = Duration::from_millis(40);

/// Work on so few values is done by the thread that asks for it: waking another one takes as long
/// as many a small fit.
const FEW_VALUES: usize = 8192;

/// Does the work on so many values without the interpreter's lock, on another thread while this
/// one waits, or on this one where the values are few.
///
/// Signals reach only the thread that asked: an exception raised by one (Ctrl-C) or by the observer
/// cancels the work and is raised again when the work has stopped.
pub(crate) fn watched<T: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    observer: Option<Py<PyAny>>,
    n_values: usize,
    work: impl FnOnce(&Run) -> didact::Result<T> + Send,
) -> PyResult<T> {
    let watch = Arc::new(Watch {
        observer,
        ..Watch::default()
    });
    let mut run = with_threads(threads).cancelled_by(&watch.cancel);
    if watch.observer.is_some() {
        let watch = Arc::clone(&watch);
        run = run.observed_by(move |progress| *lock(&watch.latest) = Some(progress.clone()));
    }
    let result = py.detach(|| match n_values <= FEW_VALUES {
        true => {
            let watch = Arc::clone(&watch);
            work(&run.beating(BEAT, move || watch.look()))
        }
        false => run.beside(
            || work(&run),
            |finished| {
                while finished.recv_timeout(BEAT) == Err(RecvTimeoutError::Timeout) {
                    watch.look();
                }
            },
        ),
    });
    if let Some(fault) = lock(&watch.fault).take() {
        return Err(fault);
    }
    watch.tell(py)?;
    result.map_err(exception)
}

/// What the thread that asked for the work looks after.
#[derive(Default)]
struct Watch {
    cancel: Cancel,
    observer: Option<Py<PyAny>>,
    /// What the observer has not been told yet.
    latest: Mutex<Option<Progress>>,
    /// The first exception.
    fault: Mutex<Option<PyErr>>,
}

impl Watch {
    /// Looks for signals and shows progress, until there was an exception.
    fn look(&self) {
        if lock(&self.fault).is_some() {
            return;
        }
        let looked = Python::attach(|py| {
            py.check_signals()?;
            self.tell(py)
        });
        if let Err(raised) = looked {
            self.cancel.cancel();
            *lock(&self.fault) = Some(raised);
        }
    }

    fn tell(&self, py: Python<'_>) -> PyResult<()> {
        let latest = lock(&self.latest).take();
        if let (Some(observer), Some(progress)) = (&self.observer, latest) {
            let Progress {
                iteration,
                limit,
                objective_name,
                objective,
            } = progress;
            observer.call1(py, (iteration, limit, objective_name, objective))?;
        }
        Ok(())
    }
}

/// A silent run within the budget of threads.
pub(crate) fn with_threads(threads: Option<usize>) -> Run {
    match threads {
        Some(threads) => Run::new().threads(threads),
        None => Run::new(),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
