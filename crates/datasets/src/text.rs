//! Reads the files that are built into the crate. They are our own, so the grammar is small:
//! commas, no quotation marks, an empty field is a missing value.

use didact_core::{Column, Result, Table};

/// A table from lines of fields under a line of names.
///
/// A column whose fields all read as numbers is a number column, any other a word column.
pub(crate) fn read_table(text: &str) -> Result<Table> {
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let mut fields: Vec<Vec<&str>> = vec![Vec::new(); names.len()];
    for line in lines {
        for (column, field) in fields.iter_mut().zip(line.split(',')) {
            column.push(field);
        }
    }
    let mut table = Table::new();
    for (name, column) in names.into_iter().zip(fields) {
        table.push(name, read_column(&column))?;
    }
    Ok(table)
}

fn read_column(fields: &[&str]) -> Column {
    let numbers: Option<Vec<f64>> = fields
        .iter()
        .map(|field| match *field {
            "" => Some(f64::NAN),
            text => text.parse().ok(),
        })
        .collect();
    match numbers {
        Some(numbers) => Column::Numbers(numbers),
        None => Column::from_words(
            fields
                .iter()
                .map(|field| Some(*field).filter(|text| !text.is_empty())),
        ),
    }
}

/// Images with one character per pixel: 0 to 9, then a for 10 up to g for 16.
///
/// The last character of a line is the digit that the image shows.
pub(crate) fn read_images(text: &str) -> Result<Table> {
    let value = |byte: u8| match byte {
        b'a'..=b'g' => f64::from(byte - b'a') + 10.0,
        _ => f64::from(byte - b'0'),
    };
    let lines: Vec<&[u8]> = text.lines().map(str::as_bytes).collect();
    let column =
        |place: usize| Column::Numbers(lines.iter().map(|line| value(line[place])).collect());
    let mut table = Table::new();
    for place in 0..64 {
        table.push(format!("pixel_{}_{}", place / 8, place % 8), column(place))?;
    }
    table.push("digit", column(64))?;
    Ok(table)
}

/// Sentences of letters and spaces: one row per character, one sequence per sentence.
pub(crate) fn read_letters(text: &str) -> Result<Table> {
    let (mut sequence, mut letters, mut kinds) = (Vec::new(), Vec::new(), Vec::new());
    for (number, line) in text.lines().enumerate() {
        for place in 0..line.len() {
            let letter = &line[place..=place];
            sequence.push(number as f64);
            letters.push(Some(if letter == " " { "_" } else { letter }));
            kinds.push(Some(match letter {
                " " => "space",
                "a" | "e" | "i" | "o" | "u" | "y" => "vowel",
                _ => "consonant",
            }));
        }
    }
    let mut table = Table::new();
    table.push("sentence", Column::Numbers(sequence))?;
    table.push("letter", Column::from_words(letters))?;
    table.push("kind", Column::from_words(kinds))?;
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_fields_are_missing_in_both_kinds_of_columns() {
        let table = read_table("a,b\n1,x\n,\n2.5,y\n").unwrap();
        assert_eq!(table.column("a").unwrap().n_missing(), 1);
        assert_eq!(
            *table.column("b").unwrap(),
            Column::from_words([Some("x"), None, Some("y")])
        );
    }

    #[test]
    fn letters_keep_their_sentence_and_kind() {
        let table = read_letters("a b\nye\n").unwrap();
        assert_eq!(
            *table.column("sentence").unwrap(),
            Column::Numbers(vec![0.0, 0.0, 0.0, 1.0, 1.0])
        );
        let kinds = ["vowel", "space", "consonant", "vowel", "vowel"].map(Some);
        assert_eq!(*table.column("kind").unwrap(), Column::from_words(kinds));
    }
}
