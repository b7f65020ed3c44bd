//! Contacts of a sphere with the faces of a wall in a step.

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::geometry::Vec3;
use crate::geometry::shape::{Shape, Touch, Touches};

use super::{PlacedWall, WallStep};

/// Contact of a sphere with one face of a wall in a step.
#[derive(Clone, Copy, Debug)]
pub struct WallContact {
    /// Gaps at the start and at the end of the step, m.
    pub gaps: [f64; 2],
    /// Outward unit normal at the end of the step; that at the start where the contact has ended.
    pub n: Vec3,
    /// The face, if the sphere's centre is behind it at the end.
    pub(crate) face: Option<Face>,
}

/// Contacts with one wall.
pub(crate) type WallContacts = SmallVec<[WallContact; WallContact::MOST]>;

/// Plane of a face, in the frame of its wall.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Face {
    /// Index of the wall's part.
    part: u32,
    /// Outward unit normal.
    normal: Vec3,
    /// Offset along it, m.
    offset: f64,
}

/// Face that the centre of a particle went behind. It pushes the particle back the way it came.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct KeptFace {
    /// Index of the particle.
    pub particle: u32,
    /// Index of the wall.
    pub wall: u32,
    /// Plane of the face.
    pub face: Face,
}

impl WallContact {
    /// Maximum number of contacts of a sphere with one wall: a box around it has six faces. The deepest count.
    pub(crate) const MOST: usize = 6;
}

impl Face {
    /// Tangent plane at the nearest point of `p` (m).
    fn at(touch: &Touch, p: &Vec3) -> Self {
        Self { part: touch.part, normal: touch.normal, offset: touch.normal.dot(p) - touch.distance }
    }

    /// Height of a point (m) in front of the plane.
    fn height(&self, p: &Vec3) -> f64 {
        self.normal.dot(p) - self.offset
    }
}

/// Centres in the frame of a wall at the start and at the end of a step, m, and what they touch.
struct Search<'a> {
    surface: &'a Shape,
    radius: f64,
    p: [Vec3; 2],
    /// Nearest points at the start.
    start: Touches,
    held: &'a [KeptFace],
    /// Whether faces hold centres that go behind them; those of a deforming wall turn meanwhile.
    holds: bool,
}

impl PlacedWall<'_> {
    /// Contacts of a sphere of `radius` (m) about `p` (m), whose centre is behind the faces `held`.
    pub(crate) fn contacts(&self, p: &Vec3, radius: f64, held: &[KeptFace]) -> WallContacts {
        WallStep { start: self.clone(), end: self.clone() }.contacts([p, p], radius, held)
    }
}

impl WallStep<'_> {
    /// Depth of a single solid's contacts over the radius beyond which they are searched for: the centre may be inside.
    pub(crate) const DEEP: f64 = 0.5;

    /// Contacts of a sphere of `radius` (m) that moves between two positions (m). Its centre was behind the faces `held`.
    pub(crate) fn contacts(&self, [from, to]: [&Vec3; 2], radius: f64, held: &[KeptFace]) -> WallContacts {
        let wall = self.end.wall;
        if !wall.is_composite() || self.has_closed_form() {
            let Some(gap) = self.end.gap(to, radius) else { return WallContacts::new() };
            if wall.is_composite() {
                return self.search([from, to], radius, held);
            }
            let before = self.start.distance_within(from, radius) - radius;
            let is_deep = !held.is_empty() || before.min(gap) < -Self::DEEP * radius;
            if !wall.is_thin() || !is_deep {
                let contact = WallContact { gaps: [before, gap], n: self.end.normal(to), face: None };
                return std::iter::once(contact).collect();
            }
        }
        self.search([from, to], radius, held)
    }

    /// Contacts at the start or at the end.
    pub(crate) fn contacts_in_step(&self, [from, to]: [&Vec3; 2], radius: f64, held: &[KeptFace]) -> WallContacts {
        let wall = self.end.wall;
        if wall.is_composite() {
            return self.search([from, to], radius, held);
        }
        let near = [self.start.distance_within(from, radius) - radius, self.end.distance_within(to, radius) - radius];
        if near.iter().all(|gap| *gap >= 0.0) {
            return WallContacts::new();
        }
        let is_deep = !held.is_empty() || near[0].min(near[1]) < -Self::DEEP * radius;
        if wall.is_thin() && is_deep {
            return self.search([from, to], radius, held);
        }
        let apart = || [self.start.distance(from) - radius, self.end.distance(to) - radius];
        let gaps = if self.has_closed_form() { near } else { apart() };
        let n = if gaps[1] < 0.0 { self.end.normal(to) } else { self.start.normal(from) };
        std::iter::once(WallContact { gaps, n, face: None }).collect()
    }

    /// Contacts at the start or at the end, of any wall.
    pub(crate) fn search(&self, [from, to]: [&Vec3; 2], radius: f64, held: &[KeptFace]) -> WallContacts {
        let (p, surface) = (self.seen([from, to]), self.end.surface());
        let reach = radius + (p[1] - p[0]).norm();
        let end = surface.touches(&p[1], reach);
        if end.is_empty() {
            return WallContacts::new();
        }
        let start = match p[0] == p[1] {
            true => end.clone(),
            false => self.start.surface().touches(&self.start.pose.undo(from), reach),
        };
        let holds = self.end.wall.deforming_mesh().is_none();
        let mut contacts = Search { surface, radius, p, start, held, holds }.contacts(&end);
        for contact in &mut contacts {
            let pose = if contact.gaps[1] < 0.0 { &self.end.pose } else { &self.start.pose };
            contact.n = pose.rotate(&contact.n);
        }
        contacts
    }

    /// Whether the centre of a sphere of `radius` (m) goes through the wall, farther than its radius and out of the other side.
    pub(crate) fn is_crossed(&self, [from, to]: [&Vec3; 2], radius: f64) -> bool {
        let (p, shape) = (self.seen([from, to]), self.end.shape());
        let length = (p[1] - p[0]).norm();
        length > radius && shape.distance(&p[0]) < length && shape.distance(&p[1]) > 0.0 && enters(shape, &p, radius)
    }

    /// Whether a sphere of `radius` (m) about `p` (m) is beyond the wall, wholly behind the `face` that it went through.
    pub(crate) fn is_passed(&self, p: &Vec3, radius: f64, face: &Face) -> bool {
        let p = self.end.pose.undo(p);
        face.height(&p) < 0.0 && self.end.shape().distance(&p) > radius
    }
}

