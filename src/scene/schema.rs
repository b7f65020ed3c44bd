//! JSON Schema of scenes: what the TOML types say of themselves, their documentation included.

use schemars::generate::SchemaSettings;
use schemars::{Schema, json_schema};
use serde_json::Value;

use super::Scene;

/// What [`At::name`](super::check::At::name) takes.
pub(super) const NAME: &str = "^[A-Za-z0-9_-]+$";

/// The JSON Schema of a scene, draft 7: what editors of TOML know.
///
/// It holds each value to its type and range; what values have to do with each other only [`Scene::load`] knows.
pub fn schema() -> Value {
    SchemaSettings::draft07().into_generator().into_root_schema_for::<Scene>().into()
}

/// Adds the names that stand alone for forms whose keys have defaults.
pub(super) fn allow_names(schema: &mut Schema, names: &[&str]) {
    let names = json_schema!({ "description": "With every key at its default.", "enum": names });
    let forms = schema.get_mut("oneOf").and_then(Value::as_array_mut);
    forms.expect("it is one of several").push(names.into());
}
