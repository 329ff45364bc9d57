//! Tagged text: a token and its tag per line, a blank line between sentences.

use crate::Source;
use didact_core::{Error, Labels, Result};
use std::io::Write;

/// Sentences of tokens, each with a tag where the text has tags.
///
/// ```
/// use didact_data::{Source, read_tagged};
/// let text = read_tagged(Source::bytes("few.txt", "the\tDET\ndog\tNOUN\n\nrun\tVERB\n"))?;
/// assert_eq!(text.lengths, [2, 1]);
/// assert_eq!(text.labels().unwrap().indices, [0, 1, 2]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaggedText {
    /// All tokens, sentence after sentence.
    pub tokens: Vec<String>,
    /// The tag of each token; nothing where the text has no tags.
    pub tags: Option<Vec<String>>,
    /// Number of tokens of each sentence.
    pub lengths: Vec<usize>,
}

impl TaggedText {
    /// The tags as labels.
    pub fn labels(&self) -> Option<Labels> {
        let tags = self.tags.as_ref()?;
        Some(Labels::from_names(tags.iter().map(String::as_str)))
    }

    /// The tokens of each sentence.
    pub fn sentences(&self) -> Vec<&[String]> {
        let mut start = 0;
        self.lengths
            .iter()
            .map(|&length| {
                start += length;
                &self.tokens[start - length..start]
            })
            .collect()
    }
}

/// Reads lines `token<TAB>tag`, or lines of tokens alone, with blank lines between sentences.
pub fn read_tagged(source: impl Into<Source>) -> Result<TaggedText> {
    let source = source.into();
    let bytes = source.read_all()?;
    parse(&bytes).map_err(|error| source.complain(error))
}

fn parse(bytes: &[u8]) -> Result<TaggedText> {
    let text = crate::csv::as_text(bytes, 1)?;
    let (mut tokens, mut tags, mut lengths) = (Vec::new(), Vec::new(), Vec::new());
    let (mut length, mut tagged) = (0, None);
    for (place, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            lengths.extend((length > 0).then_some(length));
            length = 0;
            continue;
        }
        let wrong = |what: &str| Err(Error::data(format!("line {}: {what}", place + 1)));
        let mut fields = line.split('\t');
        let token = fields.next().unwrap_or_default();
        let tag = fields.next();
        if token.is_empty() {
            return wrong("there is no token in front of the tab");
        }
        if tag == Some("") {
            return wrong("there is no tag behind the tab");
        }
        if fields.next().is_some() {
            return wrong("there are more than two fields; give a token, a tab and a tag");
        }
        if *tagged.get_or_insert(tag.is_some()) != tag.is_some() {
            return wrong(
                "some tokens have a tag and others have none; tag all tokens of the text or none",
            );
        }
        tokens.push(token.to_owned());
        tags.extend(tag.map(str::to_owned));
        length += 1;
    }
    lengths.extend((length > 0).then_some(length));
    match tagged {
        None => Err(Error::data("there are no tokens in the text")),
        Some(tagged) => Ok(TaggedText {
            tokens,
            tags: tagged.then_some(tags),
            lengths,
        }),
    }
}

/// Writes tagged text so that [`read_tagged`] reads it back.
pub fn write_tagged(text: &TaggedText, target: &mut dyn Write) -> Result<()> {
    let clean = |word: &String| !word.trim().is_empty() && !word.contains(['\t', '\n', '\r']);
    let words = text.tokens.iter().chain(text.tags.iter().flatten());
    if let Some(word) = words.into_iter().find(|word| !clean(word)) {
        return Err(Error::data(format!(
            "the token or tag {word:?} is blank or holds a tab or line end, which tagged text cannot"
        )));
    }
    let total: usize = text.lengths.iter().sum();
    if total != text.tokens.len() || text.tags.as_ref().is_some_and(|tags| tags.len() != total) {
        return Err(Error::data(format!(
            "the sentences have {total} tokens but there are {}, each of which needs one tag",
            text.tokens.len()
        )));
    }
    let mut output = String::new();
    let mut next = 0;
    for (sentence, &length) in text.lengths.iter().enumerate() {
        if sentence > 0 {
            output.push('\n');
        }
        for place in next..next + length {
            output.push_str(&text.tokens[place]);
            if let Some(tags) = &text.tags {
                output.push('\t');
                output.push_str(&tags[place]);
            }
            output.push('\n');
        }
        next += length;
    }
    target
        .write_all(output.as_bytes())
        .map_err(|error| Error::data(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn broken_lines_are_named() {
        let say = |text: &str| parse(text.as_bytes()).unwrap_err().to_string();
        assert!(say("a\tX\nb\n").starts_with("line 2: some tokens have a tag"));
        assert!(say("a\tX\tY\n").starts_with("line 1: there are more than two fields"));
        assert!(say("\tX\n").starts_with("line 1: there is no token"));
        assert!(say("a\t\n").starts_with("line 1: there is no tag"));
        assert!(say("\n\n").starts_with("there are no tokens"));
        assert!(parse(&[b'a', 0xff]).is_err());
    }

    #[test]
    fn blank_lines_and_windows_line_ends_do_not_matter() {
        let text = parse(b"\n\na\tX\r\n\r\n\r\nb\tY\r\n").unwrap();
        assert_eq!(text.lengths, [1, 1]);
        assert_eq!(text.tags.unwrap(), ["X", "Y"]);
    }

    proptest! {
        #[test]
        fn text_round_trips(sentences in proptest::collection::vec(
            proptest::collection::vec(("[a-zé\" ,]{0,4}[a-z]", "[A-Z]{1,3}"), 1..5), 1..5), tagged: bool) {
            let text = TaggedText {
                tokens: sentences.iter().flatten().map(|pair| pair.0.clone()).collect(),
                tags: tagged.then(|| sentences.iter().flatten().map(|pair| pair.1.clone()).collect()),
                lengths: sentences.iter().map(Vec::len).collect(),
            };
            let mut written = Vec::new();
            write_tagged(&text, &mut written).unwrap();
            prop_assert_eq!(parse(&written).unwrap(), text);
        }
    }
}
