//! Filters, pooling and convolutional networks.

use didact_core::{Classify, Fit, Labelled, Labels, Model, Probabilities};
use didact_math::signal::{Mode, convolve};
use didact_neural::{Cnn, CnnModel, Filters, max_pooling, strongest_places};
use didact_optimize::{check_gradient, finite_difference_gradient};
use didact_testing::{assert_close, random_matrix};
use ndarray::{Array1, Array2, Array3, Array4, ArrayView2, array, s};

fn slide(image: &Array2<f64>, filter: &Array2<f64>, stride: usize, flipped: bool) -> Array2<f64> {
    let filters = Filters::single(filter.view(), stride, flipped).unwrap();
    filters.apply_to_image(image.view()).unwrap()
}

// 000b:TV-9 000b:D39: sliding as it is and true convolution, told apart by an asymmetric filter.
#[test]
fn both_conventions_give_the_maps_of_the_text() {
    let image = Array2::from_shape_fn((6, 6), |(i, j)| ((6 * i + j) % 7) as f64);
    let kernel = array![[1.0, 2.0, 0.0], [0.0, 1.0, -1.0], [-1.0, 0.0, 3.0]];
    let correlation = array![
        [-4.0, 1.0, 13.0, 18.0],
        [26.0, -4.0, 1.0, 13.0],
        [28.0, 26.0, -4.0, 1.0],
        [23.0, 28.0, 26.0, -4.0]
    ];
    let convolution = array![
        [4.0, 2.0, 7.0, 12.0],
        [34.0, 4.0, 2.0, 7.0],
        [29.0, 34.0, 4.0, 2.0],
        [17.0, 29.0, 34.0, 4.0]
    ];
    assert_eq!(slide(&image, &kernel, 1, false), correlation);
    assert_eq!(slide(&image, &kernel, 1, true), convolution);
    let turned = kernel.slice(s![..;-1, ..;-1]).to_owned();
    assert_eq!(slide(&image, &turned, 1, false), convolution);
}

// 000b:TV-9 000b:D40 000b:D41
#[test]
fn gradients_of_the_true_convolution_are_those_of_the_text() {
    let image = array![
        [1.0, 2.0, 0.0, 1.0],
        [0.0, 1.0, 3.0, 2.0],
        [2.0, 1.0, 0.0, 1.0],
        [1.0, 0.0, 2.0, 3.0]
    ];
    let kernel = array![[1.0, -1.0], [2.0, 0.0]];
    assert_eq!(
        slide(&image, &kernel, 1, true),
        array![[5.0, 2.0, 1.0], [1.0, 5.0, 5.0], [1.0, 2.0, 3.0]]
    );
    let slopes = array![[[1.0, 0.0, 2.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 1.0]]];
    let filters = Filters::single(kernel.view(), 1, true).unwrap();
    let maps = image.insert_axis(ndarray::Axis(0));
    let (of_filter, of_image) = filters.gradients(maps.view(), slopes.view()).unwrap();
    assert_eq!(
        of_filter.slice(s![0, 0, .., ..]),
        array![[8.0, 8.0], [7.0, 0.0]]
    );
    let expected = array![
        [0.0, 2.0, 0.0, 4.0],
        [-1.0, 1.0, 0.0, 2.0],
        [0.0, -3.0, 1.0, 2.0],
        [1.0, -1.0, -1.0, 1.0]
    ];
    assert_eq!(of_image.slice(s![0, .., ..]), expected);
}

fn diagonal_image() -> Array2<f64> {
    let rows = ["100001", "010010", "001100", "100010", "010010", "001010"];
    Array2::from_shape_fn((6, 6), |(i, j)| f64::from(rows[i].as_bytes()[j] == b'1'))
}

