//! Comparison with public implementations, run live in a virtual environment.

use crate::environment::{environment, requirements, target_folder};
use crate::root;
use crate::steps::{cargo, run};
use std::process::Command;

/// Builds the command, installs the oracles and runs the comparison.
pub(crate) fn compare() -> Result<(), String> {
    // The same build as that of the tests, so that nothing is compiled twice.
    run(
        "command for the oracles",
        &mut cargo(&["test", "--workspace", "--no-run"]),
    )?;
    let wanted = requirements(&root().join("tests/oracles/requirements.txt"))?;
    let mut command = Command::new(environment("oracles", &wanted)?);
    command
        .args(["-m", "pytest", "-q", "-n", "2", "tests/oracles"])
        .env("DIDACT", target_folder()?.join("debug").join("didact"))
        // Two processes share two cores; threads of their own would only fight.
        .env("OMP_NUM_THREADS", "1")
        .env("OPENBLAS_NUM_THREADS", "1");
    run("oracles", &mut command)
}
