//! `didact fit SPEC --data … --out …`

use crate::arguments::{FitOptions, FittingOptions};
use crate::input::{data_name, load, read_options};
use crate::judging::specification;
use crate::output::{Output, duration, number};
use crate::progress::Context;
use didact::{Error, Framing, Job, Prepared, Result, Spec, Trained, evaluate};
use serde_json::json;
use std::path::Path;

pub(crate) fn run(options: &FitOptions, context: &Context, output: &Output) -> Result<()> {
    let fitting = &options.fitting;
    let spec = specification(&fitting.spec, &fitting.set, context.seed)?;
    // Read before anything is fitted, because a fit may take long.
    let framing = options.framing.as_ref().map(Framing::read).transpose()?;
    let (run, bar) = context.run_with_bar("fitting");
    let (mut trained, figures) = match options.stream {
        true => (fit_streaming(fitting, spec, &run)?, Vec::new()),
        false => {
            let loaded = load(&fitting.table.data, &fitting.table.reading, &run, output)?;
            let job = job(fitting, spec, fitting.roles.over(loaded.roles))?;
            let prepared = job.prepare(loaded.content)?;
            if prepared.imputes {
                output.note("missing values were found; simple-imputer was put in front");
            }
            let earlier = options.start_from.as_ref().map(Trained::load).transpose()?;
            if let Some(earlier) = &earlier {
                ensure_same_columns(earlier, &prepared)?;
            }
            let earlier = earlier.as_ref().map(|earlier| earlier.model.as_ref());
            let trained = prepared.fit_from(earlier, &job.roles, &run)?;
            let figures = evaluate::score(trained.model.as_ref(), &prepared.table_data.data()?);
            (trained, figures.unwrap_or_default())
        }
    };
    bar.finish_and_clear();
    trained.header.data = Some(data_name(&fitting.table.data));
    trained.header.framing = framing;
    finish(options, &trained, figures, output)
}

/// Fails where the earlier model has other columns: each would start from the solution of another.
fn ensure_same_columns(earlier: &Trained, prepared: &Prepared) -> Result<()> {
    let (Some(_), Some(encoding)) = (&earlier.encoding, &prepared.encoding) else {
        return Ok(());
    };
    let (before, now) = (earlier.input_names(), encoding.feature_names());
    if before.len() != now.len() {
        return Err(Error::data(format!(
            "the model to start from has {} columns and these data have {}; \
             give the same columns, or fit without it",
            before.len(),
            now.len()
        )));
    }
    let mut pairs = before.iter().zip(&now);
    match pairs.find(|(before, now)| before != now) {
        None => Ok(()),
        Some((before, now)) => Err(Error::data(format!(
            "the model to start from has a column {before} where these data have {now}; \
             give the same columns in the same order, or fit without it"
        ))),
    }
}

fn job(fitting: &FittingOptions, spec: Spec, roles: didact::Roles) -> Result<Job> {
    Ok(Job {
        spec,
        roles,
        task: fitting.roles.task(),
        encoder: fitting.encoding.encoder()?,
    })
}

fn fit_streaming(fitting: &FittingOptions, spec: Spec, run: &didact::core::Run) -> Result<Trained> {
    let job = job(fitting, spec, fitting.roles.over(didact::Roles::default()))?;
    let reading = read_options(&fitting.table.reading)?;
    if !Path::new(&fitting.table.data).exists() {
        return Err(Error::Specification(format!(
            "--stream reads a file several times, and there is no file {}",
            fitting.table.data
        )));
    }
    job.fit_stream(&fitting.table.data, &reading, run)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::{Arguments, Command};
    use clap::Parser;

    fn fit(arguments: &[&str]) -> Result<()> {
        let all = [&["didact", "fit", "--quiet"], arguments].concat();
        let arguments = Arguments::parse_from(all);
        let context = Context::new(&arguments);
        let Command::Fit(options) = &arguments.command else {
            unreachable!("the arguments say fit");
        };
        run(options, &context, &Output::new(false, true))
    }

    // 002a:BP20, 002a:EX19: the scenario of learning to ride a bicycle.
    #[test]
    fn the_framing_and_the_name_of_the_data_travel_with_the_model() {
        let folder = tempfile::tempdir().unwrap();
        let (answers, model) = (folder.path().join("f.json"), folder.path().join("m.didact"));
        let bicycle = json!({
            "inputs_and_outputs": "in: tilt, speed and handlebar angle; out: turn of the handlebar",
            "unknown_parameters": "how much to turn for each tilt and speed",
            "performance_measure": "metres ridden without a fall",
            "good_enough": "100 metres in nine of ten rides",
            "too_poor": "a fall within 5 metres",
            "time_lag": "a second: the time that a wrong turn takes to become a fall",
        });
        std::fs::write(&answers, bicycle.to_string()).unwrap();
        let (answers, saved) = (answers.to_str().unwrap(), model.to_str().unwrap());
        let spec = ["gaussian-nb", "--data", "iris", "--out", saved, "--framing"];
        fit(&[&spec[..], &[answers]].concat()).unwrap();
        let header = Trained::load(&model).unwrap().header;
        assert_eq!(serde_json::to_value(&header.framing).unwrap(), bicycle);
        assert_eq!(header.data.as_deref(), Some("iris"));
    }

    #[test]
    fn a_poor_framing_is_refused_before_anything_is_fitted() {
        let folder = tempfile::tempdir().unwrap();
        let (answers, model) = (folder.path().join("f.json"), folder.path().join("m.didact"));
        std::fs::write(&answers, "{}").unwrap();
        let (answers, saved) = (answers.to_str().unwrap(), model.to_str().unwrap());
        let spec = ["gaussian-nb", "--data", "iris", "--out", saved, "--framing"];
        let message = fit(&[&spec[..], &[answers]].concat())
            .unwrap_err()
            .to_string();
        assert!(message.contains("inputs_and_outputs"), "{message}");
        assert!(!model.exists());
    }
}
