//! What the columns of a table are for: features, target, weights, sequences, time.

use crate::sequences::group_rows;
use didact_core::{Column, Error, Result, Table};
use serde::{Deserialize, Serialize};

/// Which columns are not features.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Roles {
    /// The column to predict; several, for methods that learn from more than one number per row,
    /// are separated by commas, unless a column has the whole as its name.
    pub target: Option<String>,
    /// The column that says how much each row counts.
    pub weight: Option<String>,
    /// The column that says which sequence each row belongs to.
    pub sequence: Option<String>,
    /// The column that orders the rows, within each sequence where there are sequences.
    pub time: Option<String>,
    /// Columns to leave out.
    pub ignore: Vec<String>,
}

impl Roles {
    /// The names of the columns to predict, among those of the table.
    pub fn targets_in(&self, table: &Table) -> Vec<String> {
        match &self.target {
            None => Vec::new(),
            Some(name) if table.names().contains(name) => vec![name.clone()],
            Some(names) => target_names(names),
        }
    }
}

/// The names in a list of columns to predict.
pub fn target_names(list: &str) -> Vec<String> {
    list.split(',').map(|name| name.trim().to_owned()).collect()
}

/// A table taken apart by the roles of its columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Parts {
    /// The columns without another role.
    pub features: Table,
    /// The column to predict, the first where there are several.
    pub target: Option<Column>,
    /// The other columns to predict, where there are several.
    pub more_targets: Vec<Column>,
    /// How much each row counts.
    pub weights: Option<Vec<f64>>,
    /// Number of rows of each sequence; the rows of a sequence stand together.
    pub lengths: Option<Vec<usize>>,
    /// The user's name of each sequence.
    pub sequence_names: Option<Vec<String>>,
    /// The column that ordered the rows.
    pub time: Option<Column>,
    /// The row of the table that each row was: sequences and time may change the order.
    pub rows: Vec<usize>,
}

/// Takes a table apart.
///
/// ```
/// use didact_core::{Column, Table};
/// use didact_data::{Roles, split_roles};
/// let mut table = Table::new();
/// table.push("size", Column::Numbers(vec![1.0, 2.0]))?;
/// table.push("kind", Column::from_words([Some("a"), Some("b")]))?;
/// let roles = Roles { target: Some("kind".into()), ..Roles::default() };
/// let parts = split_roles(table, &roles)?;
/// assert_eq!(parts.features.names(), ["size"]);
/// assert_eq!(parts.target.unwrap().len(), 2);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn split_roles(mut table: Table, roles: &Roles) -> Result<Parts> {
    check_roles(&table, roles)?;
    let n_rows = table.n_rows();
    let mut targets = roles.targets_in(&table).into_iter();
    let target = targets.next().map(|name| table.take(&name)).transpose()?;
    let more_targets: Vec<Column> = targets
        .map(|name| table.take(&name))
        .collect::<Result<_>>()?;
    let mut take = |name: &Option<String>| name.as_deref().map(|name| table.take(name)).transpose();
    let weight = take(&roles.weight)?;
    let time = take(&roles.time)?;
    let sequence = take(&roles.sequence)?;
    for name in &roles.ignore {
        table.take(name)?;
    }
    if table.n_columns() == 0 {
        return Err(Error::data(
            "no columns are left as features; give fewer of them another role",
        ));
    }
    let weights = match (weight, &roles.weight) {
        (Some(column), Some(name)) => Some(check_weights(name, column)?),
        _ => None,
    };
    let (mut rows, lengths, sequence_names) = match (sequence, &roles.sequence) {
        (Some(column), Some(name)) => {
            let mut alone = Table::new();
            alone.push(name.as_str(), column)?;
            let (rows, lengths, names) = group_rows(&alone, name)?;
            (rows, Some(lengths), Some(names))
        }
        _ => ((0..n_rows).collect(), None, None),
    };
    if let (Some(column), Some(name)) = (&time, &roles.time) {
        sort_by_time(name, column, &mut rows, lengths.as_deref())?;
    }
    if rows.is_sorted() {
        return Ok(Parts {
            features: table,
            target,
            more_targets,
            weights,
            lengths,
            sequence_names,
            time,
            rows,
        });
    }
    Ok(Parts {
        features: table.select(&rows),
        target: target.map(|column| column.select(&rows)),
        more_targets: more_targets
            .iter()
            .map(|column| column.select(&rows))
            .collect(),
        weights: weights.map(|weights| rows.iter().map(|&row| weights[row]).collect()),
        lengths,
        sequence_names,
        time: time.map(|column| column.select(&rows)),
        rows,
    })
}

