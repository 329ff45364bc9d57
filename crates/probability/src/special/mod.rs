//! Special functions, accurate to a few units in the last place and finite in the tails.
//!
//! Tails are computed as logarithms of the smaller side and only then turned into what was asked
//! for, so ln Q(a, x) is as good at −10⁴ as at −1. The functions follow IEEE habits: outside
//! their domain they return NaN, at a pole an infinity. The laws built on them check their
//! parameters first.

mod error_function;
mod gamma;
mod incomplete_beta;
mod incomplete_gamma;
mod logarithms;
mod saddle;
#[cfg(test)]
mod tests;

pub use error_function::{
    erf, erf_inverse, erfc, erfc_inverse, log_erfc, normal_cumulative, normal_log_cumulative,
    normal_quantile, normal_quantile_of_log, scaled_erfc,
};
pub use gamma::{
    digamma, digamma_inverse, gamma, log_beta, log_beta_of, log_choose, log_factorial, log_gamma,
    log_gamma_one_plus, log_gamma_ratio, log_multinomial, multivariate_log_gamma, trigamma,
};
pub use incomplete_beta::{
    beta_lower, beta_lower_inverse, beta_upper, beta_upper_inverse, log_beta_lower, log_beta_upper,
};
pub(crate) use incomplete_beta::{inverse as beta_inverse, log_tails_of_beta};
pub(crate) use incomplete_gamma::inverse as gamma_inverse;
pub use incomplete_gamma::{
    gamma_lower, gamma_lower_inverse, gamma_upper, gamma_upper_inverse, log_gamma_lower,
    log_gamma_upper,
};
pub(crate) use logarithms::log_shares_in_place;
pub use logarithms::{log_add_exp, log_one_minus_exp, log_subtract_exp, x_log_y};
pub(crate) use saddle::{deviance, log_beta_kernel, log_binomial, log_poisson};
