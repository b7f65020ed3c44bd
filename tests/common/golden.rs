//! Reference numbers from an independent implementation: `tests/golden`, or the folder that `BDEM_GOLDEN` names.

use std::path::{Path, PathBuf};

use bdem_core::geometry::{Quat, Vec3};
use serde_json::Value;

/// The JSON file whose name up to its first dot is `name`.
pub(crate) fn load(name: &str) -> Value {
    let folder = std::env::var_os("BDEM_GOLDEN")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("golden"), PathBuf::from);
    let files = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let path = files
        .map(|f| f.expect("a folder entry").path())
        .filter(|p| p.extension().is_some_and(|e| e == "json"))
        .find(|p| p.file_name().is_some_and(|f| f.to_string_lossy().split('.').next() == Some(name)))
        .unwrap_or_else(|| panic!("no {name}.*.json in {}", folder.display()));
    let text = std::fs::read_to_string(&path).expect("the file can be read");
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

pub(crate) fn list<'a>(value: &'a Value, key: &str) -> &'a Vec<Value> {
    value[key].as_array().unwrap_or_else(|| panic!("{key} is a list"))
}

pub(crate) fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_else(|| panic!("{key} is a number"))
}

/// All numbers below `value`, in order, however they are nested.
pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(items) => items.iter().flat_map(numbers).collect(),
        Value::Number(x) => vec![x.as_f64().expect("fits an f64")],
        other => panic!("not a number: {other}"),
    }
}

pub(crate) fn vec3(value: &Value) -> Vec3 {
    Vec3::from_row_slice(&numbers(value))
}

/// A quaternion written (x, y, z, w).
pub(crate) fn quat(value: &Value) -> Quat {
    quat_from(&numbers(value))
}

pub(crate) fn quat_from(x: &[f64]) -> Quat {
    Quat::new(x[3], x[0], x[1], x[2])
}

/// Consecutive triples.
pub(crate) fn vec3s(value: &Value) -> Vec<Vec3> {
    numbers(value).chunks_exact(3).map(Vec3::from_row_slice).collect()
}

/// Consecutive quaternions written (x, y, z, w).
pub(crate) fn quats(value: &Value) -> Vec<Quat> {
    numbers(value).chunks_exact(4).map(quat_from).collect()
}
