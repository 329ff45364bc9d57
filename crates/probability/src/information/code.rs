//! Prefix codes: how short messages can be.

use crate::check;
use didact_core::{Error, Result};
use didact_math::numeric::compensated_sum;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A code in which no word begins another, so that messages need no separators.
///
/// ```
/// use didact_probability::information::PrefixCode;
/// let code = PrefixCode::huffman(&[0.5, 0.25, 0.25])?;
/// assert_eq!(code.lengths(), [1, 2, 2]);
/// assert_eq!(code.expected_length(&[0.5, 0.25, 0.25])?, 1.5);
/// let bits = code.encode(&[1, 0, 2])?;
/// assert_eq!(code.decode(&bits)?, [1, 0, 2]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Vec<bool>>", into = "Vec<Vec<bool>>")]
pub struct PrefixCode {
    words: Vec<Vec<bool>>,
    /// Two children per node; positive entries are nodes, others symbols, see [`Branch`].
    tree: Vec<[Branch; 2]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Branch {
    Nothing,
    Node(usize),
    Symbol(usize),
}

impl From<PrefixCode> for Vec<Vec<bool>> {
    fn from(code: PrefixCode) -> Self {
        code.words
    }
}

impl TryFrom<Vec<Vec<bool>>> for PrefixCode {
    type Error = Error;

    fn try_from(words: Vec<Vec<bool>>) -> Result<Self> {
        PrefixCode::from_words(words)
    }
}

impl PrefixCode {
    /// The code of least expected length for symbols with these probabilities.
    ///
    /// Ties make the words themselves a matter of taste; their lengths are what counts. A single
    /// symbol gets a word of one bit, because the empty word could not be sent.
    pub fn huffman(probabilities: &[f64]) -> Result<Self> {
        check::probabilities("probabilities", probabilities)?;
        let n = probabilities.len();
        if n == 1 {
            return PrefixCode::from_words(vec![vec![false]]);
        }
        // Leaves are 0..n, inner nodes follow in the order in which they are joined.
        let mut heap: BinaryHeap<Reverse<(OrderedMass, usize)>> = probabilities
            .iter()
            .enumerate()
            .map(|(symbol, &p)| Reverse((OrderedMass(p), symbol)))
            .collect();
        let mut parents = vec![(0, false); 2 * n - 1];
        let mut next = n;
        while let (Some(Reverse((light, left))), Some(Reverse((heavy, right)))) =
            (heap.pop(), heap.pop())
        {
            parents[left] = (next, false);
            parents[right] = (next, true);
            heap.push(Reverse((OrderedMass(light.0 + heavy.0), next)));
            next += 1;
            if next == 2 * n - 1 {
                break;
            }
        }
        let root = 2 * n - 2;
        let word = |symbol: usize| {
            let mut word = Vec::new();
            let mut node = symbol;
            while node != root {
                let (parent, bit) = parents[node];
                word.push(bit);
                node = parent;
            }
            word.reverse();
            word
        };
        PrefixCode::from_words((0..n).map(word).collect())
    }

    /// The code with these words, one per symbol.
    pub fn from_words(words: Vec<Vec<bool>>) -> Result<Self> {
        if words.is_empty() {
            return Err(Error::parameter(
                "words",
                "empty",
                "there must be at least one word",
            ));
        }
        let mut tree = vec![[Branch::Nothing; 2]];
        for (symbol, word) in words.iter().enumerate() {
            let clash = || {
                Error::parameter(
                    format!("words[{symbol}]"),
                    text_of(word),
                    "it must not be empty, and no word may begin another",
                )
            };
            let (last, path) = word.split_last().ok_or_else(clash)?;
            let mut node = 0;
            for &bit in path {
                let branch = tree[node][usize::from(bit)];
                node = match branch {
                    Branch::Node(node) => node,
                    Branch::Symbol(_) => return Err(clash()),
                    Branch::Nothing => {
                        tree.push([Branch::Nothing; 2]);
                        tree[node][usize::from(bit)] = Branch::Node(tree.len() - 1);
                        tree.len() - 1
                    }
                };
            }
            if tree[node][usize::from(*last)] != Branch::Nothing {
                return Err(clash());
            }
            tree[node][usize::from(*last)] = Branch::Symbol(symbol);
        }
        Ok(PrefixCode { words, tree })
    }

    /// The words, one per symbol.
    pub fn words(&self) -> &[Vec<bool>] {
        &self.words
    }

    /// The words as text, such as `10` and `110`.
    pub fn words_as_text(&self) -> Vec<String> {
        self.words.iter().map(|word| text_of(word)).collect()
    }

    /// The lengths of the words.
    pub fn lengths(&self) -> Vec<usize> {
        self.words.iter().map(Vec::len).collect()
    }

    /// Σ p·length: the bits per symbol that messages with these probabilities take, never less
    /// than the entropy.
    pub fn expected_length(&self, probabilities: &[f64]) -> Result<f64> {
        check::probabilities("probabilities", probabilities)?;
        check::same_dimension("probabilities", probabilities.len(), self.words.len())?;
        let terms = probabilities.iter().zip(&self.words);
        Ok(compensated_sum(
            terms.map(|(p, word)| p * word.len() as f64),
        ))
    }

    /// Σ 2^(−length), at most one for every code that can be decoded (Kraft).
    pub fn kraft_sum(&self) -> f64 {
        self.words
            .iter()
            .map(|word| 0.5_f64.powi(word.len() as i32))
            .sum()
    }

