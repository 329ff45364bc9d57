//! Pictures that show themselves in a notebook and in a terminal.

use crate::error::exception;
use didact_plot::Theme;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::PathBuf;

/// A picture: a notebook shows it, `print` draws it in the terminal, `save` writes a file.
#[pyclass(frozen, module = "didact.plot")]
pub(crate) struct Picture(pub(crate) didact_plot::Picture);

#[pymethods]
impl Picture {
    /// The picture as one SVG document.
    fn svg(&self) -> String {
        self.0.svg()
    }

    /// What notebooks ask for.
    fn _repr_svg_(&self) -> String {
        self.0.svg()
    }

    /// The bytes of a PNG file, with so many pixels per unit.
    #[pyo3(signature = (scale=2.0))]
    fn png<'py>(&self, py: Python<'py>, scale: f64) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.0.png(scale)).map_err(exception)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The picture as text of so many columns; with `colour` as escape codes.
    #[pyo3(signature = (width=80, colour=false))]
    fn text(&self, width: usize, colour: bool) -> String {
        match colour {
            true => self.0.terminal_in_colour(width),
            false => self.0.terminal(width),
        }
    }

    fn __str__(&self) -> String {
        self.0.terminal(80)
    }

    fn __repr__(&self) -> String {
        let [width, height] = self.0.size();
        format!("<Picture {:?}, {width} × {height}>", self.0.title())
    }

    /// Writes a file whose ending says how: `.svg`, `.png` or `.txt`.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.0.save(path)).map_err(exception)
    }

    /// The same picture in the theme `light` or `dark`.
    fn themed(&self, theme: &str) -> PyResult<Self> {
        let theme = match theme {
            "light" => Theme::light(),
            "dark" => Theme::dark(),
            _ => {
                return Err(PyValueError::new_err(format!(
                    "theme is {theme}; it must be light or dark"
                )));
            }
        };
        Ok(Picture(self.0.clone().themed(theme)))
    }

    /// The same picture under another title.
    fn titled(&self, title: String) -> Self {
        Picture(self.0.clone().titled(title))
    }

    /// The same picture in another size, in pixels.
    fn sized(&self, width: f64, height: f64) -> PyResult<Self> {
        let sized = self.0.clone().sized(width, height);
        sized.map(Picture).map_err(exception)
    }

    /// This picture and another side by side.
    fn beside(&self, other: &Picture) -> PyResult<Self> {
        let both = didact_plot::Picture::beside(vec![self.0.clone(), other.0.clone()], 2);
        both.map(Picture).map_err(exception)
    }

    /// What the reader should know: values left out, points thinned, features held fixed.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.0.notes().to_vec()
    }

    /// The title.
    #[getter]
    fn title(&self) -> String {
        self.0.title().to_owned()
    }
}
