//! `didact score MODEL --data …`

use crate::arguments::ScoreOptions;
use crate::input::load;
use crate::output::{Grid, Output, number};
use crate::progress::Context;
use didact::evaluate::score_with_intervals;
use didact::{Result, Trained};

/// How sure the intervals are.
const CONFIDENCE: f64 = 0.95;

pub(crate) fn run(options: &ScoreOptions, context: &Context, output: &Output) -> Result<()> {
    let trained = Trained::load(&options.model)?;
    let run = context.run();
    let loaded = load(&options.table.data, &options.table.reading, &run, output)?;
    let data = loaded.for_model(&trained, options.target.as_deref())?;
    let figures = run.install(|| {
        let model = trained.model.as_ref();
        let data = data.data()?;
        score_with_intervals(
            model,
            &data,
            &options.metric,
            CONFIDENCE,
            context.seed,
            &run,
        )
    })?;
    if output.json {
        return output.json(&figures);
    }
    let mut grid = Grid::new(&["figure", "value", "95 % interval"])
        .right(1)
        .right(2);
    for one in &figures {
        let interval = one.interval.map_or(String::new(), |(low, high)| {
            format!("{} … {}", number(low), number(high))
        });
        grid.row([one.figure.metric, &number(one.figure.value), &interval]);
    }
    output.table(grid);
    Ok(())
}
