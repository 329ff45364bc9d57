//! PCA against the item rows of the specification and against scikit-learn.

use didact_core::{Fit, Invert, LogDensity, Run, Sample, Samples, Transform};
use didact_datasets::{digits, iris};
use didact_optimize::{Lbfgs, Minimise};
use didact_projection::{Components, Pca, PcaModel, Whitening};
use didact_testing::{assert_close, random_matrix};
use ndarray::{Array2, ArrayView2, Axis, array, s};
use rand::RngExt;

/// The covariance of the columns with divisor n.
fn covariance(rows: &Array2<f64>) -> Array2<f64> {
    let centred = rows - &rows.mean_axis(Axis(0)).unwrap();
    centred.t().dot(&centred) / rows.nrows() as f64
}

fn pca(n_components: impl Into<Components>) -> Pca {
    Pca {
        n_components: n_components.into(),
        ..Pca::default()
    }
}

fn fit(pca: &Pca, rows: &Array2<f64>) -> PcaModel {
    pca.fit(Samples::from(rows)).unwrap()
}

fn scores(model: &PcaModel, rows: &Array2<f64>) -> Array2<f64> {
    model.transform(rows).unwrap().into_dense()
}

/// Mean squared distance between rows.
fn distance(a: &Array2<f64>, b: &Array2<f64>) -> f64 {
    (a - b).mapv(|error| error * error).sum() / a.nrows() as f64
}

// 001:OV-08, 003:P58: scikit-learn 1.x, PCA(svd_solver="full").fit(load_iris().data).
#[test]
fn iris_has_the_axes_of_scikit_learn() {
    let rows = iris().features().to_owned();
    let model = fit(
        &Pca {
            ddof: 1,
            ..Pca::default()
        },
        &rows,
    );
    let components = array![
        [
            0.361386591785369,
            -0.084522514064569,
            0.856670605949835,
            0.358289197151551
        ],
        [
            0.656588771286842,
            0.730161434785027,
            -0.173372662795857,
            -0.075481019917463
        ],
        [
            -0.582029851306065,
            0.597910830100085,
            0.076236075820963,
            0.545831432020076
        ],
        [
            0.315487192903975,
            -0.31972310366613,
            -0.479838986994634,
            0.753657425264045
        ]
    ];
    let variances = array![
        4.228241706034864,
        0.242670747928633,
        0.078209500042919,
        0.023835092973449
    ];
    let shares = array![
        0.924618723201727,
        0.053066483117068,
        0.01710260980793,
        0.005212183873275
    ];
    let singular = array![
        25.099960442183864,
        6.013147382308733,
        3.4136806391921,
        1.884523508222693
    ];
    assert_close(model.components(), &components, 1e-12);
    assert_close(model.explained_variance(), &variances, 1e-12);
    assert_close(&model.explained_variance_ratio(), &shares, 1e-12);
    assert_close(&model.singular_values(), &singular, 1e-12);
    assert_eq!(model.noise_variance(), 0.0);
    // 004:M57, 003:P58: with divisor n the variance is λ·(n−1)/n.
    let by_n = fit(&Pca::default(), &rows);
    assert_close(
        by_n.explained_variance(),
        &(variances * (149.0 / 150.0)),
        1e-12,
    );
}

