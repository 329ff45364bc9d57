//! The same numbers as hmmlearn 0.3.3, from the same starting parameters.

use didact_core::{Decode, Fit, Model, Run, SequenceLikelihood, Sequences};
use didact_sequence::{CovarianceType, Hmm, HmmEmission, HmmModel};
use ndarray::{Array2, array};

fn assert_close<'a>(found: impl IntoIterator<Item = &'a f64>, expected: &[f64], tolerance: f64) {
    let found: Vec<f64> = found.into_iter().copied().collect();
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        let scale = expected.abs().max(1.0);
        assert!(
            (found - expected).abs() <= tolerance * scale,
            "{found} is not {expected}"
        );
    }
}

/// x = [(i*i + 3*i) % 7 % 3 for i in range(60)] cut into 10, 20 and 30 items.
fn symbols() -> Array2<f64> {
    Array2::from_shape_fn((60, 1), |(i, _)| ((i * i + 3 * i) % 7 % 3) as f64)
}

const LENGTHS: [usize; 3] = [10, 20, 30];

fn start() -> HmmModel {
    HmmModel::categorical(
        array![0.6, 0.4],
        array![[0.7, 0.3], [0.4, 0.6]],
        array![[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]],
    )
    .unwrap()
}

// CategoricalHMM(2, init_params='') with the parameters above: score, predict_proba, decode.
#[test]
fn scores_posteriors_and_paths_of_symbols_are_those_of_hmmlearn() {
    let items = symbols();
    let data = Sequences::new(&items, &LENGTHS).unwrap();
    let scores = [
        -10.904457513129001,
        -22.259943308206196,
        -33.138987517015806,
    ];
    assert_close(&start().log_likelihoods(&data).unwrap(), &scores, 1e-12);
    let posteriors = start().state_probabilities(&data).unwrap();
    let expected = [
        0.9010006206735428,
        0.8869303529823771,
        0.7264087219392533,
        0.726748202706262,
    ];
    let found: Vec<f64> = [0, 9, 10, 59]
        .iter()
        .map(|&row| posteriors[[row, 0]])
        .collect();
    assert_close(&found, &expected, 1e-12);
    let (path, best) = start().viterbi(&data).unwrap();
    assert!((best.iter().sum::<f64>() + 77.03973314955402).abs() < 1e-10);
    // Both decoders of hmmlearn give state 1 exactly where the symbol is 2.
    let expected: Vec<usize> = (0..60)
        .map(|i| usize::from(matches!(i % 7, 5 | 6)))
        .collect();
    assert_eq!(path, expected);
    assert_eq!(start().max_marginal(&data).unwrap(), expected);
}

// CategoricalHMM(..., n_iter=5, tol=-inf).fit: monitor_.history, then the parameters.
#[test]
fn five_steps_on_symbols_follow_the_path_of_hmmlearn() {
    let items = symbols();
    let data = Sequences::new(&items, &LENGTHS).unwrap();
    let hyper = Hmm {
        max_iter: 5,
        tol: 0.0,
        ..Hmm::default()
    };
    let model = hyper.fit_from(&start(), &data, &Run::new()).unwrap();
    let history = [
        -66.303388338351,
        -63.57357432176721,
        -62.91534895421631,
        -62.40773388923215,
        -61.986433401014786,
    ];
    assert_close(&model.trace().unwrap().objectives, &history, 1e-12);
    assert_close(
        model.startprob(),
        &[0.9985222390944771, 0.0014777609055227894],
        1e-12,
    );
    let transitions = [
        0.7411493686617531,
        0.25885063133824676,
        0.43162794180407166,
        0.5683720581959283,
    ];
    assert_close(model.transmat(), &transitions, 1e-12);
    let emissions = [
        0.5456150735409534,
        0.4289992021280479,
        0.025385724330998824,
        0.22819523180231935,
        0.06431919050567607,
        0.7074855776920046,
    ];
    assert_close(model.emissionprob().unwrap(), &emissions, 1e-12);
    // The same start through the hyper-parameters.
    let given = Hmm {
        startprob_init: Some(vec![0.6, 0.4]),
        transmat_init: Some(vec![vec![0.7, 0.3], vec![0.4, 0.6]]),
        emissionprob_init: Some(vec![vec![0.5, 0.4, 0.1], vec![0.1, 0.3, 0.6]]),
        ..hyper
    };
    assert_eq!(given.fit(data).unwrap(), model);
}

struct Expected {
    history: [f64; 8],
    score: f64,
    second_mean: [f64; 4],
    first_variances: [f64; 4],
    visits: [usize; 3],
}