// 001:T-14 001:CNN-01 001:CNN-02 001:CNN-03
#[test]
fn the_diagonal_is_found_where_the_text_finds_it() {
    let image = diagonal_image();
    let filter = Array2::from_shape_fn((3, 3), |(i, j)| if i == j { 1.0 } else { -1.0 });
    let map = slide(&image, &filter, 1, false);
    let expected = array![
        [3.0, -1.0, -3.0, -1.0],
        [-3.0, 1.0, 0.0, -3.0],
        [-3.0, -3.0, 0.0, 1.0],
        [3.0, -2.0, -2.0, -1.0]
    ];
    assert_eq!(map, expected);
    assert_eq!(strongest_places(map.view()), [(0, 0), (3, 0)]);
    assert_eq!(
        slide(&image, &filter, 3, false),
        array![[3.0, -1.0], [3.0, -1.0]]
    );
    assert_eq!(
        slide(&image, &filter, 2, false),
        array![[3.0, -3.0], [-3.0, 0.0]]
    );
    // The filter is its own half turn, so that it cannot tell the conventions apart.
    assert_eq!(slide(&image, &filter, 1, true), expected);
    let pooled = max_pooling(map.view(), (2, 2), 1).unwrap();
    assert_eq!(
        pooled,
        array![[3.0, 1.0, 0.0], [1.0, 1.0, 1.0], [3.0, 0.0, 1.0]]
    );
    assert_eq!(
        max_pooling(map.view(), (2, 2), 2).unwrap(),
        array![[3.0, 0.0], [3.0, 1.0]]
    );
}

// 004:M04 000b:D39: in one dimension the true convolution is that of signals, the valid part of
// a product of polynomials, and it commutes.
#[test]
fn in_one_dimension_the_convolution_is_that_of_signals() {
    let (f, g) = ([1.0, -2.0, 3.0, 0.5, 4.0], [2.0, 1.0, -1.0]);
    let line = |values: &[f64]| {
        ArrayView2::from_shape((1, values.len()), values)
            .unwrap()
            .to_owned()
    };
    let found = slide(&line(&f), &line(&g), 1, true);
    let expected = convolve(&f, &g, Mode::Valid).unwrap();
    assert_close(&found.row(0).to_owned(), &Array1::from(expected), 1e-15);
    let same = convolve(&g, &f, Mode::Full).unwrap();
    assert_close(
        &Array1::from(convolve(&f, &g, Mode::Full).unwrap()),
        &Array1::from(same),
        1e-15,
    );
    let reversed: Vec<f64> = g.iter().rev().copied().collect();
    assert_close(&slide(&line(&f), &line(&reversed), 1, false), &found, 1e-15);
}

// 000b:D39 000b:D40 000b:D41 001:CNN-04: several maps in and out, by the definition and by finite
// differences.
#[test]
fn several_maps_agree_with_the_definition_and_finite_differences() {
    let maps = Array3::from_shape_vec(
        (2, 5, 6),
        random_matrix(10, 6, 1).into_raw_vec_and_offset().0,
    )
    .unwrap();
    let weights = Array4::from_shape_vec(
        (3, 2, 2, 3),
        random_matrix(6, 6, 2).into_raw_vec_and_offset().0,
    )
    .unwrap();
    for (stride, flipped) in [(1, false), (2, false), (1, true), (2, true)] {
        let filters = Filters::new(weights.clone(), stride, flipped).unwrap();
        let found = filters.apply(maps.view()).unwrap();
        let (_, high, wide) = found.dim();
        let expected = Array3::from_shape_fn((3, high, wide), |(j, p, q)| {
            let mut sum = 0.0;
            for ((i, u), v) in (0..2)
                .flat_map(|i| (0..2).map(move |u| (i, u)))
                .flat_map(|iu| (0..3).map(move |v| (iu, v)))
            {
                let (a, b) = if flipped { (1 - u, 2 - v) } else { (u, v) };
                sum += weights[[j, i, u, v]] * maps[[i, p * stride + a, q * stride + b]];
            }
            sum
        });
        assert_close(&found, &expected, 1e-13);
        let loss = |output: &Array3<f64>| {
            Ok(output
                .iter()
                .enumerate()
                .map(|(k, v)| (k as f64).sin() * v)
                .sum())
        };
        let slopes = Array3::from_shape_fn(found.dim(), |(j, p, q)| {
            (((j * high + p) * wide + q) as f64).sin()
        });
        let (of_filters, of_maps) = filters.gradients(maps.view(), slopes.view()).unwrap();
        let by_weights = |w: &[f64]| {
            let weights = Array4::from_shape_vec((3, 2, 2, 3), w.to_vec()).unwrap();
            loss(&Filters::new(weights, stride, flipped)?.apply(maps.view())?)
        };
        let expected = finite_difference_gradient(by_weights, weights.as_slice().unwrap()).unwrap();
        assert_close(
            &Array1::from_iter(of_filters),
            &Array1::from(expected),
            1e-8,
        );
        let by_maps = |m: &[f64]| {
            let maps = Array3::from_shape_vec((2, 5, 6), m.to_vec()).unwrap();
            loss(&filters.apply(maps.view())?)
        };
        let expected = finite_difference_gradient(by_maps, maps.as_slice().unwrap()).unwrap();
        assert_close(&Array1::from_iter(of_maps), &Array1::from(expected), 1e-8);
    }
}