// PCA(2).fit(iris): transform, score_samples and noise_variance_; PCA(2, whiten=True).transform.
#[test]
fn scores_whitened_scores_and_densities_are_those_of_scikit_learn() {
    let rows = iris().features().to_owned();
    let two = Pca { ddof: 1, ..pca(2) };
    let model = fit(&two, &rows);
    let some = rows.select(Axis(0), &[0, 149]);
    let expected = array![
        [-2.684125625969537, 0.319397246585101],
        [1.390188861947912, -0.282660937990551]
    ];
    assert_close(&scores(&model, &some), &expected, 1e-12);
    let whitening = Pca {
        whiten: Whitening::Pca,
        ..two
    };
    let expected = array![
        [-1.305337863319861, 0.648369315780236],
        [0.676073482220371, -0.57379542535881]
    ];
    assert_close(&scores(&fit(&whitening, &rows), &some), &expected, 1e-12);
    assert!((model.noise_variance() / 0.051022296508184406 - 1.0).abs() < 1e-12);
    let densities = model.score_samples(&rows).unwrap();
    let expected = array![-1.7829611040183, -2.109589573246678, -2.632487440138519];
    assert_close(&densities.select(Axis(0), &[0, 75, 149]), &expected, 1e-12);
    assert!((densities.mean().unwrap() / -2.699796510675664 - 1.0).abs() < 1e-12);
}

// 003:P61: PCA(0.95, svd_solver="full").fit(load_digits().data) keeps 29 axes.
#[test]
fn ninety_five_percent_of_the_digits_lie_along_29_axes() {
    let rows = digits().features().to_owned();
    let model = fit(&pca_share(0.95), &rows);
    assert_eq!(model.n_components(), 29);
    assert!((1.0 - model.lost_share() - 0.9547965245651595).abs() < 1e-12);
    assert!((model.kept_shares()[28] - 0.9547965245651595).abs() < 1e-12);
    assert_eq!(model.components_for_share(0.95), Some(29));
    // PCA(10).noise_variance_ is 5.827594276606526 with divisor n−1.
    let ten = fit(&Pca { ddof: 1, ..pca(10) }, &rows);
    assert!((ten.noise_variance() / 5.827594276606526 - 1.0).abs() < 1e-12);
    assert!((ten.explained_variance()[0] / 179.006930097972 - 1.0).abs() < 1e-12);
}

fn pca_share(share: f64) -> Pca {
    pca(Components::Share(share))
}

// 002a:PCA01 PCA08, 003:P60, 001:OV-08: the mean comes back, and the error is the sum of the
// discarded eigenvalues; the printed chain that minimises over the kept axes would give the kept.
#[test]
fn the_reconstruction_error_is_the_discarded_variance() {
    let rows = iris().features().to_owned() + 100.0;
    for count in 1..=4 {
        let model = fit(&pca(count), &rows);
        let restored = model.inverse_transform(&scores(&model, &rows)).unwrap();
        let expected: f64 = model.eigenvalues().iter().skip(count).sum();
        let total: f64 = model.eigenvalues().sum();
        assert!((distance(&rows, &restored) - expected).abs() < 1e-12 * total);
        assert!((model.discarded_variance() - expected).abs() < 1e-12 * total);
        assert_close(&model.reconstruct(&rows).unwrap(), &restored, 1e-12);
        let errors = model.reconstruction_errors(&rows).unwrap();
        assert!((errors.mean().unwrap() - expected).abs() < 1e-12 * total);
        if count == 4 {
            assert_close(&restored, &rows, 1e-12);
        }
    }
}

// 002a:PCA02 PCA09, 004:M58: orthonormal axes, uncorrelated scores of variance λ.
#[test]
fn scores_are_uncorrelated_and_axes_orthonormal() {
    let rows = digits().features().to_owned();
    let model = fit(&pca(20), &rows);
    let found = covariance(&scores(&model, &rows));
    let expected = Array2::from_diag(model.explained_variance());
    assert_close(&found, &expected, 1e-12);
    assert_close(
        &model.components().dot(&model.components().t()),
        &Array2::eye(20),
        1e-12,
    );
}

