//! Frequent sets, rules and correlations.

use didact_core::{Cancel, Csr, Error, Fit, Model, Run, Samples, encoding};
use didact_math::distance::pearson_correlation;
use didact_recommend::{
    AssociationModel, AssociationRules, ItemSet, Rule, RuleOrder, column_correlations,
};
use didact_testing::random_matrix;
use ndarray::{Array2, array};
use proptest::prelude::*;

/// Sixty baskets of up to eight items that look random and are not.
fn baskets() -> Array2<f64> {
    Array2::from_shape_fn((60, 8), |(row, item)| {
        let residue = (row * (item + 2) + item * item) % (item + 3);
        f64::from(u8::from(residue < 2))
    })
}

fn say<T: std::fmt::Debug>(result: didact_core::Result<T>) -> String {
    result.unwrap_err().to_string()
}

// 001:OV-06, compared with mlxtend 0.25.0 (fpgrowth with min_support 0.1, association_rules with
// confidence 0.6) on the same baskets.
#[test]
fn sets_and_rules_are_those_of_mlxtend() {
    let method = AssociationRules {
        min_confidence: 0.6,
        max_items: 8,
        ..Default::default()
    };
    let model = method.fit(Samples::from(&baskets())).unwrap();
    assert_eq!(model.item_sets().len(), 44);
    let counts: usize = model.item_sets().iter().map(|set| set.count).sum();
    assert_eq!(counts, 502, "60 times the sum of supports 8.3666…");
    let rules = model.rules();
    assert_eq!(rules.len(), 37);
    let sum = |figure: fn(&Rule) -> f64| {
        let values = rules.iter().map(figure).filter(|value| value.is_finite());
        values.sum::<f64>()
    };
    let figures = [
        (sum(|rule| rule.support()), 5.616666666666667),
        (sum(|rule| rule.confidence()), 30.708653846153847),
        (sum(|rule| rule.lift()), 63.20541958041958),
        (sum(|rule| rule.leverage()), 1.7511111111111113),
        (sum(|rule| rule.conviction()), 25.508333333333336),
    ];
    for (found, expected) in figures {
        assert!(
            (found - expected).abs() < 1e-12 * expected,
            "{found} {expected}"
        );
    }
    let unbroken = rules.iter().filter(|rule| rule.conviction().is_infinite());
    assert_eq!(unbroken.count(), 19);
    assert_eq!(rules[0].to_string(), "1, 3 → 0, 5");
    assert!((rules[0].lift() - 36.0 / 11.0).abs() < 1e-12);
    assert_eq!(rules[2].to_string(), "7 → 2");
}

// 001:OV-06
#[test]
fn the_lift_of_independent_items_is_one() {
    // Item 0 in every second basket, item 1 in every third of each half.
    let rows = Array2::from_shape_fn((12, 2), |(row, item)| {
        f64::from(u8::from(row % (item + 2) == 0))
    });
    let method = AssociationRules {
        min_confidence: 0.0,
        ..Default::default()
    };
    let model = method.fit(Samples::from(&rows)).unwrap();
    assert_eq!(model.rules().len(), 2);
    for rule in model.rules() {
        assert_eq!(
            (rule.lift(), rule.leverage(), rule.conviction()),
            (1.0, 0.0, 1.0)
        );
    }
}

/// Every set by trying all of them.
fn brute_force(rows: &Array2<f64>, min_count: usize, max_items: usize) -> Vec<(Vec<usize>, usize)> {
    let mut sets: Vec<(Vec<usize>, usize)> = (1_u32..1 << rows.ncols())
        .filter(|set| set.count_ones() as usize <= max_items)
        .map(|set| {
            (0..rows.ncols())
                .filter(|item| set >> item & 1 == 1)
                .collect::<Vec<_>>()
        })
        .map(|set| {
            let holds =
                |row: &ndarray::ArrayView1<'_, f64>| set.iter().all(|&item| row[item] == 1.0);
            let count = rows.rows().into_iter().filter(holds).count();
            (set, count)
        })
        .filter(|(_, count)| *count >= min_count)
        .collect();
    sets.sort_by(|a, b| (a.0.len(), &a.0).cmp(&(b.0.len(), &b.0)));
    sets
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn every_set_and_every_rule_is_found(
        n_items in 1_usize..8,
        cells in proptest::collection::vec(0_u8..2, 8 * 90),
        n_rows in 1_usize..90,
        min_count in 1_usize..6,
        max_items in 1_usize..7,
    ) {
        let rows = Array2::from_shape_fn((n_rows, n_items), |(i, j)| f64::from(cells[8 * i + j]));
        let min_count = min_count.min(n_rows);
        let method = AssociationRules {
            min_support: min_count as f64 / n_rows as f64,
            min_confidence: 0.4,
            max_items,
            ..Default::default()
        };
        let model = method.fit(Samples::from(&rows)).unwrap();
        let expected = brute_force(&rows, min_count, max_items);
        let found: Vec<_> = model.item_sets().iter().map(|set| (set.items.clone(), set.count)).collect();
        prop_assert_eq!(&found, &expected);
        // A set of m items is split into two sides in 2^m − 2 ways.
        let count = |items: &[usize]| expected.iter().find(|set| set.0 == items).unwrap().1;
        let mut n_rules = 0;
        for (set, both) in &expected {
            for mask in 1_u32..(1 << set.len()) - 1 {
                let side: Vec<usize> =
                    (0..set.len()).filter(|place| mask >> place & 1 == 1).map(|place| set[place]).collect();
                n_rules += usize::from(*both as f64 / count(&side) as f64 >= 0.4);
            }
        }
        prop_assert_eq!(model.rules().len(), n_rules);
        for rule in model.rules() {
            prop_assert_eq!(rule.n_antecedent, count(&rule.antecedent));
            prop_assert_eq!(rule.n_consequent, count(&rule.consequent));
            prop_assert!(rule.leverage() * (rule.lift() - 1.0) >= 0.0);
        }
        let mut pairs = model.rules().windows(2);
        prop_assert!(pairs.all(|pair| pair[0].lift() >= pair[1].lift()));
    }
}

