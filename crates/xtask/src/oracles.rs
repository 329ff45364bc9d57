//! Comparison with public implementations, run live in a virtual environment.

use crate::root;
use crate::steps::{cargo, run};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds the command, installs the oracles and runs the comparison.
pub(crate) fn compare() -> Result<(), String> {
    // The same build as that of the tests, so that nothing is compiled twice.
    run(
        "command for the oracles",
        &mut cargo(&["test", "--workspace", "--no-run"]),
    )?;
    let target = target_folder()?;
    let python = environment(&target)?;
    let mut command = Command::new(python);
    command
        .args(["-m", "pytest", "-q", "-n", "2", "tests/oracles"])
        .env("DIDACT", target.join("debug").join("didact"))
        // Two processes share two cores; threads of their own would only fight.
        .env("OMP_NUM_THREADS", "1")
        .env("OPENBLAS_NUM_THREADS", "1");
    run("oracles", &mut command)
}

fn target_folder() -> Result<PathBuf, String> {
    let here = std::env::current_exe().map_err(|error| error.to_string())?;
    here.ancestors()
        .nth(2)
        .map(Path::to_owned)
        .ok_or_else(|| "the target folder was not found".to_owned())
}

/// A virtual environment with the oracles, made anew when their list changes.
fn environment(target: &Path) -> Result<PathBuf, String> {
    let folder = target.join("oracles");
    let python = folder.join("bin").join("python");
    let wanted = root().join("tests/oracles/requirements.txt");
    let list =
        fs::read_to_string(&wanted).map_err(|error| format!("{}: {error}", wanted.display()))?;
    let stamp = folder.join("installed.txt");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == list) && python.exists() {
        return Ok(python);
    }
    let make = |name: &str| {
        run(
            name,
            Command::new("python3")
                .args(["-m", "venv", "--clear"])
                .arg(&folder),
        )
    };
    if make("virtual environment").is_err() {
        // Debian splits the module off; on other systems the message below says what is missing.
        let mut install = Command::new("apt-get");
        run(
            "python3-venv",
            install.args(["install", "-y", "python3-venv"]),
        )
        .map_err(|_| "python3 with its venv module is needed for the oracles; please install it")?;
        make("virtual environment")?;
    }
    let mut install = Command::new(&python);
    install
        .args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "-r",
        ])
        .arg(&wanted);
    run("public implementations", &mut install)?;
    fs::write(&stamp, list).map_err(|error| format!("{}: {error}", stamp.display()))?;
    Ok(python)
}
