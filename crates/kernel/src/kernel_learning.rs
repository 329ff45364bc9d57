//! Kernels that agree with the targets: their width and their mixture.

use crate::anchors::ensure_finite;
use didact_core::{Error, Result, Rows, Run};
use didact_math::distance::{Metric, pairwise_self};
use didact_math::kernel::{Kernel, KernelCentring, kernel_alignment, kernel_matrix_self};
use didact_math::linalg::Moments;
use didact_math::numeric::argmax;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2};

/// How well Gaussian kernels of several rates agree with targets.
///
/// ```
/// use didact_core::{Rows, Run};
/// use didact_kernel::polarise;
/// use ndarray::array;
/// let x = array![[0.0], [0.2], [3.0], [3.2]];
/// let y = array![1.0, 1.0, -1.0, -1.0];
/// let found = polarise(Rows::Dense(x.view()), y.view(), &[0.01, 1.0, 1000.0], &Run::new())?;
/// assert_eq!(found.best_gamma, 1.0);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Polarisation {
    /// The rates γ that were tried.
    pub gammas: Vec<f64>,
    /// The agreement yᵀKy of each.
    pub agreements: Vec<f64>,
    /// The alignment yᵀKy/(‖y‖²·‖K‖) of each, at most one.
    pub alignments: Vec<f64>,
    /// The rate of the greatest alignment.
    pub best_gamma: f64,
    /// That alignment.
    pub best_alignment: f64,
}

/// Chooses the rate of a Gaussian kernel by its alignment with targets such as ±1: the kernel is
/// polarised when rows of one sign are alike and rows of different signs are not.
///
/// The agreement yᵀKy alone favours the widest kernel where one sign prevails; divided by the size of
/// the kernel it has a peak. Distances are measured once, in O(n²·d); each rate then costs O(n²).
pub fn polarise(
    rows: Rows<'_>,
    targets: ArrayView1<'_, f64>,
    gammas: &[f64],
    run: &Run,
) -> Result<Polarisation> {
    let is_rate = |gamma: &f64| *gamma > 0.0 && gamma.is_finite();
    if gammas.is_empty() || !gammas.iter().all(is_rate) {
        return Err(Error::parameter(
            "gammas",
            format!("{gammas:?}"),
            "it must hold at least 1 number, all greater than 0 and finite",
        ));
    }
    let distances = pairwise_self(rows, Metric::SquaredEuclidean, run)?;
    let (mut agreements, mut alignments) = (Vec::new(), Vec::new());
    let scale = targets.dot(&targets);
    for gamma in gammas {
        run.check()?;
        let gram = distances.mapv(|distance| (-gamma * distance).exp());
        let alignment = kernel_alignment(gram.view(), targets)?;
        let size = gram.iter().map(|value| value * value).sum::<f64>().sqrt();
        agreements.push(alignment * scale * size);
        alignments.push(alignment);
    }
    let best = argmax(alignments.iter().copied()).unwrap_or(0);
    Ok(Polarisation {
        gammas: gammas.to_vec(),
        best_gamma: gammas[best],
        best_alignment: alignments[best],
        agreements,
        alignments,
    })
}

/// A mixture of kernels and how well it agrees with the targets.
///
/// ```
/// use didact_core::{Rows, Run};
/// use didact_kernel::mix_kernels;
/// use didact_math::kernel::Kernel;
/// use ndarray::array;
/// let x = array![[-1.0], [-0.5], [0.5], [1.0]];
/// let y = array![-1.0, -0.5, 0.5, 1.0];
/// let kernels = [Kernel::Linear, Kernel::Rbf { gamma: 50.0 }];
/// let mixture = mix_kernels(Rows::Dense(x.view()), y.view(), &kernels, &Run::new())?;
/// // The targets are linear, so that the linear kernel agrees perfectly.
/// assert!((mixture.alignment - 1.0).abs() < 1e-12);
/// assert_eq!(mixture.weights[1], 0.0);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct KernelMixture {
    /// The weights η of the kernels, none below zero, of sum one.
    pub weights: Array1<f64>,
    /// The mixture Σ η·k.
    pub kernel: Kernel,
    /// The alignment of the centred mixture with the centred targets, at most one.
    pub alignment: f64,
    /// That of each kernel alone.
    pub alone: Vec<f64>,
}