// 002a:PCA06: shares of a known diagonal covariance; the loss is one minus the kept share.
#[test]
fn the_loss_is_one_minus_the_kept_share() {
    // Pairs ±a along each axis: with divisor 6 the variances are 2a²/6, so 12, 3 and 0.75.
    let rows = array![
        [6.0, 0.0, 0.0],
        [-6.0, 0.0, 0.0],
        [0.0, 3.0, 0.0],
        [0.0, -3.0, 0.0],
        [0.0, 0.0, 1.5],
        [0.0, 0.0, -1.5]
    ];
    let model = fit(&pca(2), &rows);
    assert_close(model.explained_variance(), &array![12.0, 3.0], 1e-12);
    let shares = array![12.0 / 15.75, 3.0 / 15.75];
    assert_close(&model.explained_variance_ratio(), &shares, 1e-12);
    assert!((model.lost_share() - 0.75 / 15.75).abs() < 1e-12);
    assert!((model.lost_share() - (1.0 - shares.sum())).abs() < 1e-12);
    // Kaiser: the mean variance is 5.25, which only the first axis exceeds.
    assert_eq!(model.components_above_average(), 1);
    // 003:P61: the share 15/15.75 is reached exactly with two axes.
    assert_eq!(fit(&pca_share(15.0 / 15.75), &rows).n_components(), 2);
}

// 002a:PCA10: the loadings of a column square to its variance when all axes are kept.
#[test]
fn loadings_tell_what_each_column_contributes() {
    let rows = iris().features().to_owned();
    let model = fit(&Pca::default(), &rows);
    let loadings = model.loadings();
    assert_eq!(loadings.dim(), (4, 4));
    let squares = loadings.mapv(|value| value * value).sum_axis(Axis(1));
    assert_close(&squares, &covariance(&rows).diag().to_owned(), 1e-12);
    let first = model.components().row(0).to_owned() * model.explained_variance()[0].sqrt();
    assert_close(&loadings.column(0).to_owned(), &first, 1e-12);
}

// 002a:PCA07, FIG11: the data set is the pictures, one per row; the stored size counts axes and
// mean too.
#[test]
fn a_tenth_of_the_axes_saves_most_of_the_numbers_and_all_axes_lose_nothing() {
    let rows = digits().features().to_owned();
    let model = fit(&pca(6), &rows);
    assert_eq!(model.stored_numbers(1797), 1797 * 6 + 6 * 64 + 64);
    let saved = model.saved_share(1797).unwrap();
    assert!((saved - (1.0 - (1797.0 * 6.0 + 448.0) / (1797.0 * 64.0))).abs() < 1e-12);
    assert!(saved > 0.9 && model.saved_share(1).unwrap() < 0.0);
    let all = fit(&Pca::default(), &rows);
    assert_close(&all.reconstruct(&rows).unwrap(), &rows, 1e-12);
}

// 002a:BP04: reconstruction from few axes is nearer to the clean signal than what was measured.
#[test]
fn few_axes_remove_noise() {
    let clean = random_matrix(300, 2, 1).dot(&random_matrix(2, 20, 2)) + 1.0;
    let noisy = &clean + &(random_matrix(300, 20, 3) * 0.3);
    let restored = fit(&pca(2), &noisy).reconstruct(&noisy).unwrap();
    // Two of twenty directions of the noise survive.
    assert!(distance(&restored, &clean) < 0.2 * distance(&noisy, &clean));
}

// 002a:PCA11: what separates the groups may be the third axis; any pair can be looked at.
#[test]
fn groups_may_differ_along_a_late_axis_only() {
    let mut rows = random_matrix(200, 3, 4) * &array![10.0, 5.0, 0.2];
    for mut row in rows.rows_mut().into_iter().take(100) {
        row[2] += 3.0;
    }
    let scores = scores(&fit(&pca(3), &rows), &rows);
    let separated = |axis: usize| gap(&scores.column(axis).to_vec(), 100) > 0.0;
    assert!(!separated(0) && !separated(1) && separated(2));
}

/// The empty interval between the first `split` values and the others; negative if they overlap.
fn gap(values: &[f64], split: usize) -> f64 {
    let low = |values: &[f64]| values.iter().copied().fold(f64::MAX, f64::min);
    let high = |values: &[f64]| values.iter().copied().fold(f64::MIN, f64::max);
    let (first, second) = values.split_at(split);
    (low(first) - high(second)).max(low(second) - high(first))
}

