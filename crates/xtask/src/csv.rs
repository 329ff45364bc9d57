//! Just enough CSV for the two tables that this crate reads.

/// The rows of a comma-separated text with quoted fields (RFC 4180).
pub(crate) fn rows(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut field, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match (character, quoted) {
            ('"', true) if characters.peek() == Some(&'"') => field.extend(characters.next()),
            ('"', _) => quoted = !quoted,
            (',', false) => row.push(std::mem::take(&mut field)),
            ('\n', false) => {
                row.push(std::mem::take(&mut field));
                rows.push(std::mem::take(&mut row));
            }
            ('\r', false) => {}
            _ => field.push(character),
        }
    }
    if !field.is_empty() || !row.is_empty() {
        row.push(field);
        rows.push(row);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::rows;

    #[test]
    fn quotes_commas_and_line_ends_inside_fields_are_kept() {
        let text = "a,\"b, \"\"c\"\"\",\r\n\"d\ne\",,f";
        assert_eq!(
            rows(text),
            [vec!["a", "b, \"c\"", ""], vec!["d\ne", "", "f"]]
        );
    }
}
