//! Virtual environments of Python, kept between runs.

use crate::steps::run;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder where cargo builds, which holds the environments too.
pub(crate) fn target_folder() -> Result<PathBuf, String> {
    let here = std::env::current_exe().map_err(|error| error.to_string())?;
    here.ancestors()
        .nth(2)
        .map(Path::to_owned)
        .ok_or_else(|| "the target folder was not found".to_owned())
}

/// The interpreter of an environment with these packages, made anew when the list changes.
pub(crate) fn environment(name: &str, packages: &[String]) -> Result<PathBuf, String> {
    let folder = target_folder()?.join(name);
    let python = folder.join("bin").join("python");
    let list = packages.join("\n");
    let stamp = folder.join("installed.txt");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == list) && python.exists() {
        return Ok(python);
    }
    make(&folder)?;
    let mut install = pip(&python);
    run(&format!("packages of {name}"), install.args(packages))?;
    fs::write(&stamp, list).map_err(|error| format!("{}: {error}", stamp.display()))?;
    Ok(python)
}

/// `pip install`, waiting for its arguments.
pub(crate) fn pip(python: &Path) -> Command {
    let mut install = Command::new(python);
    install.args(["-m", "pip", "install", "--quiet"]);
    install.arg("--disable-pip-version-check");
    install
}

/// The packages that a requirements file lists.
pub(crate) fn requirements(path: &Path) -> Result<Vec<String>, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(str::to_owned)
        .collect())
}

fn make(folder: &Path) -> Result<(), String> {
    let venv = |name: &str| {
        let mut command = Command::new("python3");
        run(name, command.args(["-m", "venv", "--clear"]).arg(folder))
    };
    if venv("virtual environment").is_ok() {
        return Ok(());
    }
    // Debian splits the module off; on other systems the message says what is missing.
    install_package("python3-venv")
        .map_err(|_| "python3 with its venv module is needed; please install it")?;
    venv("virtual environment")
}

/// Installs a package of the system.
pub(crate) fn install_package(name: &str) -> Result<(), String> {
    let mut update = Command::new("apt-get");
    run("list of packages", update.args(["update", "-qq"]))?;
    let mut install = Command::new("apt-get");
    run(name, install.args(["install", "-y", "-qq", name]))
}