// 002a:PCA12 PCA13 FIG15: two tall clusters side by side vary most along their height, so that
// the first axis mixes them and only the second tells them apart.
#[test]
fn the_direction_of_most_variance_need_not_separate() {
    let mut rows = random_matrix(200, 2, 5) * &array![0.2, 5.0];
    for mut row in rows.rows_mut().into_iter().take(100) {
        row[0] += 2.0;
    }
    let scores = scores(&fit(&Pca::default(), &rows), &rows);
    assert!(gap(&scores.column(0).to_vec(), 100) < 0.0);
    assert!(gap(&scores.column(1).to_vec(), 100) > 0.0);
}

// 002a:PCA13 FIG14: in a parallelogram the scores are uncorrelated but not independent.
#[test]
fn uncorrelated_scores_of_a_parallelogram_depend_on_each_other() {
    let rows = parallelogram(4000);
    let scores = scores(&fit(&Pca::default(), &rows), &rows);
    let squares = scores.mapv(|y| y * y);
    let correlation = |rows: &Array2<f64>| {
        let c = covariance(rows);
        c[[0, 1]] / (c[[0, 0]] * c[[1, 1]]).sqrt()
    };
    assert!(correlation(&scores).abs() < 1e-10);
    // Independent squares would have a correlation of standard error 1/√4000 = 0.016.
    assert!(correlation(&squares).abs() > 5.0 * 0.016);
}

/// 002a:EX03: sources uniform on [−√3, √3], mixed by A = [[2, 3], [2, 1]].
fn parallelogram(rows: usize) -> Array2<f64> {
    let mut generator = didact_core::random::generator(6, 0);
    let side = 3f64.sqrt();
    let sources = Array2::from_shape_fn((rows, 2), |_| generator.random_range(-side..side));
    sources.dot(&mixing().t())
}

fn mixing() -> Array2<f64> {
    array![[2.0, 3.0], [2.0, 1.0]]
}

// 002a:EX03: the corners of the parallelogram A·(±√3, ±√3), and the rows lie between them.
#[test]
fn mixed_uniform_sources_fill_the_parallelogram_of_the_text() {
    let side = 3f64.sqrt();
    let sources = array![[side, side], [-side, -side], [-side, side], [side, -side]];
    let corners = sources.dot(&mixing().t());
    let printed = array![
        [8.660254, 5.196152],
        [-8.660254, -5.196152],
        [1.732051, -1.732051],
        [-1.732051, 1.732051]
    ];
    assert!((&corners - &printed).iter().all(|error| error.abs() < 5e-7));
    // A⁻¹ = ¼·[[−1, 3], [2, −2]]
    let unmixed = parallelogram(1000).dot(&array![[-0.25, 0.75], [0.5, -0.5]].t());
    assert!(unmixed.iter().all(|source| source.abs() <= side + 1e-12));
    let variance = unmixed.mapv(|source| source * source).mean().unwrap();
    // Variance one; its standard error over 2000 values is √(0.8/2000) = 0.02.
    assert!((variance - 1.0).abs() < 4.0 * 0.02);
}

