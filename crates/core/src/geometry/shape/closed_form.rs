//! Distances and normals of solids with a closed form, one point per lane. Products and sums are rounded apart, so that numbers and
//! vector lanes have the same bits.

use super::{HalfSpace, Shape};
use crate::simd::{Lanes, Vec3x};

impl Shape {
    /// Whether [`Self::closed_distance`] knows the shape.
    pub(crate) fn has_closed_form(&self) -> bool {
        match self {
            Self::Box { .. }
            | Self::Sphere { .. }
            | Self::Cylinder { .. }
            | Self::Tube { .. }
            | Self::Cone { .. }
            | Self::Capsule { .. }
            | Self::Torus { .. }
            | Self::HalfSpace(_) => true,
            Self::Ellipsoid { .. }
            | Self::Revolve(_)
            | Self::Mesh(_)
            | Self::Placed { .. }
            | Self::Complement(_)
            | Self::Union(_)
            | Self::Group(_)
            | Self::Intersection(_) => false,
        }
    }

    /// [`Shape::distance`] (m) of a shape with a closed form.
    ///
    /// # Panics
    /// If it [has none](Self::has_closed_form).
    #[inline(always)]
    pub(crate) fn closed_distance<L: Lanes>(&self, p: Vec3x<L>) -> L {
        match *self {
            Self::Box { size: [x, y, z] } => {
                let [x, y, z] = sides(p, [x, y, z]);
                norm(x.max(zero()), y.max(zero()), z.max(zero())) + x.max(y).max(z).min(zero())
            }
            Self::Sphere { radius } => norm(p.x, p.y, p.z) - L::splat(radius),
            Self::Cylinder { radius, height } => corner(from_axis(p) - L::splat(radius), end(p, height)).0,
            Self::Tube { radius, inner_radius, height } => {
                let [middle, half] = [0.5 * (radius + inner_radius), 0.5 * (radius - inner_radius)];
                corner((from_axis(p) - L::splat(middle)).abs() - L::splat(half), end(p, height)).0
            }
            Self::Cone { radius, top_radius, height } => frustum([radius, top_radius, 0.5 * height], p).0,
            Self::Capsule { radius, height } => norm(p.x, p.y, beyond(p.z, 0.5 * height - radius)) - L::splat(radius),
            Self::Torus { radius, tube_radius } => {
                norm(from_axis(p) - L::splat(radius), p.z, zero()) - L::splat(tube_radius)
            }
            Self::HalfSpace(HalfSpace { normal, offset }) => {
                let [x, y, z] = [normal.x, normal.y, normal.z].map(L::splat);
                x * p.x + y * p.y + z * p.z - L::splat(offset)
            }
            Self::Ellipsoid { .. }
            | Self::Revolve(_)
            | Self::Mesh(_)
            | Self::Placed { .. }
            | Self::Complement(_)
            | Self::Union(_)
            | Self::Group(_)
            | Self::Intersection(_) => no_closed_form(),
        }
    }

