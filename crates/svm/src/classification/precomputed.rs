//! Machines on a kernel matrix that is known already.

use super::jury::{Jury, Layout};
use super::pairs::{Examples, teach_matrix};
use super::svc::Svc;
use crate::certificate::Certificate;
use crate::solver::overflow;
use didact_core::{Error, Labels, Result, Run, Trace, parameters};
use ndarray::{Array1, Array2, ArrayView2};

/// A machine for every pair of classes that was taught with a kernel matrix alone: of texts, graphs, or
/// whatever else has a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelMatrixSvc {
    jury: Jury,
    n_rows: usize,
    support: Vec<usize>,
    certificates: Vec<Certificate>,
    trace: Trace,
}

impl Svc {
    /// Learns from the kernel of all pairs of items; the parameters of the kernel have no part.
    ///
    /// The model is asked with the kernel of other items with those learned from.
    ///
    /// ```
    /// use didact_core::{Labels, Run};
    /// use didact_math::kernel::kernel_matrix_with;
    /// use didact_svm::Svc;
    /// let words = ["aaab", "abaa", "aabb", "bbbc", "bcbb", "cbbb"];
    /// let labels = Labels::from_indices(vec![0, 0, 0, 1, 1, 1]);
    /// let count = |word: &str, letter| word.chars().filter(|c| *c == letter).count() as f64;
    /// let shared = |a: &&str, b: &&str| ['a', 'b', 'c'].iter().map(|&c| count(a, c) * count(b, c)).sum();
    /// let kernel = kernel_matrix_with(&words, shared, &Run::new())?;
    /// let model = Svc::default().fit_kernel_matrix(kernel.view(), &labels, &Run::new())?;
    /// assert_eq!(model.predict(kernel.view())?, labels.indices);
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    pub fn fit_kernel_matrix(
        &self,
        kernel: ArrayView2<'_, f64>,
        labels: &Labels,
        run: &Run,
    ) -> Result<KernelMatrixSvc> {
        parameters::check(self)?;
        check_matrix(kernel, labels)?;
        let weights = vec![1.0; labels.indices.len()];
        let examples = Examples::new(
            &labels.indices,
            &labels.classes,
            &weights,
            &self.class_weight,
        )?;
        let matrix = kernel.as_standard_layout().into_owned();
        let (machines, trace) =
            run.install(|| teach_matrix(&self.request(), &examples, &matrix, run))?;
        let layout = Layout::new(&examples, &machines);
        let intercept: Array1<f64> = machines
            .iter()
            .map(|(_, machine)| machine.intercept)
            .collect();
        let classes = labels.classes.clone();
        let model = KernelMatrixSvc {
            jury: layout.jury(classes, &examples, &machines, intercept, self.break_ties),
            n_rows: kernel.nrows(),
            support: layout.rows,
            certificates: machines
                .into_iter()
                .map(|(_, machine)| machine.certificate)
                .collect(),
            trace,
        };
        match model.jury.has_finite_numbers() {
            true => Ok(model),
            false => Err(overflow()),
        }
    }
}

fn check_matrix(kernel: ArrayView2<'_, f64>, labels: &Labels) -> Result<()> {
    let n = labels.indices.len();
    if kernel.dim() != (n, n) {
        return Err(Error::data(format!(
            "the kernel matrix has {} rows and {} columns but there are {n} labels; give one row and \
             one column for each",
            kernel.nrows(),
            kernel.ncols()
        )));
    }
    check_values(kernel)
}

fn check_values(kernel: ArrayView2<'_, f64>) -> Result<()> {
    match kernel.indexed_iter().find(|(_, value)| !value.is_finite()) {
        None => Ok(()),
        Some(((row, column), value)) => Err(Error::data(format!(
            "the kernel of row {row} and column {column} is {value}; every value must be finite"
        ))),
    }
}

impl KernelMatrixSvc {
    /// The items that hold the solution, class by class.
    pub fn support(&self) -> &[usize] {
        &self.support
    }

    /// The multipliers αy of the support vectors, a row for each other class.
    pub fn dual_coef(&self) -> &Array2<f64> {
        &self.jury.dual_coef
    }

    /// The intercept of each machine.
    pub fn intercept(&self) -> &Array1<f64> {
        &self.jury.intercept
    }

    /// What proves the solution of each machine.
    pub fn certificates(&self) -> &[Certificate] {
        &self.certificates
    }

    /// The history of the fit.
    pub fn history(&self) -> &Trace {
        &self.trace
    }

    fn pair_scores(&self, kernel: ArrayView2<'_, f64>) -> Result<Array2<f64>> {
        if kernel.ncols() != self.n_rows {
            return Err(Error::Columns {
                expected: self.n_rows,
                found: kernel.ncols(),
            });
        }
        check_values(kernel)?;
        let machines = self.jury.machines();
        let mut scores = Array2::zeros((kernel.nrows(), self.jury.intercept.len()));
        for (row, mut scores) in kernel.rows().into_iter().zip(scores.rows_mut()) {
            let known: Vec<f64> = self.support.iter().map(|&item| row[item]).collect();
            machines.judge(&known, scores.as_slice_mut().expect("whole rows"));
        }
        Ok(scores)
    }

    /// The label of each item, by its kernel with all items learned from.
    pub fn predict(&self, kernel: ArrayView2<'_, f64>) -> Result<Vec<usize>> {
        Ok(self.jury.classify(&self.pair_scores(kernel)?))
    }

    /// The scores of each item, by its kernel with all items learned from.
    pub fn decision_function(&self, kernel: ArrayView2<'_, f64>) -> Result<Array2<f64>> {
        Ok(self.jury.scores(self.pair_scores(kernel)?))
    }
}
