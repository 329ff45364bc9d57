//! Bags of words: documents become counts of their words.

use didact_core::{Csr, Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// What a document is cut into.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Tokens {
    /// Runs of letters, digits and underscores, at least two of them.
    #[default]
    Words,
    /// Every character that is not white space.
    Letters,
}

/// What stands in the column of a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Weighting {
    /// How often the word occurs.
    #[default]
    Count,
    /// One if the word occurs.
    Binary,
    /// The count times ln((1 + n) / (1 + df)) + 1, where the word is in df of n documents;
    /// rows are then scaled to length one.
    TfIdf,
}

/// Learns a vocabulary and turns documents into sparse rows of word counts.
///
/// The order of the words in a document is lost: that is the bag. Words that are not in the
/// vocabulary are ignored, or are an error when `unknown_is_error` is set.
///
/// ```
/// use didact_preprocess::BagOfWords;
/// let vocabulary = BagOfWords::default().fit_texts(["The cat sat.", "The cat, the mat!"])?;
/// assert_eq!(vocabulary.words(), ["cat", "mat", "sat", "the"]);
/// let rows = vocabulary.encode_texts(["the mat the dog"])?;
/// assert_eq!(rows.view().to_dense(), ndarray::array![[0.0, 1.0, 0.0, 2.0]]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BagOfWords {
    /// What a text is cut into.
    pub tokens: Tokens,
    /// Whether texts are turned into small letters first.
    pub lowercase: bool,
    /// In how many documents a word must occur to enter the vocabulary.
    #[schemars(range(min = 1))]
    pub min_df: usize,
    /// At most this many words, the most frequent ones.
    #[schemars(range(min = 1))]
    pub max_features: Option<usize>,
    /// What stands in the column of a word.
    pub weighting: Weighting,
    /// Whether a word outside the vocabulary is an error; else it is ignored.
    pub unknown_is_error: bool,
}

impl Default for BagOfWords {
    fn default() -> Self {
        BagOfWords {
            tokens: Tokens::Words,
            lowercase: true,
            min_df: 1,
            max_features: None,
            weighting: Weighting::Count,
            unknown_is_error: false,
        }
    }
}

/// The words that have a column, in the order of the columns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Vocabulary {
    settings: BagOfWords,
    words: Vec<String>,
    /// The factor of each word; empty unless the weighting is tf-idf.
    inverse_document_frequencies: Vec<f64>,
}

impl BagOfWords {
    /// Learns the vocabulary of some texts.
    pub fn fit_texts<T: AsRef<str>>(
        &self,
        texts: impl IntoIterator<Item = T>,
    ) -> Result<Vocabulary> {
        let documents: Vec<Vec<String>> = texts
            .into_iter()
            .map(|text| self.cut(text.as_ref()))
            .collect();
        self.learn(&documents)
    }

    /// Learns the vocabulary of documents that are lists of words already.
    pub fn fit_tokens<T: AsRef<str>>(&self, documents: &[Vec<T>]) -> Result<Vocabulary> {
        self.learn(documents)
    }

    fn learn<T: AsRef<str>>(&self, documents: &[Vec<T>]) -> Result<Vocabulary> {
        didact_core::parameters::check(self)?;
        // Of each word: how often it occurs, in how many documents, and the last of them.
        let mut found: HashMap<&str, (usize, usize, usize)> = HashMap::new();
        for (index, document) in documents.iter().enumerate() {
            for token in document {
                let entry = found.entry(token.as_ref()).or_insert((0, 0, usize::MAX));
                entry.0 += 1;
                if entry.2 != index {
                    entry.1 += 1;
                    entry.2 = index;
                }
            }
        }
        let mut kept: Vec<(&str, usize, usize)> = found
            .into_iter()
            .filter(|(_, (_, document_count, _))| *document_count >= self.min_df)
            .map(|(word, (count, document_count, _))| (word, count, document_count))
            .collect();
        if kept.is_empty() {
            return Err(Error::data(format!(
                "no word occurs in at least {} of the {} documents; the vocabulary would be empty",
                self.min_df,
                documents.len()
            )));
        }
        if let Some(limit) = self.max_features {
            kept.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
            kept.truncate(limit);
        }
        kept.sort_unstable();
        let n = documents.len() as f64;
        let inverse =
            |&(_, _, df): &(&str, usize, usize)| ((1.0 + n) / (1.0 + df as f64)).ln() + 1.0;
        Ok(Vocabulary {
            settings: self.clone(),
            inverse_document_frequencies: match self.weighting {
                Weighting::TfIdf => kept.iter().map(inverse).collect(),
                _ => Vec::new(),
            },
            words: kept.iter().map(|(word, _, _)| (*word).to_owned()).collect(),
        })
    }