    /// [`Shape::normal`] of a shape with a closed form.
    ///
    /// # Panics
    /// If it [has none](Self::has_closed_form).
    #[inline(always)]
    pub(crate) fn closed_normal<L: Lanes>(&self, p: Vec3x<L>) -> Vec3x<L> {
        match *self {
            Self::Box { size } => {
                let n = box_normal(sides(p, size));
                Vec3x::new(n.x * p.x.sign(), n.y * p.y.sign(), n.z * p.z.sign())
            }
            Self::Sphere { .. } => unit(p),
            Self::Cylinder { radius, height } => {
                let (_, n) = corner(from_axis(p) - L::splat(radius), end(p, height));
                revolved(n, p)
            }
            Self::Tube { radius, inner_radius, height } => {
                let [middle, half] = [0.5 * (radius + inner_radius), 0.5 * (radius - inner_radius)];
                let off = from_axis(p) - L::splat(middle);
                let (_, [side, end]) = corner(off.abs() - L::splat(half), end(p, height));
                revolved([side * off.sign(), end], p)
            }
            Self::Cone { radius, top_radius, height } => {
                let (_, [x, z]) = frustum([radius, top_radius, 0.5 * height], p);
                let radial = radial(p);
                Vec3x::new(radial[0] * x, radial[1] * x, z)
            }
            Self::Capsule { radius, height } => unit(Vec3x::new(p.x, p.y, beyond(p.z, 0.5 * height - radius))),
            Self::Torus { radius, .. } => {
                let (radial, off) = (radial(p), from_axis(p) - L::splat(radius));
                unit(Vec3x::new(radial[0] * off, radial[1] * off, p.z))
            }
            Self::HalfSpace(HalfSpace { normal, .. }) => {
                Vec3x::new(L::splat(normal.x), L::splat(normal.y), L::splat(normal.z))
            }
            Self::Ellipsoid { .. }
            | Self::Revolve(_)
            | Self::Mesh(_)
            | Self::Placed { .. }
            | Self::Complement(_)
            | Self::Union(_)
            | Self::Group(_)
            | Self::Intersection(_) => no_closed_form(),
        }
    }
}

#[cold]
fn no_closed_form() -> ! {
    unreachable!("the shape has no closed form")
}

#[inline(always)]
fn zero<L: Lanes>() -> L {
    L::splat(0.0)
}

#[inline(always)]
fn norm<L: Lanes>(x: L, y: L, z: L) -> L {
    (x * x + y * y + z * z).sqrt()
}

/// Lanes of `below` where `d` < 0, and of `other` elsewhere.
#[inline(always)]
fn pick_inside<L: Lanes>(d: L, below: L, other: L) -> L {
    d.pick_below(zero(), below, other)
}

/// Distance from the axis z.
#[inline(always)]
fn from_axis<L: Lanes>(p: Vec3x<L>) -> L {
    norm(p.x, p.y, zero())
}

/// x and y of the unit vector away from the axis z, along x on it.
#[inline(always)]
fn radial<L: Lanes>(p: Vec3x<L>) -> [L; 2] {
    let far = from_axis(p);
    let on_axis = zero::<L>().pick_below(far, zero(), L::splat(1.0));
    let far = far + on_axis;
    [p.x / far + on_axis, p.y / far]
}

/// Unit vector along `v`, z for none.
#[inline(always)]
fn unit<L: Lanes>(v: Vec3x<L>) -> Vec3x<L> {
    let length = norm(v.x, v.y, v.z);
    let none = zero::<L>().pick_below(length, zero(), L::splat(1.0));
    let length = length + none;
    Vec3x::new(v.x / length, v.y / length, v.z / length + none)
}

/// Signed distance of `z` from the interval from -half to half.
#[inline(always)]
fn beyond<L: Lanes>(z: L, half: f64) -> L {
    z - z.max(L::splat(-half)).min(L::splat(half))
}

/// Distance from the planes through the ends of a solid of this height.
#[inline(always)]
fn end<L: Lanes>(p: Vec3x<L>, height: f64) -> L {
    p.z.abs() - L::splat(0.5 * height)
}

/// Distances from the planes through the sides of a box.
#[inline(always)]
fn sides<L: Lanes>(p: Vec3x<L>, [x, y, z]: [f64; 3]) -> [L; 3] {
    [p.x.abs() - L::splat(0.5 * x), p.y.abs() - L::splat(0.5 * y), p.z.abs() - L::splat(0.5 * z)]
}

