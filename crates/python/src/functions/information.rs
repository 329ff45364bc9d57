//! Entropy, mutual information, divergences and codes.

use super::answers::results;
use super::arguments::{Integers, Labels, Matrix, Vector, words};
use super::functions;
use didact_probability::information::{self, Base, PrefixCode};
use ndarray::Array1;
use pyo3::prelude::*;

words! {
    /// The unit of information.
    BaseWord: Base { "nats" => Base::Nats, "bits" => Base::Bits, "digits" => Base::Digits }
}

results! {
    /// A code in which no word begins another.
    Code {
        /// The word of each symbol, such as `10`.
        words: Vec<String>,
        /// The bits per symbol that a message takes.
        expected_length: f64,
        /// Σ2^(−length), at most one.
        kraft_sum: f64,
    }
}

fn code(words: Vec<String>) -> didact::Result<PrefixCode> {
    let bits = |word: &String| word.chars().map(|letter| letter == '1').collect();
    PrefixCode::from_words(words.iter().map(bits).collect())
}

functions! {
    /// What an outcome of this probability tells, −log p.
    quick information_content(p: f64; base: BaseWord = "'nats'") -> f64 {
        information::information_content(p, base)
    }

    /// The entropy −Σp·log p of probabilities.
    ///
    /// Examples
    /// --------
    /// >>> from didact.information import entropy
    /// >>> entropy([0.5, 0.25, 0.25], base="bits")
    /// 1.5
    quick entropy(p: Vector; base: BaseWord = "'nats'") -> f64 {
        information::entropy(p, base)
    }

    /// The entropy of the shares in which labels occur.
    quick entropy_of_labels(labels: Labels; base: BaseWord = "'nats'") -> f64 {
        information::entropy_of_labels(labels, base)
    }

    /// The entropy of a trial that succeeds with probability p, in nats.
    quick binary_entropy(p: f64) -> f64 {
        Ok(information::binary_entropy(p))
    }

    /// The entropy of a joint table of probabilities.
    quick joint_entropy(table: Matrix; base: BaseWord = "'nats'") -> f64 {
        information::joint_entropy(table, base)
    }

    /// What is left to learn of the column once the row of a joint table is known.
    quick conditional_entropy(table: Matrix; base: BaseWord = "'nats'") -> f64 {
        information::conditional_entropy(table, base)
    }

    /// The entropy after an invertible linear map, in nats.
    quick entropy_after_linear_map(entropy: f64, map: Matrix) -> f64 {
        information::entropy_after_linear_map(entropy, map)
    }

    /// The mutual information of row and column of a joint table of probabilities.
    quick mutual_information(table: Matrix; base: BaseWord = "'nats'") -> f64 {
        information::mutual_information(table, base)
    }

    /// The mutual information of two labellings of the same things.
    quick mutual_information_of_labels(left: Labels, right: Labels; base: BaseWord = "'nats'") -> f64 {
        information::mutual_information_of_labels(left, right, base)
    }

    /// The mutual information of components y = Wx, in nats.
    quick mutual_information_of_components(component_entropies: Vector, source_entropy: f64, map: Matrix) -> f64 {
        information::mutual_information_of_components(component_entropies, source_entropy, map)
    }

    /// The mutual information of two normal vectors with these canonical correlations, in nats.
    quick mutual_information_from_correlations(correlations: Vector) -> f64 {
        information::mutual_information_from_correlations(correlations)
    }

    /// The mutual information of the first `n_first` and the other normal variables, in nats.
    quick gaussian_mutual_information(covariance: Matrix, n_first: usize) -> f64 {
        information::gaussian_mutual_information(covariance, n_first)
    }

    /// The canonical correlations of the first `n_first` and the other variables.
    quick canonical_correlations(covariance: Matrix, n_first: usize) -> Array1<f64> {
        information::canonical_correlations(covariance, n_first)
    }

    /// The divergence Σp·log(p/q) of Kullback and Leibler.
    quick kl_divergence(p: Vector, q: Vector; base: BaseWord = "'nats'") -> f64 {
        information::kl_divergence(p, q, base)
    }

    /// The expected length −Σp·log q of messages from p in a code for q.
    quick cross_entropy(p: Vector, q: Vector; base: BaseWord = "'nats'") -> f64 {
        information::cross_entropy(p, q, base)
    }

    /// The divergence of Jensen and Shannon, symmetric and finite.
    quick jensen_shannon(p: Vector, q: Vector; base: BaseWord = "'nats'") -> f64 {
        information::jensen_shannon(p, q, base)
    }

    /// The divergence between two trials with probabilities p and q, in nats; q is kept `margin`
    /// away from 0 and 1.
    quick bernoulli_divergence(p: f64, q: f64; margin: f64 = "0.0") -> f64 {
        match margin > 0.0 {
            true => information::clamped_bernoulli_divergence(p, q, margin),
            false => information::bernoulli_divergence(p, q),
        }
    }

    /// The code of least expected length for symbols with these probabilities (Huffman).
    quick huffman_code(p: Vector) -> Code {
        let code = PrefixCode::huffman(p)?;
        Ok(Code {
            words: code.words_as_text(),
            expected_length: code.expected_length(p)?,
            kraft_sum: code.kraft_sum(),
        })
    }

    /// The bits of a message of symbols in a code, as a text of 0 and 1.
    quick encode(words: Vec<String>, symbols: Integers) -> String {
        let bits = code(words)?.encode(symbols)?;
        Ok(bits.iter().map(|&bit| if bit { '1' } else { '0' }).collect())
    }

    /// The symbols of a message in a code.
    quick decode(words: Vec<String>, bits: String) -> Vec<usize> {
        let bits: Vec<bool> = bits.chars().map(|letter| letter == '1').collect();
        code(words)?.decode(&bits)
    }
}