    fn cut(&self, text: &str) -> Vec<String> {
        let lowered;
        let text = match self.lowercase {
            true => {
                lowered = text.to_lowercase();
                &lowered
            }
            false => text,
        };
        match self.tokens {
            Tokens::Words => text
                .split(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
                .filter(|word| word.chars().nth(1).is_some())
                .map(str::to_owned)
                .collect(),
            Tokens::Letters => text
                .chars()
                .filter(|letter| !letter.is_whitespace())
                .map(String::from)
                .collect(),
        }
    }
}

impl Vocabulary {
    /// The words in the order of their columns.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// The column of a word, if it has one.
    pub fn column(&self, word: &str) -> Option<usize> {
        self.words
            .binary_search_by(|known| known.as_str().cmp(word))
            .ok()
    }

    /// One sparse row per text.
    pub fn encode_texts<T: AsRef<str>>(&self, texts: impl IntoIterator<Item = T>) -> Result<Csr> {
        let documents: Vec<Vec<String>> = texts
            .into_iter()
            .map(|text| self.settings.cut(text.as_ref()))
            .collect();
        self.encode_tokens(&documents)
    }

    /// One sparse row per document that is a list of words already.
    pub fn encode_tokens<T: AsRef<str>>(&self, documents: &[Vec<T>]) -> Result<Csr> {
        let columns: HashMap<&str, u32> = self
            .words
            .iter()
            .enumerate()
            .map(|(column, word)| (word.as_str(), column as u32))
            .collect();
        let mut counts = vec![0.0; self.words.len()];
        let (mut starts, mut places, mut values) = (vec![0], Vec::new(), Vec::new());
        for (index, document) in documents.iter().enumerate() {
            let first = places.len();
            for token in document {
                match columns.get(token.as_ref()) {
                    Some(&column) => {
                        if counts[column as usize] == 0.0 {
                            places.push(column);
                        }
                        counts[column as usize] += 1.0;
                    }
                    None if self.settings.unknown_is_error => {
                        return Err(Error::data(format!(
                            "the word {} of document {index} is not in the vocabulary; leave it out or let unknown words be ignored",
                            token.as_ref()
                        )));
                    }
                    None => {}
                }
            }
            places[first..].sort_unstable();
            for &column in &places[first..] {
                values.push(std::mem::take(&mut counts[column as usize]));
            }
            self.weigh(&places[first..], &mut values[first..]);
            starts.push(places.len());
        }
        Csr::new(starts, places, values, self.words.len())
    }

    fn weigh(&self, columns: &[u32], values: &mut [f64]) {
        match self.settings.weighting {
            Weighting::Count => {}
            Weighting::Binary => values.fill(1.0),
            Weighting::TfIdf => {
                for (value, &column) in values.iter_mut().zip(columns) {
                    *value *= self.inverse_document_frequencies[column as usize];
                }
                let length = values.iter().map(|value| value * value).sum::<f64>().sqrt();
                values.iter_mut().for_each(|value| *value /= length);
            }
        }
    }

