//! What all kernel machines are told besides their prices.

use crate::solver::Effort;
use didact_core::{Result, Samples};
use didact_math::kernel::{Gamma, Kernel, KernelChoice};

/// The kernel and the effort, as the parameters of a machine say.
pub(crate) struct Setup<'a> {
    pub(crate) kernel: &'a KernelChoice,
    pub(crate) gamma: Gamma,
    pub(crate) degree: u32,
    pub(crate) coef0: f64,
    pub(crate) shrinking: bool,
    pub(crate) tol: f64,
    pub(crate) cache_size: f64,
    pub(crate) max_iter: Option<usize>,
}

impl Setup<'_> {
    /// The kernel with all its numbers.
    pub(crate) fn kernel(&self, data: &Samples<'_>) -> Result<Kernel> {
        self.kernel
            .resolve(self.gamma, self.degree, self.coef0, data)
    }

    pub(crate) fn effort(&self) -> Effort {
        Effort {
            shrinking: self.shrinking,
            max_iter: self.max_iter,
        }
    }

    /// The memory for kernel values.
    pub(crate) fn bytes(&self) -> usize {
        bytes(self.cache_size)
    }
}

/// So many megabytes in bytes.
pub(crate) fn bytes(megabytes: f64) -> usize {
    // A cast keeps to the limits of the type.
    (megabytes * f64::from(1 << 20)) as usize
}

/// The setup of a machine whose parameters have these names.
macro_rules! setup_of {
    ($machine:ident) => {
        crate::setup::Setup {
            kernel: &$machine.kernel,
            gamma: $machine.gamma,
            degree: $machine.degree,
            coef0: $machine.coef0,
            shrinking: $machine.shrinking,
            tol: $machine.tol,
            cache_size: $machine.cache_size,
            max_iter: $machine.max_iter.into(),
        }
    };
}
pub(crate) use setup_of;