/// Every name must be a column, and no column may have two roles.
fn check_roles(table: &Table, roles: &Roles) -> Result<()> {
    let named = [
        ("weight", &roles.weight),
        ("sequence", &roles.sequence),
        ("time", &roles.time),
    ];
    let single = named
        .into_iter()
        .filter_map(|(role, name)| name.as_deref().map(|name| (role, name)));
    let ignored = roles.ignore.iter().map(|name| ("ignored", name.as_str()));
    let targets = roles.targets_in(table);
    let targets = targets.iter().map(|name| ("target", name.as_str()));
    let mut seen: Vec<(&str, &str)> = Vec::new();
    for (role, name) in targets.chain(single).chain(ignored) {
        table.column(name)?;
        if let Some((other, _)) = seen.iter().find(|(_, taken)| *taken == name) {
            return Err(Error::data(format!(
                "column {name} cannot be both {other} and {role}; give it one role"
            )));
        }
        seen.push((role, name));
    }
    Ok(())
}

fn check_weights(name: &str, column: Column) -> Result<Vec<f64>> {
    let Column::Numbers(weights) = column else {
        return Err(Error::data(format!(
            "column {name} does not hold numbers; weights must be numbers of at least zero"
        )));
    };
    let wrong = |weight: &f64| !(weight.is_finite() && *weight >= 0.0);
    if let Some(row) = weights.iter().position(wrong) {
        return Err(Error::data(format!(
            "row {}: column {name} is {}; weights must be finite numbers of at least zero",
            row + 1,
            weights[row]
        )));
    }
    match weights.iter().all(|&weight| weight == 0.0) {
        true if !weights.is_empty() => Err(Error::data(format!(
            "column {name} is zero in every row; some weight must be larger than zero"
        ))),
        _ => Ok(weights),
    }
}

