use std::path::PathBuf;

use bdem_run::scene::{Scene as RunScene, Setting};
use pyo3::prelude::*;
use toml::Value;

use crate::error::AsException;
use crate::threads::check_process;
use crate::values::to_python;

/// Checked scene. It does not change.
#[pyclass(frozen, module = "bdem._bdem")]
pub(crate) struct Scene {
    pub inner: RunScene,
}

#[pymethods]
impl Scene {
    /// Scene of a file, or of a `text` with the path for errors and relative names, with settings as of `--set`.
    #[new]
    #[pyo3(signature = (path, text=None, settings=Vec::new()))]
    fn new(py: Python<'_>, path: PathBuf, text: Option<String>, settings: Vec<String>) -> PyResult<Self> {
        check_process()?;
        let load = || match &text {
            Some(text) => RunScene::parse(&path, text, &settings),
            None => RunScene::load_set(&path, &Setting::all(&settings)),
        };
        py.detach(load).map(|inner| Self { inner }).map_err(AsException::exception)
    }

    /// Name of the scene.
    #[getter]
    fn name(&self) -> &str {
        self.inner.name()
    }

    /// Warnings of values outside their usual ranges, a line each.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.inner.warnings().to_vec()
    }

    /// Every key with its value, defaults included, as a dict.
    fn resolved<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let tables = toml::Table::try_from(&self.inner).expect("a checked scene has only what TOML can say");
        to_python(py, &Value::Table(tables))
    }

    /// The same as TOML, with absolute paths of files.
    fn resolved_toml(&self) -> String {
        self.inner.resolved_toml()
    }

    /// Names of the bodies.
    #[getter]
    fn bodies(&self) -> Vec<String> {
        self.inner.bodies.iter().map(|body| body.name.clone()).collect()
    }
}