    /// The bits of a message.
    pub fn encode(&self, symbols: &[usize]) -> Result<Vec<bool>> {
        let mut bits = Vec::new();
        for (position, &symbol) in symbols.iter().enumerate() {
            let word = self.words.get(symbol).ok_or_else(|| {
                Error::parameter(
                    format!("symbols[{position}]"),
                    symbol,
                    format!("it must be less than {}", self.words.len()),
                )
            })?;
            bits.extend_from_slice(word);
        }
        Ok(bits)
    }

    /// The message in these bits.
    pub fn decode(&self, bits: &[bool]) -> Result<Vec<usize>> {
        let mut symbols = Vec::new();
        let mut node = 0;
        for (position, &bit) in bits.iter().enumerate() {
            node = match self.tree[node][usize::from(bit)] {
                Branch::Node(next) => next,
                Branch::Symbol(symbol) => {
                    symbols.push(symbol);
                    0
                }
                Branch::Nothing => {
                    return Err(Error::data(format!(
                        "the bits up to position {position} are not the beginning of a message"
                    )));
                }
            };
        }
        match node == 0 {
            true => Ok(symbols),
            false => Err(Error::data("the message ends in the middle of a word")),
        }
    }
}

fn text_of(word: &[bool]) -> String {
    word.iter()
        .map(|&bit| if bit { '1' } else { '0' })
        .collect()
}

/// Probabilities in an order that a heap can use.
#[derive(Clone, Copy, PartialEq)]
struct OrderedMass(f64);

impl Eq for OrderedMass {}

impl PartialOrd for OrderedMass {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for OrderedMass {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::information::{Base, entropy, kl_divergence};
    use proptest::prelude::*;

    fn bits(text: &str) -> Vec<bool> {
        text.chars().map(|c| c == '1').collect()
    }

    fn code(words: &[&str]) -> PrefixCode {
        PrefixCode::from_words(words.iter().map(|word| bits(word)).collect()).unwrap()
    }

    // 004:M43
    #[test]
    fn the_printed_stream_is_decoded() {
        let code = code(&["0", "10", "11"]);
        let message = code.decode(&bits("1001100100")).unwrap();
        assert_eq!(message, [1, 0, 2, 0, 0, 1, 0]);
        assert_eq!(code.encode(&message).unwrap(), bits("1001100100"));
        assert_eq!(code.expected_length(&[0.5, 0.25, 0.25]).unwrap(), 1.5);
    }

    // 004:M43
    #[test]
    fn powers_of_one_half_are_coded_without_loss() {
        let p = [0.5, 0.25, 0.125, 0.125];
        let huffman = PrefixCode::huffman(&p).unwrap();
        assert_eq!(huffman.lengths(), [1, 2, 3, 3]);
        assert_eq!(
            huffman.expected_length(&p).unwrap(),
            entropy(&p, Base::Bits).unwrap()
        );
        assert_eq!(huffman.kraft_sum(), 1.0);
    }

    // 004:M43, 004:M44: the excess over the entropy is the divergence from the code's own law.
    #[test]
    fn the_excess_of_a_code_is_the_divergence() {
        let (p, q) = ([0.625, 0.125, 0.125, 0.125], [0.5, 0.25, 0.125, 0.125]);
        let length = PrefixCode::huffman(&q)
            .unwrap()
            .expected_length(&p)
            .unwrap();
        assert_eq!(length, 1.625);
        let excess = length - entropy(&p, Base::Bits).unwrap();
        assert!((excess - kl_divergence(&p, &q, Base::Bits).unwrap()).abs() < 1e-14);
    }

    #[test]
    fn what_is_no_code_or_no_message_is_refused() {
        let refused = |words: &[&str]| {
            PrefixCode::from_words(words.iter().map(|word| bits(word)).collect()).is_err()
        };
        assert!(refused(&["0", "01"]) && refused(&["01", "0"]) && refused(&["0", "0"]));
        assert!(refused(&[""]) && refused(&[]));
        let code = code(&["0", "10"]);
        assert!(code.decode(&bits("11")).is_err() && code.decode(&bits("1")).is_err());
        assert!(code.encode(&[2]).is_err());
        assert!(code.expected_length(&[1.0]).is_err());
        assert!(PrefixCode::huffman(&[0.5, 0.4]).is_err());
        assert_eq!(PrefixCode::huffman(&[1.0]).unwrap().words_as_text(), ["0"]);
    }

    #[test]
    fn a_code_survives_a_file() {
        let code = PrefixCode::huffman(&[0.2, 0.3, 0.5]).unwrap();
        let text = serde_json::to_string(&code).unwrap();
        assert_eq!(serde_json::from_str::<PrefixCode>(&text).unwrap(), code);
        assert!(serde_json::from_str::<PrefixCode>("[[true],[true]]").is_err());
    }

    proptest! {
        // 004:M43: H ≤ E[length] < H + 1, Kraft's sum is one, messages survive.
        #[test]
        fn huffman_codes_are_within_one_bit_of_the_entropy(
            weights in prop::collection::vec(0.001..1.0_f64, 2..40),
            message in prop::collection::vec(0_usize..1000, 0..50)
        ) {
            let total: f64 = weights.iter().sum();
            let p: Vec<f64> = weights.iter().map(|w| w / total).collect();
            let code = PrefixCode::huffman(&p).unwrap();
            let (length, bound) = (code.expected_length(&p).unwrap(), entropy(&p, Base::Bits).unwrap());
            prop_assert!(length >= bound - 1e-12 && length < bound + 1.0);
            prop_assert!((code.kraft_sum() - 1.0).abs() < 1e-12);
            let message: Vec<usize> = message.iter().map(|symbol| symbol % p.len()).collect();
            prop_assert_eq!(code.decode(&code.encode(&message).unwrap()).unwrap(), message);
        }
    }
}
