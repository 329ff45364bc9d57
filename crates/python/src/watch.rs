//! Long work: the interpreter goes on, Ctrl-C stops it, progress is shown.

use crate::error::exception;
use didact::core::{Cancel, Progress, Run};
use pyo3::prelude::*;
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How often signals are looked at and progress is shown.
const BEAT: Duration = Duration::from_millis(40);

/// Does the work on another thread while this one waits, without the interpreter's lock.
///
/// Signals reach only the thread that waits: an exception raised by one (Ctrl-C) or by the
/// observer cancels the work and is raised again when the work has stopped.
pub(crate) fn watched<T: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    observer: Option<Py<PyAny>>,
    work: impl FnOnce(&Run) -> didact::Result<T> + Send,
) -> PyResult<T> {
    let cancel = Cancel::new();
    let latest: Arc<Mutex<Option<Progress>>> = Arc::default();
    let mut run = with_threads(threads).cancelled_by(&cancel);
    if observer.is_some() {
        let latest = Arc::clone(&latest);
        run = run.observed_by(move |progress| *lock(&latest) = Some(progress.clone()));
    }
    let beat = || {
        Python::attach(|py| {
            py.check_signals()?;
            tell(py, observer.as_ref(), lock(&latest).take())
        })
    };
    let mut fault = None;
    let result = py.detach(|| {
        run.beside(
            || work(&run),
            |finished| {
                while finished.recv_timeout(BEAT) == Err(RecvTimeoutError::Timeout) {
                    if fault.is_none()
                        && let Err(raised) = beat()
                    {
                        cancel.cancel();
                        fault = Some(raised);
                    }
                }
            },
        )
    });
    if let Some(fault) = fault {
        return Err(fault);
    }
    tell(py, observer.as_ref(), lock(&latest).take())?;
    result.map_err(exception)
}

/// A silent run within the budget of threads.
pub(crate) fn with_threads(threads: Option<usize>) -> Run {
    match threads {
        Some(threads) => Run::new().threads(threads),
        None => Run::new(),
    }
}

fn tell(py: Python<'_>, observer: Option<&Py<PyAny>>, progress: Option<Progress>) -> PyResult<()> {
    if let (Some(observer), Some(progress)) = (observer, progress) {
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

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
