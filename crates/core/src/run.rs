//! The run: what a fit knows about the world outside its data.
//!
//! A [`Run`] carries who wants to hear of progress, the switch that stops the work, and how
//! many threads may be used.

use crate::pulse::Pulse;
use crate::{Error, Result};
use std::collections::HashMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

/// What a fit tells those who watch it.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// Iterations finished so far.
    pub iteration: usize,
    /// At most this many iterations will be made, where that is known.
    pub limit: Option<usize>,
    /// What the objective is called: "inertia", "log-likelihood".
    pub objective_name: &'static str,
    /// The objective after this iteration.
    pub objective: f64,
}

/// A switch that stops a run from another thread.
///
/// ```
/// use didact_core::{Cancel, Run};
/// let cancel = Cancel::new();
/// let run = Run::new().cancelled_by(&cancel);
/// assert!(run.check().is_ok());
/// cancel.cancel();
/// assert!(run.check().is_err());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// A switch that is off.
    pub fn new() -> Self {
        Cancel::default()
    }

    /// Asks every run that holds this switch to stop.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the switch is on.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

type Observer = Arc<dyn Fn(&Progress) + Send + Sync>;

/// Progress, cancellation and threads of one piece of work.
#[derive(Clone, Default)]
pub struct Run {
    observer: Option<Observer>,
    cancel: Cancel,
    threads: Option<usize>,
    pulse: Option<Pulse>,
}

impl fmt::Debug for Run {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Run")
            .field("observed", &self.observer.is_some())
            .field("cancelled", &self.cancel.is_cancelled())
            .field("threads", &self.threads)
            .field("pulse", &self.pulse)
            .finish()
    }
}

impl Run {
    /// A silent run that nobody stops, on all cores.
    pub fn new() -> Self {
        Run::default()
    }

    /// Calls `observer` after every iteration.
    pub fn observed_by(mut self, observer: impl Fn(&Progress) + Send + Sync + 'static) -> Self {
        self.observer = Some(Arc::new(observer));
        self
    }

    /// Stops with [`Error::Cancelled`] soon after `cancel` is switched on.
    pub fn cancelled_by(mut self, cancel: &Cancel) -> Self {
        self.cancel = cancel.clone();
        self
    }

