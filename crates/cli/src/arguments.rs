//! The command line, from which help and completions follow.

mod judging;

pub(crate) use judging::*;

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Machine learning from the terminal: fit, compare, explain, predict.
#[derive(Debug, Parser)]
#[command(name = "didact", version, about, propagate_version = true, after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Write JSON for machines instead of tables for people.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Seed of everything random; the same seed gives the same answer.
    #[arg(long, global = true, default_value_t = 0, value_name = "N")]
    pub(crate) seed: u64,
    /// Use at most this many threads (all cores unless given); answers do not depend on it.
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Show no progress and no notes, only results and errors.
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "\
Examples:
  didact compare                                      every method on the built-in data
  didact compare --data sales.csv --target price      which method suits my table?
  didact fit 'standard-scaler | logistic-regression(C=10)' --data iris --out iris.didact
  didact predict iris.didact --data new.csv           one row of predictions per row
  didact search ridge --data diabetes --over alpha    which parameters are best?
  didact plot roc iris.didact --data iris             a picture, here in the terminal
  didact report iris.didact --data iris --out r.html  all that a reviewer wants to see
  didact describe k-means                             what it does and what can be set
  didact studio                                       draw data and watch methods learn
  cat log.csv | didact fit k-means --data - --set n_clusters=4 --out groups.didact

Exit codes: 0 done, 1 the data or the model is at fault, 2 the command line is at fault, 130 stopped\nby Ctrl-C with what was done so far.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the algorithms.
    List(ListOptions),
    /// Explain an algorithm: what it does, its parameters, what its models know and can do.
    Describe(DescribeOptions),
    /// List, describe, generate, split and convert data.
    Data(DataOptions),
    /// Fit a model and save it.
    Fit(FitOptions),
    /// Predict every row of a table with a saved model.
    Predict(PredictOptions),
    /// Judge a saved model on a table with known answers.
    Score(ScoreOptions),
    /// Cross-validate a method: every row is judged by a model that has not seen it.
    Cv(CvOptions),
    /// Find the best parameters of a method, or how many groups there are.
    Search(SearchOptions),
    /// Cross-validate several methods on the same folds and rank them.
    Compare(CompareOptions),
    /// Draw a picture of a model: to a file or in the terminal.
    Plot(PlotOptions),
    /// Show the card of a saved model: what it is, how it was made, what it knows.
    Inspect(InspectOptions),
    /// Write one page about a saved model on a table: figures, pictures, what to be careful of.
    Report(ReportOptions),
    /// Draw data in the browser, pick a method and watch it learn.
    Studio(StudioOptions),
    /// Print completions for a shell.
    Completions(CompletionsOptions),
}

#[derive(Debug, Args)]
pub(crate) struct StudioOptions {
    /// The port to serve on; 0 takes any that is free.
    #[arg(long, default_value_t = 8642, value_name = "PORT")]
    pub(crate) port: u16,
    /// The address to serve on; others than 127.0.0.1 let other machines in.
    #[arg(long, default_value = "127.0.0.1", value_name = "ADDRESS")]
    pub(crate) address: std::net::IpAddr,
    /// Do not open a browser.
    #[arg(long)]
    pub(crate) no_open: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ListOptions {
    /// Only algorithms for this task: classification, regression, clustering, …
    #[arg(long)]
    pub(crate) task: Option<String>,
    /// Only algorithms of this family: linear, cluster, …
    #[arg(long)]
    pub(crate) family: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct DescribeOptions {
    /// The algorithm's id, as `didact list` shows it.
    #[arg(value_name = "ALGORITHM")]
    pub(crate) algorithm: String,
}

/// Which table to read and what its columns mean.
#[derive(Clone, Debug, Args)]
pub(crate) struct TableOptions {
    /// A file (CSV, TSV, Parquet, Arrow, JSON lines, svmlight), `-` for standard input, or a
    /// built-in data set.
    #[arg(long, short, value_name = "FILE_OR_NAME")]
    pub(crate) data: String,
    #[command(flatten)]
    pub(crate) reading: ReadingOptions,
}

/// How to read a text table.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ReadingOptions {
    /// Format of the data: csv, tsv, parquet, arrow, json, svmlight; found out unless given.
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<String>,
    /// The first line of the file holds values, not names.
    #[arg(long)]
    pub(crate) no_header: bool,
    /// The character between values of a text table; found out unless given.
    #[arg(long, value_name = "CHARACTER")]
    pub(crate) delimiter: Option<char>,
    /// The indices of an svmlight file count from zero instead of one.
    #[arg(long)]
    pub(crate) zero_based: bool,
    /// Leave out rows that cannot be read instead of stopping, and say how many.
    #[arg(long)]
    pub(crate) skip_bad_rows: bool,
}

/// Which column plays which part.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct RoleOptions {
    /// The column to predict; several, for methods that take them, are separated by commas.
    #[arg(long, short, value_name = "COLUMN")]
    pub(crate) target: Option<String>,
    /// The column that says how much each row counts.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) weight: Option<String>,
    /// The column that tells sequences apart.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) sequence: Option<String>,
    /// The column that orders the rows of a sequence.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) time: Option<String>,
    /// A column to leave out; may be repeated.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) ignore: Vec<String>,
    /// Read whole numbers in the target as classes or as measurements.
    #[arg(long, value_name = "TASK")]
    pub(crate) task: Option<TargetTask>,
}

