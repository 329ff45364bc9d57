//! A caller that works itself and yet looks after the world now and then.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

/// What a thread does now and then while it works or waits.
#[derive(Clone)]
pub(crate) struct Pulse {
    thread: ThreadId,
    interval: Duration,
    start: Instant,
    /// Nanoseconds after the start when the next beat is due.
    due: Arc<AtomicU64>,
    beat: Arc<dyn Fn() + Send + Sync>,
}

impl Pulse {
    /// The pulse of the calling thread.
    pub(crate) fn new(interval: Duration, beat: impl Fn() + Send + Sync + 'static) -> Self {
        Pulse {
            thread: thread::current().id(),
            interval,
            start: Instant::now(),
            due: Arc::new(AtomicU64::new(interval.as_nanos() as u64)),
            beat: Arc::new(beat),
        }
    }

    /// Whether this is the thread that has the pulse.
    pub(crate) fn is_here(&self) -> bool {
        thread::current().id() == self.thread
    }

    /// Beats if this is the thread that has the pulse and it is time.
    pub(crate) fn feel(&self) {
        let now = self.start.elapsed();
        if now.as_nanos() as u64 >= self.due.load(Ordering::Relaxed) && self.is_here() {
            let next = now + self.interval;
            self.due.store(next.as_nanos() as u64, Ordering::Relaxed);
            (self.beat)();
        }
    }

    /// Waits until work elsewhere has finished.
    pub(crate) fn wait_for(&self, finished: &Receiver<()>) {
        while finished.recv_timeout(self.interval) == Err(RecvTimeoutError::Timeout) {
            self.feel();
        }
    }
}

impl fmt::Debug for Pulse {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Pulse")
            .field("thread", &self.thread)
            .field("interval", &self.interval)
            .finish_non_exhaustive()
    }
}
