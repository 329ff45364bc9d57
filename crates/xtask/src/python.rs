//! The Python package: built as a wheel, installed, and tested beside several scikit-learns.

use crate::environment::{environment, pip, requirements, target_folder};
use crate::root;
use crate::steps::run;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The releases of scikit-learn that the package works with: the newest, where every test runs,
/// and the three minor releases before it, where those run that touch scikit-learn.
const NEWEST: &str = "1.9";
const OLDER: [&str; 3] = ["1.8", "1.7", "1.6"];
const TOUCHING: [&str; 3] = [
    "tests/python/test_estimator_checks.py",
    "tests/python/test_composition.py",
    "tests/python/test_tables.py",
];

/// Builds the wheel and runs all tests.
pub(crate) fn test() -> Result<(), String> {
    let wheel = wheel()?;
    let python = installed(NEWEST, &wheel)?;
    pytest(&python, NEWEST, &["tests/python"], "not alone")?;
    // Time and memory are measured without a neighbour.
    let mut alone = Command::new(&python);
    alone.args(["-m", "pytest", "-q", "-m", "alone", "tests/python"]);
    run("package, measured", &mut alone)?;
    for version in OLDER {
        let python = installed(version, &wheel)?;
        pytest(&python, version, &TOUCHING, "not alone")?;
    }
    Ok(())
}

/// Writes the type stubs of the package.
pub(crate) fn stubs() -> Result<(), String> {
    let python = installed(NEWEST, &wheel()?)?;
    let mut command = Command::new(python);
    command.args(["-m", "didact._stubs", "python/didact"]);
    run("type stubs", &mut command)
}

fn pytest(python: &Path, version: &str, tests: &[&str], marked: &str) -> Result<(), String> {
    let mut command = Command::new(python);
    command
        .args(["-m", "pytest", "-q", "-n", "2", "-m", marked])
        .args(tests)
        .env("DIDACT", target_folder()?.join("debug").join("didact"));
    run(
        &format!("package with scikit-learn {version}"),
        &mut command,
    )
}

/// The wheel as users get it; cargo builds again only what changed.
pub(crate) fn wheel() -> Result<PathBuf, String> {
    let builder = environment("maturin", &["maturin>=1.9,<2".to_owned()])?;
    let folder = target_folder()?.join("wheels");
    // An old wheel must not be mistaken for the new one.
    let _ = fs::remove_dir_all(&folder);
    let mut build = Command::new(&builder);
    build
        .args(["-m", "maturin", "build", "--release", "--quiet", "--out"])
        .arg(&folder)
        .env("CARGO_TARGET_DIR", target_folder()?)
        .env("PYO3_PYTHON", &builder);
    run("wheel", &mut build)?;
    let wheels = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    wheels
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.extension().is_some_and(|ending| ending == "whl"))
        .ok_or_else(|| format!("there is no wheel in {}", folder.display()))
}

/// The interpreter of an environment with this scikit-learn and the wheel.
fn installed(version: &str, wheel: &Path) -> Result<PathBuf, String> {
    let mut packages = requirements(&root().join("tests/python/requirements.txt"))?;
    packages.push(format!("scikit-learn~={version}.0"));
    let python = environment(&format!("scikit-learn-{version}"), &packages)?;
    install(&python, wheel)?;
    Ok(python)
}

/// Puts the wheel in the place of whatever version of the package is there.
pub(crate) fn install(python: &Path, wheel: &Path) -> Result<(), String> {
    let mut install = pip(python);
    install.args(["--force-reinstall", "--no-deps"]).arg(wheel);
    run("package installed", &mut install)
}
