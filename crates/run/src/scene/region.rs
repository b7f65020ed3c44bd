use bdem_core::geometry::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SceneBody;
use super::check::{At, Fault};
use super::face_group::FaceGroup;
use super::files::Files;

/// Region of space that chooses particles by their centres.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Region {
    /// Box with sides along x, y and z.
    Box {
        /// Smallest coordinates, m.
        min: [f64; 3],
        /// Largest coordinates, m.
        max: [f64; 3],
    },
    /// Ball around a centre.
    Sphere {
        /// Centre, m.
        centre: [f64; 3],
        /// Radius, m.
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        radius: f64,
    },
    /// Particles nearest to a point.
    Nearest {
        /// The point, m.
        point: [f64; 3],
        /// Number of particles.
        #[serde(default = "one")]
        #[schemars(range(min = 1))]
        count: u32,
    },
    /// Particles at the faces of an object, a group or a material of the OBJ file that is the body's shape, by its name: those
    /// within two radii.
    Group(#[schemars(with = "String")] FaceGroup),
}

fn one() -> u32 {
    1
}

impl Region {
    /// Particles whose centres `p` (m) lie in the region or on its boundary, in their order. Of equally near ones the
    /// first.
    pub fn choose(&self, mut particles: Vec<u32>, p: &[Vec3]) -> Vec<u32> {
        let at = |i: u32| &p[i as usize];
        match self {
            Self::Box { min, max } => {
                let within = |p: &Vec3| (0..3).all(|axis| min[axis] <= p[axis] && p[axis] <= max[axis]);
                particles.retain(|&i| within(at(i)));
            }
            Self::Sphere { centre, radius } => {
                particles.retain(|&i| (at(i) - Vec3::from(*centre)).norm() <= *radius);
            }
            Self::Nearest { point, count } => {
                let off = |&i: &u32| (at(i) - Vec3::from(*point)).norm();
                particles.sort_by(|a, b| off(a).total_cmp(&off(b)).then(a.cmp(b)));
                particles.truncate(*count as usize);
                particles.sort_unstable();
            }
            Self::Group(group) => particles.retain(|&i| group.contains(at(i))),
        }
        particles
    }

    /// Reads what the region needs of the mesh files of the `bodies` called `body`, or of all.
    pub(super) fn read(
        &mut self,
        bodies: &[SceneBody],
        body: Option<&str>,
        files: &mut Files,
        at: &At,
    ) -> Result<(), Fault> {
        match self {
            Self::Group(group) => group.read(bodies, body, files, &at.key("group")),
            Self::Box { .. } | Self::Sphere { .. } | Self::Nearest { .. } => Ok(()),
        }
    }

    /// Name of the region in a scene.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Box { .. } => "box",
            Self::Sphere { .. } => "sphere",
            Self::Nearest { .. } => "nearest",
            Self::Group(_) => "group",
        }
    }

    pub(super) fn check(&self, at: &At) -> Result<(), Fault> {
        let at = at.key(self.name());
        match self {
            Self::Box { min, max } => {
                at.key("min").vector(min)?;
                at.key("max").vector(max)?;
                let expected = format!("at least min, {min:?}, in each of its coordinates");
                let ordered = (0..3).all(|axis| min[axis] <= max[axis]);
                at.key("max").expect(ordered, max, &expected)
            }
            Self::Sphere { centre, radius } => {
                at.key("centre").vector(centre)?;
                at.key("radius").positive(*radius, " of metres")
            }
            Self::Nearest { point, count } => {
                at.key("point").vector(point)?;
                at.key("count").at_least_one(*count)
            }
            Self::Group(_) => Ok(()),
        }
    }
}
