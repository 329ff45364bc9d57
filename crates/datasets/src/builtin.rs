//! The data sets that come with didact.

use crate::dataset::{Dataset, Info, Roles, Task};
use crate::generate::{Generate, LowRankRatings};
use crate::text::{read_images, read_letters, read_table};
use didact_core::parameters::nearest;
use didact_core::{Error, Result, Table};

/// How a built-in set is read.
struct Entry {
    info: Info,
    roles: Roles,
    read: fn() -> Result<Table>,
}

const CC_BY: &str = "CC BY 4.0";

/// The usual case: everything but one column is a feature.
const fn predicts(target: &'static str) -> Roles {
    Roles {
        target: Some(target),
        sequence: None,
        index: None,
    }
}

static ENTRIES: &[Entry] = &[
    Entry {
        info: Info {
            id: "iris",
            name: "Iris flowers",
            description: "Length and width in cm of the sepals and petals of 150 flowers of three species. One species is easy to tell from the others, which overlap a little.",
            source: "R. A. Fisher, The use of multiple measurements in taxonomic problems, Annals of Eugenics 7 (1936); UCI Machine Learning Repository, doi 10.24432/C56C76",
            licence: CC_BY,
            task: Task::Classification,
        },
        roles: predicts("species"),
        read: || read_table(include_str!("../data/iris.csv")),
    },
    Entry {
        info: Info {
            id: "wine",
            name: "Wine cultivars",
            description: "Thirteen chemical measurements of 178 Italian wines from three cultivars. The columns have very different scales, so most methods need them standardised.",
            source: "S. Aeberhard, M. Forina, Wine, UCI Machine Learning Repository (1992), doi 10.24432/C5PC7J",
            licence: CC_BY,
            task: Task::Classification,
        },
        roles: predicts("cultivar"),
        read: || read_table(include_str!("../data/wine.csv")),
    },
    Entry {
        info: Info {
            id: "digits",
            name: "Handwritten digits",
            description: "1797 handwritten digits as 8×8 pixels, each from 0 (paper) to 16 (ink). Three pixels are blank in every image.",
            source: "E. Alpaydin, C. Kaynak, Optical Recognition of Handwritten Digits (test part), UCI Machine Learning Repository (1998), doi 10.24432/C50P49",
            licence: CC_BY,
            task: Task::Classification,
        },
        roles: predicts("digit"),
        read: || read_images(include_str!("../data/digits.txt")),
    },
    Entry {
        info: Info {
            id: "breast-cancer",
            name: "Breast cancer Wisconsin (diagnostic)",
            description: "Thirty measurements of the cell nuclei in 569 images of breast tissue, 357 benign and 212 malignant. Classes are in alphabetical order: malignant is the second and positive one.",
            source: "W. Wolberg, O. Mangasarian, N. Street, W. Street, Breast Cancer Wisconsin (Diagnostic), UCI Machine Learning Repository (1993), doi 10.24432/C5DW2B",
            licence: CC_BY,
            task: Task::Classification,
        },
        roles: predicts("diagnosis"),
        read: || read_table(include_str!("../data/breast_cancer.csv")),
    },
    Entry {
        info: Info {
            id: "diabetes",
            name: "Diabetes progression",
            description: "Age, sex, body mass index, blood pressure and six blood serum values of 442 patients, and a measure of the disease one year later. The values are raw: scikit-learn gives the same columns centred and scaled to unit length by default.",
            source: "B. Efron, T. Hastie, I. Johnstone, R. Tibshirani, Least angle regression, Annals of Statistics 32 (2004)",
            licence: "BSD 3-Clause, as distributed with scikit-learn",
            task: Task::Regression,
        },
        roles: predicts("progression"),
        read: || read_table(include_str!("../data/diabetes.csv")),
    },
    Entry {
        info: Info {
            id: "penguins",
            name: "Palmer penguins",
            description: "Size, sex, island and year of 344 penguins of three species. Columns are mixed and 19 values are missing.",
            source: "K. Gorman, T. Williams, W. Fraser, Ecological sexual dimorphism and environmental variability within a community of Antarctic penguins, PLoS ONE 9 (2014); A. Horst, A. Hill, K. Gorman, palmerpenguins (2020), doi 10.5281/zenodo.3960218",
            licence: "CC0 1.0",
            task: Task::Classification,
        },
        roles: predicts("species"),
        read: || read_table(include_str!("../data/penguins.csv")),
    },
    Entry {
        info: Info {
            id: "nile",
            name: "Nile flow",
            description: "Yearly flow of the Nile at Aswan from 1871 to 1970, in 10⁸ m³. It drops after 1898: a model with two hidden states finds the year.",
            source: "G. W. Cobb, The problem of the Nile: conditional solution to a changepoint problem, Biometrika 65 (1978)",
            licence: "Public domain",
            task: Task::Sequences,
        },
        roles: Roles {
            target: None,
            sequence: None,
            index: Some("year"),
        },
        read: || read_table(include_str!("../data/nile.csv")),
    },
    Entry {
        info: Info {
            id: "alice",
            name: "Letters of Alice",
            description: "The first chapter of Alice's Adventures in Wonderland as sentences of the 26 letters and _ for the space between words. A model with two hidden states puts the vowels with the space on one side and most consonants on the other; the column kind has the truth.",
            source: "L. Carroll, Alice's Adventures in Wonderland (1865), chapter I, without punctuation",
            licence: "Public domain",
            task: Task::Sequences,
        },
        roles: Roles {
            target: Some("kind"),
            sequence: Some("sentence"),
            index: None,
        },
        read: || read_letters(include_str!("../data/alice.txt")),
    },
    Entry {
        info: Info {
            id: "ratings",
            name: "Synthetic ratings",
            description: "Stars from one to five that 200 made-up users give to 100 made-up items: a quarter of all pairs, from a model with two directions of taste. They stand in for the well-known collections of real ratings, which may not be passed on.",
            source: "The generator low-rank-ratings with its defaults and seed 20",
            licence: "CC0 1.0",
            task: Task::Recommendation,
        },
        roles: predicts("rating"),
        read: || Ok(LowRankRatings::default().generate(20)?.into_table()),
    },
];

