//! `didact completions SHELL`

use crate::arguments::{Arguments, CompletionsOptions};
use crate::output::Output;
use clap::CommandFactory;
use didact::{Error, Result};

pub(crate) fn run(options: &CompletionsOptions, output: &Output) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(
        options.shell,
        &mut Arguments::command(),
        "didact",
        &mut script,
    );
    let script = String::from_utf8(script)
        .map_err(|error| Error::Data(format!("the completions are not text: {error}")))?;
    output.line(script.trim_end());
    Ok(())
}