/// Learns the weights η ≥ 0 of a mixture Σ η·k of kernels that agrees best with targets.
///
/// Maximises the alignment ⟨K̃, ỹỹᵀ⟩/(‖K̃‖·‖ỹ‖²) of the centred mixture. With M_kl = ⟨K̃_k, K̃_l⟩ and
/// a_k = ỹᵀK̃_kỹ the weights are those of the least ηᵀMη − 2aᵀη with η ≥ 0, up to a factor: a convex
/// problem, solved coordinate by coordinate. A sum of kernels with such weights is a kernel.
pub fn mix_kernels(
    rows: Rows<'_>,
    targets: ArrayView1<'_, f64>,
    kernels: &[Kernel],
    run: &Run,
) -> Result<KernelMixture> {
    if kernels.is_empty() {
        return Err(Error::parameter(
            "kernels",
            "an empty list",
            "it must hold at least 1 kernel",
        ));
    }
    if targets.len() != rows.n_rows() {
        return Err(Error::data(format!(
            "there are {} targets for {} rows; give one per row",
            targets.len(),
            rows.n_rows()
        )));
    }
    let column = targets.view().insert_axis(ndarray::Axis(1));
    let moments = Moments::summarise(Rows::Dense(column.as_standard_layout().view()), None, run)?;
    let centred_targets = &targets - moments.mean[0];
    let size = centred_targets.dot(&centred_targets);
    if size <= 0.0 {
        return Err(Error::data(
            "the targets are all the same, so that no kernel agrees with them; give targets that \
             differ",
        ));
    }
    let grams = kernels
        .iter()
        .map(|kernel| centred(rows, kernel, run))
        .collect::<Result<Vec<_>>>()?;
    let count = kernels.len();
    let products = Array2::from_shape_fn((count, count), |(k, l)| inner(&grams[k], &grams[l]));
    let agreements: Array1<f64> = grams
        .iter()
        .map(|gram| centred_targets.dot(&gram.dot(&centred_targets)))
        .collect();
    let alone: Vec<f64> = (0..count)
        .map(|k| match products[[k, k]] > 0.0 {
            true => agreements[k] / (products[[k, k]].sqrt() * size),
            false => 0.0,
        })
        .collect();
    let raw = least(products.view(), agreements.view(), run)?;
    let total = raw.sum();
    if total.is_nan() || total <= 0.0 {
        return Err(Error::data(
            "no kernel agrees with the targets better than chance; give other kernels",
        ));
    }
    let weights = raw / total;
    let length = weights.dot(&products.dot(&weights)).sqrt();
    let terms = kernels.iter().zip(&weights);
    Ok(KernelMixture {
        alignment: agreements.dot(&weights) / (length * size),
        kernel: Kernel::Sum {
            terms: terms
                .map(|(kernel, &weight)| kernel.clone().scaled(weight))
                .collect(),
        },
        weights,
        alone,
    })
}

fn centred(rows: Rows<'_>, kernel: &Kernel, run: &Run) -> Result<Array2<f64>> {
    let gram = kernel_matrix_self(rows, kernel, run)?;
    ensure_finite(&gram)?;
    let centred = KernelCentring::new(gram.view())?.centred(gram.view())?;
    Ok(centred)
}