#[test]
fn shapes_that_do_not_fit_are_refused() {
    let image = Array2::<f64>::zeros((2, 2));
    let filters = Filters::single(Array2::zeros((3, 3)).view(), 1, false).unwrap();
    assert!(
        filters
            .apply_to_image(image.view())
            .unwrap_err()
            .to_string()
            .contains("3×3")
    );
    assert!(Filters::single(image.view(), 0, false).is_err());
    assert!(max_pooling(image.view(), (3, 3), 1).is_err());
    assert!(max_pooling(image.view(), (2, 2), 0).is_err());
}

/// Images of 6×6 with noise: a falling or a rising diagonal of three, or a bar, anywhere.
fn patterns(n: usize, seed: u64) -> (Array2<f64>, Labels) {
    let places = random_matrix(n, 2, seed).mapv(|v| (v.abs() * 100.0) as usize % 4);
    let mut x = random_matrix(n, 36, seed + 1) * 0.1;
    for row in 0..n {
        for k in 0..3 {
            let (line, column) = match row % 3 {
                0 => (k, k),
                1 => (k, 2 - k),
                _ => (1, k),
            };
            x[[
                row,
                (places[[row, 0]] + line) * 6 + places[[row, 1]] + column,
            ]] += 1.0;
        }
    }
    (x, Labels::from_indices((0..n).map(|row| row % 3).collect()))
}

fn accuracy(model: &CnnModel, x: &Array2<f64>, labels: &Labels) -> f64 {
    let predicted = model.predict(x).unwrap();
    let right = predicted
        .iter()
        .zip(&labels.indices)
        .filter(|(a, b)| a == b)
        .count();
    right as f64 / labels.indices.len() as f64
}

// 001:CNN-04 000b:D42 004:M69: patterns are found wherever they stand.
#[test]
fn patterns_are_learned_wherever_they_stand() {
    let ((x, labels), (fresh, truth)) = (patterns(240, 1), patterns(120, 7));
    let model = Cnn::default()
        .fit(Labelled::new(&x, &labels).unwrap())
        .unwrap();
    assert!(accuracy(&model, &x, &labels) > 0.98);
    assert!(
        accuracy(&model, &fresh, &truth) > 0.95,
        "{}",
        accuracy(&model, &fresh, &truth)
    );
    let losses = &Model::trace(&model).unwrap().objectives;
    assert!(losses.last().unwrap() < &(0.2 * losses[0]));
}

