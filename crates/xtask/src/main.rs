//! What the repository does to itself: `cargo xtask test`, `cargo xtask coverage`.

mod bench;
mod coverage;
mod csv;
mod environment;
mod oracles;
mod python;
mod steps;
mod studio;

use std::path::PathBuf;
use std::process::ExitCode;

const USAGE: &str = "\
Usage: cargo xtask COMMAND

  test       every check of the project: format, lints, tests, documentation, coverage, oracles,
             the Python package, the studio
  lint       format and lints only
  oracles    compare with the public implementations (installs them into a virtual environment)
  python     build the Python package and test it beside several releases of scikit-learn
  studio     drive the studio in a real browser
  coverage   check docs/coverage.csv
  bench      time the Python package side by side with its peers (--rows WORDS, --quick);
             bench growth: time against the numbers of rows and columns
  golden     write golden model files for this format version, where they do not exist yet
  stubs      write the type stub of the Python package";

fn main() -> ExitCode {
    let command = std::env::args().nth(1).unwrap_or_default();
    let result = match command.as_str() {
        "test" => steps::test(),
        "lint" => steps::lint(),
        "oracles" => oracles::compare(),
        "coverage" => coverage::run(),
        "bench" => bench::compare(),
        "golden" => steps::golden(),
        "python" => python::test(),
        "studio" => studio::test(),
        "stubs" => python::stubs(),
        _ => Err(USAGE.to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// The folder of the workspace.
///
/// Asked of cargo when running, not when compiling: clones that share a target directory
/// also share this program.
fn root() -> PathBuf {
    let here = std::env::var_os("CARGO_MANIFEST_DIR").expect("started by `cargo xtask`");
    let here = PathBuf::from(here);
    here.ancestors()
        .nth(2)
        .expect("the crate lies in crates/xtask")
        .to_owned()
}
