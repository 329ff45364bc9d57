//! Grid maps: a room of cells with walls, scores and exits, drawn as text.

use crate::Source;
use didact_core::{Error, Result};
use std::collections::BTreeMap;
use std::fmt;

/// What a cell of a grid is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GridCell {
    /// Nobody can enter.
    Wall,
    /// A place to walk; a score of its own replaces the usual price of a step.
    Floor {
        /// What entering is worth, where the map says so.
        score: Option<f64>,
    },
    /// The walk ends here.
    Exit {
        /// What entering is worth, where the map says so.
        score: Option<f64>,
    },
}

/// A room drawn as text.
///
/// `#` is a wall, `.` a free cell, `S` the free cell to start from, `G` an exit, a digit a free
/// cell with that score. Other letters are explained below the map, after a blank line, by
/// `letter = score` or `letter = score exit`; `G` may be given a score in the same way.
///
/// ```
/// use didact_data::{Grid, GridCell};
/// let grid: Grid = "...G\n.#.P\nS...\n\nG = 1 exit\nP = -1 exit\n".parse()?;
/// assert_eq!((grid.n_rows(), grid.n_columns()), (3, 4));
/// assert_eq!(grid.start(), Some((2, 0)));
/// assert_eq!(grid.cell(1, 3), GridCell::Exit { score: Some(-1.0) });
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    symbols: Vec<Vec<char>>,
    legend: BTreeMap<char, GridCell>,
    start: Option<(usize, usize)>,
}

impl Grid {
    /// Number of rows; row 0 is on top.
    pub fn n_rows(&self) -> usize {
        self.symbols.len()
    }

    /// Number of columns.
    pub fn n_columns(&self) -> usize {
        self.symbols[0].len()
    }

    /// What is at a row and a column of the grid.
    pub fn cell(&self, row: usize, column: usize) -> GridCell {
        meaning(self.symbols[row][column], &self.legend).unwrap_or(GridCell::Wall)
    }

    /// Row and column to start from, where the map says so.
    pub fn start(&self) -> Option<(usize, usize)> {
        self.start
    }

    /// Row and column of every exit.
    pub fn exits(&self) -> Vec<(usize, usize)> {
        let places = (0..self.n_rows())
            .flat_map(|row| (0..self.n_columns()).map(move |column| (row, column)));
        places
            .filter(|&(row, column)| matches!(self.cell(row, column), GridCell::Exit { .. }))
            .collect()
    }
}

fn meaning(symbol: char, legend: &BTreeMap<char, GridCell>) -> Option<GridCell> {
    if let Some(&cell) = legend.get(&symbol) {
        return Some(cell);
    }
    Some(match symbol {
        '#' => GridCell::Wall,
        '.' | 'S' => GridCell::Floor { score: None },
        'G' => GridCell::Exit { score: None },
        _ => GridCell::Floor {
            score: Some(f64::from(symbol.to_digit(10)?)),
        },
    })
}

impl std::str::FromStr for Grid {
    type Err = Error;

    fn from_str(text: &str) -> Result<Grid> {
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        let first = lines.iter().position(|line| !line.is_empty());
        let first = first.ok_or_else(|| Error::data("the map is empty"))?;
        let height = lines[first..]
            .iter()
            .position(|line| line.is_empty())
            .unwrap_or(lines.len() - first);
        let mut legend = BTreeMap::new();
        for (place, line) in lines.iter().enumerate().skip(first + height) {
            if !line.is_empty() {
                let (symbol, cell) = explanation(line).ok_or_else(|| {
                    Error::data(format!(
                        "line {}: {line:?} is not of the form \"P = -1\" or \"P = -1 exit\"",
                        place + 1
                    ))
                })?;
                legend.insert(symbol, cell);
            }
        }
        let symbols: Vec<Vec<char>> = lines[first..first + height]
            .iter()
            .map(|line| line.chars().collect())
            .collect();
        let start = check(&symbols, &legend, first)?;
        let grid = Grid {
            symbols,
            legend,
            start,
        };
        match grid.exits().is_empty() {
            true => Err(Error::data("the map has no exit; mark one with G")),
            false => Ok(grid),
        }
    }
}