// 001:OV-08: a linear autoencoder x̂ = W·V·(x − mean) has the error of PCA and spans its axes.
#[test]
fn a_linear_autoencoder_finds_the_subspace_of_pca() {
    let rows = iris().features().to_owned();
    let centred = &rows - &rows.mean_axis(Axis(0)).unwrap();
    let model = fit(&pca(2), &rows);
    let mut loss = |weights: &[f64], gradient: &mut [f64]| {
        let encoder = ArrayView2::from_shape((4, 2), &weights[..8]).unwrap();
        let decoder = ArrayView2::from_shape((2, 4), &weights[8..]).unwrap();
        let codes = centred.dot(&encoder);
        let residuals = codes.dot(&decoder) - &centred;
        let of_decoder = codes.t().dot(&residuals) * 2.0;
        let of_encoder = centred.t().dot(&residuals.dot(&decoder.t())) * 2.0;
        let parts = of_encoder.iter().chain(&of_decoder);
        for (target, value) in gradient.iter_mut().zip(parts) {
            *target = *value;
        }
        residuals.mapv(|residual| residual * residual).sum()
    };
    let start: Vec<f64> = random_matrix(16, 1, 5).iter().copied().collect();
    let tight = Lbfgs {
        gradient_tolerance: 1e-9,
        max_iter: 5000,
        ..Lbfgs::default()
    };
    let trained = tight.minimise(&mut loss, &start, &Run::new()).unwrap();
    let discarded: f64 = 150.0
        * fit(&Pca::default(), &rows)
            .explained_variance()
            .slice(s![2..])
            .sum();
    assert!(
        (trained.value - discarded).abs() < 1e-9 * discarded,
        "{} {discarded}",
        trained.value
    );
    let decoder = Array2::from_shape_vec((2, 4), trained.x[8..].to_vec()).unwrap();
    let axes = model.components();
    let inside = decoder.dot(&axes.t()).dot(axes);
    assert_close(&inside, &decoder, 1e-5);
}

// 002a:ICA02 EX03: the four corners A·(±1, ±1) have exactly the covariance AAᵀ = [[13,7],[7,5]],
// estimated on the raw rows. The symmetric whitening matrix and what it makes of A are given.
#[test]
fn symmetric_whitening_is_the_matrix_of_the_text() {
    let corners = array![[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]];
    let rows = corners.dot(&mixing().t());
    assert_close(&covariance(&rows), &array![[13.0, 7.0], [7.0, 5.0]], 1e-12);
    let plain = fit(&Pca::default(), &rows);
    let values = plain.explained_variance();
    assert!((values[0] - 17.062258).abs() < 5e-7 && (values[1] - 0.937742).abs() < 5e-7);
    let zca = Pca {
        whiten: Whitening::Zca,
        ..Pca::default()
    };
    let model = fit(&zca, &rows);
    // The images of the unit vectors are the columns of the symmetric matrix V.
    let matrix = scores(&model, &Array2::eye(2));
    let printed = array![[0.441261, -0.343203], [-0.343203, 0.833494]];
    assert!((&matrix - &printed).iter().all(|error| error.abs() < 5e-7));
    let mixed = matrix.dot(&mixing());
    let printed = array![[0.196116, 0.980581], [0.980581, -0.196116]];
    assert!((&mixed - &printed).iter().all(|error| error.abs() < 5e-7));
    // One angle is left of four numbers: Ã is orthogonal.
    assert_close(&mixed.dot(&mixed.t()), &Array2::eye(2), 1e-12);
}

// 002a:BP05 ICA02 ICA03: both whitenings make the covariance the identity, with fewer axes the
// identity on what is left, and both can be taken back.
#[test]
fn whitened_rows_have_unit_covariance_and_can_be_taken_back() {
    let rows = iris().features().to_owned() + 7.0;
    for whiten in [Whitening::Pca, Whitening::Zca] {
        let model = fit(
            &Pca {
                whiten,
                ..Pca::default()
            },
            &rows,
        );
        let white = scores(&model, &rows);
        assert_close(&covariance(&white), &Array2::eye(4), 1e-10);
        assert_close(&model.inverse_transform(&white).unwrap(), &rows, 1e-12);
        let names: Vec<String> = "a b c d".split(' ').map(str::to_owned).collect();
        let expected = match whiten {
            Whitening::Zca => names.clone(),
            _ => (0..4).map(|axis| format!("pca{axis}")).collect(),
        };
        assert_eq!(model.output_names(&names), expected);
    }
    let reduced = fit(
        &Pca {
            whiten: Whitening::Zca,
            ..pca(2)
        },
        &rows,
    );
    let axes = reduced.components();
    assert_close(
        &covariance(&scores(&reduced, &rows)),
        &axes.t().dot(axes),
        1e-10,
    );
}

