//! Points of a solid's surface that are locally nearest to a point: where a sphere about it touches.

use smallvec::SmallVec;

use super::{Shape, inward};
use crate::geometry::{Vec3, rotation};

/// Locally nearest point of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Index of the solid's part.
    pub part: u32,
    /// Distance (m), negative inside.
    pub distance: f64,
    /// Outward unit normal, along which the point lies.
    pub normal: Vec3,
}

/// Touches of a sphere, the nearest first; a few without allocation.
pub type Touches = SmallVec<[Touch; 8]>;

/// Distance over the reach within which a point belongs to a part: seams of parts, and bends of less than 3 degrees, are one
/// surface.
pub(in crate::geometry) const SEAM: f64 = 1e-3;

impl Touch {
    /// The nearest point (m) of `p`.
    pub fn foot(&self, p: &Vec3) -> Vec3 {
        p - self.normal * self.distance
    }
}

impl Shape {
    /// Locally nearest points of the surface within `reach` (m) of `p`, the nearest first, of a union of parts: see
    /// `decomposed`. Inside a part it is the nearest one.
    pub fn touches(&self, p: &Vec3, reach: f64) -> Touches {
        let mut found = Touches::new();
        match self {
            Self::Union(members) => {
                members.iter().zip(0..).for_each(|(member, part)| member.add_touches(part, p, reach, &mut found));
            }
            Self::Group(group) => group.visit(p, reach, |member, reach| {
                group.members()[member].add_touches(member as u32, p, reach, &mut found);
                reach
            }),
            single => single.add_touches(0, p, reach, &mut found),
        }
        if found.len() > 1 {
            found.sort_unstable_by(|a, b| a.distance.total_cmp(&b.distance).then(a.part.cmp(&b.part)));
            self.drop_hidden(p, SEAM * reach, &mut found);
        }
        found
    }

    /// Whether a part is thin: a sphere may pass through it and leave on the other side.
    pub(crate) fn is_thin(&self, part: u32) -> bool {
        match self {
            Self::Union(members) => members[part as usize].is_thin(0),
            Self::Group(group) => group.members()[part as usize].is_thin(0),
            Self::Placed { shape, .. } => shape.is_thin(part),
            Self::HalfSpace(_) | Self::Complement(_) => false,
            Self::Intersection(members) => members.iter().any(|member| member.is_thin(0)),
            _ => true,
        }
    }

    /// Adds the points of one part.
    fn add_touches(&self, part: u32, p: &Vec3, reach: f64, found: &mut Touches) {
        match self {
            Self::Placed { shape, position, rotation } => {
                let first = found.len();
                shape.add_touches(part, &inward(p, position, rotation), reach, found);
                let turn = |touch: &mut Touch| touch.normal = rotation::rotate(rotation, &touch.normal);
                found[first..].iter_mut().for_each(turn);
            }
            Self::Mesh(mesh) => mesh.add_touches(part, p, (reach, 1.0), found),
            Self::Complement(shape) if let Self::Mesh(mesh) = &**shape => {
                mesh.add_touches(part, p, (reach, -1.0), found);
            }
            Self::Intersection(members) => found.extend(touch_of_all(members, part, p, reach)),
            single => {
                let distance = single.distance(p);
                if distance < reach {
                    found.push(Touch { part, distance, normal: single.normal(p) });
                }
            }
        }
    }

    /// Drops points that are not locally nearest: those in another part that has a nearer point. `found` are sorted.
    fn drop_hidden(&self, p: &Vec3, seam: f64, found: &mut Touches) {
        let members = match self {
            Self::Union(members) => &members[..],
            Self::Group(group) => group.members(),
            _ => return,
        };
        let all = found.clone();
        let is_hidden = |k: usize| {
            let foot = all[k].foot(p);
            let hides = |nearer: &Touch| {
                nearer.part != all[k].part
                    && ((nearer.foot(p) - foot).norm() < seam || members[nearer.part as usize].distance(&foot) < seam)
            };
            all[..k].iter().any(hides)
        };
        let mut k = 0;
        found.retain(|_| {
            k += 1;
            !is_hidden(k - 1)
        });
    }
}

/// The point of an intersection nearest to `p`, by Dykstra's projections (J. P. Boyle, R. L. Dykstra 1986, "A method for finding
/// projections onto the intersection of convex sets in Hilbert spaces").
fn touch_of_all(members: &[Shape], part: u32, p: &Vec3, reach: f64) -> Option<Touch> {
    /// Maximum number of projections on each member. Right angles need two.
    const SWEEPS: usize = 50;
    /// Distance over the reach at the level of rounding.
    const ON_SURFACE: f64 = 1e-9;
    let (nearest, distance) = highest(members, p);
    if distance >= reach {
        return None;
    }
    let (normal, seam) = (nearest.normal(p), SEAM * reach);
    let foot = p - normal * distance.max(0.0);
    let is_on_face =
        distance < -seam || is_in_all(members, &foot, ON_SURFACE * reach) && is_solid(members, &foot, seam);
    if distance <= 0.0 || is_on_face {
        return is_on_face.then_some(Touch { part, distance, normal });
    }
    let mut offsets: SmallVec<[Vec3; 4]> = members.iter().map(|_| Vec3::zeros()).collect();
    let mut foot = *p;
    for _ in 0..SWEEPS {
        let mut change: f64 = 0.0;
        for (member, offset) in members.iter().zip(&mut offsets) {
            let from = foot + *offset;
            let outside = member.distance(&from).max(0.0);
            let to = if outside > 0.0 { from - member.normal(&from) * outside } else { from };
            change = change.max((to - foot).norm());
            (foot, *offset) = (to, from - to);
        }
        if change <= ON_SURFACE * reach {
            break;
        }
    }
    let away = p - foot;
    let distance = away.norm();
    let is_near = distance < reach && is_in_all(members, &foot, seam) && is_solid(members, &foot, seam);
    is_near.then(|| Touch { part, distance, normal: away / distance })
}

fn is_in_all(members: &[Shape], p: &Vec3, tolerance: f64) -> bool {
    members.iter().all(|member| member.distance(p) <= tolerance)
}

/// Whether the intersection of members that meet at a point `p` of their surfaces has an interior there. Two solids that only
/// touch have none.
fn is_solid(members: &[Shape], p: &Vec3, seam: f64) -> bool {
    let meeting = || members.iter().filter(|member| member.distance(p) > -seam);
    let inwards = -meeting().map(|member| member.normal(p)).sum::<Vec3>();
    meeting().all(|member| member.normal(p).dot(&inwards) < -SEAM)
}

/// Member with the largest distance from `p`, and this distance (m).
fn highest<'a>(members: &'a [Shape], p: &Vec3) -> (&'a Shape, f64) {
    let with_distance = members.iter().map(|member| (member, member.distance(p)));
    with_distance.reduce(|best, next| if next.1 > best.1 { next } else { best }).expect("it has members")
}