/// Distance from a right-angled corner in a plane, from the distances to its sides, and its gradient: outside to the nearest point
/// of the corner, inside to the nearest side.
#[inline(always)]
fn corner<L: Lanes>(a: L, b: L) -> (L, [L; 2]) {
    let one = L::splat(1.0);
    let (x, y) = (a.max(zero()), b.max(zero()));
    let outside = norm(x, y, zero());
    let first = a.pick_below(b, zero(), one);
    let (n_x, n_y) = (x / outside, y / outside);
    let is_out = zero::<L>().pick_below(outside, one, zero());
    let pick = |out: L, inner: L| zero::<L>().pick_below(is_out, out, inner);
    (outside + a.max(b).min(zero()), [pick(n_x, first), pick(n_y, one - first)])
}

/// Outward normal of a box, in the octant of the point, from the distances to its sides.
#[inline(always)]
fn box_normal<L: Lanes>([a, b, c]: [L; 3]) -> Vec3x<L> {
    let one = L::splat(1.0);
    let (x, y, z) = (a.max(zero()), b.max(zero()), c.max(zero()));
    let outside = norm(x, y, z);
    // inside the first of the nearest sides
    let second = a.pick_below(b, one, zero());
    let third = a.max(b).pick_below(c, one, zero());
    let (first, second) = ((one - second) * (one - third), second * (one - third));
    let pick = |out: L, inner: L| zero::<L>().pick_below(outside, out, inner);
    Vec3x::new(pick(x / outside, first), pick(y / outside, second), pick(z / outside, third))
}

/// Normal of a solid of revolution that is the same above and below, from that in the quarter plane of radius and height.
#[inline(always)]
fn revolved<L: Lanes>([side, end]: [L; 2], p: Vec3x<L>) -> Vec3x<L> {
    let radial = radial(p);
    Vec3x::new(radial[0] * side, radial[1] * side, p.z.sign() * end)
}

/// Distance to a frustum about z, with these radii at z = -half and z = half, and its gradient in the half plane of radius and
/// height: the nearer of its ends and its side (I. Quilez, "Distance functions", capped cone).
#[inline(always)]
fn frustum<L: Lanes>([radius, top_radius, half]: [f64; 3], p: Vec3x<L>) -> (L, [L; 2]) {
    /// Distance over the height below which a point is on the surface.
    const ON_SURFACE: f64 = 1e-9;
    let (one, splat) = (L::splat(1.0), L::splat);
    let r = from_axis(p);
    let cap = pick_inside(p.z, splat(radius), splat(top_radius));
    let to_cap = [r - r.min(cap), p.z.abs() - splat(half)];
    let side = [top_radius - radius, 2.0 * half];
    let length = side[0] * side[0] + side[1] * side[1];
    let along = (splat(top_radius) - r) * splat(side[0]) + (splat(half) - p.z) * splat(side[1]);
    let along = (along * splat(1.0 / length)).max(zero()).min(one);
    let to_side = [r - splat(top_radius) + splat(side[0]) * along, p.z - splat(half) + splat(side[1]) * along];
    let cap_distance = norm(to_cap[0], to_cap[1], zero());
    let side_distance = norm(to_side[0], to_side[1], zero());
    let distance = cap_distance.min(side_distance);
    let inward = pick_inside(to_side[0], pick_inside(to_cap[1], one, zero()), zero());
    let sign = one - inward - inward;

    // on the surface the direction to the nearest point is none
    let is_near = distance.pick_below(splat(2.0 * half * ON_SURFACE), one, zero());
    let pick = |from_cap: L, from_side: L| cap_distance.pick_below(side_distance, from_cap, from_side);
    let over = sign / (distance + is_near);
    let off = [pick(to_cap[0], to_side[0]) * over, pick(to_cap[1] * p.z.sign(), to_side[1]) * over];
    let slant = 1.0 / length.sqrt();
    let flat = [pick(zero(), splat(side[1] * slant)), pick(p.z.sign(), splat(-side[0] * slant))];
    let normal = |off: L, flat: L| zero::<L>().pick_below(is_near, flat, off);
    (sign * distance, [normal(off[0], flat[0]), normal(off[1], flat[1])])
}