impl Search<'_> {
    /// Contacts with the nearest points at the `end`, and those that ended.
    fn contacts(&self, end: &Touches) -> WallContacts {
        let mut contacts = WallContacts::new();
        let mut kept: SmallVec<[bool; 8]> = self.start.iter().map(|_| false).collect();
        for touch in end {
            let before = self.before(touch);
            before.into_iter().for_each(|k| kept[k] = true);
            match self.face_before(touch) {
                Some(face) => {
                    self.start.iter().zip(&mut kept).for_each(|(start, kept)| *kept |= start.part == touch.part);
                    if contacts.iter().all(|contact: &WallContact| contact.face != Some(face)) {
                        contacts.push(self.with_face(face));
                    }
                }
                None => contacts.push(self.contact(touch, before.map(|k| &self.start[k]))),
            }
        }
        let ended = self.start.iter().zip(&kept).filter(|(_, kept)| !**kept).map(|(touch, _)| self.ended(touch));
        contacts.extend(ended);
        contacts.retain(|contact| contact.gaps.iter().any(|gap| *gap < 0.0));
        contacts.truncate(WallContact::MOST);
        contacts
    }

    /// Index of the point at the start that is on the same face.
    fn before(&self, touch: &Touch) -> Option<usize> {
        /// Cosine of the angle (60 degrees) between the normals of different faces.
        const OTHER_FACE: f64 = 0.5;
        let cosine = |k: &usize| self.start[*k].normal.dot(&touch.normal);
        let nearest = (0..self.start.len()).max_by(|a, b| cosine(a).total_cmp(&cosine(b)));
        nearest.filter(|k| cosine(k) > OTHER_FACE)
    }

    /// The face of a thin part that the centre went behind, in this step or before.
    fn face_before(&self, touch: &Touch) -> Option<Face> {
        if !self.holds || !self.surface.is_thin(touch.part) {
            return None;
        }
        let is_behind = |face: &Face| face.height(&self.p[1]) <= 0.0;
        let of_part = self.held.iter().find(|held| held.face.part == touch.part);
        let other = self.held.first().filter(|_| touch.distance <= 0.0);
        if let Some(held) = of_part.into_iter().chain(other).find(|held| is_behind(&held.face)) {
            return Some(held.face);
        }
        let start = self.start.iter().find(|start| start.part == touch.part && start.distance > 0.0);
        if touch.distance > 0.0 && !start.is_some_and(|start| self.crosses(start, touch)) {
            return None;
        }
        let came = start.map(|start| Face::at(start, &self.p[0])).filter(is_behind);
        came.or_else(|| (touch.distance <= 0.0).then(|| Face::at(touch, &self.p[1])))
    }

    /// Whether the centre went through a part, from its nearest point at the start to that at the end.
    fn crosses(&self, start: &Touch, end: &Touch) -> bool {
        start.normal.dot(&end.normal) < 0.0
            && start.distance + end.distance <= (self.p[1] - self.p[0]).norm()
            && enters(self.surface, &self.p, self.radius)
    }

    fn with_face(&self, face: Face) -> WallContact {
        WallContact { gaps: self.p.map(|p| face.height(&p) - self.radius), n: face.normal, face: Some(face) }
    }

    fn contact(&self, touch: &Touch, before: Option<&Touch>) -> WallContact {
        let gap = touch.distance - self.radius;
        let rise = touch.normal.dot(&(self.p[1] - self.p[0]));
        let start = before.map_or(gap - rise, |before| before.distance - self.radius);
        let n = before.filter(|_| gap >= 0.0).map_or(touch.normal, |before| before.normal);
        WallContact { gaps: [start, gap], n, face: None }
    }

    /// Contact that has ended within the step.
    fn ended(&self, touch: &Touch) -> WallContact {
        let gap = touch.distance - self.radius;
        let rise = touch.normal.dot(&(self.p[1] - self.p[0]));
        WallContact { gaps: [gap, (gap + rise).max(0.0)], n: touch.normal, face: None }
    }
}

/// Whether a straight path between two points (m) outside of a solid leads through it, by sphere tracing.
fn enters(shape: &Shape, [from, to]: &[Vec3; 2], radius: f64) -> bool {
    const STEPS: u32 = 100;
    /// Distance over the radius that counts as inside.
    const NEAR: f64 = 1e-6;
    let (way, mut gone) = (to - from, 0.0);
    let length = way.norm();
    for _ in 0..STEPS {
        let distance = shape.distance(&(from + way * (gone / length)));
        gone += distance;
        if distance < NEAR * radius || gone >= length {
            return gone < length;
        }
    }
    true
}
