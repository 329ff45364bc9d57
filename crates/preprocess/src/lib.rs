//! What happens to data before a method learns from them: scaling, filling, encoding.
//!
//! Everything here is fitted on the training part only and keeps what it learned, so that new
//! rows are treated exactly like the training rows.

mod bag_of_words;
mod catalogue;
mod column_statistics;
mod constant_feature;
mod one_hot;
mod polar_coordinates;
mod polynomial_features;
mod sigmoid_features;
mod simple_imputer;
mod standard_scaler;
mod table_encoder;
mod table_encoding;

pub use bag_of_words::{BagOfWords, Tokens, Vocabulary, Weighting};
pub use catalogue::catalogue;
pub use column_statistics::ColumnStatistics;
pub use constant_feature::{ConstantFeature, ConstantFeatureModel, Position};
pub use one_hot::{OneHot, OneHotCode, UnknownName};
pub use polar_coordinates::{PolarCenter, PolarCoordinates, PolarCoordinatesModel};
pub use polynomial_features::{MonomialScaling, PolynomialFeatures, PolynomialFeaturesModel};
pub use sigmoid_features::{SigmoidFeatures, SigmoidFeaturesModel, SoftStep};
pub use simple_imputer::{ImputeStrategy, SimpleImputer, SimpleImputerModel};
pub use standard_scaler::{StandardScaler, StandardScalerModel};
pub use table_encoder::{CategoryCoding, MissingValues, NumberScaling, TableEncoder, UnknownWord};
pub use table_encoding::TableEncoding;
