//! Rows of category codes, and how often combinations of values occur in them.

mod families;

pub(crate) use families::{Family, most_cells};

use didact_core::{Error, Result, Run, Samples, parallel};

/// Codes from here on are refused: a table of so many values is a mistake in the column.
const MOST_CATEGORIES: f64 = 1_048_576.0;

/// Columns that are read together, so that a row is touched once for all of them.
const COLUMNS_AT_ONCE: usize = 16;

/// Rows of category codes 0, 1, 2, …, kept column by column for counting.
///
/// How many values a column has is declared or else one more than its largest code; rows of weight
/// zero are left out.
///
/// ```
/// use didact_core::{Run, Samples};
/// use didact_graphical::CategoryTable;
/// let x = ndarray::array![[0.0, 2.0], [1.0, 0.0], [1.0, 2.0]];
/// let table = CategoryTable::new(&Samples::from(&x), None, &Run::new())?;
/// assert_eq!(table.sizes(), [2, 3]);
/// assert_eq!(table.column(1), [2, 0, 2]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CategoryTable {
    n_rows: usize,
    sizes: Vec<usize>,
    /// Column after column.
    codes: Vec<u32>,
    weights: Option<Vec<f64>>,
}

impl CategoryTable {
    /// Reads the codes; `sizes` declares how many values each column has, seen or not.
    pub fn new(samples: &Samples<'_>, sizes: Option<&[usize]>, run: &Run) -> Result<Self> {
        let x = samples.dense()?;
        if let Some(sizes) = sizes.filter(|sizes| sizes.len() != x.ncols()) {
            return Err(Error::parameter(
                "n_categories",
                format!("a list of {}", sizes.len()),
                format!(
                    "it must have one number for each of the {} columns",
                    x.ncols()
                ),
            ));
        }
        if let Some(column) = sizes.and_then(|sizes| sizes.iter().position(|&size| size == 0)) {
            return Err(Error::parameter(
                format!("n_categories[{column}]"),
                0,
                "it must be at least 1",
            ));
        }
        let weighs = |&row: &usize| samples.weight(row) > 0.0;
        let chosen: Vec<usize> = (0..x.nrows()).filter(weighs).collect();
        let n_rows = chosen.len();
        if n_rows == 0 {
            return Err(Error::data("no row has a weight; at least one must count"));
        }
        let mut codes = vec![0_u32; n_rows * x.ncols()];
        parallel::fill(
            &mut codes,
            n_rows,
            COLUMNS_AT_ONCE,
            run,
            |columns, piece| {
                for (place, &row) in chosen.iter().enumerate() {
                    if place % 65_536 == 0 {
                        run.check()?;
                    }
                    for (offset, column) in columns.clone().enumerate() {
                        let most = sizes.map_or(MOST_CATEGORIES, |sizes| sizes[column] as f64);
                        piece[offset * n_rows + place] = code(row, column, x[[row, column]], most)?;
                    }
                }
                Ok(())
            },
        )?;
        let seen = codes.chunks_exact(n_rows);
        let seen = seen.map(|column| column.iter().max().map_or(1, |&code| code as usize + 1));
        let sizes = sizes.map_or_else(|| seen.collect(), <[usize]>::to_vec);
        let weights = samples.weights();
        let weights = weights.map(|weights| chosen.iter().map(|&row| weights[row]).collect());
        Ok(CategoryTable {
            n_rows,
            sizes,
            codes,
            weights,
        })
    }

    /// The same rows with one more column, of which `codes` has a code for every row of `samples`.
    pub(crate) fn with_column(
        mut self,
        samples: &Samples<'_>,
        codes: &[usize],
        size: usize,
    ) -> Self {
        let weighs = |(row, _): &(usize, &usize)| samples.weight(*row) > 0.0;
        let kept = codes.iter().enumerate().filter(weighs);
        self.codes.extend(kept.map(|(_, &code)| code as u32));
        self.sizes.push(size);
        self
    }

    /// Number of rows that count.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Number of columns.
    pub fn n_columns(&self) -> usize {
        self.sizes.len()
    }

    /// How many values each column has.
    pub fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// The codes of a column.
    pub fn column(&self, column: usize) -> &[u32] {
        &self.codes[column * self.n_rows..][..self.n_rows]
    }

    /// The weight of each row, where rows are weighted.
    pub fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }

    /// The sum of the weights, the number of rows where they are not weighted.
    pub fn total_weight(&self) -> f64 {
        let total = |weights: &Vec<f64>| weights.iter().sum();
        self.weights.as_ref().map_or(self.n_rows as f64, total)
    }
}

/// The code that a value stands for.
pub(crate) fn code(row: usize, column: usize, value: f64, most: f64) -> Result<u32> {
    match (0.0..most).contains(&value) && value.fract() == 0.0 {
        true => Ok(value as u32),
        false => Err(Error::data(format!(
            "row {row}, column {column} is {value}; \
             categories must be coded as whole numbers from 0 to {}",
            most - 1.0
        ))),
    }
}

/// The code of a value in a row to be predicted, of any size.
pub(crate) fn any_code(row: usize, column: usize, value: f64) -> Result<usize> {
    Ok(code(row, column, value, MOST_CATEGORIES)? as usize)
}