/// What is known about each built-in data set.
pub fn list() -> impl ExactSizeIterator<Item = &'static Info> {
    ENTRIES.iter().map(|entry| &entry.info)
}

/// The built-in data set of that name.
///
/// ```
/// use didact_datasets::load;
/// assert_eq!(load("wine")?.features().ncols(), 13);
/// assert!(load("wien").unwrap_err().to_string().contains("did you mean wine?"));
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn load(id: &str) -> Result<Dataset> {
    match ENTRIES.iter().find(|entry| entry.info.id == id) {
        Some(entry) => Dataset::new(entry.info, (entry.read)()?, entry.roles),
        None => {
            let known: Vec<&str> = list().map(|info| info.id).collect();
            let hint = match nearest(id, known.iter().copied()) {
                Some(close) => format!("did you mean {close}? "),
                None => String::new(),
            };
            Err(Error::data(format!(
                "there is no data set {id}; {hint}There are {}",
                known.join(", ")
            )))
        }
    }
}

macro_rules! shortcuts {
    ($($(#[$doc:meta])* $name:ident = $id:literal;)*) => {
        $(
            $(#[$doc])*
            pub fn $name() -> Dataset {
                load($id).expect("a built-in data set is well formed")
            }
        )*
    };
}

shortcuts! {
    /// 150 flowers of three species: the smallest classic of classification.
    iris = "iris";
    /// 178 wines from three cultivars, on very different scales.
    wine = "wine";
    /// 1797 handwritten digits of 8×8 pixels.
    digits = "digits";
    /// 569 tumours, benign or malignant, by thirty measurements.
    breast_cancer = "breast-cancer";
    /// 442 patients and the progression of their disease: a classic of regression.
    diabetes = "diabetes";
    /// 344 penguins with words, numbers and missing values.
    penguins = "penguins";
    /// A hundred years of the Nile's flow, with one change.
    nile = "nile";
    /// The letters of the first chapter of Alice's Adventures in Wonderland.
    alice = "alice";
    /// What 200 made-up users think of 100 made-up items.
    ratings = "ratings";
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shapes and sums as scikit-learn 1.9.1, pandas and statsmodels read the originals.
    #[test]
    fn every_classic_has_its_published_shape_and_sum() {
        let cases = [
            (iris(), (150, 4), 2078.7),
            (wine(), (178, 13), 159_975.295_999),
            (digits(), (1797, 64), 561_718.0),
            (breast_cancer(), (569, 30), 1_056_474.459_635_6),
            (diabetes(), (442, 10), 276_404.233_6),
            (penguins(), (344, 5), 2_217_362.0),
            (nile(), (100, 1), 91_935.0),
        ];
        for (set, shape, sum) in cases {
            assert_eq!(set.features().dim(), shape, "{}", set.info().id);
            let known = set
                .features()
                .iter()
                .filter(|value| !value.is_nan())
                .sum::<f64>();
            assert!(
                (known / sum - 1.0).abs() < 1e-12,
                "{} {known}",
                set.info().id
            );
        }
        assert_eq!(diabetes().targets().unwrap().iter().sum::<f64>(), 67_243.0);
    }

    #[test]
    fn every_class_has_its_published_count() {
        let counts = |set: Dataset| {
            let labels = set.labels().unwrap();
            let mut counts = vec![0; labels.classes.len()];
            labels.indices.iter().for_each(|&label| counts[label] += 1);
            counts
        };
        assert_eq!(counts(iris()), [50, 50, 50]);
        assert_eq!(counts(wine()), [59, 71, 48]);
        assert_eq!(counts(breast_cancer()), [357, 212]);
        assert_eq!(counts(penguins()), [152, 68, 124]);
        let digit_counts = [178, 182, 177, 183, 181, 182, 181, 179, 174, 180];
        assert_eq!(counts(digits()), digit_counts);
    }

    #[test]
    fn every_listed_set_loads_with_sound_features_and_a_known_target() {
        for info in list() {
            let set = load(info.id).unwrap();
            assert!(set.features().iter().all(|value| !value.is_infinite()));
            assert!(!set.features().is_empty(), "{}", info.id);
            assert!(!info.licence.is_empty() && !info.source.is_empty());
            if let Some(target) = set.target() {
                assert!(set.table().column(target).is_ok());
                assert!(!set.feature_names().iter().any(|name| name == target));
            }
        }
    }

    #[test]
    fn missing_values_are_only_where_they_are_promised() {
        for set in list().map(|info| load(info.id).unwrap()) {
            let missing: usize = set.table().columns().iter().map(|c| c.n_missing()).sum();
            let promised = if set.info().id == "penguins" { 19 } else { 0 };
            assert_eq!(missing, promised, "{}", set.info().id);
        }
    }

    #[test]
    fn alice_is_sequences_of_27_symbols() {
        let alice = alice();
        let sequences = alice.labelled_sequences().unwrap();
        assert_eq!(sequences.sequences.lengths.len(), 122);
        assert_eq!(alice.table().n_rows(), 10_634);
        let largest = alice.features().iter().copied().fold(0.0, f64::max);
        assert_eq!(largest, 26.0);
        assert_eq!(sequences.classes.len(), 3);
    }

    #[test]
    fn every_user_rates_and_every_item_is_rated_between_one_and_five() {
        let set = ratings();
        let ratings = set.ratings().unwrap();
        assert!((0..200).all(|user| ratings.users.contains(&user)));
        assert!((0..100).all(|item| ratings.items.contains(&item)));
        assert!(
            ratings
                .values
                .iter()
                .all(|value| (1.0..=5.0).contains(value))
        );
    }
}
