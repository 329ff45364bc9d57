//! Values and slopes of memory-based factorisation.

use super::*;
use didact_core::random::generator;
use didact_optimize::{Objective, check_gradient};

/// R = [[5, 3, ·], [4, ·, 1], [·, 2, 5]].
fn ratings() -> RatingMatrix {
    let (users, items) = ([0, 0, 1, 1, 2, 2], [0, 1, 0, 2, 1, 2]);
    let values = [5.0, 3.0, 4.0, 1.0, 2.0, 5.0];
    RatingMatrix::new(&Ratings::new(&users, &items, &values).unwrap()).unwrap()
}

/// U = [[1, .5], [.2, 1], [−.3, .8]] and V = [[2, 1], [1, .5], [.5, 2]].
const FACTORS: [f64; 12] = [1.0, 0.5, 0.2, 1.0, -0.3, 0.8, 2.0, 1.0, 1.0, 0.5, 0.5, 2.0];

fn objective<'a>(
    n_neighbors: usize,
    include_self: bool,
    learn_similarities: bool,
    hidden: &[usize],
    run: &'a Run,
) -> MemoryObjective<'a> {
    let ratings = ratings();
    let cosines = Cosines::new(&ratings, Centering::None).unwrap();
    let lists = ItemLists::new(&cosines, n_neighbors, run).unwrap();
    let prices = Prices {
        users: 0.1,
        items: 0.1,
        similarities: 0.1,
    };
    MemoryObjective::new(
        Offsets::new(&ratings, Centering::None)
            .remove(ratings.by_user())
            .unwrap(),
        Groups::new(&lists, 3, include_self),
        [Encoder::new(3, hidden, 2), Encoder::new(3, hidden, 2)],
        prices,
        learn_similarities,
        run,
    )
    .unwrap()
}

fn assert_all_close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < tolerance, "{found} {expected}");
    }
}

/// The predictions R̂ at a point.
fn predictions(objective: MemoryObjective<'_>, x: &[f64]) -> Vec<f64> {
    let [users, items] = objective.factors(x);
    let groups = objective.into_groups(x);
    let combined = groups.combine(&groups.similarities, &items);
    users.dot(&combined.t()).iter().copied().collect()
}

// 000b:TV-13, 000b:D68: itself and the most similar other item. The numbers were recomputed from
// the formulas of the item with NumPy.
#[test]
fn value_and_slopes_with_one_neighbour_are_the_known_ones() {
    let run = Run::new();
    let mut memory = objective(1, true, true, &[], &run);
    let x = [&FACTORS[..], &memory.groups().similarities[..]].concat();
    let mut gradient = vec![0.0; x.len()];
    let value = memory.evaluate(&x, &mut gradient).unwrap();
    assert!((value - 13.388743554160525).abs() < 1e-12);
    let users = [
        -4.66135439,
        -2.3306772,
        -4.11837274,
        0.62212579,
        -7.74930733,
        -9.89696622,
    ];
    let items = [
        -1.65353959,
        -3.84998691,
        -0.13857361,
        -4.08665402,
        1.39483211,
        -1.11573593,
    ];
    let similarities = [
        -7.12289069,
        -3.54647313,
        -0.23412392,
        -0.60327564,
        -1.85905581,
        0.74135698,
    ];
    assert_all_close(&gradient, &[users, items, similarities].concat(), 6e-9);
    let expected = [
        3.31215265, 2.87430531, 2.17991037, 1.85480549, 1.60961097, 2.48074981, 0.26497221,
        0.22994442, 1.50439283,
    ];
    assert_all_close(&predictions(memory, &x), &expected, 6e-9);
}

// 000b:TV-13, 000b:D66: an item that speaks for itself alone is probabilistic factorisation.
#[test]
fn value_and_slopes_without_neighbours_are_those_of_plain_factors() {
    let run = Run::new();
    let mut memory = objective(0, true, false, &[], &run);
    let mut gradient = vec![0.0; 12];
    let value = memory.evaluate(&FACTORS, &mut gradient).unwrap();
    assert!((value - 17.4235).abs() < 1e-12);
    let expected = [
        -6.65, -3.325, -4.63, -0.3, -3.705, -7.97, -2.82, -3.75, -1.08, -2.345, 1.335, -1.54,
    ];
    assert_all_close(&gradient, &expected, 1e-12);
    let expected = [2.5, 1.25, 1.5, 1.4, 0.7, 2.1, 0.2, 0.1, 1.45];
    assert_all_close(&predictions(memory, &FACTORS), &expected, 1e-12);
}

// 000b:TV-13: the literal reading, in which an item does not belong to its own group.
#[test]
fn without_itself_an_item_is_rated_by_its_neighbour() {
    let run = Run::new();
    let mut memory = objective(1, false, true, &[], &run);
    let x = [&FACTORS[..], &memory.groups().similarities[..]].concat();
    let value = memory.evaluate(&x, &mut vec![0.0; x.len()]).unwrap();
    assert!((value - 30.902313970771264).abs() < 1e-12);
    assert!((predictions(memory, &x)[0] - 0.81215265).abs() < 6e-9);
    // And without neighbours either, nothing is predicted: ½·(25 + 9 + 16 + 1 + 4 + 25) and prices.
    let mut nothing = objective(0, false, true, &[], &run);
    let value = nothing.evaluate(&FACTORS, &mut [0.0; 12]).unwrap();
    let squares: f64 = FACTORS.iter().map(|factor| factor * factor).sum();
    assert!((value - 40.0 - 0.05 * squares).abs() < 1e-12);
}

// 000b:D68, 000b:D69
#[test]
fn slopes_are_right_for_any_depth() {
    let run = Run::new();
    for hidden in [&[][..], &[4], &[3, 5]] {
        for learn_similarities in [true, false] {
            let mut memory = objective(2, true, learn_similarities, hidden, &run);
            let start = memory.start(&mut generator(5, 0));
            let check = check_gradient(&mut memory, &start).unwrap();
            assert!(check.passes(), "{hidden:?}: {check:?}");
        }
    }
}

// 000b:D69: one linear layer is a table of free factors.
#[test]
fn without_hidden_layers_the_encoder_is_a_table() {
    let encoder = Encoder::new(3, &[], 2);
    let layers = encoder.forward(&FACTORS[..6]);
    assert_eq!(layers.len(), 1);
    assert_eq!(layers[0].as_slice().unwrap(), &FACTORS[..6]);
    let mut gradient = [0.0; 6];
    encoder.backward(
        &FACTORS[..6],
        &layers,
        layers[0].clone() * 2.0,
        &mut gradient,
    );
    assert_all_close(
        &gradient,
        &FACTORS[..6].iter().map(|f| 2.0 * f).collect::<Vec<_>>(),
        1e-15,
    );
}

// 000b:D69: with a hidden layer factors are weights times tanh of the first weights.
#[test]
fn a_hidden_layer_is_tanh_of_its_code() {
    let encoder = Encoder::new(2, &[1], 2);
    let parameters = [0.5, -1.0, 2.0, 3.0, 0.1, 0.2];
    assert_eq!(encoder.n_parameters(), parameters.len());
    let layers = encoder.forward(&parameters);
    let [a, b] = [0.5_f64.tanh(), (-1.0_f64).tanh()];
    let expected = [2.0 * a + 0.1, 3.0 * a + 0.2, 2.0 * b + 0.1, 3.0 * b + 0.2];
    assert_all_close(layers[1].as_slice().unwrap(), &expected, 1e-15);
}
