//! Work that is answered in one piece: on a thread of its own, in its turn, and within the limit.

use crate::Shared;
use crate::failure::Failure;
use didact::Error;
use didact::core::{Cancel, Run};

/// Stops the work when nobody waits for it any more: the time is up, or the reader is gone.
struct StopWhenDropped(Cancel);

impl Drop for StopWhenDropped {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// The result of the work, or why there is none.
pub(crate) async fn finished<T: Send + 'static>(
    shared: &Shared,
    work: impl FnOnce(&Run) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let turn = shared.jobs.clone().acquire_owned().await;
    let guard = StopWhenDropped(Cancel::new());
    let run = Run::new().cancelled_by(&guard.0);
    let job = tokio::task::spawn_blocking(move || {
        // The thread counts until it has really stopped.
        let _turn = turn;
        work(&run)
    });
    match tokio::time::timeout(shared.time_limit, job).await {
        Ok(Ok(result)) => result,
        Ok(Err(panic)) => Err(Failure::Broken(panic.to_string())),
        Err(_) => {
            let seconds = shared.time_limit.as_secs();
            let message = format!("the work took longer than {seconds} s and was stopped");
            Err(Error::unsupported(message).into())
        }
    }
}
