//! Linear models that are followed over many prices.

use super::answers::results;
use super::arguments::{Maybe, RowMatrix, Vector};
use super::functions;
use didact::Result;
use didact::core::{Measured, Rows, Run, Samples};
use didact::prelude::{ElasticNet, ElasticNetPath, elastic_net_path};
use ndarray::{Array1, Array2};
use pyo3::prelude::*;

results! {}

/// Falling prices, the weights of each (a column per price, as in scikit-learn) and the duality gaps.
type Path = (Array1<f64>, Array2<f64>, Array1<f64>);

fn followed<'a>(
    net: &ElasticNet,
    rows: Rows<'a>,
    targets: &'a [f64],
    (eps, n_alphas): (f64, usize),
    alphas: Option<&[f64]>,
    run: &Run,
) -> Result<Path> {
    let data = Measured::new(Samples::from(rows), targets)?;
    let path = match alphas {
        Some(alphas) => ElasticNetPath::at(net, data, alphas, run)?,
        None => elastic_net_path(net, data, n_alphas, eps, run)?,
    };
    Ok((path.alphas, path.coefs.reversed_axes(), path.dual_gaps))
}

functions! {
    /// The weights of the lasso for falling prices, each problem started from the one before.
    ///
    /// Gives the prices, the weights with a column per price, and the duality gaps. The prices are
    /// those of `alphas`, or `n_alphas` in equal ratios from the least price at which all weights
    /// are zero down to `eps` times it.
    long lasso_path[run](X: RowMatrix, y: Vector; eps: f64 = "0.001", n_alphas: usize = "100", alphas: Maybe<Vector> = "None", fit_intercept: bool = "False", positive: bool = "False", tol: f64 = "1e-4", max_iter: usize = "1000") -> Path {
        let net = ElasticNet { l1_ratio: 1.0, fit_intercept, positive, tol, max_iter, ..ElasticNet::default() };
        followed(&net, X, y, (eps, n_alphas), alphas, run)
    }
    /// The weights of the elastic net for falling prices, as `lasso_path` gives those of the lasso.
    long enet_path[run](X: RowMatrix, y: Vector; l1_ratio: f64 = "0.5", eps: f64 = "0.001", n_alphas: usize = "100", alphas: Maybe<Vector> = "None", fit_intercept: bool = "False", positive: bool = "False", tol: f64 = "1e-4", max_iter: usize = "1000") -> Path {
        let net = ElasticNet { l1_ratio, fit_intercept, positive, tol, max_iter, ..ElasticNet::default() };
        followed(&net, X, y, (eps, n_alphas), alphas, run)
    }
}
