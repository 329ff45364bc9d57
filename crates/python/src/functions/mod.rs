//! Functions of the library for Python, as one list.
//!
//! A line of the list ([`functions!`]) names the function, what Python calls its arguments, their
//! kinds and defaults, what it gives, and how it answers. The package makes a Python function
//! with a signature, documentation and types out of each line; adding one takes nothing else.

mod answers;
mod arguments;
mod callables;
mod distance;
mod information;
mod kernels;
mod linalg;
mod linear_model;
mod metrics;
mod model_selection;
mod optimize;
mod plot;
mod reinforcement;

pub(crate) use answers::{Answer, ResultType};
pub(crate) use arguments::Argument;

use crate::error::json_exception;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use pyo3::types::iter::BoundTupleIterator;
use serde_json::{Value, json};

type Call = for<'py> fn(Python<'py>, &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>>;

/// A line of the list.
pub(crate) struct Function {
    pub(crate) name: &'static str,
    pub(crate) document: &'static [&'static str],
    pub(crate) parameters: fn() -> Vec<Value>,
    pub(crate) gives: fn() -> String,
    pub(crate) call: Call,
}

/// What Python needs to know about an argument.
pub(crate) fn parameter<A: Argument>(name: &str, default: Option<&str>, is_named: bool) -> Value {
    json!({
        "name": name,
        "kind": A::KIND,
        "optional": A::OPTIONAL,
        "annotation": A::annotation(),
        "schema": A::schema(),
        "meaning": A::MEANING,
        "default": default,
        "named": is_named,
    })
}

/// The next of the given arguments.
pub(crate) fn next<'py, A: Argument>(
    given: &mut BoundTupleIterator<'py>,
    name: &str,
) -> PyResult<A::Held<'py>> {
    let object = given
        .next()
        .ok_or_else(|| PyTypeError::new_err(format!("{name} is missing")))?;
    A::take(name, &object)
}