/// A line of the legend: the letter and what it stands for.
fn explanation(line: &str) -> Option<(char, GridCell)> {
    let (symbol, rest) = line.split_once('=')?;
    let mut letters = symbol.trim().chars();
    let symbol = letters.next().filter(|symbol| symbol.is_alphabetic())?;
    if letters.next().is_some() || symbol == 'S' {
        return None;
    }
    let mut words = rest.split_whitespace();
    let score: f64 = words.next()?.parse().ok()?;
    let cell = match (words.next(), words.next()) {
        (None, _) => GridCell::Floor { score: Some(score) },
        (Some("exit"), None) => GridCell::Exit { score: Some(score) },
        _ => return None,
    };
    score.is_finite().then_some((symbol, cell))
}

/// Checks that the map is a rectangle of known symbols and finds its start.
fn check(
    symbols: &[Vec<char>],
    legend: &BTreeMap<char, GridCell>,
    lines_before: usize,
) -> Result<Option<(usize, usize)>> {
    let mut start = None;
    for (row, line) in symbols.iter().enumerate() {
        let number = lines_before + row + 1;
        if line.len() != symbols[0].len() {
            return Err(Error::data(format!(
                "line {number} has {} cells but the first has {}; a map is a rectangle",
                line.len(),
                symbols[0].len()
            )));
        }
        for (column, &symbol) in line.iter().enumerate() {
            if meaning(symbol, legend).is_none() {
                return Err(Error::data(format!(
                    "line {number}, cell {} is {symbol:?}; explain it below the map, as in \"{symbol} = -1\"",
                    column + 1
                )));
            }
            if symbol == 'S' && start.replace((row, column)).is_some() {
                return Err(Error::data(format!(
                    "line {number}: there is a second start S; a map has one at most"
                )));
            }
        }
    }
    Ok(start)
}

impl fmt::Display for Grid {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in &self.symbols {
            writeln!(formatter, "{}", row.iter().collect::<String>())?;
        }
        if !self.legend.is_empty() {
            writeln!(formatter)?;
        }
        for (symbol, cell) in &self.legend {
            match cell {
                GridCell::Floor { score } => {
                    writeln!(formatter, "{symbol} = {}", score.unwrap_or(0.0))?;
                }
                GridCell::Exit { score } => {
                    writeln!(formatter, "{symbol} = {} exit", score.unwrap_or(0.0))?;
                }
                GridCell::Wall => {}
            }
        }
        Ok(())
    }
}

/// Reads a grid map.
pub fn read_grid(source: impl Into<Source>) -> Result<Grid> {
    let source = source.into();
    let bytes = source.read_all()?;
    crate::csv::as_text(&bytes, 1)
        .and_then(str::parse)
        .map_err(|error| source.complain(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    // 001:RL-02: obstacles, exits and a score per cell; the map of test vector T-24.
    #[test]
    fn the_robot_room_reads_and_writes() {
        let text = "...E\n.#.P\n....\n\nE = 1 exit\nP = -1 exit\n";
        let grid: Grid = text.parse().unwrap();
        assert_eq!(grid.cell(1, 1), GridCell::Wall);
        assert_eq!(grid.cell(0, 0), GridCell::Floor { score: None });
        assert_eq!(grid.exits(), [(0, 3), (1, 3)]);
        assert_eq!(grid.start(), None);
        assert_eq!(grid.to_string(), text);
        let again = read_grid(Source::bytes("room.txt", text.replace('\n', "\r\n"))).unwrap();
        assert_eq!(again, grid);
    }

    #[test]
    fn digits_are_scores() {
        let grid: Grid = "S5G".parse().unwrap();
        assert_eq!(grid.cell(0, 1), GridCell::Floor { score: Some(5.0) });
        assert_eq!(grid.cell(0, 2), GridCell::Exit { score: None });
    }

    #[test]
    fn unusable_maps_name_the_line() {
        let say = |text: &str| text.parse::<Grid>().unwrap_err().to_string();
        assert_eq!(say("\n"), "the map is empty");
        assert!(say("..G\n..\n").starts_with("line 2 has 2 cells but the first has 3"));
        assert!(say(".PG\n").starts_with("line 1, cell 2 is 'P'"));
        assert!(say("SG\nS.\n").starts_with("line 2: there is a second start"));
        assert!(say("...\n").starts_with("the map has no exit"));
        assert!(say("G\n\nP is bad\n").starts_with("line 3"));
        assert!(say("G\n\nP = inf\n").starts_with("line 3"));
    }
}
