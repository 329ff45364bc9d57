//! The words of a whole column, put together from those of its pieces.

use didact_core::Column;
use hashbrown::HashMap;

/// Rows of words that grow piece by piece; every word is held once.
#[derive(Default)]
pub(crate) struct AllWords {
    codes: Vec<Option<u32>>,
    /// The words by the order of their first appearance.
    known: HashMap<String, u32>,
}

impl AllWords {
    /// Puts the rows of a piece below what is there. A word without a row was dropped together
    /// with the row that had it, and is left out.
    pub(crate) fn push(&mut self, codes: &[Option<u32>], names: Vec<String>) {
        let mut used = vec![false; names.len()];
        for &code in codes.iter().flatten() {
            used[code as usize] = true;
        }
        let place = |(name, used)| match used {
            true => {
                let next = self.known.len() as u32;
                *self.known.entry(name).or_insert(next)
            }
            false => 0,
        };
        let places: Vec<u32> = names.into_iter().zip(used).map(place).collect();
        let places = |code: &Option<u32>| code.map(|code| places[code as usize]);
        self.codes.extend(codes.iter().map(places));
    }

    /// The column, with its words in alphabetical order.
    pub(crate) fn finish(mut self) -> Column {
        // In the order of the file, which is that of memory and often almost that of the alphabet,
        // sorting is faster than in the order of the map.
        let mut words = vec![(String::new(), 0); self.known.len()];
        for (word, code) in self.known {
            words[code as usize] = (word, code);
        }
        words.sort_unstable();
        let mut places = vec![0; words.len()];
        for (place, &(_, code)) in words.iter().enumerate() {
            places[code as usize] = place as u32;
        }
        for code in self.codes.iter_mut().flatten() {
            *code = places[*code as usize];
        }
        self.codes.shrink_to_fit();
        Column::Categories {
            codes: self.codes,
            names: words.into_iter().map(|(word, _)| word).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_all_pieces_are_sorted_and_those_without_rows_left_out() {
        let mut all = AllWords::default();
        let names = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
        all.push(&[Some(1), None], names(&["zebra", "pear"]));
        all.push(&[Some(0), Some(1)], names(&["apple", "pear"]));
        let expected = Column::from_words([Some("pear"), None, Some("apple"), Some("pear")]);
        assert_eq!(all.finish(), expected);
    }
}
