//! Times ferrolearn at the tasks of the other crates of Rust, with the same data.
//!
//! `didact-bench-ferrolearn THREADS [WORDS] [quick]` prints lines like those of `didact-bench`; its threads are
//! those of rayon.

#[path = "../../rust/src/data.rs"]
mod data;
#[path = "../../rust/src/measure.rs"]
mod measure;
mod tasks;

fn main() {
    let words = measure::words(std::env::args().nth(2));
    measure::print(tasks::all(), &words, std::env::args().nth(3).is_some());
}
