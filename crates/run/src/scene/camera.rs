use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::{At, Fault, Quantity};

/// `[camera]`: where pictures of the run are taken from. Without one the camera sees the whole scene.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Camera")]
pub struct SceneCamera {
    /// Position of the camera, m.
    pub position: [f64; 3],
    /// Point that the camera looks at, m.
    pub target: [f64; 3],
    /// Angle between the upper and the lower edge of the picture, degrees.
    #[serde(default = "usual_field_of_view")]
    #[schemars(range(min = 1.0, max = 150.0))]
    pub field_of_view: f64,
}

fn usual_field_of_view() -> f64 {
    30.0
}

impl SceneCamera {
    pub(super) fn check(&self, at: &At) -> Result<(), Fault> {
        at.key("position").vector_of(&self.position, Quantity::LENGTH)?;
        at.key("target").vector_of(&self.target, Quantity::LENGTH)?;
        let apart = self.position != self.target;
        at.key("target").expect(apart, self.target, "another place than the camera's")?;
        let angle = self.field_of_view;
        at.key("field_of_view").expect((1.0..=150.0).contains(&angle), angle, "from 1 to 150 degrees")
    }
}
