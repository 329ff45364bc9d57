//! What every algorithm promises, for PCA: awkward rows, determinism, pieces, files.

use didact_core::learner::learn_in_pieces;
use didact_core::model::{AnyModel, decode_model};
use didact_core::{
    Cancel, Csr, Data, DataKind, Error, Fit, Invert, LogDensity, Model, Rows, Run, Samples, Shape,
    Transform,
};
use didact_datasets::iris;
use didact_projection::{Components, Pca, PcaModel, SvdSolver, Whitening, catalogue};
use didact_testing::{assert_close, random_matrix};
use ndarray::{Array2, array, s};
use proptest::prelude::*;
use serde_json::json;

const SOLVERS: [SvdSolver; 7] = [
    SvdSolver::Lanczos,
    SvdSolver::Auto,
    SvdSolver::CovarianceEigh,
    SvdSolver::Full,
    SvdSolver::Randomized,
    SvdSolver::Gram,
    SvdSolver::Deflation,
];

fn with(svd_solver: SvdSolver) -> Pca {
    Pca {
        svd_solver,
        ..Pca::default()
    }
}

fn fit(pca: &Pca, rows: &Array2<f64>) -> PcaModel {
    pca.fit(Samples::from(rows)).unwrap()
}

fn transformed(model: &PcaModel, rows: &Array2<f64>) -> Array2<f64> {
    model.transform(rows).unwrap().into_dense()
}

#[test]
fn awkward_rows_give_finite_models_by_every_way() {
    let constant = Array2::from_elem((6, 3), 0.1);
    let repeated = Array2::from_shape_fn((9, 3), |(i, j)| ((i % 2) * (j + 1)) as f64);
    let one_row = array![[1.0, -0.0, 3.0]];
    let one_column = array![[1.0], [2.0], [4.0]];
    let wide = random_matrix(4, 30, 1);
    let far = random_matrix(40, 3, 2) + 1e8;
    for rows in [constant, repeated, one_row, one_column, wide, far] {
        for solver in SOLVERS {
            for whiten in [Whitening::None, Whitening::Pca, Whitening::Zca] {
                let model = fit(
                    &Pca {
                        whiten,
                        ..with(solver)
                    },
                    &rows,
                );
                model.validate().unwrap();
                let count = rows.nrows().min(rows.ncols());
                assert_eq!(model.n_components(), count);
                let axes = model.components();
                assert_close(&axes.dot(&axes.t()), &Array2::eye(count), 1e-12);
                let images = transformed(&model, &rows);
                assert!(images.iter().all(|value| value.is_finite()));
                let restored = model.inverse_transform(&images).unwrap();
                assert_close(&restored, &rows, 1e-12);
                match model.score_samples(&rows) {
                    Ok(densities) => assert!(densities.iter().all(|value| value.is_finite())),
                    Err(error) => assert!(error.to_string().contains("keep fewer axes")),
                }
            }
        }
    }
}

#[test]
fn rows_far_from_the_origin_keep_their_variance() {
    // Multiples of 2⁻¹⁰ are exact at 1e8, so only the method could lose digits.
    let rows = random_matrix(200, 3, 3).mapv(|value| (value * 1024.0).round() / 1024.0);
    for solver in SOLVERS {
        let near = fit(&with(solver), &rows);
        let far = fit(&with(solver), &(&rows + 1e8));
        assert_close(far.explained_variance(), near.explained_variance(), 1e-9);
    }
}

#[test]
fn values_too_large_to_square_are_a_clear_error() {
    let rows = random_matrix(10, 3, 4) * 1e300;
    for solver in SOLVERS {
        let error = with(solver).fit(Samples::from(&rows)).unwrap_err();
        assert!(matches!(error, Error::Numerical(_)), "{error}");
    }
    let large = fit(&Pca::default(), &(random_matrix(10, 3, 4) * 1e140));
    assert!(
        large
            .explained_variance()
            .iter()
            .all(|value| value.is_finite())
    );
}

