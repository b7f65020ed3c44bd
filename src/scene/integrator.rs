use std::str::FromStr;

use serde::Deserialize;
use serde::de::value::{Error, StrDeserializer};

use super::toml_error;
use crate::simulate::IntegratorKind;

impl FromStr for IntegratorKind {
    type Err = String;

    /// Integrator of this name, with every option at its default.
    fn from_str(name: &str) -> Result<Self, String> {
        let by_name = Deserialize::deserialize(StrDeserializer::<Error>::new(name));
        by_name.map_err(|error| toml_error::unknown_name(&error.to_string()))
    }
}
