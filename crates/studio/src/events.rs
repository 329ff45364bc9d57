//! A job and its reader: progress and answers go out as server-sent events, and a reader that
//! hangs up stops the work.

use crate::Shared;
use crate::failure::Failure;
use axum::response::sse::{Event, KeepAlive, Sse};
use didact::core::{Cancel, Progress, Run};
use futures_util::stream::{Stream, unfold};
use serde_json::{Value, json};
use std::convert::Infallible;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Stops the work when the reader is gone.
struct StopWhenDropped(Cancel);

impl Drop for StopWhenDropped {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Does the work on a thread of its own and streams what it reports.
pub(crate) fn stream(
    shared: Shared,
    work: impl FnOnce(&Run) -> Result<Value, Failure> + Send + 'static,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let cancel = Cancel::new();
    let (sender, receiver) = unbounded_channel();
    tokio::spawn(conduct(shared, work, cancel.clone(), sender));
    let reader = (receiver, StopWhenDropped(cancel));
    let events = unfold(reader, |(mut receiver, guard)| async move {
        let event: Event = UnboundedReceiver::recv(&mut receiver).await?;
        Some((Ok(event), (receiver, guard)))
    });
    Sse::new(events).keep_alive(KeepAlive::default())
}

async fn conduct(
    shared: Shared,
    work: impl FnOnce(&Run) -> Result<Value, Failure> + Send + 'static,
    cancel: Cancel,
    sender: UnboundedSender<Event>,
) {
    // Jobs beyond the limit wait here; a reader that hangs up meanwhile costs nothing.
    let Ok(_turn) = shared.jobs.acquire().await else {
        return;
    };
    if cancel.is_cancelled() {
        return;
    }
    let run = Run::new().cancelled_by(&cancel).observed_by({
        let sender = sender.clone();
        move |progress| {
            // Nobody listens any more only when the run is being cancelled.
            let _ = sender.send(progress_event(progress));
        }
    });
    let job = tokio::task::spawn_blocking(move || work(&run));
    let limit = tokio::time::sleep(shared.time_limit);
    tokio::pin!(job);
    let finished = tokio::select! {
        finished = &mut job => finished,
        () = limit => {
            cancel.cancel();
            let seconds = shared.time_limit.as_secs();
            let message = format!("the work took longer than {seconds} s and was stopped");
            let _ = sender.send(event("failure", &json!({ "error": message })));
            // The thread counts until it has really stopped.
            let _ = job.await;
            return;
        }
    };
    let last = match finished {
        Ok(Ok(answer)) => event("answer", &answer),
        Ok(Err(failure)) => event("failure", &json!({ "error": failure.to_string() })),
        Err(panic) => {
            let failure = Failure::Broken(panic.to_string());
            event("failure", &json!({ "error": failure.to_string() }))
        }
    };
    let _ = sender.send(last);
}

fn event(name: &str, data: &Value) -> Event {
    Event::default().event(name).data(data.to_string())
}

fn progress_event(progress: &Progress) -> Event {
    let data = json!({
        "iteration": progress.iteration,
        "limit": progress.limit,
        "name": progress.objective_name,
        "objective": progress.objective,
    });
    event("progress", &data)
}