fn inner(a: &Array2<f64>, b: &Array2<f64>) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The least ηᵀMη − 2aᵀη with η ≥ 0, coordinate by coordinate on kernels of length one.
fn least(
    products: ArrayView2<'_, f64>,
    agreements: ArrayView1<'_, f64>,
    run: &Run,
) -> Result<Array1<f64>> {
    const SWEEPS: usize = 100_000;
    let n = agreements.len();
    let lengths = products.diag().mapv(f64::sqrt);
    let is_alive = |k: usize| lengths[k] > 0.0;
    let cosine = |k: usize, l: usize| products[[k, l]] / (lengths[k] * lengths[l]);
    let mut weights = Array1::<f64>::zeros(n);
    for _ in 0..SWEEPS {
        run.check()?;
        let mut moved = 0.0_f64;
        for k in (0..n).filter(|&k| is_alive(k)) {
            let others = (0..n).filter(|&l| l != k && is_alive(l));
            let pull: f64 = others.map(|l| cosine(k, l) * weights[l]).sum();
            let next = (agreements[k] / lengths[k] - pull).max(0.0);
            moved = moved.max((next - weights[k]).abs());
            weights[k] = next;
        }
        let largest = weights.iter().copied().fold(0.0, f64::max);
        if moved <= 1e-14 * largest {
            break;
        }
    }
    Ok(Array1::from_shape_fn(n, |k| match is_alive(k) {
        true => weights[k] / lengths[k],
        false => 0.0,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_math::kernel::check_mercer;
    use didact_testing::random_matrix;
    use ndarray::array;
    use proptest::prelude::*;

    fn two_groups() -> (Array2<f64>, Array1<f64>) {
        let noise = random_matrix(40, 2, 1) * 0.3;
        let x = Array2::from_shape_fn((40, 2), |(row, _)| if row < 20 { 0.0 } else { 2.0 }) + noise;
        let y = Array1::from_shape_fn(40, |row| if row < 20 { 1.0 } else { -1.0 });
        (x, y)
    }

    // 002a:KT11: the curve over the width has its optimum where groups are told apart.
    #[test]
    fn the_alignment_has_a_peak_over_the_width() {
        let (x, y) = two_groups();
        let gammas: Vec<f64> = (-12..=12).map(|k| 2_f64.powi(k)).collect();
        let found = polarise(Rows::Dense(x.view()), y.view(), &gammas, &Run::new()).unwrap();
        let best = gammas
            .iter()
            .position(|&gamma| gamma == found.best_gamma)
            .unwrap();
        assert!((6..18).contains(&best), "{:?}", found.alignments);
        // Ones within and zeros between two groups of 20: 800/(40·√800) = 1/√2 is the most.
        assert!((0.6..=0.5_f64.sqrt()).contains(&found.best_alignment));
        assert!(
            found
                .alignments
                .iter()
                .all(|&alignment| alignment <= 1.0 + 1e-12)
        );
        // A narrow kernel is the identity: yᵀIy/(n·√n) = 1/√40.
        let narrow = found.alignments.last().unwrap();
        assert!((narrow - 40_f64.sqrt().recip()).abs() < 0.02);
        let expected = found.alignments[best] * 40.0;
        let gram = kernel_matrix_self(
            Rows::Dense(x.view()),
            &Kernel::Rbf {
                gamma: found.best_gamma,
            },
            &Run::new(),
        )
        .unwrap();
        let size = gram.iter().map(|value| value * value).sum::<f64>().sqrt();
        assert!((found.agreements[best] - expected * size).abs() < 1e-9);
    }

    // 002a:KT10: weights are not negative, the sum is a kernel, and it agrees at least as well as
    // each of its terms.
    #[test]
    fn a_mixture_agrees_at_least_as_well_as_its_parts() {
        let (x, y) = two_groups();
        let kernels = [
            Kernel::Linear,
            Kernel::Rbf { gamma: 0.3 },
            Kernel::Rbf { gamma: 30.0 },
            Kernel::Constant { value: 1.0 },
        ];
        let mixture = mix_kernels(Rows::Dense(x.view()), y.view(), &kernels, &Run::new()).unwrap();
        assert!(mixture.weights.iter().all(|&weight| weight >= 0.0));
        assert!((mixture.weights.sum() - 1.0).abs() < 1e-12);
        // A constant vanishes when it is centred.
        assert_eq!(mixture.weights[3], 0.0);
        let most = mixture.alone.iter().copied().fold(0.0, f64::max);
        assert!(mixture.alignment >= most - 1e-12 && mixture.alignment <= 1.0 + 1e-12);
        let gram = kernel_matrix_self(Rows::Dense(x.view()), &mixture.kernel, &Run::new()).unwrap();
        assert!(check_mercer(gram.view()).unwrap().is_valid());
    }

    #[test]
    fn targets_without_difference_and_wrong_rates_are_refused() {
        let x = array![[0.0], [1.0]];
        let rows = || Rows::Dense(x.view());
        let same = array![1.0, 1.0];
        assert!(mix_kernels(rows(), same.view(), &[Kernel::Linear], &Run::new()).is_err());
        assert!(mix_kernels(rows(), array![1.0].view(), &[Kernel::Linear], &Run::new()).is_err());
        assert!(mix_kernels(rows(), array![1.0, 2.0].view(), &[], &Run::new()).is_err());
        assert!(polarise(rows(), same.view(), &[-1.0], &Run::new()).is_err());
    }

    proptest! {
        #[test]
        fn no_other_weights_agree_better(seed: u64, a in 0.0..1.0f64, b in 0.0..1.0f64) {
            let x = random_matrix(15, 2, seed);
            let y = x.column(0).mapv(|value| value * value) + x.column(1);
            let kernels = [Kernel::Linear, Kernel::Rbf { gamma: 0.5 }, Kernel::Rbf { gamma: 5.0 }];
            let rows = || Rows::Dense(x.view());
            let mixture = mix_kernels(rows(), y.view(), &kernels, &Run::new()).unwrap();
            let other = [a, b, (1.0 - a).max(0.01)];
            let grams: Vec<Array2<f64>> =
                kernels.iter().map(|kernel| centred(rows(), kernel, &Run::new()).unwrap()).collect();
            let mut mixed = Array2::<f64>::zeros((15, 15));
            for (gram, weight) in grams.iter().zip(other) {
                mixed = mixed + gram * weight;
            }
            let moved = &y - y.mean().unwrap();
            let alignment = moved.dot(&mixed.dot(&moved))
                / (inner(&mixed, &mixed).sqrt() * moved.dot(&moved));
            prop_assert!(alignment <= mixture.alignment + 1e-9);
        }
    }
}
