use bdem_core::geometry::rotation::rotation_matrix;
use bdem_core::geometry::{Mat3, Vec3};
use bdem_run::output::ply::Vertex;
use rayon::prelude::*;

use super::Rest;
use super::mesh::Corner;
use super::patch::Spot;
use super::rest::{orientation, place};
use super::samples::reach;
use super::ties::Ties;

/// Vertices of a frame: the points of the surface at rest, displaced by the particles nearby.
pub(super) fn displace(rest: &Rest, ties: &Ties, now: &[Vertex], spots: &[Spot]) -> Vec<Corner> {
    // rotation since rest, and position
    let motion = |(vertex, q): (&Vertex, _)| {
        let turn = orientation(vertex) * nalgebra::Quaternion::conjugate(q);
        (rotation_matrix(&turn), place(vertex))
    };
    let motions: Vec<(Mat3, Vec3)> = now.par_iter().zip(&rest.q).map(motion).collect();
    spots.par_iter().map(|spot| corner(rest, ties, now, &motions, spot)).collect()
}

/// Vertex of a frame. It is the mean of the rigid motions of the owner and its ties, weighted by nearness at rest.
fn corner(rest: &Rest, ties: &Ties, now: &[Vertex], motions: &[(Mat3, Vec3)], spot: &Spot) -> Corner {
    let (mut weights, mut p, mut v, mut damage, mut charge) = (0.0, Vec3::zeros(), Vec3::zeros(), 0.0, 0.0);
    for i in std::iter::once(spot.owner).chain(ties.held(spot.owner)) {
        let k = i as usize;
        let arm = spot.place - rest.p[k];
        let weight = weight(arm.norm_squared() / (reach(rest, k).support * rest.radius[k]).powi(2), i == spot.owner);
        if weight == 0.0 {
            continue;
        }
        let (turn, place) = &motions[k];
        let arm = turn * arm;
        weights += weight;
        p += (place + arm) * weight;
        v += velocity(&now[k], &arm) * weight;
        damage += f64::from(now[k].damage) * weight;
        charge += f64::from(now[k].charge) * weight;
    }
    let [x, y, z] = (p / weights).map(|x| x as f32).into();
    let [vx, vy, vz] = (v / weights).map(|v| v as f32).into();
    let piece = now[spot.owner as usize].piece;
    let [damage, charge] = [damage, charge].map(|sum| (sum / weights) as f32);
    Corner { x, y, z, vx, vy, vz, damage, piece, charge }
}

/// Weight of a particle, by the square of the distance over that of the reach. The owner's is above zero.
fn weight(share: f64, is_owner: bool) -> f64 {
    const LEAST: f64 = 1e-3;
    let weight = (1.0 - share).max(0.0).powi(3);
    if is_owner { weight.max(LEAST) } else { weight }
}

/// Velocity at the point `arm` (m) from the particle's centre, m/s.
fn velocity(particle: &Vertex, arm: &Vec3) -> Vec3 {
    let v = Vec3::new(particle.vx.into(), particle.vy.into(), particle.vz.into());
    let w = Vec3::new(particle.wx.into(), particle.wy.into(), particle.wz.into());
    v + w.cross(arm)
}
