//! Taking turns: everybody does the task again and again, and the least time counts.

use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};

/// Time that each library may take over all its turns; [`LEAST`] of them are made in a hurry.
const PATIENCE: Duration = Duration::from_millis(1500);
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

/// One row of the benchmark: who takes turns at it.
pub(crate) type Turns = Vec<(&'static str, Run)>;

/// A row and how its turns are made, when they are wanted: their data are large.
pub(crate) type Task = (&'static str, Box<dyn FnOnce() -> Turns>);

/// Everybody's times and qualities as JSON.
fn measured(row: &str, who: &Turns, quick: bool) -> Value {
    let mut times = vec![Vec::new(); who.len()];
    let mut quality = Map::new();
    for ((name, run), times) in who.iter().zip(&mut times) {
        let first = run();
        quality.insert((*name).to_owned(), json!(first.quality));
        times.push(first.seconds);
    }
    for turn in 1..MOST {
        for ((_, run), times) in who.iter().zip(&mut times) {
            let spent: f64 = times.iter().sum();
            // Whoever is slow beyond patience has shown it with one turn.
            if spent < PATIENCE.as_secs_f64() && (turn < LEAST || !quick) {
                times.push(run().seconds);
            }
        }
    }
    let named = |value: fn(&mut Vec<f64>) -> f64| -> Map<String, Value> {
        who.iter()
            .zip(&times)
            .map(|((name, _), times)| ((*name).to_owned(), json!(value(&mut times.clone()))))
            .collect()
    };
    json!({
        "row": row,
        "least": named(|times| times.iter().copied().fold(f64::INFINITY, f64::min)),
        "median": named(median),
        "quality": quality,
    })
}

/// The words that choose tasks by their names, cut by commas; no word chooses all.
pub(crate) fn words(argument: Option<String>) -> Vec<String> {
    argument.unwrap_or_default().to_lowercase().split(',').map(|word| word.trim().to_owned()).collect()
}

/// Measures the chosen tasks, each made when its turn comes, and prints a line for each.
pub(crate) fn print(tasks: Vec<Task>, words: &[String], quick: bool) {
    for (row, turns) in tasks {
        if words.iter().any(|word| row.to_lowercase().contains(word)) {
            println!("{}", measured(row, &turns(), quick));
        }
    }
}

pub(crate) fn squared_error<'a>(truth: &[f64], predicted: impl Iterator<Item = &'a f64>) -> f64 {
    truth.iter().zip(predicted).map(|(y, p)| (y - p).powi(2)).sum::<f64>() / truth.len() as f64
}

pub(crate) fn share_right<'a>(truth: &[usize], predicted: impl Iterator<Item = &'a usize>) -> f64 {
    truth.iter().zip(predicted).filter(|(y, p)| y == p).count() as f64 / truth.len() as f64
}

fn median(times: &mut Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
