//! The one error type of the library layers.

/// What went wrong, as a sentence for people.
///
/// Every message names the parameter, column or row, its value, and what would be right.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A hyper-parameter has a value outside its limits.
    #[error("{name} is {value}; {requirement}")]
    Parameter {
        /// The parameter's name as the user writes it.
        name: String,
        /// The offending value as the user wrote it.
        value: String,
        /// What would be right: "it must be at least 1".
        requirement: String,
    },
    /// A specification such as `pca(n_components=2) | ridge` cannot be understood.
    #[error("{0}")]
    Specification(String),
    /// The data cannot be used as they are.
    #[error("{0}")]
    Data(String),
    /// A value is missing, NaN or infinite where a finite number is needed.
    #[error("row {row}, column {column} is {value}; {hint}")]
    NotFinite {
        /// Row index, counted from zero.
        row: usize,
        /// Column index, counted from zero.
        column: usize,
        /// The value that was found.
        value: f64,
        /// What would be right.
        hint: &'static str,
    },
    /// The rows have another number of columns than the model was fitted with.
    #[error("the rows have {found} columns but the model was fitted with {expected}")]
    Columns {
        /// Number of columns at fitting time.
        expected: usize,
        /// Number of columns given now.
        found: usize,
    },
    /// The algorithm or model cannot do what was asked of it.
    #[error("{0}")]
    Unsupported(String),
    /// The arithmetic broke down in a way that data preparation can mend.
    #[error("{0}")]
    Numerical(String),
    /// Somebody asked the run to stop.
    #[error("the run was cancelled")]
    Cancelled,
    /// A file could not be read or written.
    #[error("{path}: {message}")]
    File {
        /// The path as the user gave it.
        path: String,
        /// What is wrong and what would be right.
        message: String,
    },
    /// A model file is damaged, truncated, from the future, or no model file at all.
    #[error("{0}")]
    ModelFile(String),
}

/// The result of everything that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// A parameter outside its limits: `name is value; requirement`.
    pub fn parameter(
        name: impl Into<String>,
        value: impl std::fmt::Display,
        requirement: impl Into<String>,
    ) -> Self {
        Error::Parameter {
            name: name.into(),
            value: value.to_string(),
            requirement: requirement.into(),
        }
    }

    /// Data that cannot be used as they are.
    pub fn data(message: impl Into<String>) -> Self {
        Error::Data(message.into())
    }

    /// A request that the algorithm or model cannot serve.
    pub fn unsupported(message: impl Into<String>) -> Self {
        Error::Unsupported(message.into())
    }

    /// A breakdown of the arithmetic.
    pub fn numerical(message: impl Into<String>) -> Self {
        Error::Numerical(message.into())
    }

    /// A file that could not be read or written.
    pub fn file(path: impl std::fmt::Display, message: impl std::fmt::Display) -> Self {
        Error::File {
            path: path.to_string(),
            message: message.to_string(),
        }
    }
}