    /// Fails when a vocabulary that came from a file contradicts itself.
    pub fn validate(&self) -> Result<()> {
        let sorted = self.words.windows(2).all(|pair| pair[0] < pair[1]);
        let weighted = match self.settings.weighting {
            Weighting::TfIdf => self.inverse_document_frequencies.len() == self.words.len(),
            _ => true,
        };
        didact_core::model::ensure_consistent(sorted && weighted && !self.words.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    const TEXTS: [&str; 3] = ["A cat and a dog.", "The dog, the DOG!", "cats & dogs run"];

    // Oracle: scikit-learn's CountVectorizer on the same three texts.
    #[test]
    fn counts_and_vocabulary_agree_with_scikit_learn() {
        let vocabulary = BagOfWords::default().fit_texts(TEXTS).unwrap();
        let words = ["and", "cat", "cats", "dog", "dogs", "run", "the"];
        assert_eq!(vocabulary.words(), words);
        let expected = array![
            [1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0],
            [0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 2.0],
            [0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0],
        ];
        let counts = vocabulary.encode_texts(TEXTS).unwrap();
        assert_eq!(counts.view().to_dense(), expected);
    }

    // Oracle: scikit-learn's TfidfVectorizer: ln(4/2) + 1 for words of one document and
    // ln(4/3) + 1 for dog, the second row scaled to length one.
    #[test]
    fn tf_idf_agrees_with_scikit_learn() {
        let settings = BagOfWords {
            weighting: Weighting::TfIdf,
            ..BagOfWords::default()
        };
        let rows = settings
            .fit_texts(TEXTS)
            .unwrap()
            .encode_texts(TEXTS)
            .unwrap();
        let rows = rows.view().to_dense();
        assert!((rows[[1, 3]] - 0.6053485081062916).abs() < 1e-12);
        assert!((rows[[1, 6]] - 0.7959605415681652).abs() < 1e-12);
        let length: f64 = rows.row(0).dot(&rows.row(0));
        assert!((length - 1.0).abs() < 1e-12);
    }

    // 001:NB-01: documents are strings and tokens are letters.
    #[test]
    fn documents_of_letters_are_counted_letter_by_letter() {
        let settings = BagOfWords {
            tokens: Tokens::Letters,
            ..BagOfWords::default()
        };
        let vocabulary = settings.fit_texts(["aab", "b c"]).unwrap();
        assert_eq!(vocabulary.words(), ["a", "b", "c"]);
        let rows = vocabulary.encode_texts(["abba"]).unwrap();
        assert_eq!(rows.view().to_dense(), array![[2.0, 2.0, 0.0]]);
    }

    // 001:SVM-09: text becomes rows that a linear classifier tells apart by one word.
    #[test]
    fn documents_of_two_topics_differ_in_the_columns_of_their_words() {
        let texts = ["goal match goal", "match team", "vote law", "law vote vote"];
        let vocabulary = BagOfWords::default().fit_texts(texts).unwrap();
        let rows = vocabulary.encode_texts(texts).unwrap().view().to_dense();
        let weights = |words: &[&str]| -> Vec<usize> {
            words
                .iter()
                .map(|word| vocabulary.column(word).unwrap())
                .collect()
        };
        let (sport, law) = (
            weights(&["goal", "match", "team"]),
            weights(&["vote", "law"]),
        );
        for (row, is_sport) in rows.rows().into_iter().zip([true, true, false, false]) {
            let score = |columns: &[usize]| columns.iter().map(|&c| row[c]).sum::<f64>();
            assert_eq!(score(&sport) > score(&law), is_sport);
        }
    }

    #[test]
    fn unknown_words_are_ignored_or_an_error_that_names_them() {
        let vocabulary = BagOfWords::default().fit_texts(["known"]).unwrap();
        let rows = vocabulary.encode_texts(["foreign known foreign"]).unwrap();
        assert_eq!(rows.view().to_dense(), array![[1.0]]);
        let strict = BagOfWords {
            unknown_is_error: true,
            ..BagOfWords::default()
        };
        let strict = strict.fit_texts(["known"]).unwrap();
        let message = strict
            .encode_texts(["known", "foreign"])
            .unwrap_err()
            .to_string();
        assert!(message.starts_with("the word foreign of document 1 is not in the vocabulary"));
    }

    #[test]
    fn rare_words_and_all_but_the_most_frequent_can_be_left_out() {
        let fit = |settings: BagOfWords| settings.fit_texts(["aa bb", "aa cc cc cc", "aa"]);
        let common = fit(BagOfWords {
            min_df: 2,
            ..BagOfWords::default()
        });
        assert_eq!(common.unwrap().words(), ["aa"]);
        let two = fit(BagOfWords {
            max_features: Some(2),
            ..BagOfWords::default()
        });
        assert_eq!(two.unwrap().words(), ["aa", "cc"]);
        let none = fit(BagOfWords {
            min_df: 4,
            ..BagOfWords::default()
        });
        assert!(
            none.unwrap_err()
                .to_string()
                .contains("at least 4 of the 3 documents")
        );
    }

    #[test]
    fn lists_of_words_are_taken_as_they_are_and_binary_forgets_counts() {
        let settings = BagOfWords {
            weighting: Weighting::Binary,
            ..BagOfWords::default()
        };
        let documents = vec![vec!["New York", "x", "x"], vec![]];
        let vocabulary = settings.fit_tokens(&documents).unwrap();
        assert_eq!(vocabulary.words(), ["New York", "x"]);
        let rows = vocabulary.encode_tokens(&documents).unwrap();
        assert_eq!(rows.view().to_dense(), array![[1.0, 1.0], [0.0, 0.0]]);
        assert!(vocabulary.validate().is_ok());
    }
}