/// Eight steps on the rows of iris as three sequences of 50, from rows 0, 60 and 120 as means
/// and unit covariances; GaussianHMM(3, init_params='', n_iter=8, tol=-inf) without priors.
fn check_gaussian(covariance_type: CovarianceType, expected: &Expected) {
    let iris = didact_datasets::iris();
    let rows = iris.features();
    let data = Sequences::new(rows, &[50, 50, 50]).unwrap();
    let unit = Hmm {
        n_components: 3,
        emission: HmmEmission::Gaussian,
        covariance_type,
        max_iter: 8,
        tol: 0.0,
        min_covar: 1e-12,
        startprob_init: Some(vec![0.5, 0.3, 0.2]),
        transmat_init: Some(vec![
            vec![0.6, 0.3, 0.1],
            vec![0.2, 0.5, 0.3],
            vec![0.1, 0.2, 0.7],
        ]),
        means_init: Some(
            [0, 60, 120]
                .iter()
                .map(|&row| rows.row(row).to_vec())
                .collect(),
        ),
        variance_init: Some(1.0),
        ..Hmm::default()
    };
    let model = unit.fit(data.clone()).unwrap();
    assert_close(&model.trace().unwrap().objectives, &expected.history, 1e-9);
    let score: f64 = model.log_likelihoods(&data).unwrap().iter().sum();
    assert!((score - expected.score).abs() <= 1e-9 * expected.score.abs());
    assert_close(model.means().unwrap().row(1), &expected.second_mean, 1e-9);
    let covariance = model.covars().unwrap();
    let variances: Vec<f64> = (0..4).map(|i| covariance[[0, i, i]]).collect();
    assert_close(&variances, &expected.first_variances, 1e-9);
    let (path, _) = model.viterbi(&data).unwrap();
    let visits = [0, 1, 2].map(|state| path.iter().filter(|&&found| found == state).count());
    assert_eq!(visits, expected.visits);
}

#[test]
fn eight_steps_with_full_covariances_follow_the_path_of_hmmlearn() {
    check_gaussian(
        CovarianceType::Full,
        &Expected {
            history: [
                -707.9333821441473,
                -86.78522245273714,
                -45.838917629639994,
                -29.65206211068359,
                -26.881072950915417,
                -26.87955015379245,
                -26.879548468290373,
                -26.879548466225835,
            ],
            score: -26.879548466223355,
            second_mean: [5.936, 2.77, 4.26, 1.326],
            first_variances: [0.121764, 0.140816, 0.029556, 0.010884],
            visits: [50, 50, 50],
        },
    );
}

#[test]
fn eight_steps_with_a_tied_covariance_follow_the_path_of_hmmlearn() {
    check_gaussian(
        CovarianceType::Tied,
        &Expected {
            history: [
                -707.9333821441473,
                -160.8398887313774,
                -117.37117383901436,
                -101.85092546751149,
                -101.70781662238265,
                -101.70773685922423,
                -101.70773683996052,
                -101.70773683995401,
            ],
            score: -101.70773683995401,
            second_mean: [5.936, 2.77, 4.26, 1.326],
            first_variances: [0.259708, 0.11308, 0.181484, 0.041044],
            visits: [50, 50, 50],
        },
    );
}

#[test]
fn eight_steps_with_diagonal_covariances_follow_the_path_of_hmmlearn() {
    check_gaussian(
        CovarianceType::Diag,
        &Expected {
            history: [
                -707.9333821441473,
                -202.86025155300177,
                -180.2050956549723,
                -172.92058419607227,
                -169.47012064360527,
                -168.94186914787008,
                -168.86799023539047,
                -167.90739715852456,
            ],
            score: -165.08552650999496,
            second_mean: [
                5.92674514478058,
                2.7659425306113183,
                4.2558519522756955,
                1.325023900627383,
            ],
            first_variances: [0.121764, 0.140816, 0.029556, 0.010884],
            visits: [50, 50, 50],
        },
    );
}

#[test]
fn eight_steps_with_spherical_covariances_follow_the_path_of_hmmlearn() {
    check_gaussian(
        CovarianceType::Spherical,
        &Expected {
            history: [
                -707.9333821441473,
                -281.8204676176596,
                -263.8153955262261,
                -259.64167646165845,
                -258.92309631481106,
                -258.45853276551077,
                -258.10332131575524,
                -257.8063267764208,
            ],
            score: -257.6002851983852,
            second_mean: [
                5.887802651029057,
                2.748168808353899,
                4.237222629133602,
                1.319831455689047,
            ],
            first_variances: [0.075755; 4],
            visits: [50, 47, 53],
        },
    );
}
