//! Taking turns: everybody does the task again and again, and the least time counts.

use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};

/// Time that each library may take over all its turns, at least [`LEAST`] of them.
const PATIENCE: Duration = Duration::from_secs(3);
const LEAST: usize = 3;
const MOST: usize = 15;

/// Does a task once and says how good the answer is, the higher the better.
pub(crate) type Run = Box<dyn Fn() -> Answer>;

/// The time of the task itself, and how good the answer was.
pub(crate) struct Answer {
    pub(crate) seconds: f64,
    pub(crate) quality: f64,
}

/// Times `work`; `quality` judges its answer off the clock.
pub(crate) fn timed<T>(work: impl FnOnce() -> T, quality: impl FnOnce(T) -> f64) -> Answer {
    let start = Instant::now();
    let answer = work();
    let seconds = start.elapsed().as_secs_f64();
    Answer {
        seconds,
        quality: quality(answer),
    }
}

/// One row of the benchmark.
pub(crate) struct Task {
    pub(crate) name: &'static str,
    pub(crate) who: Vec<(&'static str, Run)>,
}

impl Task {
    /// Everybody's times and qualities as JSON.
    pub(crate) fn measure(&self) -> Value {
        let mut times = vec![Vec::new(); self.who.len()];
        let mut quality = Map::new();
        for ((name, run), times) in self.who.iter().zip(&mut times) {
            let first = run();
            quality.insert((*name).to_owned(), json!(first.quality));
            times.push(first.seconds);
        }
        for turn in 1..MOST {
            for ((_, run), times) in self.who.iter().zip(&mut times) {
                let spent: f64 = times.iter().sum();
                // Whoever is slow beyond patience has shown it with one turn.
                if spent < PATIENCE.as_secs_f64() || (turn < LEAST && spent < 4.0 * PATIENCE.as_secs_f64()) {
                    times.push(run().seconds);
                }
            }
        }
        let named = |value: fn(&mut Vec<f64>) -> f64| -> Map<String, Value> {
            self.who
                .iter()
                .zip(&times)
                .map(|((name, _), times)| ((*name).to_owned(), json!(value(&mut times.clone()))))
                .collect()
        };
        json!({
            "row": self.name,
            "least": named(|times| times.iter().copied().fold(f64::INFINITY, f64::min)),
            "median": named(median),
            "quality": quality,
        })
    }
}

fn median(times: &mut Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
