//! The command `didact`: fit, compare, explain, predict.

mod arguments;
mod commands;
mod input;
mod judging;
mod output;
mod progress;

use arguments::{Arguments, Command};
use clap::Parser;
use didact::Error;
use output::Output;
use std::process::ExitCode;

#[global_allocator]
static MEMORY: didact::core::LargePages = didact::core::LargePages;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let output = Output::new(arguments.json, arguments.quiet);
    match run(arguments, &output) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(exit_code(&error))
        }
    }
}

/// 2 where the command line is at fault, 130 after Ctrl-C as shells have it, 1 where the data or
/// the model is at fault.
fn exit_code(error: &Error) -> u8 {
    match error {
        Error::Parameter { .. } | Error::Specification(_) => 2,
        Error::Cancelled => 130,
        _ => 1,
    }
}

fn run(arguments: Arguments, output: &Output) -> didact::Result<()> {
    let context = progress::Context::new(&arguments);
    match arguments.command {
        Command::List(options) => commands::list::run(&options, output),
        Command::Describe(options) => commands::describe::run(&options, output),
        Command::Data(options) => commands::data::run(&options, &context, output),
        Command::Fit(options) => commands::fit::run(&options, &context, output),
        Command::Predict(options) => commands::predict::run(&options, &context, output),
        Command::Score(options) => commands::score::run(&options, &context, output),
        Command::Cv(options) => commands::cv::run(&options, &context, output),
        Command::Search(options) => commands::search::run(&options, &context, output),
        Command::Compare(options) => commands::compare::run(&options, &context, output),
        Command::Plot(options) => commands::plot::run(&options, &context, output),
        Command::Inspect(options) => commands::inspect::run(&options, &context, output),
        Command::Report(options) => commands::report::run(&options, &context, output),
        Command::Studio(options) => commands::studio::run(&options, &context, output),
        Command::Completions(options) => commands::completions::run(&options, output),
    }
}
