//! Error-correcting output codes: many classes by means of classifiers for halves of them.

use super::members::{confidence, member_model, teach_all};
use crate::{Spec, Stored};
use didact_core::model::ensure_consistent;
use didact_core::random::generator;
use didact_core::{
    Abilities, Accepts, Attribute, Classes, DataKind, Fit, Labelled, Model, Result, Rows, Run,
    Scores, Value,
};
use ndarray::{Array1, Array2, Axis};
use rand::RngExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How many random codes are compared.
const TRIES: u64 = 50;

/// Gives every class a word of bits, and learns each bit by a classifier of its own.
///
/// A row belongs to the class whose word is nearest to what the classifiers say, weighed by how
/// sure they are, so a few of them may be wrong. Among random codes the one whose words are
/// farthest apart is taken; no bit is the same for all classes, and no two bits ask the same
/// question. With two classes a single classifier is enough and this wrapper changes nothing.
///
/// ```
/// use didact::prelude::*;
/// use didact::wrappers::OutputCode;
/// let iris = datasets::iris();
/// let model = OutputCode::default().fit(iris.labelled()?)?;
/// assert!(accuracy(iris.labelled()?.labels, &model.predict(iris.samples())?)? > 0.9);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "OutputCodeClassifier")]
pub struct OutputCode {
    /// The classifier for two classes.
    pub estimator: Spec,
    /// How many bits a word has for each class; few classes have fewer different bits.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub code_size: f64,
    /// Seed of the random codes.
    pub random_state: u64,
}

impl Default for OutputCode {
    fn default() -> Self {
        OutputCode {
            estimator: Spec::of("logistic-regression"),
            code_size: 1.5,
            random_state: 0,
        }
    }
}

/// The words of the classes, and a fitted classifier for every bit.
#[derive(Serialize, Deserialize)]
pub struct OutputCodeModel {
    classes: Classes,
    /// A row of ±1 for each class.
    code_book: Array2<f64>,
    members: Vec<Stored>,
}

impl Fit<Labelled<'_>> for OutputCode {
    type Model = OutputCodeModel;
    const ACCEPTS: Accepts = super::PASSED_ON;

    /// What the wrapped classifier takes.
    fn accepts(&self) -> Accepts {
        super::accepted(&self.estimator, DataKind::Labelled)
    }

    fn learn(&self, data: Labelled<'_>, run: &Run) -> Result<OutputCodeModel> {
        let count = data.classes.len();
        let code_book = match count {
            0..=2 => Array2::from_shape_fn((count, 1), |(class, _)| 2.0 * class as f64 - 1.0),
            _ => book(count, self.code_size, self.random_state),
        };
        let bits = |_| (0..code_book.ncols()).collect();
        let answer = |&bit: &usize, label: usize| Some(code_book[[label, bit]] > 0.0);
        let members = teach_all(&self.estimator, &data, bits, answer, run)?;
        Ok(OutputCodeModel {
            classes: data.classes.clone(),
            code_book,
            members,
        })
    }
}

/// The bits of the random code whose words are farthest apart.
fn book(classes: usize, code_size: f64, seed: u64) -> Array2<f64> {
    // A bit and its opposite ask the same, and all classes on one side ask nothing.
    let different = 2.0_f64.powi(classes as i32 - 1) - 1.0;
    let fewest = (classes as f64).log2().ceil();
    let width = (code_size * classes as f64).ceil().clamp(fewest, different) as usize;
    let candidates = (0..TRIES).map(|stream| {
        let columns = columns(classes, width, seed, stream);
        Array2::from_shape_fn((classes, width), |(class, bit)| columns[bit][class])
    });
    let best = candidates.fold(None, |best: Option<(f64, Array2<f64>)>, book| {
        let apart = least_distance(&book);
        match best {
            Some((most, kept)) if most >= apart => Some((most, kept)),
            _ => Some((apart, book)),
        }
    });
    best.expect("at least one code was tried").1
}

/// Different questions: random columns of ±1, the first class always at −1.
fn columns(classes: usize, width: usize, seed: u64, stream: u64) -> Vec<Vec<f64>> {
    let mut random = generator(seed, stream);
    let mut columns: Vec<Vec<f64>> = Vec::with_capacity(width);
    let mut few = 0;
    while columns.len() < width {
        let mut column = vec![-1.0; classes];
        match few < 100 * width {
            true => column[1..]
                .iter_mut()
                .for_each(|bit| *bit = if random.random::<bool>() { 1.0 } else { -1.0 }),
            // Almost all questions are asked: the missing ones are counted up.
            false => {
                let number = few - 100 * width;
                for (place, bit) in column[1..].iter_mut().enumerate() {
                    *bit = if number >> place & 1 == 1 { 1.0 } else { -1.0 };
                }
            }
        }
        few += 1;
        if column.contains(&1.0) && !columns.contains(&column) {
            columns.push(column);
        }
    }
    columns
}

