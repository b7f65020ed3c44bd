use bdem_core::simulate::IntegratorKind;
use serde::Deserialize;
use serde::de::value::{Error, StrDeserializer};

use super::toml_error;

/// Integrator of this name, with every option at its default.
///
/// # Errors
/// A message with the known names.
pub(crate) fn integrator_named(name: &str) -> Result<IntegratorKind, String> {
    let by_name = Deserialize::deserialize(StrDeserializer::<Error>::new(name));
    by_name.map_err(|error| toml_error::unknown_name(&error.to_string()))
}