    /// Uses at most this many threads; the answer does not depend on it.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads.max(1));
        self
    }

    /// Calls `beat` about every `interval` on this thread, while it works on the run or waits for
    /// others that do: for callers who must not be away for long but do small work themselves,
    /// because handing it over would cost more.
    pub fn beating(mut self, interval: Duration, beat: impl Fn() + Send + Sync + 'static) -> Self {
        self.pulse = Some(Pulse::new(interval, beat));
        self
    }

    /// The same run without its observer: for inner work whose iterations are not the user's.
    pub fn quietly(&self) -> Run {
        Run {
            observer: None,
            ..self.clone()
        }
    }

    /// Fails when the run was cancelled. Long loops call this at least every few milliseconds.
    pub fn check(&self) -> Result<()> {
        if let Some(pulse) = &self.pulse {
            pulse.feel();
        }
        match self.cancel.is_cancelled() {
            true => Err(Error::Cancelled),
            false => Ok(()),
        }
    }

    /// Tells the observer of an iteration and fails when the run was cancelled.
    pub fn report(&self, progress: &Progress) -> Result<()> {
        if let Some(observer) = &self.observer {
            observer(progress);
        }
        self.check()
    }

    /// Runs `work` so that its parallel loops stay within the thread budget.
    pub fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match self.threads {
            Some(threads) if !inside_pool_of(threads) => self.enter(threads, work),
            // A pool is entered when a loop is long enough to need one.
            _ => work(),
        }
    }

    /// Runs `work` on a thread that is there already, its parallel loops within the thread budget,
    /// while the caller does something else in `meanwhile`, which hears when the work is done.
    ///
    /// A new thread would pay for its own memory: small fits take twice as long on one.
    pub fn beside<T: Send>(
        &self,
        work: impl FnOnce() -> T + Send,
        meanwhile: impl FnOnce(&Receiver<()>),
    ) -> T {
        in_pool(
            self.threads.unwrap_or_else(default_threads),
            work,
            meanwhile,
        )
    }

    /// Runs work that cannot be asked to stop, such as the decomposition of a large matrix, on
    /// threads of its own, as many as the caller may use.
    ///
    /// When the run is cancelled the caller gets away at once; the work comes to its end alone
    /// and its answer is dropped.
    pub fn apart<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
        self.check()?;
        let threads = match rayon::current_thread_index() {
            Some(_) => rayon::current_num_threads(),
            None => self.threads.unwrap_or_else(default_threads),
        };
        let (sender, receiver) = channel();
        // Never a pool that others use: the caller may hold the only thread of that one.
        new_pool(threads).spawn(move || {
            // Nobody listens any more after a cancellation.
            let _ = sender.send(catch_unwind(AssertUnwindSafe(work)));
        });
        loop {
            match receiver.recv_timeout(Duration::from_millis(10)) {
                Ok(Ok(answer)) => return Ok(answer),
                Ok(Err(panic)) => resume_unwind(panic),
                Err(RecvTimeoutError::Timeout) => self.check()?,
                Err(RecvTimeoutError::Disconnected) => unreachable!("an answer is always sent"),
            }
        }
    }

    /// Runs a parallel loop: where the caller runs already, or else in a pool of our own.
    ///
    /// The global pool of rayon is never used, because a process that was forked would wait for
    /// its threads forever.
    pub(crate) fn in_parallel<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match rayon::current_thread_index() {
            Some(_) => work(),
            None => self.enter(self.threads.unwrap_or_else(default_threads), work),
        }
    }

    /// Whether the calling thread does small work itself.
    pub(crate) fn is_at_home(&self) -> bool {
        self.pulse.as_ref().is_some_and(Pulse::is_here)
    }

    /// Does the work in a pool of so many threads, and waits for it.
    fn enter<T: Send>(&self, threads: usize, work: impl FnOnce() -> T + Send) -> T {
        match &self.pulse {
            Some(pulse) if pulse.is_here() => {
                in_pool(threads, work, |finished| pulse.wait_for(finished))
            }
            _ => pool(threads).install(work),
        }
    }
}

/// Runs `work` in a pool while the caller does something else.
fn in_pool<T: Send>(
    threads: usize,
    work: impl FnOnce() -> T + Send,
    meanwhile: impl FnOnce(&Receiver<()>),
) -> T {
    let (done, finished) = channel();
    let mut answer = None;
    pool(threads).in_place_scope(|scope| {
        scope.spawn(|_| {
            answer = Some(work());
            // Whoever does something else need not listen.
            let _ = done.send(());
        });
        meanwhile(&finished);
    });
    answer.expect("the scope waits for the work")
}

fn inside_pool_of(threads: usize) -> bool {
    rayon::current_thread_index().is_some() && rayon::current_num_threads() == threads
}

/// How many threads are used where nobody says: what the first of these environment variables
/// that is set says, or one per core.
///
/// `DIDACT_NUM_THREADS` is ours; `RAYON_NUM_THREADS` and `OMP_NUM_THREADS` are what people and
/// process pools set to keep libraries from fighting over the cores.
pub fn default_threads() -> usize {
    ["DIDACT_NUM_THREADS", "RAYON_NUM_THREADS", "OMP_NUM_THREADS"]
        .iter()
        .filter_map(|name| std::env::var(name).ok()?.parse().ok())
        .find(|&threads| threads > 0)
        .or_else(|| std::thread::available_parallelism().ok().map(usize::from))
        .unwrap_or(1)
}

type Pools = HashMap<(u32, usize), Arc<rayon::ThreadPool>>;

/// One pool per size for the whole process: making one costs more than a small fit. A forked
/// process starts with the pools of its parent but without their threads, so it makes its own.
fn pool(threads: usize) -> Arc<rayon::ThreadPool> {
    static POOLS: OnceLock<Mutex<Pools>> = OnceLock::new();
    let mut pools = POOLS
        .get_or_init(Mutex::default)
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let pool = pools
        .entry((std::process::id(), threads))
        .or_insert_with(|| Arc::new(new_pool(threads)));
    Arc::clone(pool)
}

