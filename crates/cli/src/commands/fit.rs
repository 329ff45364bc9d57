//! `didact fit SPEC --data … --out …`

use crate::arguments::FitOptions;
use crate::input::{assignment, load, read_options};
use crate::output::{Output, duration, number};
use crate::progress::Context;
use didact::{Error, Job, Result, Spec, Trained, evaluate};
use serde_json::json;

pub(crate) fn run(options: &FitOptions, context: &Context, output: &Output) -> Result<()> {
    let spec = specification(options, context)?;
    let (run, bar) = context.run_with_bar("fitting");
    let trained = match options.stream {
        true => fit_streaming(options, spec, &run)?,
        false => {
            let loaded = load(&options.table.data, &options.table.reading, &run, output)?;
            let job = job(options, spec, options.roles.over(loaded.roles));
            let prepared = job.prepare(loaded.table)?;
            if prepared.imputes {
                output.note("missing values were found; simple-imputer was put in front");
            }
            let trained = prepared.fit(&job.roles, &run)?;
            let figures = evaluate::score(trained.model.as_ref(), &prepared.table_data.data()?);
            bar.finish_and_clear();
            return finish(options, &trained, figures.unwrap_or_default(), output);
        }
    };
    bar.finish_and_clear();
    finish(options, &trained, Vec::new(), output)
}

/// The specification with what `--set` and `--seed` say.
fn specification(options: &FitOptions, context: &Context) -> Result<Spec> {
    let mut spec: Spec = options.spec.parse()?;
    for text in &options.set {
        let (name, value) = assignment(text)?;
        spec.set(name, value)?;
    }
    spec.set_seed(context.seed)?;
    Ok(spec)
}

fn job(options: &FitOptions, spec: Spec, roles: didact::Roles) -> Job {
    Job {
        roles,
        task: options.roles.task(),
        ..Job::new(spec)
    }
}

fn fit_streaming(options: &FitOptions, spec: Spec, run: &didact::core::Run) -> Result<Trained> {
    let job = job(options, spec, options.roles.over(didact::Roles::default()));
    let reading = read_options(&options.table.reading)?;
    if !std::path::Path::new(&options.table.data).exists() {
        return Err(Error::Specification(format!(
            "--stream reads a file several times, and there is no file {}",
            options.table.data
        )));
    }
    job.fit_stream(&options.table.data, &reading, run)
}

fn finish(
    options: &FitOptions,
    trained: &Trained,
    figures: Vec<evaluate::Figure>,
    output: &Output,
) -> Result<()> {
    if let Some(path) = &options.out {
        trained.save(path)?;
    }
    let facts = &trained.header.training;
    if output.json {
        return output.json(&json!({
            "specification": trained.header.specification.to_string(),
            "model": options.out,
            "training": facts,
            "figures": figures,
        }));
    }
    output.line(format!("{}", trained.header.specification));
    output.line(format!(
        "  learned from {} rows × {} columns in {}",
        facts.rows,
        facts.columns,
        duration(facts.seconds)
    ));
    if let (Some(iterations), Some(stop)) = (facts.iterations, &facts.stop) {
        output.line(format!("  {iterations} iterations, {stop}"));
    }
    if let Some((name, value)) = &facts.objective {
        output.line(format!("  {name} {}", number(*value)));
    }
    for figure in &figures {
        output.line(format!(
            "  {} {} on the rows it learned from",
            figure.metric,
            number(figure.value)
        ));
    }
    match &options.out {
        Some(path) => output.line(format!("  saved as {}", path.display())),
        None => output.note("the model was not saved; --out FILE saves it"),
    }
    Ok(())
}
