//! `didact report MODEL --data … --out report.html`

use crate::arguments::ReportOptions;
use crate::input::{data_name, load};
use crate::output::Output;
use crate::progress::Context;
use didact::{Result, Trained, report};

pub(crate) fn run(options: &ReportOptions, context: &Context, output: &Output) -> Result<()> {
    let trained = Trained::load(&options.model)?;
    let run = context.run();
    let loaded = load(&options.table.data, &options.table.reading, &run, output)?;
    let data = loaded.for_model(&trained, options.target.as_deref())?;
    let progress = context.bar(Some(STAGES), "report");
    let choices = report::ReportOptions {
        data: data_name(&options.table.data),
        folds: options.folds,
        seed: context.seed,
        quick: options.quick,
    };
    let stage = |name: &str| {
        progress.set_message(name.to_owned());
        progress.inc(1);
    };
    let data = data.data()?;
    let written = report::report(&trained, &data, &choices, &run, &stage)?;
    progress.finish_and_clear();
    output.save(&options.out, written.html.as_bytes())?;
    match output.json {
        true => output.json(&written.card),
        false => {
            output.line(format!(
                "{}: {} kB, opens in any browser",
                options.out.display(),
                written.html.len() / 1000
            ));
            Ok(())
        }
    }
}

/// What the progress bar counts: the parts of the page.
const STAGES: u64 = 6;
