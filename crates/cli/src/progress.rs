//! Progress bars, Ctrl-C and the thread budget.

use crate::arguments::Arguments;
use didact::core::{Cancel, Run};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::time::Duration;

/// What every command that computes needs to know.
pub(crate) struct Context {
    /// The seed of everything random.
    pub(crate) seed: u64,
    threads: Option<usize>,
    cancel: Cancel,
    bars: bool,
}

impl Context {
    pub(crate) fn new(arguments: &Arguments) -> Self {
        let cancel = Cancel::new();
        let switch = cancel.clone();
        // The first Ctrl-C asks for a clean stop; a second one does not wait for it.
        let handler = move || {
            if switch.is_cancelled() {
                std::process::exit(130);
            }
            switch.cancel();
        };
        if ctrlc::set_handler(handler).is_err() {
            // Without a handler Ctrl-C ends the program at once, which is as good.
        }
        Context {
            seed: arguments.seed,
            threads: arguments.threads.map(usize::from),
            cancel,
            bars: !arguments.quiet && std::io::stderr().is_terminal(),
        }
    }

    /// A run without a bar.
    pub(crate) fn run(&self) -> Run {
        let run = Run::new().cancelled_by(&self.cancel);
        match self.threads {
            Some(threads) => run.threads(threads),
            None => run,
        }
    }

    /// A run whose iterations move a bar, and the bar.
    pub(crate) fn run_with_bar(&self, what: &str) -> (Run, ProgressBar) {
        let bar = self.bar(None, what);
        let observer = bar.clone();
        let run = self.run().observed_by(move |progress| {
            if let Some(limit) = progress.limit {
                observer.set_length(limit as u64);
            }
            observer.set_position(progress.iteration as u64);
            observer.set_message(format!(
                "{} {:.6}",
                progress.objective_name, progress.objective
            ));
        });
        (run, bar)
    }

    /// A bar of known or unknown length; hidden unless somebody looks at it.
    pub(crate) fn bar(&self, length: Option<u64>, what: &str) -> ProgressBar {
        if !self.bars {
            return ProgressBar::hidden();
        }
        let bar = match length {
            Some(length) => ProgressBar::new(length),
            None => ProgressBar::new_spinner(),
        };
        let template = match length {
            Some(_) => "{prefix} {bar:30} {pos}/{len} {elapsed}, {eta} left {msg}",
            // A fit may converge long before its limit, so there is no telling how long it takes.
            None => "{prefix} {bar:30} {pos}/{len} {elapsed} {msg}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_prefix(what.to_owned());
        bar.enable_steady_tick(Duration::from_millis(100));
        bar
    }
}
