//! The options of the commands that judge methods.

use super::{EncodingOptions, FittingOptions, ReadingOptions, RoleOptions, TableOptions};
use clap::{Args, ValueEnum};
use didact::evaluate::Metric;
use didact::pictures::PictureKind;
use std::path::PathBuf;

/// How rows are dealt into parts that train and parts that test.
#[derive(Clone, Debug, Args)]
pub(crate) struct SplitOptions {
    /// Number of folds, or of test parts.
    #[arg(long, default_value_t = 5, value_name = "N")]
    pub(crate) folds: usize,
    /// How rows are dealt into training and test parts.
    #[arg(long, value_enum, default_value_t = SplitterKind::Auto, value_name = "KIND")]
    pub(crate) splitter: SplitterKind,
    /// Deal this many times anew.
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) repeats: u32,
    /// Keep rows with the same value of this column in the same part; it is no feature.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) groups: Option<String>,
    /// Share of the rows that train, for hold-out and shuffle.
    #[arg(long, default_value_t = 2.0 / 3.0, value_name = "SHARE")]
    pub(crate) train_share: f64,
    /// Rows left out between training and test, for time-series.
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub(crate) gap: usize,
    /// Judge by this figure; may be repeated, the first one ranks. What suits unless given.
    #[arg(long, value_name = "METRIC")]
    pub(crate) metric: Vec<Metric>,
}

/// Ways to deal out rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SplitterKind {
    /// Folds with equal class shares, or that keep the groups whole, or plain shuffled folds.
    Auto,
    /// Shuffled folds.
    KFold,
    /// Shuffled folds with the same share of each class.
    Stratified,
    /// Folds that keep the groups of --groups whole.
    Grouped,
    /// Each group of --groups tests once.
    LeaveOneGroupOut,
    /// Each row tests once, alone.
    LeaveOneOut,
    /// One random split.
    HoldOut,
    /// Independent random splits; a row may test several times or never.
    Shuffle,
    /// Training on the past, testing on what comes next.
    TimeSeries,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  didact cv 'standard-scaler | logistic-regression' --data iris
  didact cv ridge --data diabetes --folds 10 --repeats 3 --metric rmse --metric r2
  didact cv ridge --data visits.csv --target cost --groups patient     no patient in two parts
  didact cv ridge --data sales.csv --target price --time day --splitter time-series
  didact cv k-neighbors --data wine --plot folds.svg --out folds.json")]
