use bdem_core::geometry::{Quat, Vec3};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Array of vectors, of shape (n, 3), which Python may not change.
pub(crate) fn of_vectors(py: Python<'_>, vectors: &[Vec3]) -> PyResult<Py<PyArray2<f64>>> {
    let flat: Vec<f64> = vectors.iter().flat_map(|v| [v.x, v.y, v.z]).collect();
    fixed(rows::<3>(py, flat)?)
}

/// Array of unit quaternions x, y, z, w, of shape (n, 4), which Python may not change.
pub(crate) fn of_quaternions(py: Python<'_>, turns: &[Quat]) -> PyResult<Py<PyArray2<f64>>> {
    fixed(rows::<4>(py, turns.iter().flat_map(|q| [q.i, q.j, q.k, q.w]).collect())?)
}

/// Array of shape (n, COLUMNS).
pub(crate) fn rows<const COLUMNS: usize>(py: Python<'_>, flat: Vec<f64>) -> PyResult<Bound<'_, PyArray2<f64>>> {
    let count = flat.len() / COLUMNS;
    PyArray1::from_vec(py, flat).reshape([count, COLUMNS])
}

/// The array, which Python may not change from now on.
fn fixed(array: Bound<'_, PyArray2<f64>>) -> PyResult<Py<PyArray2<f64>>> {
    let flags = PyDict::new(array.py());
    flags.set_item("write", false)?;
    array.call_method("setflags", (), Some(&flags))?;
    Ok(array.unbind())
}

/// Writes numbers into an array of this module.
pub(crate) fn refresh(py: Python<'_>, array: &Py<PyArray2<f64>>, flat: impl Iterator<Item = f64>) -> PyResult<()> {
    let array = array.bind(py);
    // SAFETY: the array is contiguous, is read by holders of the interpreter's lock, which this has, and nothing in it moves
    let numbers = unsafe { array.as_slice_mut() }?;
    numbers.iter_mut().zip(flat).for_each(|(to, from)| *to = from);
    Ok(())
}

/// Finite vectors of an argument, one for each of `count` particles.
pub(crate) fn to_vectors(name: &str, value: &Bound<'_, PyAny>, count: usize) -> PyResult<Vec<Vec3>> {
    let py = value.py();
    let numpy = py.import("numpy")?;
    // no conversion that loses something, such as of complex numbers
    let array = numpy.call_method1("asarray", (value,)).and_then(|array| {
        let options = PyDict::new(py);
        options.set_item("order", "C")?;
        options.set_item("casting", "same_kind")?;
        array.call_method("astype", (numpy.getattr("float64")?,), Some(&options))
    });
    let array =
        array.map_err(|error| PyTypeError::new_err(format!("{name}: no array of numbers: {}", error.value(py))))?;
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    if shape != [count, 3] {
        return Err(PyValueError::new_err(format!(
            "{name}: the shape is {shape:?}, but there are {count} particles: [{count}, 3]"
        )));
    }
    let array: PyReadonlyArray2<'_, f64> = array.extract()?;
    let flat = array.as_slice().map_err(|error| PyValueError::new_err(format!("{name}: {error}")))?;
    if let Some(at) = flat.iter().position(|x| !x.is_finite()) {
        return Err(PyValueError::new_err(format!("{name}: row {} has {}, which is not finite", at / 3, flat[at])));
    }
    Ok(flat.chunks_exact(3).map(|v| Vec3::new(v[0], v[1], v[2])).collect())
}