// 001:CNN-04: through filters, pooling and dense layers; pooling sends slopes to the largest
// value, the first of equals.
#[test]
fn gradients_through_filters_and_pooling_agree_with_finite_differences() {
    let (x, labels) = patterns(6, 3);
    let cnn = Cnn {
        filters: vec![3, 2],
        kernel_size: 2,
        hidden_layer_sizes: vec![4],
        activation: didact_neural::Activation::Tanh,
        max_iter: 1,
        ..Cnn::default()
    };
    let model = cnn.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
    let network = model.network();
    let y = Array2::from_shape_fn((6, 3), |(row, k)| f64::from(labels.indices[row] == k));
    let mut objective = |parameters: &[f64], gradient: &mut [f64]| {
        let moved = network.clone().with_parameters(parameters.to_vec())?;
        let (loss, found) = moved.loss_and_gradient(x.view(), y.view(), 0.1)?;
        gradient.copy_from_slice(&found);
        Ok(loss)
    };
    let check = check_gradient(&mut objective, network.parameters()).unwrap();
    assert!(check.relative_error < 1e-8, "{check:?}");
    // The same forward and back for changes of the image.
    let (row, v, u) = (x.row(0).to_vec(), random_matrix(1, 36, 5), [0.3, -1.0, 0.8]);
    let forward = network.jacobian_times(&row, v.as_slice().unwrap()).unwrap();
    let back = network.transposed_jacobian_times(&row, &u).unwrap();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    assert!((dot(&u, &forward) - dot(&back, v.as_slice().unwrap())).abs() < 1e-12);
}

// 001:CNN-05 000b:D42: 6×6 → 4×4 costs 576 weights without sharing and 9 with it.
#[test]
fn shared_weights_are_few() {
    let (x, labels) = patterns(9, 1);
    let fit = |cnn: Cnn| cnn.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
    let one = fit(Cnn {
        filters: vec![1],
        pool_size: 1,
        max_iter: 1,
        ..Cnn::default()
    });
    assert_eq!(
        (one.n_weights_without_sharing(), one.n_filter_weights()),
        (576, 9)
    );
    assert_eq!(one.network().sizes(), [36, 16, 32, 3]);
    let two = fit(Cnn {
        filters: vec![4, 5],
        kernel_size: 2,
        max_iter: 1,
        ..Cnn::default()
    });
    // d_out·d_in·k² weights: 4·1·4 and 5·4·4; maps 5×5 → 2×2 → 1×1.
    assert_eq!(two.n_filter_weights(), 16 + 80);
    assert_eq!(
        two.network().n_parameters(),
        (16 + 4) + (80 + 5) + (32 * 6) + 3 * 33
    );
    assert_eq!(two.filter_images().unwrap().dim(), (4, 2, 2, 1));
    assert!(two.filter_images().unwrap().iter().all(|w| w.is_finite()));
}

#[test]
fn rows_of_any_length_are_images_of_some_shape() {
    let labels = Labels::from_indices((0..12).map(|row| row % 2).collect());
    for columns in [1, 2, 3, 7, 16] {
        let x = random_matrix(12, columns, 2);
        let model = Cnn::default()
            .fit(Labelled::new(&x, &labels).unwrap())
            .unwrap();
        let together = model.predict_proba(&x).unwrap();
        for row in 0..12 {
            let alone = model
                .predict_proba(&x.slice(s![row..row + 1, ..]).to_owned())
                .unwrap();
            assert_eq!(alone.row(0), together.row(row));
        }
    }
    let x = random_matrix(12, 12, 2);
    let colours = Cnn {
        image_shape: Some(vec![2, 2, 3]),
        ..Cnn::default()
    };
    assert!(colours.fit(Labelled::new(&x, &labels).unwrap()).is_ok());
    let message = |shape: Vec<usize>| {
        let cnn = Cnn {
            image_shape: Some(shape),
            ..Cnn::default()
        };
        cnn.fit(Labelled::new(&x, &labels).unwrap())
            .unwrap_err()
            .to_string()
    };
    assert!(message(vec![3, 3]).starts_with("image_shape is [3, 3]; "));
    assert!(message(vec![12]).contains("height and width"));
    let none = Cnn {
        filters: vec![0],
        ..Cnn::default()
    };
    assert!(
        none.fit(Labelled::new(&x, &labels).unwrap())
            .unwrap_err()
            .to_string()
            .starts_with("filters is [0]; ")
    );
}
