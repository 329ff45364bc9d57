//! The benchmark: didact as users get it beside its peers, in one environment.

use crate::environment::{environment, requirements};
use crate::python::{install, wheel};
use crate::root;
use crate::steps::run;
use std::process::Command;

/// Builds the wheel, installs it beside the peers, and times them; what stands behind
/// `cargo xtask bench` goes to the script.
pub(crate) fn compare() -> Result<(), String> {
    let folder = root().join("bench");
    let packages = requirements(&folder.join("requirements.txt"))?;
    let python = environment("bench", &packages)?;
    install(&python, &wheel()?)?;
    let mut command = Command::new(python);
    command
        .arg(folder.join("run.py"))
        .args(std::env::args().skip(2));
    run("benchmark", &mut command)
}
