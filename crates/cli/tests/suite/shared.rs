//! Running the command in tests.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

pub(crate) fn didact(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_didact"))
        .args(arguments)
        .output()
        .expect("the command starts")
}

/// Standard output of a command that must succeed.
pub(crate) fn done(arguments: &[&str]) -> String {
    let output = didact(arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {errors}");
    String::from_utf8(output.stdout).expect("the output is text")
}

/// Exit code and message of a command that must fail with one clear line.
pub(crate) fn refused(arguments: &[&str]) -> (i32, String) {
    let output = didact(arguments);
    let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    assert!(!output.status.success(), "{arguments:?} was taken");
    assert!(!message.contains("panicked"), "{message}");
    (output.status.code().unwrap_or(-1), message)
}

pub(crate) fn json(arguments: &[&str]) -> Value {
    let text = done(&[arguments, &["--json"]].concat());
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {text}"))
}

pub(crate) fn text(path: &Path) -> &str {
    path.to_str().expect("temporary paths are text")
}