// 002a:ICA03: the guard against 1/√λ for tiny λ.
#[test]
fn directions_without_variance_are_whitened_to_zero() {
    let plane = random_matrix(50, 2, 7);
    let rows = plane.dot(&random_matrix(2, 5, 8));
    for whiten in [Whitening::Pca, Whitening::Zca] {
        let model = fit(
            &Pca {
                whiten,
                ..Pca::default()
            },
            &rows,
        );
        let white = scores(&model, &rows);
        assert!(white.iter().all(|value| value.abs() < 10.0));
        let spread = covariance(&white).diag().sum();
        assert!((spread - 2.0).abs() < 1e-10, "{spread}");
        assert_close(&model.inverse_transform(&white).unwrap(), &rows, 1e-12);
    }
}

// 000a:GEN-14: low densities mark outliers; the model is a normal distribution.
#[test]
fn drawn_rows_have_the_covariance_of_the_model_and_outliers_are_improbable() {
    let rows = iris().features().to_owned();
    let model = fit(&pca(2), &rows);
    let drawn = model.sample(20_000, 3).unwrap().rows;
    let axes = model.components();
    let spread = model.explained_variance() - model.noise_variance();
    let expected = axes.t().dot(&Array2::from_diag(&spread)).dot(axes)
        + Array2::<f64>::eye(4) * model.noise_variance();
    let found = covariance(&drawn);
    for i in 0..4 {
        let mean_error = (expected[[i, i]] / 20_000.0).sqrt();
        let mean = drawn.column(i).mean().unwrap();
        assert!((mean - model.mean()[i]).abs() < 5.0 * mean_error);
        for j in 0..4 {
            // The variance of a sample covariance is (c_ii·c_jj + c_ij²)/n.
            let product = expected[[i, i]] * expected[[j, j]] + expected[[i, j]].powi(2);
            let error = (product / 20_000.0).sqrt();
            assert!((found[[i, j]] - expected[[i, j]]).abs() < 5.0 * error);
        }
    }
    let densities = model.score_samples(&rows).unwrap();
    let far = model.score_samples(&array![[5.0, 9.0, 1.0, 5.0]]).unwrap();
    assert!(densities.iter().all(|density| *density > far[0]));
}

// 002a:FIG11: a picture cut into patches, kept by a tenth of the axes.
#[test]
fn a_tenth_of_the_axes_keeps_a_picture() {
    let (side, patch) = (160, 10);
    let picture = Array2::from_shape_fn((side, side), |(line, column)| {
        let (x, y) = (column as f64 / 25.0, line as f64 / 40.0);
        let disc = f64::from((line as f64 - 80.0).hypot(column as f64 - 60.0) < 45.0);
        0.4 + 0.25 * (x + y * y).sin() + 0.3 * disc
    });
    let per_side = side / patch;
    let patches = Array2::from_shape_fn((per_side * per_side, patch * patch), |(row, dot)| {
        let (down, across) = (row / per_side * patch, row % per_side * patch);
        picture[[down + dot / patch, across + dot % patch]]
    });
    let kept = patch * patch / 10;
    let model = fit(&pca(kept), &patches);
    let scores = scores(&model, &patches);
    assert!((1.0 - scores.ncols() as f64 / patches.ncols() as f64 - 0.9).abs() < 1e-12);
    let restored = model.inverse_transform(&scores).unwrap();
    let lost = distance(&patches, &restored) / (patches.ncols() as f64 * patches.var(0.0));
    assert!(lost < 0.02, "{lost}");
    // Every tenth dot instead, as many numbers, tells far less.
    let coarse = Array2::from_shape_fn(patches.dim(), |(row, dot)| patches[[row, dot / 10 * 10]]);
    assert!(distance(&patches, &coarse) > 5.0 * distance(&patches, &restored));
}