/// How the columns of a table become numbers.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct EncodingOptions {
    /// Set how columns become numbers, such as categories=ordinal; may be repeated.
    #[arg(
        long,
        value_name = "NAME=VALUE",
        long_help = "\
Set how columns become numbers; may be repeated.
  categories=one-hot      words: one column each (one-hot), all but the first (drop-first), or
                          one column of numbers (ordinal)
  max_categories=100      refuse columns with more different words than this
  unknown=error           a new word when predicting: error, or ignore (all zeros)
  missing=keep            missing values: keep (an imputer is put in front where the method
                          needs one), impute here, or error
  add_indicator=false     add a column that says where values were missing
  numbers=as-is           numbers: as-is, or standardise"
    )]
    pub(crate) encode: Vec<String>,
}

/// What to fit on which data.
#[derive(Clone, Debug, Args)]
pub(crate) struct FittingOptions {
    /// An algorithm or a pipeline: `a | b(x=1) | c`.
    #[arg(value_name = "SPEC")]
    pub(crate) spec: String,
    #[command(flatten)]
    pub(crate) table: TableOptions,
    #[command(flatten)]
    pub(crate) roles: RoleOptions,
    #[command(flatten)]
    pub(crate) encoding: EncodingOptions,
    /// Set a parameter, of the last step or as STEP.NAME=VALUE; may be repeated.
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) set: Vec<String>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum TargetTask {
    Classification,
    Regression,
}

#[derive(Debug, Args)]
pub(crate) struct DataOptions {
    #[command(subcommand)]
    pub(crate) command: DataCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DataCommand {
    /// List the built-in data sets and the generators.
    List,
    /// Describe the columns of a table.
    Describe {
        /// A file, `-`, or a built-in data set.
        #[arg(value_name = "FILE_OR_NAME")]
        data: String,
        #[command(flatten)]
        reading: ReadingOptions,
    },
    /// Generate data: `didact data generate moons --set n_samples=200`.
    Generate {
        /// The generator, as `didact data list` shows it.
        generator: String,
        /// Set a parameter of the generator; may be repeated.
        #[arg(long, value_name = "NAME=VALUE")]
        set: Vec<String>,
        /// Where to write; the extension tells the format, `-` is standard output as CSV.
        #[arg(long, short, default_value = "-")]
        out: String,
    },
    /// Cut a table into a training and a test part.
    Split {
        /// A file, `-`, or a built-in data set.
        #[arg(value_name = "FILE_OR_NAME")]
        data: String,
        #[command(flatten)]
        reading: ReadingOptions,
        /// Share of the rows for training.
        #[arg(long, default_value_t = 2.0 / 3.0, value_name = "SHARE")]
        train_share: f64,
        /// Keep the share of each value of this column in both parts.
        #[arg(long, value_name = "COLUMN", conflicts_with = "group")]
        stratify: Option<String>,
        /// Keep rows with the same value of this column in the same part.
        #[arg(long, value_name = "COLUMN")]
        group: Option<String>,
        /// Where to write the training part.
        #[arg(long, value_name = "FILE")]
        train: PathBuf,
        /// Where to write the test part.
        #[arg(long, value_name = "FILE")]
        test: PathBuf,
    },
    /// Write a table in another format; the extension tells which.
    Convert {
        /// A file, `-`, or a built-in data set.
        #[arg(value_name = "FILE_OR_NAME")]
        data: String,
        /// Where to write, `-` is standard output as CSV.
        out: String,
        #[command(flatten)]
        reading: ReadingOptions,
    },
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  didact fit ridge --data diabetes --set alpha=10 --out m.didact
  didact fit 'standard-scaler | k-neighbors(n_neighbors=7)' --data iris --out m.didact
  didact fit ridge --data houses.csv --target price --encode categories=drop-first --out m.didact
  didact fit hmm --data weather.csv --sequence day --set n_components=3 --out m.didact
  didact fit k-means --data huge.parquet --stream --set n_clusters=20 --out m.didact")]
pub(crate) struct FitOptions {
    #[command(flatten)]
    pub(crate) fitting: FittingOptions,
    /// Where to save the model.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Read the file batch by batch instead of into memory, once per pass of the algorithm.
    #[arg(long)]
    pub(crate) stream: bool,
    /// Start from the solution of a saved model of the same method, where the method can.
    #[arg(long, value_name = "MODEL", conflicts_with = "stream")]
    pub(crate) start_from: Option<PathBuf>,
    /// Keep the answers to the six framing questions, a JSON file, with the model.
    #[arg(
        long,
        value_name = "FILE",
        long_help = "\
Keep the answers to the six framing questions with the model. FILE is a JSON object of six texts: \
inputs_and_outputs, unknown_parameters, performance_measure, good_enough, too_poor, time_lag."
    )]
    pub(crate) framing: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct PredictOptions {
    /// A model that `didact fit` saved.
    pub(crate) model: PathBuf,
    #[command(flatten)]
    pub(crate) table: TableOptions,
    /// A column of answers to leave out; needed only where the model knows no column names.
    #[arg(long, short, value_name = "COLUMN")]
    pub(crate) target: Option<String>,
    /// Where to write; the extension tells the format, `-` is standard output as CSV.
    #[arg(long, short, default_value = "-")]
    pub(crate) out: String,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsOptions {
    /// The shell to complete for.
    pub(crate) shell: clap_complete::Shell,
}
