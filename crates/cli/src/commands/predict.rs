//! `didact predict MODEL --data …`

use crate::arguments::PredictOptions;
use crate::input::load;
use crate::output::Output;
use crate::progress::Context;
use didact::{Result, Roles, Trained};

pub(crate) fn run(options: &PredictOptions, context: &Context, output: &Output) -> Result<()> {
    let trained = Trained::load(&options.model)?;
    let run = context.run();
    let loaded = load(&options.table.data, &options.table.reading, &run, output)?;
    let roles = Roles {
        target: options.target.clone().or(loaded.roles.target),
        ..loaded.roles
    };
    let predictions = run.install(|| trained.predict_as(loaded.content, &roles))?;
    super::data::write(&predictions, &options.out, output)
}
