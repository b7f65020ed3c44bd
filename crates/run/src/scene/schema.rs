//! JSON Schema of scenes, from the TOML types and their documentation.

use schemars::generate::SchemaSettings;
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