#[test]
fn requests_that_cannot_be_met_name_the_parameter() {
    let rows = random_matrix(5, 3, 5);
    let complain =
        |pca: Pca, rows: &Array2<f64>| pca.fit(Samples::from(rows)).unwrap_err().to_string();
    let many = Pca {
        n_components: Components::Count(4),
        ..Pca::default()
    };
    assert!(
        complain(many, &rows).starts_with("n_components is 4; it must be at least 1 and at most 3")
    );
    let one = Pca {
        ddof: 1,
        ..Pca::default()
    };
    let message = complain(one.clone(), &array![[1.0, 2.0]]);
    assert!(
        message.starts_with("ddof is 1; the weights of the rows add up to 1"),
        "{message}"
    );
    let ddof = Pca { ddof: 2, ..one };
    assert_eq!(
        complain(ddof, &rows),
        "ddof is 2; it must be at least 0 and at most 1"
    );
}

#[test]
fn a_weight_of_two_is_the_row_twice_and_of_zero_is_no_row() {
    let rows = random_matrix(12, 3, 6);
    let weights: Vec<f64> = (0..12).map(|row| (row % 3) as f64).collect();
    let repeated: Vec<usize> = (0..12).flat_map(|row| vec![row; row % 3]).collect();
    let repeated = rows.select(ndarray::Axis(0), &repeated);
    for solver in SOLVERS {
        let weighted = Samples::from(&rows).weighted(&weights).unwrap();
        let weighted = with(solver).fit(weighted).unwrap();
        let written = fit(&with(solver), &repeated);
        assert_close(weighted.mean(), written.mean(), 1e-12);
        assert_close(
            weighted.explained_variance(),
            written.explained_variance(),
            1e-12,
        );
        assert_close(weighted.components(), written.components(), 1e-9);
    }
}

#[test]
fn a_row_alone_has_the_same_image_and_density_bit_for_bit() {
    let rows = iris().features().to_owned();
    let sparse = Csr::from_dense(rows.view());
    for whiten in [Whitening::None, Whitening::Pca, Whitening::Zca] {
        let model = fit(
            &Pca {
                n_components: Components::Count(3),
                whiten,
                ..Pca::default()
            },
            &rows,
        );
        let images = transformed(&model, &rows);
        let sparse_images = model.transform(&sparse).unwrap().into_dense();
        assert_close(&sparse_images, &images, 1e-12);
        let densities = model.score_samples(&rows).unwrap();
        let restored = model.inverse_transform(&images).unwrap();
        for row in 0..rows.nrows() {
            let one = rows.slice(s![row..=row, ..]);
            let image = model.transform(one).unwrap().into_dense();
            assert_eq!(image.row(0), images.row(row));
            assert_eq!(model.score_samples(one).unwrap()[0], densities[row]);
            assert_eq!(
                model.inverse_transform(&image).unwrap().row(0),
                restored.row(row)
            );
            let one = sparse.view().slice(row..row + 1);
            let image = model.transform(one).unwrap().into_dense();
            assert_eq!(image.row(0), sparse_images.row(row));
        }
    }
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let rows = random_matrix(5000, 8, 7);
    for solver in [SvdSolver::Auto, SvdSolver::Randomized, SvdSolver::Lanczos] {
        let model = |threads| {
            let run = Run::new().threads(threads);
            with(solver).fit_with(Samples::from(&rows), &run).unwrap()
        };
        assert_eq!(model(1), model(2));
        assert_eq!(model(1), model(4));
    }
}

#[test]
fn a_cancelled_run_stops() {
    let rows = random_matrix(600, 5, 8);
    let cancel = Cancel::new();
    cancel.cancel();
    let run = Run::new().cancelled_by(&cancel);
    for solver in SOLVERS {
        // `learn` itself, because `fit_with` already refuses a run that was cancelled before.
        let result = with(solver).learn(Samples::from(&rows), &run);
        assert!(matches!(result, Err(Error::Cancelled)));
    }
}

