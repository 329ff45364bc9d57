//! `didact score MODEL --data …`

use crate::arguments::ScoreOptions;
use crate::input::load;
use crate::output::{Grid, Output, number};
use crate::progress::Context;
use didact::{Result, Roles, Trained, evaluate};

pub(crate) fn run(options: &ScoreOptions, context: &Context, output: &Output) -> Result<()> {
    let trained = Trained::load(&options.model)?;
    let run = context.run();
    let loaded = load(&options.table.data, &options.table.reading, &run, output)?;
    // What a data set calls its target need not be what this model predicts.
    let known = trained.header.target.clone().or(loaded.roles.target);
    let roles = Roles {
        target: options.target.clone().or(known),
        ..loaded.roles
    };
    let data = trained.data_as(loaded.content, &roles)?;
    let figures = run.install(|| evaluate::score(trained.model.as_ref(), &data.data()?))?;
    if output.json {
        return output.json(&figures);
    }
    let mut grid = Grid::new(&["figure", "value"]).right(1);
    for figure in &figures {
        grid.row([figure.metric, &number(figure.value)]);
    }
    output.table(grid);
    Ok(())
}
