//! `didact studio`: the page on which one draws data and watches methods learn.

use crate::arguments::StudioOptions;
use crate::output::Output;
use crate::progress::Context;
use didact::Result;
use didact_studio::{Options, serve};
use std::process::{Command, Stdio};

pub(crate) fn run(options: &StudioOptions, context: &Context, output: &Output) -> Result<()> {
    let wanted = Options {
        address: options.address,
        port: options.port,
        ..Options::default()
    };
    serve(&wanted, &context.run(), |address| {
        let page = format!("http://{address}/");
        output.note(format!("the studio is at {page} (Ctrl-C ends it)"));
        if !options.no_open {
            open(&page);
        }
    })
}

/// Opens the page with whatever the system opens pages with; where that fails, the note has told
/// the address.
fn open(page: &str) {
    let program = match std::env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ => "xdg-open",
    };
    let _ = Command::new(program)
        .arg(page)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
}
