//! Pictures of data, models and judgements, as SVG, as PNG and in the terminal.
//!
//! Every picture is a plain function from data to a [`Picture`]. What a picture shows is
//! described in the units of the data (`panel`, `layer`), laid out for a page or a terminal
//! (`layout`, `legend`, `draw`) on a list of marks (`canvas`), and written by one of three
//! outputs (`svg`, `raster`, `terminal`). No picture knows an algorithm: models are asked through
//! their abilities and figures.
//!
//! | to see | picture |
//! |---|---|
//! | data | [`scatter`], [`biplot`] |
//! | a model in the plane | [`decision_map`], [`density_contours`], [`Picture::with_figures`] |
//! | a model of numbers | [`regression_curve`], [`residuals`], [`coefficients`], [`feature_importance`] |
//! | how good a classifier is | [`roc`], [`precision_recall`], [`confusion_matrix`], [`calibration`] |
//! | which model to choose | [`learning_curve`], [`validation_curve`], [`cross_validation`], [`grid_search`], [`partition`] |
//! | how many clusters or components | [`elbow`], [`criteria`], [`silhouette`], [`dendrogram`], [`scree`] |
//! | how a fit went | [`loss_trace`], [`growth`] |
//! | sequences | [`trellis`], [`state_path`] |

mod canvas;
mod clip;
mod cloud;
mod colour;
mod contour;
mod draw;
mod font;
mod layer;
mod layout;
mod legend;
mod overlay;
mod panel;
mod picture;
mod pictures;
mod raster;
mod scale;
mod svg;
mod terminal;
mod theme;
mod thin;

pub use cloud::Cloud;
pub use colour::Colour;
pub use picture::Picture;
pub use pictures::*;
pub use theme::Theme;
