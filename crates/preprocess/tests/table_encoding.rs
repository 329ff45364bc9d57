//! What encoders of tables promise, seen from outside.

use didact_core::encoding::{from_bytes, to_bytes};
use didact_core::{Column, Table};
use didact_datasets::{penguins, wine};
use didact_preprocess::{
    CategoryCoding, MissingValues, NumberScaling, TableEncoder, TableEncoding, UnknownWord,
};
use ndarray::array;

fn table(columns: Vec<(&str, Column)>) -> Table {
    let mut table = Table::new();
    for (name, column) in columns {
        table.push(name, column).unwrap();
    }
    table
}

fn words(values: &[&'static str]) -> Column {
    Column::from_words(
        values
            .iter()
            .map(|word| Some(*word).filter(|w| !w.is_empty())),
    )
}

fn mixed() -> Table {
    table(vec![
        ("size", Column::Numbers(vec![1.0, 3.0, 5.0])),
        ("colour", words(&["red", "blue", "red"])),
        (
            "fresh",
            Column::Booleans(vec![Some(true), Some(false), Some(true)]),
        ),
        (
            "seen",
            Column::Times(vec![Some(10.0), Some(20.0), Some(30.0)]),
        ),
    ])
}

#[test]
fn every_kind_of_column_has_its_code() {
    let encoding = TableEncoder::default().fit(&mixed()).unwrap();
    assert_eq!(
        encoding.feature_names(),
        ["size", "colour=blue", "colour=red", "fresh", "seen"]
    );
    let expected = array![
        [1.0, 0.0, 1.0, 1.0, 10.0],
        [3.0, 1.0, 0.0, 0.0, 20.0],
        [5.0, 0.0, 1.0, 1.0, 30.0],
    ];
    assert_eq!(encoding.encode(&mixed()).unwrap(), expected);
    assert_eq!(encoding.categories("colour").unwrap(), ["blue", "red"]);
}

#[test]
fn numbers_without_missing_values_stay_as_they_are() {
    let wine = wine();
    let mut features = wine.table().clone();
    features.take("cultivar").unwrap();
    let encoding = TableEncoder::default().fit(&features).unwrap();
    assert_eq!(encoding.encode(&features).unwrap(), wine.features());
    assert_eq!(encoding.feature_names(), wine.feature_names());
}

#[test]
fn columns_are_found_by_name_and_others_are_ignored() {
    let encoding = TableEncoder::default().fit(&mixed()).unwrap();
    let shuffled = table(vec![
        ("seen", Column::Times(vec![Some(7.0)])),
        ("weight", Column::Numbers(vec![9.0])),
        ("fresh", Column::Booleans(vec![Some(false)])),
        ("colour", words(&["red"])),
        ("size", Column::Numbers(vec![2.0])),
    ]);
    let row = encoding.encode(&shuffled).unwrap();
    assert_eq!(row, array![[2.0, 0.0, 1.0, 0.0, 7.0]]);
    let mut lacking = shuffled;
    lacking.take("colour").unwrap();
    let message = encoding.encode(&lacking).unwrap_err().to_string();
    assert!(
        message.starts_with("there is no column colour"),
        "{message}"
    );
}

#[test]
fn a_column_of_another_kind_is_an_error_with_its_name_and_a_value() {
    let encoding = TableEncoder::default().fit(&mixed()).unwrap();
    let mut wrong = mixed();
    wrong.take("size").unwrap();
    wrong
        .push("size", words(&["large", "large", "small"]))
        .unwrap();
    let message = encoding.encode(&wrong).unwrap_err().to_string();
    assert_eq!(
        message,
        "column size held numbers at fitting time but now holds words, such as large"
    );
}

#[test]
fn words_that_read_as_numbers_keep_their_code() {
    let train = table(vec![("ward", words(&["1", "2", "x"]))]);
    let encoding = TableEncoder::default().fit(&train).unwrap();
    let numeric = table(vec![("ward", Column::Numbers(vec![2.0, 1.0]))]);
    let rows = encoding.encode(&numeric).unwrap();
    assert_eq!(rows, array![[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]);
}

// 000b:S37: unseen labels must be an error unless all zeros are asked for.
#[test]
fn unknown_words_are_an_error_or_all_zeros() {
    let train = table(vec![("colour", words(&["blue", "red"]))]);
    let new = table(vec![("colour", words(&["green", "red"]))]);
    let strict = TableEncoder::default().fit(&train).unwrap();
    let message = strict.encode(&new).unwrap_err().to_string();
    assert!(
        message.starts_with("column colour has the word green"),
        "{message}"
    );
    let lenient = |categories| {
        let encoder = TableEncoder {
            unknown: UnknownWord::Ignore,
            categories,
            ..TableEncoder::default()
        };
        encoder.fit(&train).unwrap().encode(&new).unwrap()
    };
    assert_eq!(
        lenient(CategoryCoding::OneHot),
        array![[0.0, 0.0], [0.0, 1.0]]
    );
    assert_eq!(lenient(CategoryCoding::Ordinal), array![[-1.0], [1.0]]);
    // A word that is listed but that no row has does no harm.
    let cut = new.select(&[1]);
    assert_eq!(strict.encode(&cut).unwrap(), array![[0.0, 1.0]]);
}

#[test]
fn dropping_the_first_word_leaves_one_column_less() {
    let encoder = TableEncoder {
        categories: CategoryCoding::DropFirst,
        ..TableEncoder::default()
    };
    let train = table(vec![("colour", words(&["blue", "red", "green"]))]);
    let encoding = encoder.fit(&train).unwrap();
    assert_eq!(encoding.feature_names(), ["colour=green", "colour=red"]);
    let rows = encoding.encode(&train).unwrap();
    assert_eq!(rows, array![[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]]);
    assert_eq!(encoding.decode(rows.view()).unwrap(), train);
}

#[test]
fn missing_values_are_an_error_unless_they_are_kept_or_filled() {
    let penguins = penguins();
    let mut features = penguins.table().clone();
    features.take("species").unwrap();
    let message = TableEncoder::default()
        .fit(&features)
        .unwrap_err()
        .to_string();
    assert!(
        message.starts_with("column bill_length_mm has 2 missing values; "),
        "{message}"
    );
    let with = |missing| {
        let encoder = TableEncoder {
            missing,
            add_indicator: true,
            ..TableEncoder::default()
        };
        let encoding = encoder.fit(&features).unwrap();
        (
            encoding.feature_names(),
            encoding.encode(&features).unwrap(),
        )
    };
    let (names, filled) = with(MissingValues::Impute);
    assert!(filled.iter().all(|value| value.is_finite()));
    let place = |wanted: &str| names.iter().position(|name| name == wanted).unwrap();
    // Row 3 is the first penguin that nobody measured; pandas gives the mean 43.9219….
    assert!((filled[[3, place("bill_length_mm")]] - 43.921_929_824_561_4).abs() < 1e-10);
    assert_eq!(filled[[3, place("bill_length_mm is missing")]], 1.0);
    // 168 males and 165 females are known.
    assert_eq!(filled[[3, place("sex=male")]], 1.0);
    assert!(filled.column(place("sex is missing")).sum() == 11.0);
    let (_, kept) = with(MissingValues::Keep);
    assert!(kept[[3, place("bill_length_mm")]].is_nan());
    assert_eq!(
        kept[[3, place("sex=male")]] + kept[[3, place("sex=female")]],
        0.0
    );
}

#[test]
fn standardised_columns_use_training_statistics() {
    let encoder = TableEncoder {
        numbers: NumberScaling::Standardise,
        ..TableEncoder::default()
    };
    let train = table(vec![
        ("x", Column::Numbers(vec![0.0, 2.0])),
        ("c", Column::Numbers(vec![4.0, 4.0])),
    ]);
    let encoding = encoder.fit(&train).unwrap();
    let new = table(vec![
        ("x", Column::Numbers(vec![10.0])),
        ("c", Column::Numbers(vec![5.0])),
    ]);
    assert_eq!(encoding.encode(&new).unwrap(), array![[9.0, 1.0]]);
}

#[test]
fn a_column_with_too_many_words_should_be_left_out() {
    let names: Vec<String> = (0..101).map(|row| format!("name {row}")).collect();
    let column = Column::from_words(names.iter().map(|name| Some(name.as_str())));
    let train = table(vec![("who", column)]);
    let message = TableEncoder::default().fit(&train).unwrap_err().to_string();
    assert!(
        message.contains("column who has 101 different words"),
        "{message}"
    );
    assert!(message.contains("leave the column out"), "{message}");
}

#[test]
fn decoding_gives_the_table_back() {
    for (numbers, categories) in [
        (NumberScaling::AsIs, CategoryCoding::OneHot),
        (NumberScaling::Standardise, CategoryCoding::Ordinal),
    ] {
        let encoder = TableEncoder {
            numbers,
            categories,
            ..TableEncoder::default()
        };
        let encoding = encoder.fit(&mixed()).unwrap();
        let back = encoding
            .decode(encoding.encode(&mixed()).unwrap().view())
            .unwrap();
        assert_eq!(
            back.column("colour").unwrap(),
            mixed().column("colour").unwrap()
        );
        assert_eq!(
            back.column("fresh").unwrap(),
            mixed().column("fresh").unwrap()
        );
        let Column::Numbers(sizes) = back.column("size").unwrap() else {
            panic!("size is a number");
        };
        for (size, original) in sizes.iter().zip([1.0, 3.0, 5.0]) {
            assert!((size - original).abs() < 1e-12);
        }
    }
}

// 000b:S37: the order of the words is saved with the model.
#[test]
fn a_saved_encoding_encodes_alike() {
    let encoding = TableEncoder::default().fit(&mixed()).unwrap();
    let again: TableEncoding = from_bytes(&to_bytes(&encoding).unwrap()).unwrap();
    assert!(again.validate().is_ok());
    assert_eq!(again, encoding);
    assert_eq!(
        again.encode(&mixed()).unwrap(),
        encoding.encode(&mixed()).unwrap()
    );
}

#[test]
fn awkward_tables_have_a_defined_answer() {
    let say = |table: &Table| TableEncoder::default().fit(table).unwrap_err().to_string();
    assert!(say(&Table::new()).contains("no columns"));
    assert!(say(&table(vec![("x", Column::Numbers(vec![]))])).contains("no rows"));
    let infinite = table(vec![("x", Column::Numbers(vec![f64::INFINITY]))]);
    assert!(say(&infinite).contains("column x has an infinite value"));
    let empty = table(vec![("x", Column::Numbers(vec![f64::NAN]))]);
    let keeper = TableEncoder {
        missing: MissingValues::Keep,
        ..TableEncoder::default()
    };
    let message = keeper.fit(&empty).unwrap_err().to_string();
    assert_eq!(message, "column x has no known value; leave it out");
    // A column that is empty in the new table is missing, whatever kind it reads as.
    let encoding = keeper.fit(&mixed()).unwrap();
    let mut new = mixed();
    new.take("size").unwrap();
    new.push("size", words(&["", "", ""])).unwrap();
    assert!(
        encoding
            .encode(&new)
            .unwrap()
            .column(0)
            .iter()
            .all(|x| x.is_nan())
    );
    let no_rows = mixed().select(&[]);
    assert_eq!(encoding.encode(&no_rows).unwrap().dim(), (0, 5));
}