/// Sorts the rows of each sequence (or all rows) by time; equal times keep their order.
fn sort_by_time(
    name: &str,
    column: &Column,
    rows: &mut [usize],
    lengths: Option<&[usize]>,
) -> Result<()> {
    let times: Vec<Option<f64>> = match column {
        Column::Times(times) => times.clone(),
        Column::Numbers(values) => values
            .iter()
            .map(|value| (!value.is_nan()).then_some(*value))
            .collect(),
        _ => {
            return Err(Error::data(format!(
                "column {name} holds neither times nor numbers, so it cannot order the rows"
            )));
        }
    };
    if let Some(row) = times.iter().position(Option::is_none) {
        return Err(Error::data(format!(
            "row {}: column {name} is missing; every row needs a time",
            row + 1
        )));
    }
    let whole = [rows.len()];
    let mut rest = rows;
    for &length in lengths.unwrap_or(&whole) {
        let (sequence, tail) = rest.split_at_mut(length);
        sequence.sort_by(|&a, &b| {
            let (a, b) = (times[a].unwrap_or(f64::NAN), times[b].unwrap_or(f64::NAN));
            a.total_cmp(&b)
        });
        rest = tail;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new();
        let mut numbers = |name: &str, values: [f64; 4]| {
            table.push(name, Column::Numbers(values.to_vec())).unwrap();
        };
        numbers("x", [1.0, 2.0, 3.0, 4.0]);
        numbers("w", [1.0, 0.0, 2.0, 0.5]);
        numbers("t", [9.0, 1.0, 5.0, 0.0]);
        numbers("y", [10.0, 20.0, 30.0, 40.0]);
        table
            .push("who", Column::from_words(["a", "b", "a", "b"].map(Some)))
            .unwrap();
        table
    }

    fn name(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    #[test]
    fn every_role_goes_to_its_place_and_rows_stay_together() {
        let roles = Roles {
            target: name("y"),
            weight: name("w"),
            sequence: name("who"),
            time: name("t"),
            ignore: vec![],
        };
        let parts = split_roles(table(), &roles).unwrap();
        assert_eq!(parts.features.names(), ["x"]);
        assert_eq!(parts.rows, [2, 0, 3, 1]);
        assert_eq!(
            parts.target,
            Some(Column::Numbers(vec![30.0, 10.0, 40.0, 20.0]))
        );
        assert_eq!(parts.weights, Some(vec![2.0, 1.0, 0.5, 0.0]));
        assert_eq!(parts.lengths, Some(vec![2, 2]));
        assert_eq!(parts.sequence_names.unwrap(), ["a", "b"]);
    }

    #[test]
    fn several_targets_are_named_with_commas() {
        let roles = Roles {
            target: name("y, w"),
            time: name("t"),
            ..Roles::default()
        };
        let parts = split_roles(table(), &roles).unwrap();
        assert_eq!(parts.features.names(), ["x", "who"]);
        let first = Column::Numbers(vec![40.0, 20.0, 30.0, 10.0]);
        assert_eq!(parts.target, Some(first));
        let second = Column::Numbers(vec![0.5, 0.0, 2.0, 1.0]);
        assert_eq!(parts.more_targets, [second]);
        // A column whose name has a comma is one column.
        let mut odd = table();
        odd.push("y,w", Column::Numbers(vec![0.0; 4])).unwrap();
        let roles = Roles {
            target: name("y,w"),
            ..Roles::default()
        };
        assert_eq!(split_roles(odd, &roles).unwrap().more_targets, []);
    }

    #[test]
    fn without_roles_everything_is_a_feature() {
        let parts = split_roles(table(), &Roles::default()).unwrap();
        assert_eq!(parts.features, table());
        assert_eq!(parts.target, None);
    }

    #[test]
    fn wrong_roles_name_the_column() {
        let say = |roles: Roles| split_roles(table(), &roles).unwrap_err().to_string();
        let target = |column: &str| Roles {
            target: name(column),
            ..Roles::default()
        };
        let weight = |column: &str| Roles {
            weight: name(column),
            ..Roles::default()
        };
        assert!(say(target("z")).starts_with("there is no column z"));
        assert!(say(weight("who")).starts_with("column who does not hold numbers"));
        let both = Roles {
            ignore: vec!["y".into()],
            ..target("y")
        };
        assert!(say(both).starts_with("column y cannot be both target and ignored"));
        let all = Roles {
            ignore: table().names().to_vec(),
            ..Roles::default()
        };
        assert!(say(all).starts_with("no columns are left as features"));
        let time = Roles {
            time: name("who"),
            ..Roles::default()
        };
        assert!(say(time).starts_with("column who holds neither times nor numbers"));
    }

    #[test]
    fn weights_are_finite_and_not_negative() {
        let say = |values: [f64; 2]| {
            check_weights("w", Column::Numbers(values.to_vec()))
                .unwrap_err()
                .to_string()
        };
        assert!(say([1.0, -2.0]).starts_with("row 2: column w is -2"));
        assert!(say([f64::NAN, 1.0]).starts_with("row 1: column w is NaN"));
        assert!(say([0.0, 0.0]).starts_with("column w is zero in every row"));
    }
}
