use bdem_core::geometry::Vec3;
use bdem_core::geometry::shape::{HalfSpace, Profile, ProfileError, Shape as Solid};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::{At, Fault, Quantity};
use super::files::Files;
use super::{AxisAngle, MeshFile};

/// Solid. Simple ones are centred at the origin, with z as their axis.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[schemars(rename = "Shape")]
pub enum SceneShape {
    /// Box with sides along x, y and z.
    Box {
        /// Lengths of the sides, m.
        #[schemars(inner(range(min = 0.0)))]
        size: [f64; 3],
    },
    /// Ball.
    Sphere {
        /// Radius, m.
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        radius: f64,
    },
    /// Ellipsoid with half axes along x, y and z.
    Ellipsoid {
        /// Half axes along x, y and z, m.
        #[schemars(inner(range(min = 0.0)))]
        radii: [f64; 3],
    },
    /// Cylinder about the z axis.
    Cylinder {
        /// Radius, m.
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        radius: f64,
        /// Height along z, m.
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        height: f64,
    },
    /// Cylinder with a bore.
    Tube {
        /// Outer radius, m.
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        radius: f64,
        /// Inner radius, m.
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        inner_radius: f64,
        /// Height along z, m.
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        height: f64,
    },
    /// Cone that stands on its base, or a frustum.
    Cone {
        /// Radius of the base, m.
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        radius: f64,
        /// Radius of the top, m.
        #[serde(default)]
        #[schemars(range(min = 0.0))]
        top_radius: f64,
        /// Height along z, m.
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        height: f64,
    },
    /// Cylinder with half spheres for ends.
    Capsule {
        /// Radius, m.
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        radius: f64,
        /// Height along z with both ends, m.
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        height: f64,
    },
    /// Ring about z.
    Torus {
        /// Radius of the circle in the middle of the tube, m.
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        radius: f64,
        /// Radius of the tube, m.
        #[schemars(extend("exclusiveMinimum" = 0.0))]
        tube_radius: f64,
    },
    /// Solid of revolution about z. It has the heights of its profile.
    Revolve {
        /// Corners [radius, height] of a closed polygon, m, in either direction. The last is joined to the first. Edges
        /// must not cross.
        #[schemars(length(min = 3, max = Profile::MAX_CORNERS))]
        profile: Vec<[f64; 2]>,
    },
    /// All points with `normal . x <= offset`. It is unbounded, and serves to cut other shapes.
    HalfSpace {
        /// Normal towards the free side, of any length but zero.
        normal: [f64; 3],
        /// Distance of the surface from the origin along the normal, m.
        offset: f64,
    },
    /// Inside of a closed mesh.
    Mesh(MeshFile),
    /// Shape rotated about its origin, then moved.
    Moved {
        /// Shape before the rotation and the displacement.
        shape: Box<SceneShape>,
        /// Displacement, m.
        #[serde(default)]
        position: [f64; 3],
        /// Rotation about the origin of the shape, before the displacement.
        #[serde(default)]
        rotation: AxisAngle,
    },
    /// Points that are in any of the shapes.
    Union(#[schemars(length(min = 2))] Vec<SceneShape>),
    /// Points that are in each of the shapes.
    Intersection(#[schemars(length(min = 2))] Vec<SceneShape>),
    /// First shape without the others.
    Difference(#[schemars(length(min = 2))] Vec<SceneShape>),
}

impl SceneShape {
    /// Absolute paths in place of the names of files.
    pub(super) fn make_paths_absolute(&mut self, files: &Files) {
        match self {
            Self::Mesh(mesh) => mesh.file = files.absolute_path(&mesh.file),
            Self::Moved { shape, .. } => shape.make_paths_absolute(files),
            Self::Union(members) | Self::Intersection(members) | Self::Difference(members) => {
                members.iter_mut().for_each(|member| member.make_paths_absolute(files));
            }
            _ => {}
        }
    }

    /// Shapes that this one is made of, each with its place. None for a simple one.
    pub(super) fn members(&self, at: &At) -> Vec<(&Self, At)> {
        let (key, members) = match self {
            Self::Moved { shape, .. } => return vec![(&**shape, at.key("moved").key("shape"))],
            Self::Union(members) => ("union", members),
            Self::Intersection(members) => ("intersection", members),
            Self::Difference(members) => ("difference", members),
            _ => return Vec::new(),
        };
        members.iter().enumerate().map(|(i, member)| (member, at.key(key).key(i))).collect()
    }

    /// Place of the first mesh.
    pub(super) fn mesh(&self, at: &At) -> Option<At> {
        match self {
            Self::Mesh(_) => Some(at.key("mesh")),
            _ => self.members(at).into_iter().find_map(|(member, at)| member.mesh(&at)),
        }
    }

    /// Solid of the shape, with its numbers checked.
    pub(super) fn load(&self, files: &mut Files, at: &At) -> Result<Solid, Fault> {
        match *self {
            Self::Box { size } => lengths(at, "box", size.map(|side| ("size", side)), Solid::Box { size }),
            Self::Sphere { radius } => lengths(at, "sphere", [("radius", radius)], Solid::Sphere { radius }),
            Self::Ellipsoid { radii } => {
                lengths(at, "ellipsoid", radii.map(|radius| ("radii", radius)), Solid::Ellipsoid { radii })
            }
            Self::Cylinder { radius, height } => {
                let solid = Solid::Cylinder { radius, height };
                lengths(at, "cylinder", [("radius", radius), ("height", height)], solid)
            }
            Self::Tube { radius, inner_radius, height } => tube(radius, inner_radius, height, at),
            Self::Cone { radius, top_radius, height } => cone(radius, top_radius, height, at),
            Self::Capsule { radius, height } => capsule(radius, height, at),
            Self::Torus { radius, tube_radius } => torus(radius, tube_radius, at),
            Self::Revolve { ref profile } => revolve(profile, &at.key("revolve").key("profile")),
            Self::HalfSpace { normal, offset } => half_space(normal, offset, &at.key("half_space")),
            Self::Mesh(ref mesh) => Ok(Solid::Mesh(mesh.load(files, &at.key("mesh"))?)),
            Self::Moved { ref shape, position, rotation } => moved(shape, position, &rotation, files, &at.key("moved")),
            Self::Union(ref members) => Ok(Solid::union(each(members, files, &at.key("union"))?)),
            Self::Intersection(ref members) => Ok(Solid::Intersection(each(members, files, &at.key("intersection"))?)),
            Self::Difference(ref members) => {
                let mut solids = each(members, files, &at.key("difference"))?.into_iter();
                Ok(Solid::difference(solids.next().expect("checked: two at least"), solids))
            }
        }
    }
}

/// Solid of a body, which must be bounded and not empty.
pub(super) fn load_body(shape: &SceneShape, files: &mut Files, at: &At) -> Result<Solid, Fault> {
    let solid = shape.load(files, at)?;
    let (low, high) = solid.bounds();
    if !(low.sum() + high.sum()).is_finite() {
        let help = "a half-space is unbounded: intersect it with a bounded shape, or subtract it in a difference";
        return Err(at.wrong("the shape is unbounded").help(help));
    }
    if low.zip_map(&high, |low, high| low >= high).iter().any(|&empty| empty) {
        return Err(at.wrong("the shape is empty: its parts do not meet").help("check their positions in `moved`"));
    }
    Ok(solid)
}

/// The `solid`, once each of the `numbers` under `name` is found to be a positive length.
fn lengths<const N: usize>(at: &At, name: &str, numbers: [(&str, f64); N], solid: Solid) -> Result<Solid, Fault> {
    let at = at.key(name);
    for (key, value) in numbers {
        at.key(key).positive(value, " of metres")?;
        at.key(key).no_more_than(value, Quantity::LENGTH)?;
    }
    Ok(solid)
}

fn tube(radius: f64, inner_radius: f64, height: f64, at: &At) -> Result<Solid, Fault> {
    let solid = Solid::Tube { radius, inner_radius, height };
    let solid = lengths(at, "tube", [("radius", radius), ("height", height), ("inner_radius", inner_radius)], solid)?;
    let at = at.key("tube").key("inner_radius");
    at.expect(inner_radius < radius, inner_radius, &format!("less than radius, {radius:?}"))?;
    Ok(solid)
}

fn cone(radius: f64, top_radius: f64, height: f64, at: &At) -> Result<Solid, Fault> {
    let solid = Solid::Cone { radius, top_radius, height };
    let solid = lengths(at, "cone", [("radius", radius), ("height", height)], solid)?;
    let good = top_radius >= 0.0 && top_radius.is_finite();
    at.key("cone").key("top_radius").expect(good, top_radius, "zero or a positive number of metres")?;
    Ok(solid)
}

fn capsule(radius: f64, height: f64, at: &At) -> Result<Solid, Fault> {
    let solid = lengths(at, "capsule", [("radius", radius)], Solid::Capsule { radius, height })?;
    let good = height >= 2.0 * radius && height.is_finite();
    let expected = format!("at least twice the radius, {:?}: it counts the round ends", 2.0 * radius);
    at.key("capsule").key("height").expect(good, height, &expected)?;
    Ok(solid)
}

fn torus(radius: f64, tube_radius: f64, at: &At) -> Result<Solid, Fault> {
    let solid = Solid::Torus { radius, tube_radius };
    let solid = lengths(at, "torus", [("radius", radius), ("tube_radius", tube_radius)], solid)?;
    let at = at.key("torus").key("tube_radius");
    at.expect(tube_radius <= radius, tube_radius, &format!("at most radius, {radius:?}"))?;
    Ok(solid)
}

fn revolve(profile: &[[f64; 2]], at: &At) -> Result<Solid, Fault> {
    for (i, corner) in profile.iter().enumerate() {
        let at = at.key(i);
        let good = corner[0] >= 0.0 && corner.iter().all(|x| x.is_finite());
        let expected = "[radius, height] in metres, with a radius of at least 0: the axis is r = 0";
        at.expect(good, corner, expected)
            .map_err(|fault| Fault { message: format!("point {}", fault.message), ..fault })?;
        corner.iter().try_for_each(|x| at.no_more_than(x.abs(), Quantity::LENGTH))?;
    }
    Profile::new(profile.to_vec()).map(Solid::Revolve).map_err(|why| wrong_profile(profile, why, at))
}

fn wrong_profile(profile: &[[f64; 2]], why: ProfileError, at: &At) -> Fault {
    let edge = |i: usize| format!("from {:?} to {:?}", profile[i], profile[(i + 1) % profile.len()]);
    match why {
        ProfileError::TooFew(count) => at.wrong(format!("the profile has {count} points, but must have at least 3")),
        ProfileError::TooMany(count) => {
            at.wrong(format!("the profile has {count} points, but must have at most {}", Profile::MAX_CORNERS))
        }
        ProfileError::Corner(i) => at.key(i).wrong("the point is not finite, or its radius is negative"),
        ProfileError::Crossing([i, j]) => at
            .key(j)
            .wrong(format!("the profile crosses itself: its edges {} and {} meet", edge(i), edge(j)))
            .help("list its points in order around the section, each once; the last is joined to the first"),
        ProfileError::Flat => at.wrong("the profile encloses no area").help("its points must not lie on one line"),
    }
}

fn half_space(normal: [f64; 3], offset: f64, at: &At) -> Result<Solid, Fault> {
    at.key("normal").direction(&normal)?;
    at.key("offset").quantity(offset, Quantity::LENGTH)?;
    Ok(Solid::HalfSpace(HalfSpace { normal: Vec3::from(normal).normalize(), offset }))
}

fn moved(
    shape: &SceneShape,
    position: [f64; 3],
    rotation: &AxisAngle,
    files: &mut Files,
    at: &At,
) -> Result<Solid, Fault> {
    at.key("position").vector_of(&position, Quantity::LENGTH)?;
    rotation.check(&at.key("rotation"))?;
    let shape = Box::new(shape.load(files, &at.key("shape"))?);
    Ok(Solid::Placed { shape, position: position.into(), rotation: rotation.quaternion() })
}

/// Members of a combination.
fn each(members: &[SceneShape], files: &mut Files, at: &At) -> Result<Vec<Solid>, Fault> {
    if members.len() < 2 {
        return Err(at.wrong("a combination must have two shapes at least"));
    }
    members.iter().enumerate().map(|(i, member)| member.load(files, &at.key(i))).collect()
}
