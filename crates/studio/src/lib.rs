//! The studio: a local web server with a page on which one draws data, picks a method and
//! watches it learn.
//!
//! The page knows no algorithm. Its forms come from the schemas of the catalogue, its views from
//! what a model can do and draw, all over a small JSON interface:
//!
//! | request | answer |
//! |---|---|
//! | `GET /api/catalogue` | every algorithm with its schema, routes and abilities |
//! | `GET /api/generators`, `POST /api/generate` | generators with their schemas; drawn points |
//! | `GET /api/datasets`, `GET /api/datasets/ID` | built-in data sets |
//! | `GET /api/laws`, `POST /api/law` | laws of one variable; density and cumulative probability |
//! | `POST /api/fit` | progress, then the model's answers, as server-sent events |
//! | `POST /api/judge` | cross-validation, confusion matrix and scores, as server-sent events |
//! | `POST /api/picture` | a picture that judges the model, as server-sent events |
//! | `POST /api/count` | how many groups there should be, as server-sent events |
//! | `POST /api/descent` | a straight line on its way down the squared error, as server-sent events |
//! | `POST /api/chain` | a sequence followed through hidden states, as server-sent events |
//! | `POST /api/world` | a policy for a room of cells, and a walk by it, as server-sent events |
//! | `POST /api/filter` | a filter over a picture and what pooling leaves, as server-sent events |
//! | `POST /api/dynamics` | leaky integrators in motion, as server-sent events |
//! | `POST /api/isolines` | the projections of a model all over the plane, as server-sent events |
//! | `POST /api/lesion` | a network that loses its weights share by share, as server-sent events |
//! | `POST /api/activations` | what every unit of a network answers to an input, as server-sent events |
//! | `POST /api/unit` | a transfer function, and what a unit with it answers, as server-sent events |
//! | `POST /api/dag` | open and closed ways through a Bayesian network, as server-sent events |
//! | `POST /api/plasticity` | weights that learn from activity, as server-sent events |
//! | `POST /api/memory` | what an associative memory recalls, as server-sent events |
//! | `POST /api/weight-space` | what is believed of two weights, and what it predicts, as server-sent events |
//! | `POST /api/optimise` | ways to a minimum, and bounds that touch, as server-sent events |
//! | `POST /api/model` | the model file |
//!
//! A job ends when its reader hangs up, so a page that asks anew cancels what it asked before.

mod answer;
mod blocking;
mod chain;
mod collections;
mod count;
mod dag;
mod descent;
mod dynamics;
mod events;
mod failure;
mod filter;
mod guard;
mod isolines;
mod job;
mod judge;
mod laws;
mod lesion;
mod map;
mod members;
mod memory;
mod network;
mod optimise;
mod page;
mod picture;
mod plasticity;
mod quality;
mod request;
mod unit;
mod views;
mod weight_space;
mod world;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::{get, post};
use didact::core::Run;
use didact::{Error, Result};
use std::future::IntoFuture;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

/// Largest request that is read: some hundred thousand points.
const LARGEST_REQUEST: usize = 16 << 20;

/// How the studio is served.
#[derive(Clone, Debug)]
pub struct Options {
    /// The address to listen on; only this machine unless told otherwise.
    pub address: IpAddr,
    /// The port; zero takes any that is free.
    pub port: u16,
    /// How many jobs may compute at once; others wait.
    pub jobs: usize,
    /// How long a job may compute.
    pub time_limit: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            address: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: 8642,
            jobs: didact::core::default_threads(),
            time_limit: Duration::from_secs(120),
        }
    }
}

/// What every request can reach.
#[derive(Clone)]
pub(crate) struct Shared {
    pub(crate) jobs: Arc<Semaphore>,
    pub(crate) time_limit: Duration,
}

/// The studio as a web service, guarded against other pages of the same browser.
///
/// `address` is where it will be reached; requests that name another host are refused.
pub fn router(address: SocketAddr, options: &Options) -> Router {
    let shared = Shared {
        jobs: Arc::new(Semaphore::new(options.jobs.max(1))),
        time_limit: options.time_limit,
    };
    let hosts = guard::Hosts::new(address);
    Router::new()
        .route("/api/catalogue", get(collections::catalogue))
        .route("/api/generators", get(collections::generators))
        .route("/api/generate", post(collections::generate))
        .route("/api/datasets", get(collections::datasets))
        .route("/api/datasets/{id}", get(collections::dataset))
        .route("/api/laws", get(laws::list))
        .route("/api/law", post(laws::law))
        .route("/api/fit", post(job::fit))
        .route("/api/judge", post(judge::judge))
        .route("/api/picture", post(picture::draw))
        .route("/api/count", post(count::choose))
        .route("/api/descent", post(descent::descend))
        .route("/api/chain", post(chain::follow))
        .route("/api/world", post(world::walk))
        .route("/api/filter", post(filter::apply))
        .route("/api/dynamics", post(dynamics::follow))
        .route("/api/isolines", post(isolines::draw))
        .route("/api/lesion", post(lesion::damage))
        .route("/api/activations", post(network::activate))
        .route("/api/unit", post(unit::answer))
        .route("/api/dag", post(dag::separate))
        .route("/api/plasticity", post(plasticity::learn))
        .route("/api/memory", post(memory::recall))
        .route("/api/weight-space", post(weight_space::believe))
        .route("/api/optimise", post(optimise::follow))
        .route("/api/model", post(job::model))
        .fallback(page::file)
        .layer(DefaultBodyLimit::max(LARGEST_REQUEST))
        .layer(axum::middleware::from_fn_with_state(hosts, guard::check))
        .with_state(shared)
}

/// Serves the studio until the run is cancelled; `ready` is told the address.
pub fn serve(options: &Options, run: &Run, ready: impl FnOnce(SocketAddr)) -> Result<()> {
    let wanted = SocketAddr::new(options.address, options.port);
    let failed = |error: std::io::Error| {
        Error::unsupported(format!(
            "{wanted} cannot be served: {error}; choose another with --port"
        ))
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(failed)?;
    runtime.block_on(async {
        let listener = TcpListener::bind(wanted).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        ready(address);
        let served = axum::serve(listener, router(address, options)).into_future();
        tokio::select! {
            ended = served => ended.map_err(failed),
            () = cancelled(run) => Ok(()),
        }
    })?;
    // Jobs that still compute are not waited for.
    runtime.shutdown_background();
    Ok(())
}

/// Waits until somebody cancels the run.
async fn cancelled(run: &Run) {
    while run.check().is_ok() {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
