//! The checks, one after the other, cheapest first.

use crate::{coverage, oracles, python, root, studio};
use std::process::Command;
use std::time::Instant;

/// Runs a program in the root folder and fails when it does.
pub(crate) fn run(name: &str, command: &mut Command) -> Result<(), String> {
    println!("\n── {name}");
    let start = Instant::now();
    let status = command
        .current_dir(root())
        .status()
        .map_err(|error| format!("{name}: {error}"))?;
    match status.success() {
        true => {
            println!("── {name}: done in {:.0} s", start.elapsed().as_secs_f64());
            Ok(())
        }
        false => Err(format!("{name} failed: {command:?}")),
    }
}

/// Cargo with these arguments. What is built once from nothing needs no notes for the next edit,
/// which cost a tenth of the time.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).env("CARGO_INCREMENTAL", "0");
    command
}

/// Format and lints.
pub(crate) fn lint() -> Result<(), String> {
    run("format", &mut cargo(&["fmt", "--all", "--check"]))?;
    run(
        "lints",
        &mut cargo(&[
            "clippy",
            "--workspace",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ]),
    )
}

/// Everything.
pub(crate) fn test() -> Result<(), String> {
    let start = Instant::now();
    lint()?;
    run("tests", &mut cargo(&["test", "--workspace"]))?;
    let mut documentation = cargo(&["doc", "--workspace", "--no-deps"]);
    run(
        "documentation",
        documentation.env("RUSTDOCFLAGS", "-D warnings"),
    )?;
    coverage::run()?;
    oracles::compare()?;
    python::test()?;
    studio::test()?;
    println!(
        "\nevery check passed in {:.1} min",
        start.elapsed().as_secs_f64() / 60.0
    );
    Ok(())
}

/// Writes the golden model files that are missing; existing ones are never touched, because
/// they stand for releases that people have used.
pub(crate) fn golden() -> Result<(), String> {
    let mut command = cargo(&["test", "--workspace", "--test", "laws", "golden"]);
    run(
        "golden model files",
        command.env("DIDACT_WRITE_GOLDEN", "1"),
    )
}
