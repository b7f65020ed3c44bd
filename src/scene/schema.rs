//! JSON Schema of scenes, from the TOML types and their documentation.

use schemars::generate::SchemaSettings;
use schemars::{Schema, json_schema};
use serde_json::Value;

use super::Scene;

/// Pattern of the names that [`At::name`](super::check::At::name) accepts.
pub(super) const NAME: &str = "^[A-Za-z0-9_-]+$";

/// JSON Schema of a scene, in draft 7, which editors of TOML support.
///
/// It checks the type and range of each value. Relations between values are checked by [`Scene::load`] only.
pub fn schema() -> Value {
    SchemaSettings::draft07().into_generator().into_root_schema_for::<Scene>().into()
}

/// Plain names added to the schema, for forms whose keys all have defaults.
pub(super) fn allow_names(schema: &mut Schema, names: &[&str]) {
    let names = json_schema!({ "description": "With every key at its default.", "enum": names });
    let forms = schema.get_mut("oneOf").and_then(Value::as_array_mut);
    forms.expect("it is one of several").push(names.into());
}
