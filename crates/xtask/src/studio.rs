//! The studio in a real browser.

use crate::environment::{environment, install_package, pip, requirements, target_folder};
use crate::steps::run;
use crate::{python, root};
use std::process::Command;

/// Drives the studio with a browser, which is installed where it is missing.
pub(crate) fn test() -> Result<(), String> {
    let found = Command::new("chromium").arg("--version").output();
    if !found.is_ok_and(|output| output.status.success()) {
        install_package("chromium")
            .map_err(|_| "Chromium is needed for the studio's tests; please install it")?;
    }
    let wheel = python::wheel()?;
    let wanted = requirements(&root().join("tests/studio/requirements.txt"))?;
    let interpreter = environment("studio", &wanted)?;
    let mut package = pip(&interpreter);
    package.args(["--force-reinstall", "--no-deps"]).arg(wheel);
    run("package beside the studio", &mut package)?;
    let mut pytest = Command::new(interpreter);
    pytest
        .args(["-m", "pytest", "-q", "tests/studio"])
        .env("DIDACT", target_folder()?.join("debug").join("didact"));
    run("studio", &mut pytest)
}