/// In how many bits the two most similar words differ.
fn least_distance(book: &Array2<f64>) -> f64 {
    let words = book.nrows();
    let pairs = (0..words).flat_map(|a| (0..a).map(move |b| (a, b)));
    let distance = |(a, b): (usize, usize)| {
        let bits = book
            .row(a)
            .iter()
            .zip(book.row(b))
            .filter(|(x, y)| x != y)
            .count();
        bits as f64
    };
    pairs.map(distance).fold(f64::INFINITY, f64::min)
}

member_model!(OutputCodeModel, scores);

impl Scores for OutputCodeModel {
    /// Minus the squared distance from each word; with two classes how sure the classifier is.
    fn scores(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        if let [only] = self.members.as_slice() {
            return Ok(Array1::from(confidence(only, rows)?).insert_axis(Axis(1)));
        }
        let mut scores = Array2::zeros((rows.n_rows(), self.classes.len()));
        for (bit, member) in self.members.iter().enumerate() {
            for (mut row, said) in scores.rows_mut().into_iter().zip(confidence(member, rows)?) {
                for (score, word) in row.iter_mut().zip(self.code_book.column(bit)) {
                    *score -= (said - word) * (said - word);
                }
            }
        }
        Ok(scores)
    }
}

impl Model for OutputCodeModel {
    const ABILITIES: Abilities<Self> = Abilities::none().classify().scores();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "classes",
            meaning: "The classes in label order.",
            get: |model| Value::from(&model.classes),
        },
        Attribute {
            name: "code_book",
            meaning: "The word of each class, in bits of ±1.",
            get: |model| Value::from(&model.code_book),
        },
        Attribute {
            name: "n_estimators",
            meaning: "Number of fitted classifiers.",
            get: |model| Value::from(model.members.len()),
        },
    ];

    fn validate(&self) -> Result<()> {
        super::members_belong_together(&self.members, self.code_book.ncols())?;
        ensure_consistent(self.code_book.nrows() == self.classes.len() && self.classes.len() >= 2)?;
        ensure_consistent(self.classes.len() == 2 || self.members.len() > 1)?;
        ensure_consistent(self.code_book.iter().all(|bit| bit.abs() == 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prelude::*;

    #[test]
    fn words_differ_and_no_bit_is_useless() {
        for classes in 3..9 {
            for code_size in [0.1, 1.0, 1.5, 20.0] {
                let book = book(classes, code_size, 1);
                let mut seen: Vec<Vec<f64>> = Vec::new();
                for column in book.columns() {
                    let column = column.to_vec();
                    let opposite: Vec<f64> = column.iter().map(|bit| -bit).collect();
                    assert!(column.contains(&1.0) && column.contains(&-1.0));
                    assert!(!seen.contains(&column) && !seen.contains(&opposite));
                    seen.push(column);
                }
                if code_size >= 1.0 {
                    assert!(least_distance(&book) >= 1.0, "{classes} {code_size}");
                }
            }
        }
        // Three classes have just three questions.
        assert_eq!(book(3, 5.0, 0).ncols(), 3);
    }

    // 002a:EN01: classifiers of changed training sets vote; one that errs is overruled.
    #[test]
    fn a_code_with_distant_words_survives_a_wrong_bit() {
        let book = book(4, 2.0, 0);
        assert!(least_distance(&book) >= 3.0, "{book}");
        let mut said = book.row(2).to_owned();
        said[0] = -said[0];
        let distances: Vec<f64> = book
            .rows()
            .into_iter()
            .map(|word| (&word - &said).mapv(|off| off * off).sum())
            .collect();
        assert_eq!(didact_math::numeric::argmin(distances), Some(2));
    }

    #[test]
    fn digits_and_two_classes_are_learned() {
        let iris = datasets::iris();
        let data = iris.labelled().unwrap();
        let learner = OutputCode {
            estimator: Spec::of("linear-svc"),
            ..Default::default()
        };
        let model = learner.fit(data.clone()).unwrap();
        let predicted = model.predict(iris.samples()).unwrap();
        assert!(accuracy(data.labels, &predicted).unwrap() > 0.85);
        let cancer = datasets::breast_cancer();
        let data = cancer.labelled().unwrap();
        let model = learner.fit(data.clone()).unwrap();
        assert_eq!(model.members.len(), 1);
        assert_eq!(
            model.decision_function(cancer.samples()).unwrap().ncols(),
            1
        );
    }
}
