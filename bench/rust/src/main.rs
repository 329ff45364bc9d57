//! Times didact beside the machine-learning crates of Rust, taking turns in one process.
//!
//! `didact-bench THREADS [WORDS] [quick]` prints one line of JSON per task: least and median seconds and the
//! quality of everybody's answer, the higher the better. Words choose tasks by their names.

mod data;
mod measure;
mod tasks;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let threads = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(1);
    let words = measure::words(arguments.next());
    measure::print(tasks::all(threads), &words, arguments.next().is_some());
}