#[test]
fn sparse_rows_and_any_number_of_threads_give_the_same_model() {
    let rows = random_matrix(500, 12, 3).mapv(|value| f64::from(u8::from(value > 0.3)));
    let method = AssociationRules {
        min_support: 0.05,
        ..Default::default()
    };
    let dense = method.fit(Samples::from(&rows)).unwrap();
    let sparse = Csr::from_dense(rows.view());
    for threads in [1, 2, 4] {
        let run = Run::new().threads(threads);
        let model = method.fit_with(Samples::from(&sparse), &run).unwrap();
        assert_eq!(model, dense);
    }
}

#[test]
fn too_many_answers_are_an_error_that_says_what_to_do() {
    // Thirty items that are always together have 2³⁰ − 1 frequent sets.
    let rows = Array2::ones((10, 30));
    let all = AssociationRules {
        max_items: 30,
        max_results: 10_000,
        ..Default::default()
    };
    assert_eq!(
        say(all.fit(Samples::from(&rows))),
        "min_support is 0.1; more than 10000 item sets are that frequent; raise it, or lower \
         max_items, which is 30, or raise max_results"
    );
    // 30 + 435 + 4060 sets are few enough; 870 + 6·4060 rules are not.
    let message = say(AssociationRules {
        max_items: 3,
        ..all
    }
    .fit(Samples::from(&rows)));
    assert!(
        message.starts_with("min_confidence is 0.5; more than 10000 rules"),
        "{message}"
    );
}

#[test]
fn what_is_not_a_basket_is_refused_and_empty_ones_have_no_rules() {
    let method = AssociationRules::default();
    let rows = array![[1.0, 0.0], [2.0, 0.0]];
    assert!(say(method.fit(Samples::from(&rows))).starts_with("row 1, column 0 is 2; a basket"));
    let model = method.fit(Samples::from(&Array2::zeros((3, 4)))).unwrap();
    assert!(model.rules().is_empty() && model.item_sets().is_empty());
    let wrong = AssociationRules {
        min_support: 0.0,
        ..method
    };
    assert!(say(wrong.fit(Samples::from(&rows))).starts_with("min_support is 0"));
}

#[test]
fn a_basket_is_told_the_rules_that_are_news_to_it() {
    let method = AssociationRules {
        order: RuleOrder::Confidence,
        ..Default::default()
    };
    let model = method.fit(Samples::from(&baskets())).unwrap();
    let told: Vec<_> = model.rules_for(&[7]).collect();
    assert_eq!(told[0].to_string(), "7 → 2");
    assert!(told.iter().all(|rule| rule.antecedent == [7]));
    assert!(model.rules_for(&[7, 2]).all(|rule| rule.consequent != [2]));
    let mut pairs = model.rules().windows(2);
    assert!(pairs.all(|pair| pair[0].confidence() >= pair[1].confidence()));
}

#[test]
fn a_cancelled_search_stops_and_a_saved_model_comes_back() {
    let cancel = Cancel::new();
    cancel.cancel();
    let run = Run::new().cancelled_by(&cancel);
    let stopped = AssociationRules::default().fit_with(Samples::from(&baskets()), &run);
    assert!(matches!(stopped, Err(Error::Cancelled)));
    let model = AssociationRules::default()
        .fit(Samples::from(&baskets()))
        .unwrap();
    let bytes = encoding::to_bytes(&model).unwrap();
    let back: AssociationModel = encoding::from_bytes(&bytes).unwrap();
    assert!(back.validate().is_ok());
    assert_eq!(back, model);
}

// 001:OV-06, 001:REC-03
#[test]
fn correlations_are_those_of_every_pair_of_columns() {
    let mut table = random_matrix(40, 4, 7);
    table.column_mut(2).fill(0.1);
    let found = column_correlations(Samples::from(&table), &Run::new()).unwrap();
    for i in 0..4 {
        for j in 0..4 {
            let pair = [table.column(i).to_vec(), table.column(j).to_vec()];
            let expected = pearson_correlation(&pair[0], &pair[1]).unwrap().coefficient;
            assert!((found[[i, j]] - expected).abs() < 1e-14);
        }
    }
    assert!(found.row(2).iter().all(|&value| value == 0.0));
}

/// The parts of a model as a file holds them.
#[derive(serde::Serialize)]
struct Parts {
    n_baskets: usize,
    n_items: usize,
    sets: Vec<ItemSet>,
    rules: Vec<Rule>,
}

#[test]
fn a_damaged_model_is_refused_before_it_can_panic() {
    let judge = |n_both: usize, item: usize| {
        let parts = Parts {
            n_baskets: 10,
            n_items: 3,
            sets: Vec::new(),
            rules: vec![Rule {
                antecedent: vec![0],
                consequent: vec![item],
                n_both,
                n_antecedent: 4,
                n_consequent: 5,
                n_baskets: 10,
            }],
        };
        let model: AssociationModel =
            encoding::from_bytes(&encoding::to_bytes(&parts).unwrap()).unwrap();
        model.validate().is_ok()
    };
    assert!(judge(4, 2));
    assert!(!judge(5, 2), "both sides are more frequent than one");
    assert!(!judge(0, 2), "a rule without support");
    assert!(!judge(4, 3), "there are three items");
}
