//! `didact list`

use crate::arguments::ListOptions;
use crate::output::{Grid, Output};
use didact::core::Entry;
use didact::{Error, Result, catalogue};

pub(crate) fn run(options: &ListOptions, output: &Output) -> Result<()> {
    let chosen: Vec<&Entry> = catalogue()
        .iter()
        .filter(|entry| suits(entry, options))
        .collect();
    if chosen.is_empty() {
        let tasks = distinct(catalogue().iter().flat_map(tasks));
        let families = distinct(catalogue().iter().map(|entry| entry.family.to_owned()));
        return Err(Error::Specification(format!(
            "no algorithm suits; tasks are {}, families are {}",
            tasks.join(", "),
            families.join(", ")
        )));
    }
    if output.json {
        return output.json(&chosen);
    }
    let mut grid = Grid::new(&["algorithm", "task", "family", "what it does"]);
    for entry in chosen {
        grid.row([
            entry.id,
            &distinct(tasks(entry)).join(", "),
            entry.family,
            &entry.summary,
        ]);
    }
    output.table(grid);
    Ok(())
}

fn suits(entry: &Entry, options: &ListOptions) -> bool {
    let family = options
        .family
        .as_ref()
        .is_none_or(|family| entry.family == family);
    let task = options
        .task
        .as_ref()
        .is_none_or(|task| tasks(entry).contains(task));
    family && task
}

fn tasks(entry: &Entry) -> Vec<String> {
    entry
        .routes
        .iter()
        .map(|route| route.task.to_string())
        .collect()
}

fn distinct(names: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut names: Vec<String> = names.into_iter().collect();
    names.sort();
    names.dedup();
    names
}