pub(crate) struct CvOptions {
    #[command(flatten)]
    pub(crate) fitting: FittingOptions,
    #[command(flatten)]
    pub(crate) split: SplitOptions,
    /// Save the result as JSON.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Draw the folds as box plots: FILE.svg, FILE.png or FILE.txt.
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  didact compare                                   every method on the built-in data
  didact compare --data iris                       every method that suits the data
  didact compare --data sales.csv --target price ridge 'standard-scaler | k-neighbors'
  didact compare --data wine --metric log-loss --repeats 3 --out wine.json")]
pub(crate) struct CompareOptions {
    /// Algorithms or pipelines to compare; all suitable ones unless given.
    #[arg(value_name = "SPEC")]
    pub(crate) specs: Vec<String>,
    /// A file, `-`, or a built-in data set; all suitable built-in ones unless given.
    #[arg(long, short, value_name = "FILE_OR_NAME")]
    pub(crate) data: Option<String>,
    #[command(flatten)]
    pub(crate) reading: ReadingOptions,
    #[command(flatten)]
    pub(crate) roles: RoleOptions,
    #[command(flatten)]
    pub(crate) encoding: EncodingOptions,
    #[command(flatten)]
    pub(crate) split: SplitOptions,
    /// Confidence of the intervals of the differences to the best method.
    #[arg(long, default_value_t = 0.95, value_name = "SHARE")]
    pub(crate) confidence: f64,
    /// Save the result as JSON.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Draw the folds of every method as box plots: FILE.svg, FILE.png or FILE.txt.
    #[arg(long, value_name = "FILE", requires = "data")]
    pub(crate) plot: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  didact search ridge --data diabetes --over alpha                    a range around the default
  didact search ridge --data diabetes --over 'alpha=0.01..100 log 9' --out best.didact
  didact search 'standard-scaler | k-neighbors' --data wine --over n_neighbors=1..30 \\
      --over weights=uniform,distance --plot map.svg
  didact search 'pca | logistic-regression' --data digits --method random --tries 30 \\
      --over pca.n_components=5..40 --over 'C=0.001..1000 log'
  didact search ridge --data diabetes --over alpha --nested           an honest figure of the best
  didact search 'standard-scaler | k-means' --data wine --criterion silhouette
  didact search gaussian-mixture --data iris --over n_components=1..8 --criterion bic")]
pub(crate) struct SearchOptions {
    #[command(flatten)]
    pub(crate) fitting: FittingOptions,
    #[command(flatten)]
    pub(crate) split: SplitOptions,
    /// A parameter to vary, and its values; may be repeated.
    #[arg(
        long,
        value_name = "NAME[=VALUES]",
        long_help = "\
A parameter to vary, of the last step or as STEP.NAME; may be repeated.
  alpha                     a usual range around the default
  alpha=0.1..10             from end to end
  'alpha=0.01..100 log 9'   nine values, evenly spaced in their logarithm
  weights=uniform,distance  these and no others; a JSON list does the same"
    )]
    pub(crate) over: Vec<String>,
    /// Try every combination, random ones, or many on few rows and few on many.
    #[arg(long, value_enum, default_value_t = SearchMethod::Grid)]
    pub(crate) method: SearchMethod,
    /// Values of each range in a grid, where --over does not say.
    #[arg(long, default_value_t = 5, value_name = "N")]
    pub(crate) steps: usize,
    /// Random combinations to try.
    #[arg(long, default_value_t = 27, value_name = "N")]
    pub(crate) tries: usize,
    /// Halving keeps one of this many and gives it this many times the rows.
    #[arg(long, default_value_t = 3, value_name = "N")]
    pub(crate) factor: usize,
    /// Judge the search itself: search anew inside the training part of each fold.
    #[arg(long)]
    pub(crate) nested: bool,
    /// Choose the number of clusters, components or states by this rule.
    #[arg(long, value_enum, value_name = "RULE")]
    pub(crate) criterion: Option<Rule>,
    /// Fit the best on all rows and save the model.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Draw a heat map of two parameters or the curve of one: FILE.svg, FILE.png or FILE.txt.
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,
}

/// Which combinations are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SearchMethod {
    /// Every combination.
    Grid,
    /// Random combinations.
    Random,
    /// Random combinations; many on few rows, few on many.
    Halving,
}

/// How a number of groups is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Rule {
    /// Where the sum of squares bends.
    Elbow,
    /// The largest silhouette.
    Silhouette,
    /// The least Akaike criterion.
    Aic,
    /// The least Akaike criterion, corrected for few rows.
    Aicc,
    /// The least Bayesian criterion.
    Bic,
    /// The largest likelihood of rows held out.
    HeldOut,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  didact plot                                                 every kind of picture
  didact plot roc iris.didact --data iris                     in the terminal
  didact plot decision-map 'standard-scaler | k-neighbors' --data iris --out map.svg \\
      --feature petal_length --feature petal_width
  didact plot residuals ridge --data diabetes --out residuals.png
  didact plot learning-curve gaussian-nb --data wine
  didact plot validation-curve ridge --data diabetes --over 'alpha=0.01..100 log'
  didact plot trace m.didact                                  needs no data")]
