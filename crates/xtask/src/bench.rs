//! The benchmark: didact as users get it beside its peers, in one environment.

use crate::environment::{environment, install_package, requirements, target_folder};
use crate::python::{install, wheel};
use crate::root;
use crate::steps::{cargo, run};
use std::path::PathBuf;
use std::process::Command;

/// Builds the wheel, installs it beside the peers, and times them; what stands behind
/// `cargo xtask bench` goes to the script. `cargo xtask bench growth` times sizes instead.
pub(crate) fn compare() -> Result<(), String> {
    let folder = root().join("bench");
    let packages = requirements(&folder.join("requirements.txt"))?;
    let python = environment("bench", &packages)?;
    install(&python, &wheel()?)?;
    let given: Vec<String> = std::env::args().skip(2).collect();
    if given.first().is_some_and(|word| word == "growth") {
        let mut command = Command::new(python);
        command.arg(folder.join("growth.py")).args(&given[1..]);
        return run("growth", &mut command);
    }
    // What ferrolearn computes with.
    if !has_library("libopenblas.so ") {
        install_package("libopenblas-dev")
            .map_err(|_| "ferrolearn needs the library OpenBLAS; please install it")?;
    }
    let mut command = Command::new(python);
    command.arg(folder.join("run.py")).args(&given);
    for program in [
        crates_of_rust("rust", "didact-bench")?,
        crates_of_rust("ferrolearn", "didact-bench-ferrolearn")?,
    ] {
        command.arg("--rust").arg(program);
    }
    run("benchmark", &mut command)
}

/// Whether the linker of the system knows a library.
fn has_library(name: &str) -> bool {
    let known = Command::new("ldconfig").arg("-p").output();
    known.is_ok_and(|known| String::from_utf8_lossy(&known.stdout).contains(name))
}

/// Builds a program that times crates of Rust, and says where it is.
fn crates_of_rust(folder: &str, program: &str) -> Result<PathBuf, String> {
    // Beside the wheel: what both need is built once.
    let target = target_folder()?;
    let manifest = root().join("bench").join(folder).join("Cargo.toml");
    let mut build = cargo(&["build", "--release", "--manifest-path"]);
    build.arg(manifest).arg("--target-dir").arg(&target);
    run("peers in Rust", &mut build)?;
    Ok(target.join("release").join(program))
}
