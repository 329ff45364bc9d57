//! Ratings that users gave to items, under the users' own names.

use didact_core::{Classes, Column, Error, Ratings, Result, Table};
use hashbrown::HashMap;
use serde::{Deserialize, Serialize};

/// What to do where a user rated the same item more than once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Duplicates {
    /// Stop with an error that names both rows.
    #[default]
    Refuse,
    /// The last rating counts.
    KeepLast,
    /// The mean of the ratings counts.
    Mean,
}

/// Ratings by index, and the names that the indices stand for.
///
/// Only what was rated is stored: an item that a user did not rate is missing, not zero.
///
/// ```
/// use didact_core::{Column, Table};
/// use didact_data::{Duplicates, ratings_from_table};
/// let mut table = Table::new();
/// table.push("who", Column::from_words([Some("Bob"), Some("Ann")]))?;
/// table.push("film", Column::Numbers(vec![12.0, 7.0]))?;
/// table.push("stars", Column::Numbers(vec![4.0, 5.0]))?;
/// let ratings = ratings_from_table(&table, "who", "film", "stars", Duplicates::Refuse)?;
/// assert_eq!(ratings.users, [1, 0]);
/// assert_eq!(ratings.item_names.names()[0].to_string(), "7");
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RatingSet {
    /// User index of each rating.
    pub users: Vec<usize>,
    /// Item index of each rating.
    pub items: Vec<usize>,
    /// The ratings.
    pub values: Vec<f64>,
    /// The names of the users by index.
    pub user_names: Classes,
    /// The names of the items by index.
    pub item_names: Classes,
}

impl RatingSet {
    /// The ratings as methods read them.
    pub fn view(&self) -> Result<Ratings<'_>> {
        Ratings::new(&self.users, &self.items, &self.values)
    }

    /// The ratings as a table of three columns.
    pub fn to_table(&self, user: &str, item: &str, rating: &str) -> Result<Table> {
        let words = |indices: &[usize], names: &Classes| {
            let names: Vec<String> = names.names().iter().map(ToString::to_string).collect();
            Column::from_words(indices.iter().map(|&index| Some(names[index].as_str())))
        };
        let mut table = Table::new();
        table.push(user, words(&self.users, &self.user_names))?;
        table.push(item, words(&self.items, &self.item_names))?;
        table.push(rating, Column::Numbers(self.values.clone()))?;
        Ok(table)
    }
}

/// Reads rating triples from three columns of a table.
pub fn ratings_from_table(
    table: &Table,
    user: &str,
    item: &str,
    rating: &str,
    duplicates: Duplicates,
) -> Result<RatingSet> {
    let users = table.labels(user)?;
    let items = table.labels(item)?;
    let Column::Numbers(values) = table.column(rating)? else {
        return Err(Error::data(format!(
            "column {rating} does not hold numbers; ratings must be numbers"
        )));
    };
    if let Some(row) = values.iter().position(|value| !value.is_finite()) {
        return Err(Error::data(format!(
            "row {}: column {rating} is {}; leave out what was not rated",
            row + 1,
            values[row]
        )));
    }
    let mut set = RatingSet {
        users: Vec::with_capacity(values.len()),
        items: Vec::with_capacity(values.len()),
        values: Vec::with_capacity(values.len()),
        user_names: users.classes,
        item_names: items.classes,
    };
    // For each pair its place in the set, how often it was seen, and its first row.
    let mut seen: HashMap<(usize, usize), (usize, f64, usize)> = HashMap::new();
    for (row, (pair, &value)) in users
        .indices
        .iter()
        .copied()
        .zip(items.indices.iter().copied())
        .zip(values)
        .enumerate()
    {
        let next = set.values.len();
        let (place, count, first) = seen.entry(pair).or_insert((next, 0.0, row));
        *count += 1.0;
        if *place == next {
            set.users.push(pair.0);
            set.items.push(pair.1);
            set.values.push(value);
            continue;
        }
        match duplicates {
            Duplicates::Refuse => {
                return Err(Error::data(format!(
                    "rows {} and {} both rate item {} by user {}; keep one, or ask for the last or the mean",
                    *first + 1,
                    row + 1,
                    set.item_names.names()[pair.1],
                    set.user_names.names()[pair.0]
                )));
            }
            Duplicates::KeepLast => set.values[*place] = value,
            Duplicates::Mean => set.values[*place] += (value - set.values[*place]) / *count,
        }
    }
    Ok(set)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[(&str, &str, f64)]) -> Table {
        let mut table = Table::new();
        let users = rows.iter().map(|row| Some(row.0));
        let items = rows.iter().map(|row| Some(row.1));
        table.push("user", Column::from_words(users)).unwrap();
        table.push("item", Column::from_words(items)).unwrap();
        let values = rows.iter().map(|row| row.2).collect();
        table.push("stars", Column::Numbers(values)).unwrap();
        table
    }

    fn read(rows: &[(&str, &str, f64)], duplicates: Duplicates) -> Result<RatingSet> {
        ratings_from_table(&table(rows), "user", "item", "stars", duplicates)
    }

    // 001:REC-01: observed entries only; a rating of zero is an observation.
    #[test]
    fn unrated_items_are_absent_and_a_zero_is_a_rating() {
        let rows = [("ann", "x", 0.0), ("bob", "y", 3.0)];
        let set = read(&rows, Duplicates::Refuse).unwrap();
        assert_eq!(set.values, [0.0, 3.0]);
        assert_eq!(set.view().unwrap().values.len(), 2, "not 2 × 2");
        let back = set.to_table("user", "item", "stars").unwrap();
        assert_eq!(back, table(&rows));
    }

    #[test]
    fn repeated_pairs_follow_the_option() {
        let rows = [
            ("ann", "x", 1.0),
            ("bob", "x", 5.0),
            ("ann", "x", 2.0),
            ("ann", "x", 6.0),
        ];
        let message = read(&rows, Duplicates::Refuse).unwrap_err().to_string();
        assert!(
            message.starts_with("rows 1 and 3 both rate item x by user ann"),
            "{message}"
        );
        let last = read(&rows, Duplicates::KeepLast).unwrap();
        assert_eq!(last.values, [6.0, 5.0]);
        // (1 + 2 + 6) / 3
        let mean = read(&rows, Duplicates::Mean).unwrap();
        assert_eq!(mean.values, [3.0, 5.0]);
    }

    #[test]
    fn unusable_ratings_name_the_column() {
        let say =
            |rows: &[(&str, &str, f64)]| read(rows, Duplicates::Refuse).unwrap_err().to_string();
        assert!(say(&[("a", "x", f64::NAN)]).starts_with("row 1: column stars is NaN"));
        let table = table(&[("a", "x", 1.0)]);
        let message = ratings_from_table(&table, "user", "stars", "item", Duplicates::Refuse)
            .unwrap_err()
            .to_string();
        assert!(message.starts_with("column item does not hold numbers"));
    }
}