pub(crate) struct PlotOptions {
    /// The kind of picture; all kinds are listed unless given.
    #[arg(value_name = "KIND")]
    pub(crate) kind: Option<PictureKind>,
    /// A model that `didact fit` saved, or a specification to fit on the data.
    #[arg(value_name = "MODEL_OR_SPEC")]
    pub(crate) model: Option<String>,
    /// A file, `-`, or a built-in data set.
    #[arg(long, short, value_name = "FILE_OR_NAME")]
    pub(crate) data: Option<String>,
    #[command(flatten)]
    pub(crate) reading: ReadingOptions,
    #[command(flatten)]
    pub(crate) roles: RoleOptions,
    #[command(flatten)]
    pub(crate) encoding: EncodingOptions,
    /// Set a parameter of a specification; may be repeated.
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) set: Vec<String>,
    /// A feature to show, twice for a plane; the first or strongest unless given.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) feature: Vec<String>,
    /// The class that counts as positive; every class in turn unless given.
    #[arg(long, value_name = "CLASS")]
    pub(crate) positive: Option<String>,
    /// The score from which on a row counts as positive, marked on the ROC curve.
    #[arg(long, value_name = "SCORE")]
    pub(crate) threshold: Option<f64>,
    /// A parameter that varies, and its values, as for `didact search`; may be repeated.
    #[arg(long, value_name = "NAME[=VALUES]")]
    pub(crate) over: Vec<String>,
    /// Judge by this figure, where the picture shows one.
    #[arg(long, value_name = "METRIC")]
    pub(crate) metric: Option<Metric>,
    /// Number of folds, where the picture needs some.
    #[arg(long, default_value_t = 5, value_name = "N")]
    pub(crate) folds: usize,
    /// Which sequence to show, counted from zero.
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub(crate) nth: usize,
    /// Light letters on a dark ground.
    #[arg(long)]
    pub(crate) dark: bool,
    /// Where to draw: FILE.svg, FILE.png or FILE.txt; in the terminal unless given.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  didact score m.didact --data test.csv
  didact score m.didact --data test.csv --metric roc-auc --metric brier")]
pub(crate) struct ScoreOptions {
    /// A model that `didact fit` saved.
    pub(crate) model: PathBuf,
    #[command(flatten)]
    pub(crate) table: TableOptions,
    /// The column with the known answers, where it is not the one the model was fitted on.
    #[arg(long, short, value_name = "COLUMN")]
    pub(crate) target: Option<String>,
    /// Judge by this figure; may be repeated. What suits unless given.
    #[arg(long, value_name = "METRIC")]
    pub(crate) metric: Vec<Metric>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  didact inspect m.didact                     the card
  didact inspect m.didact --data test.csv     with figures, intervals and the strongest features
  didact inspect m.didact --json              everything that the model knows, as numbers")]
pub(crate) struct InspectOptions {
    /// A model that `didact fit` saved.
    pub(crate) model: PathBuf,
    /// Data to judge it on: a file, `-`, or a built-in data set.
    #[arg(long, short, value_name = "FILE_OR_NAME")]
    pub(crate) data: Option<String>,
    #[command(flatten)]
    pub(crate) reading: ReadingOptions,
    /// The column with the known answers, where it is not the one the model was fitted on.
    #[arg(long, short, value_name = "COLUMN")]
    pub(crate) target: Option<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  didact report m.didact --data test.csv --out report.html
  didact report m.didact --data test.csv --out report.html --quick    nothing is fitted anew")]
pub(crate) struct ReportOptions {
    /// A model that `didact fit` saved.
    pub(crate) model: PathBuf,
    #[command(flatten)]
    pub(crate) table: TableOptions,
    /// The column with the known answers, where it is not the one the model was fitted on.
    #[arg(long, short, value_name = "COLUMN")]
    pub(crate) target: Option<String>,
    /// Number of folds of the parts that fit anew.
    #[arg(long, default_value_t = 5, value_name = "N")]
    pub(crate) folds: usize,
    /// Leave out what fits the model anew: cross-validation and learning curve.
    #[arg(long)]
    pub(crate) quick: bool,
    /// Where to write the page.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: PathBuf,
}