/// Lists functions.
///
/// `quick` functions answer at once; `long` ones are told of the run, so that Ctrl-C stops them;
/// `calling` ones call Python functions and therefore keep the interpreter.
macro_rules! functions {
    (@call quick [] [$($argument:ident: $kind:ty,)*] $answer:ty, $body:block) => {
        |py, given| {
            // The package uses `pos_label` itself.
            #[allow(unused_variables, clippy::too_many_arguments)]
            fn body<'a>(
                $($argument: <$kind as $crate::functions::Argument>::Lent<'a>),*
            ) -> didact::Result<$answer> $body
            let mut given = given.iter();
            $(let $argument = $crate::functions::next::<$kind>(&mut given, stringify!($argument))?;)*
            $(let $argument = <$kind as $crate::functions::Argument>::lend(&$argument)?;)*
            let answer = py.detach(|| body($($argument),*));
            $crate::functions::Answer::give(answer.map_err($crate::error::exception)?, py)
        }
    };
    (@call long [$run:ident] [$($argument:ident: $kind:ty,)*] $answer:ty, $body:block) => {
        |py, given| {
            #[allow(clippy::too_many_arguments)]
            fn body<'a>(
                $run: &didact::core::Run,
                $($argument: <$kind as $crate::functions::Argument>::Lent<'a>),*
            ) -> didact::Result<$answer> $body
            let mut given = given.iter();
            $(let $argument = $crate::functions::next::<$kind>(&mut given, stringify!($argument))?;)*
            $(let $argument = <$kind as $crate::functions::Argument>::lend(&$argument)?;)*
            let answer = $crate::watch::watched(py, None, None, usize::MAX, |run| body(run, $($argument),*))?;
            $crate::functions::Answer::give(answer, py)
        }
    };
    (@call calling [$py:ident] [$($argument:ident: $kind:ty,)*] $answer:ty, $body:block) => {
        |py, given| {
            #[allow(clippy::too_many_arguments)]
            fn body<'a>(
                $py: Python<'_>,
                $($argument: <$kind as $crate::functions::Argument>::Lent<'a>),*
            ) -> PyResult<$answer> $body
            let mut given = given.iter();
            $(let $argument = $crate::functions::next::<$kind>(&mut given, stringify!($argument))?;)*
            $(let $argument = <$kind as $crate::functions::Argument>::lend(&$argument)?;)*
            $crate::functions::Answer::give(body(py, $($argument),*)?, py)
        }
    };
    (@default) => { None };
    (@default $default:literal) => { Some($default) };
    ($(
        $(#[doc = $document:literal])*
        $how:ident $name:ident $([$context:ident])? (
            $($argument:ident: $kind:ty $(= $default:literal)?),*
            $(; $($named:ident: $named_kind:ty = $named_default:literal),*)?
        ) -> $answer:ty $body:block
    )*) => {
        /// The functions of this module.
        #[allow(non_snake_case)] // scikit-learn calls a matrix X.
        pub(crate) const FUNCTIONS: &[$crate::functions::Function] = &[$(
            $crate::functions::Function {
                name: stringify!($name),
                document: &[$($document),*],
                parameters: || vec![
                    $($crate::functions::parameter::<$kind>(
                        stringify!($argument), functions!(@default $($default)?), false,
                    ),)*
                    $($($crate::functions::parameter::<$named_kind>(
                        stringify!($named), Some($named_default), true,
                    ),)*)?
                ],
                gives: || <$answer as $crate::functions::Answer>::annotation(),
                call: functions!(@call $how [$($context)?]
                    [$($argument: $kind,)* $($($named: $named_kind,)*)?] $answer, $body),
            },
        )*];
    };
}
pub(crate) use functions;

/// A module of functions and the results that they give.
struct Module {
    name: &'static str,
    functions: &'static [Function],
    results: &'static [ResultType],
}

macro_rules! modules {
    ($($module:ident),*) => {
        const MODULES: &[Module] = &[$(Module {
            name: stringify!($module),
            functions: $module::FUNCTIONS,
            results: $module::RESULTS,
        }),*];
    };
}

modules!(
    distance,
    information,
    kernels,
    linalg,
    linear_model,
    metrics,
    model_selection,
    optimize,
    plot,
    reinforcement
);

fn module(name: &str) -> PyResult<&'static Module> {
    let found = MODULES.iter().find(|module| module.name == name);
    found.ok_or_else(|| PyTypeError::new_err(format!("there is no module {name}")))
}

fn prose(document: &[&str]) -> String {
    let lines: Vec<&str> = document
        .iter()
        .map(|line| line.strip_prefix(' ').unwrap_or(line))
        .collect();
    lines.join("\n")
}

/// Every function of a module, in the order of the list, as JSON.
#[pyfunction]
pub(crate) fn listed(name: &str) -> PyResult<String> {
    let list: Vec<Value> = module(name)?
        .functions
        .iter()
        .map(|function| {
            json!({
                "name": function.name,
                "document": prose(function.document),
                "parameters": (function.parameters)(),
                "gives": (function.gives)(),
            })
        })
        .collect();
    serde_json::to_string(&list).map_err(json_exception)
}

/// The named results of all modules, as JSON.
#[pyfunction]
pub(crate) fn results() -> PyResult<String> {
    let list: Vec<Value> = MODULES
        .iter()
        .flat_map(|module| module.results.iter().map(|result| (module.name, result)))
        .map(|(module, result)| {
            json!({
                "module": module,
                "name": result.name,
                "document": prose(result.document),
                "fields": (result.fields)(),
            })
        })
        .collect();
    serde_json::to_string(&list).map_err(json_exception)
}

/// Calls a function by its place in the list of a module.
#[pyfunction]
#[pyo3(signature = (name, place, *arguments))]
pub(crate) fn call<'py>(
    py: Python<'py>,
    name: &str,
    place: usize,
    arguments: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    match module(name)?.functions.get(place) {
        Some(function) => (function.call)(py, arguments),
        None => Err(PyTypeError::new_err(format!(
            "{name} has no function {place}"
        ))),
    }
}