fn new_pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|index| format!("didact-{index}"))
        .build()
        .expect("the operating system refused to start threads")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_thread_budget_holds_inside_install() {
        for threads in [1, 2, 3] {
            let inside = Run::new()
                .threads(threads)
                .install(rayon::current_num_threads);
            assert_eq!(inside, threads);
        }
    }

    #[test]
    fn work_beside_the_caller_keeps_to_the_budget_and_tells_when_it_is_done() {
        for threads in [1, 2] {
            let mut is_told = false;
            let found =
                Run::new()
                    .threads(threads)
                    .beside(rayon::current_num_threads, |finished| {
                        is_told = finished.recv_timeout(Duration::from_secs(5)).is_ok();
                    });
            assert!(is_told);
            assert_eq!(found, threads);
        }
    }

    #[test]
    fn a_thread_beats_while_it_works_and_while_it_waits_for_others() {
        let beats = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&beats);
        let run = Run::new()
            .threads(2)
            .beating(Duration::from_millis(5), move || {
                heard.lock().unwrap().push(std::thread::current().id());
            });
        let until = |count: usize| {
            let start = std::time::Instant::now();
            while beats.lock().unwrap().len() < count {
                run.check().unwrap();
                assert!(start.elapsed() < Duration::from_secs(5));
            }
        };
        until(2);
        // Others do not beat, however often they check.
        run.in_parallel(|| {
            assert!(rayon::current_thread_index().is_some());
            until(4);
        });
        let here = std::thread::current().id();
        assert!(beats.lock().unwrap().iter().all(|&thread| thread == here));
    }

    #[test]
    fn a_beat_that_cancels_stops_the_work() {
        let cancel = Cancel::new();
        let switch = cancel.clone();
        let run = Run::new()
            .cancelled_by(&cancel)
            .beating(Duration::from_millis(1), move || switch.cancel());
        let start = std::time::Instant::now();
        while run.check().is_ok() {
            assert!(start.elapsed() < Duration::from_secs(5));
        }
    }

    #[test]
    #[should_panic(expected = "a mistake")]
    fn a_panic_beside_the_caller_reaches_it() {
        Run::new().beside(|| panic!("a mistake"), |_| ());
    }

    #[test]
    fn work_apart_keeps_to_the_budget_of_its_caller_even_on_the_only_thread_of_a_pool() {
        for threads in [1, 2] {
            let run = Run::new().threads(threads);
            assert_eq!(run.apart(rayon::current_num_threads).unwrap(), threads);
            let inside = run.install(|| run.apart(rayon::current_num_threads));
            assert_eq!(inside.unwrap(), threads);
        }
    }

    #[test]
    fn work_apart_is_left_alone_when_the_run_is_cancelled() {
        let cancel = Cancel::new();
        let run = Run::new().cancelled_by(&cancel);
        let switch = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(30));
            cancel.cancel();
        });
        let start = std::time::Instant::now();
        let answer = run.apart(|| std::thread::sleep(Duration::from_secs(5)));
        assert!(matches!(answer, Err(Error::Cancelled)));
        assert!(start.elapsed() < Duration::from_secs(2));
        switch.join().unwrap();
    }

    #[test]
    #[should_panic(expected = "a mistake")]
    fn a_panic_apart_reaches_the_caller() {
        let _ = Run::new().apart(|| panic!("a mistake"));
    }

    #[test]
    fn observers_hear_and_quiet_runs_do_not() {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let list = Arc::clone(&heard);
        let run =
            Run::new().observed_by(move |progress| list.lock().unwrap().push(progress.iteration));
        let progress = Progress {
            iteration: 7,
            limit: None,
            objective_name: "loss",
            objective: 0.5,
        };
        run.report(&progress).unwrap();
        run.quietly().report(&progress).unwrap();
        assert_eq!(*heard.lock().unwrap(), [7]);
    }
}
