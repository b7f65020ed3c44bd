use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use toml::{Table, Value};

/// TOML of a dict.
#[pyfunction]
pub(crate) fn to_toml(scene: &Bound<'_, PyAny>) -> PyResult<String> {
    let value = to_value(scene, "scene", 0)?;
    toml::to_string(&value).map_err(|error| PyValueError::new_err(format!("scene: {error}")))
}

/// TOML of a value of the key `key`.
#[pyfunction]
pub(crate) fn toml_value(key: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    if key.contains(['=', '#', '\n']) {
        return Err(PyValueError::new_err(format!(
            "{key:?}: no key of a scene: name one, such as materials.clay.density"
        )));
    }
    Ok(to_value(value, key, 0)?.to_string())
}

/// Value at a place of a scene, in `depth` lists and tables. What has a number in it, such as numpy's scalars and arrays, is that number
/// or a list.
fn to_value(value: &Bound<'_, PyAny>, at: &str, depth: usize) -> PyResult<Value> {
    /// Bound on the depth: lists may contain themselves.
    const DEEPEST: usize = 64;
    if depth > DEEPEST {
        return Err(PyValueError::new_err(format!(
            "{at}: the value has lists or tables within each other beyond a depth of {DEEPEST}"
        )));
    }
    let inner = |value: &Bound<'_, PyAny>, at: &str| to_value(value, at, depth + 1);
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(Value::Boolean(flag.is_true()));
    }
    if value.is_instance_of::<PyInt>() {
        let number = value.extract().map_err(|_| PyValueError::new_err(format!("{at}: {value} is beyond 64 bits")))?;
        return Ok(Value::Integer(number));
    }
    if value.is_instance_of::<PyFloat>() {
        return Ok(Value::Float(value.extract()?));
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Value::String(text.to_str()?.to_owned()));
    }
    if let Ok(dict) = value.cast::<PyDict>() {
        let mut table = Table::new();
        for (key, value) in dict {
            let key: String =
                key.extract().map_err(|_| PyTypeError::new_err(format!("{at}: the key {key} is no string")))?;
            // None is a key that is left out
            if !value.is_none() {
                let value = inner(&value, &format!("{at}.{key}"))?;
                table.insert(key, value);
            }
        }
        return Ok(Value::Table(table));
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let items = value.try_iter()?.enumerate();
        return items.map(|(k, item)| inner(&item?, &format!("{at}[{k}]"))).collect::<PyResult<_>>().map(Value::Array);
    }
    match value.getattr("tolist").or_else(|_| value.getattr("__fspath__")) {
        Ok(plain) => {
            let plain = plain.call0()?;
            // numbers of numpy without a match in Python are their own list
            match plain.get_type().is(value.get_type()) {
                true => Ok(Value::Float(plain.extract()?)),
                false => inner(&plain, at),
            }
        }
        Err(_) => {
            let kind = value.get_type().name()?;
            Err(PyTypeError::new_err(format!("{at}: a value of type {kind} is none that a scene has")))
        }
    }
}

/// The same as Python's own value.
pub(crate) fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Boolean(flag) => PyBool::new(py, *flag).to_owned().into_any(),
        Value::Integer(number) => number.into_pyobject(py)?.into_any(),
        Value::Float(number) => number.into_pyobject(py)?.into_any(),
        Value::String(text) => text.into_pyobject(py)?.into_any(),
        Value::Datetime(time) => time.to_string().into_pyobject(py)?.into_any(),
        Value::Array(items) => {
            let items = items.iter().map(|item| to_python(py, item)).collect::<PyResult<Vec<_>>>()?;
            PyList::new(py, items)?.into_any()
        }
        Value::Table(table) => {
            let dict = PyDict::new(py);
            for (key, value) in table {
                dict.set_item(key, to_python(py, value)?)?;
            }
            dict.into_any()
        }
    })
}
