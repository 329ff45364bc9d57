//! Checks `docs/coverage.csv`: what it names exists.
//!
//! Columns: `id` of the capability; `path`, the public Rust items that provide it; `test`, the
//! tests that prove it; `missing`, the item ids of the capability that are not satisfied yet.
//! Paths and tests are written `crate::item` and separated by spaces.

use crate::{csv, root};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

pub(crate) fn run() -> Result<(), String> {
    let text = fs::read_to_string(root().join("docs/coverage.csv"))
        .map_err(|error| format!("docs/coverage.csv: {error}"))?;
    let mut table = csv::rows(&text).into_iter();
    if table.next().unwrap_or_default() != ["id", "path", "test", "missing"] {
        return Err("docs/coverage.csv should begin with id,path,test,missing".to_owned());
    }
    let sources = sources()?;
    let capabilities = capabilities();
    let mut faults = Vec::new();
    let mut seen = BTreeSet::new();
    let (mut whole, mut partial) = (0, 0);
    for row in table {
        let [id, paths, tests, missing] = row.as_slice() else {
            faults.push(format!("{row:?} has not four fields"));
            continue;
        };
        if !seen.insert(id.clone()) {
            faults.push(format!("{id} is listed twice"));
        }
        if paths.trim().is_empty() || tests.trim().is_empty() {
            faults.push(format!("{id}: path and test must be named"));
        }
        for path in paths
            .split_whitespace()
            .filter(|path| !is_public(path, &sources))
        {
            faults.push(format!("{id}: there is no public {path}"));
        }
        for test in tests
            .split_whitespace()
            .filter(|test| !is_test(test, &sources))
        {
            faults.push(format!("{id}: there is no test {test}"));
        }
        if let Some(capabilities) = &capabilities {
            match capabilities.get(id) {
                None => faults.push(format!("{id} is no capability")),
                Some(items) => faults.extend(
                    missing
                        .split_whitespace()
                        .filter(|item| !items.contains(*item))
                        .map(|item| format!("{id}: {item} is not an item of this capability")),
                ),
            }
        }
        if missing.trim().is_empty() {
            whole += 1
        } else {
            partial += 1
        }
    }
    match faults.is_empty() {
        true => {
            println!("\n── coverage: {whole} capabilities whole, {partial} in part");
            Ok(())
        }
        false => Err(faults.join("\n")),
    }
}

/// The sources of each crate by the crate's name in Rust, and of each folder of tests by its name.
fn sources() -> Result<BTreeMap<String, String>, String> {
    let mut sources = BTreeMap::new();
    let crates = fs::read_dir(root().join("crates")).map_err(|error| error.to_string())?;
    for folder in crates.flatten() {
        let name = folder.file_name().to_string_lossy().into_owned();
        let crate_name = match name.as_str() {
            "didact" | "xtask" => name,
            _ => format!("didact_{}", name.replace('-', "_")),
        };
        let mut text = String::new();
        collect(&folder.path(), &mut text);
        sources.insert(crate_name, text);
    }
    let tests = fs::read_dir(root().join("tests")).map_err(|error| error.to_string())?;
    for folder in tests.flatten() {
        let mut text = String::new();
        collect(&folder.path(), &mut text);
        sources.insert(folder.file_name().to_string_lossy().into_owned(), text);
    }
    Ok(sources)
}

fn collect(folder: &Path, text: &mut String) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let source = path
            .extension()
            .is_some_and(|extension| extension == "rs" || extension == "py");
        if path.is_dir() {
            collect(&path, text);
        } else if source && let Ok(content) = fs::read_to_string(&path) {
            text.push_str(&content);
        }
    }
}

/// Splits `crate::…::item` into the sources of the crate and the item.
fn resolve<'a, 'b>(
    path: &'b str,
    sources: &'a BTreeMap<String, String>,
) -> Option<(&'a str, &'b str)> {
    let (crate_name, _) = path.split_once("::")?;
    let item = path.rsplit("::").next()?;
    Some((sources.get(crate_name)?, item))
}

fn is_public(path: &str, sources: &BTreeMap<String, String>) -> bool {
    let Some((text, item)) = resolve(path, sources) else {
        return false;
    };
    ["struct", "enum", "trait", "fn", "const fn", "type", "mod", "const"]
        .iter()
        .any(|kind| has_word(text, &format!("pub {kind} {item}")))
        // Methods of a public trait are public without saying so.
        || has_word(text, &format!("    fn {item}"))
        // Constructors that a macro writes, such as those of the built-in data sets.
        || has_word(text, &format!("{item} =>"))
}

fn is_test(path: &str, sources: &BTreeMap<String, String>) -> bool {
    resolve(path, sources).is_some_and(|(text, name)| {
        has_word(text, &format!("fn {name}")) || has_word(text, &format!("def {name}"))
    })
}

/// Whether the text holds the phrase and no longer word that begins with it.
fn has_word(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase).any(|(place, _)| {
        let next = text[place + phrase.len()..].chars().next();
        next.is_none_or(|next| !next.is_alphanumeric() && next != '_')
    })
}

/// The items of each capability, where the specification is at hand.
fn capabilities() -> Option<BTreeMap<String, BTreeSet<String>>> {
    let path = root().parent()?.join("shared/spec/capabilities.csv");
    let text = fs::read_to_string(path).ok()?;
    let table = csv::rows(&text);
    let column = |name: &str| table.first()?.iter().position(|heading| heading == name);
    let (id, spec) = (column("id")?, column("spec")?);
    let items = |row: &Vec<String>| row[spec].split_whitespace().map(str::to_owned).collect();
    Some(
        table
            .iter()
            .skip(1)
            .map(|row| (row[id].clone(), items(row)))
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_and_tests_are_found_by_whole_words() {
        let sources = BTreeMap::from([(
            "a".to_owned(),
            "pub struct Ridge;\nfn it_holds() {}".to_owned(),
        )]);
        assert!(is_public("a::Ridge", &sources) && !is_public("a::Rid", &sources));
        assert!(is_test("a::it_holds", &sources) && !is_test("a::it_hold", &sources));
        assert!(!is_public("b::Ridge", &sources) && !is_public("Ridge", &sources));
    }
}