#[test]
fn a_saved_model_is_the_same_and_a_damaged_one_is_refused() {
    let rows = iris().features().to_owned();
    let model = fit(&Pca::default(), &rows);
    let loaded = decode_model::<PcaModel>(&model.encode().unwrap()).unwrap();
    let images = loaded
        .as_transform()
        .unwrap()
        .transform_rows(Rows::Dense(rows.view()));
    assert_eq!(images.unwrap().into_dense(), transformed(&model, &rows));
    for (field, wrong) in [
        ("mean", json!([1.0, 2.0])),
        ("explained_variance", json!([1.0])),
    ] {
        let mut value = serde_json::to_value(&model).unwrap();
        value[field] = json!({"v": 1, "dim": [wrong.as_array().unwrap().len()], "data": wrong});
        let damaged: PcaModel = serde_json::from_value(value).unwrap();
        assert!(damaged.validate().is_err(), "{field}");
    }
    let mut value = serde_json::to_value(&model).unwrap();
    value["total_variance"] = json!(-1.0);
    let damaged: PcaModel = serde_json::from_value(value).unwrap();
    assert!(damaged.validate().is_err());
}

// 002a:FIG10: the axes start at the mean and are one standard deviation long.
#[test]
fn the_figure_shows_the_axes_from_the_mean() {
    let rows = array![[3.0, 1.0], [-1.0, 1.0], [1.0, 2.0], [1.0, 0.0]];
    let model = fit(&Pca::default(), &rows);
    let figures = AnyModel::figures(&model);
    // Variances 8/4 and 2/4 about the mean (1, 1).
    let directions = array![[2f64.sqrt(), 0.0], [0.0, 0.5f64.sqrt()]];
    let Shape::Axes {
        origin,
        directions: found,
    } = &figures[0].1
    else {
        panic!("the figure has axes");
    };
    assert_eq!(origin, &[1.0, 1.0]);
    assert_close(found, &directions, 1e-12);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn any_cut_of_the_rows_gives_the_model_of_the_whole(
        n in 6usize..40, d in 1usize..5, cut in 0.0..1.0, weighted: bool, seed in 0u64..1000,
    ) {
        let rows = random_matrix(n, d, seed) * 3.0 + 50.0;
        let weights: Vec<f64> = (0..n).map(|row| ((row * 7 + seed as usize) % 4) as f64).collect();
        let samples = match weighted {
            true => Samples::from(&rows).weighted(&weights).unwrap(),
            false => Samples::from(&rows),
        };
        let cut = 1 + (cut * (n - 2) as f64) as usize;
        let entry = catalogue().remove(0);
        let learner = entry.learner(&serde_json::Map::new()).unwrap();
        let run = Run::new();
        let model = learn_in_pieces(
            learner.pieces(DataKind::Samples).unwrap(),
            |observe| {
                observe(Data::Samples(samples.slice(0..cut)), 0)?;
                observe(Data::Samples(samples.slice(cut..n)), cut)
            },
            &run,
        ).unwrap();
        let whole = learner.fit(Data::Samples(samples.view()), &run).unwrap();
        let variances = |model: &dyn AnyModel| {
            let found = model.attributes().into_iter().find(|(named, _)| named.name == "explained_variance");
            found.unwrap().1.as_array().unwrap().to_owned()
        };
        assert_close(&variances(&*model), &variances(&*whole), 1e-9);
        let back = |model: &dyn AnyModel| {
            let images = model.as_transform().unwrap().transform_rows(Rows::Dense(rows.view())).unwrap();
            model.as_invert().unwrap().invert_rows(images.view()).unwrap()
        };
        assert_close(&back(&*model), &back(&*whole), 1e-9);
    }
}
