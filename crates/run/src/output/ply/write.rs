use std::io::{self, Write};

use bdem_core::energy::bond;
use bdem_core::fracture::BondLoad;
use bdem_core::geometry::{Mat3, Vec3};
use bdem_core::model::{AxialStress, Bond, Particles, State};
use ply_rs::ply::{Addable, Encoding, Header};
use ply_rs::writer::Writer;

use super::{BondGroups, Edge, Vertex};

/// Data of a frame: arrays with an entry for each particle.
#[derive(Clone, Copy, Debug)]
pub struct FrameView<'a> {
    /// Poses and velocities of the particles.
    pub state: &'a State,
    /// Radii and other constants of the particles.
    pub particles: &'a Particles,
    /// Smallest particle index in each particle's piece.
    pub piece: &'a [u32],
    /// Broken share of each particle's first bonds.
    pub damage: &'a [f32],
    /// Largest sigma over each particle's bonds, Pa.
    pub stress: &'a [f32],
    /// Mean loss of stiffness of each particle's whole bonds, if they soften.
    pub softening: Option<&'a [f32]>,
    /// Charge of each particle, C, if the frame has charges.
    pub charge: Option<&'a [f32]>,
    /// Positions at the start of the run, m, if the frame has displacements.
    pub start: Option<&'a [Vec3]>,
    /// Symmetric stress tensors, Pa, if the frame has them.
    pub tensor: Option<&'a [Mat3]>,
    /// Bonds, if the frame has them: the whole ones among these. Some programs, such as meshio and trimesh, cannot read a file with them.
    pub bonds: Option<&'a [Bond]>,
    /// Optional properties of the bonds.
    pub bond_groups: BondGroups,
    /// Axial force that counts in sigma of a bond.
    pub axial: AxialStress,
    /// Time, s.
    pub time: f64,
    /// Number of the frame.
    pub frame: u32,
    /// Frame rate of simulated time, 1/s.
    pub frame_rate: f64,
    /// Gravity, m/s2. Its opposite is up.
    pub gravity: Vec3,
    /// Origin of the frame's coordinates, m: positions are relative to it.
    pub origin: Vec3,
    /// Digest of the scene.
    pub digest: &'a str,
}

/// Write a frame. `out` should be buffered, as numbers are written one at a time.
///
/// # Errors
/// Those of `out`.
///
/// # Panics
/// When the arrays differ in length.
pub fn write_frame(out: &mut impl Write, frame: &FrameView) -> io::Result<()> {
    let count = frame.state.len();
    let optional = [
        frame.softening.map(<[f32]>::len),
        frame.charge.map(<[f32]>::len),
        frame.start.map(<[Vec3]>::len),
        frame.tensor.map(<[Mat3]>::len),
    ];
    let lengths = [frame.particles.len(), frame.piece.len(), frame.damage.len(), frame.stress.len()];
    let mut lengths = lengths.into_iter().chain(optional.into_iter().flatten());
    assert!(lengths.all(|length| length == count), "every array of a frame has an entry a particle");

    let (vertex, _) = Vertex::layout(count, optional.map(|of| of.is_some()));
    let whole = frame.bonds.map(|bonds| bonds.iter().filter(|bond| !bond.is_broken()));
    let edge = whole.clone().map(|bonds| Edge::layout(bonds.count(), frame.bond_groups.into()).0);
    let mut header = Header { encoding: Encoding::BinaryLittleEndian, comments: frame.comments(), ..Header::default() };
    header.elements.add(vertex.clone());
    edge.iter().for_each(|edge| header.elements.add(edge.clone()));

    let writer = Writer::<Vertex>::new();
    writer.write_header(out, &header)?;
    for i in 0..count {
        writer.write_little_endian_element(out, &frame.vertex(i), &vertex)?;
    }
    if let (Some(bonds), Some(edge)) = (whole, edge) {
        let writer = Writer::<Edge>::new();
        for bond in bonds {
            writer.write_little_endian_element(out, &frame.edge(bond), &edge)?;
        }
    }
    Ok(())
}

impl FrameView<'_> {
    fn vertex(&self, i: usize) -> Vertex {
        let [[x, y, z], [vx, vy, vz], [wx, wy, wz]] =
            [&(self.state.p[i] - self.origin), &self.state.v[i], &self.state.w[i]]
                .map(|v| [v.x as f32, v.y as f32, v.z as f32]);
        let q = &self.state.q[i];
        let displacement = self.start.map_or_else(Vec3::zeros, |start| self.state.p[i] - start[i]);
        let tensor = self.tensor.map_or_else(Mat3::zeros, |tensor| tensor[i]);
        Vertex {
            x,
            y,
            z,
            vx,
            vy,
            vz,
            wx,
            wy,
            wz,
            orient_x: q.i as f32,
            orient_y: q.j as f32,
            orient_z: q.k as f32,
            orient_w: q.w as f32,
            pscale: self.particles.radius[i] as f32,
            id: i as i32,
            piece: self.piece[i] as i32,
            damage: self.damage[i],
            stress: self.stress[i],
            softening: self.softening.map_or(0.0, |softening| softening[i]),
            charge: self.charge.map_or(0.0, |charge| charge[i]),
            dx: displacement.x as f32,
            dy: displacement.y as f32,
            dz: displacement.z as f32,
            stress_xx: tensor.m11 as f32,
            stress_yy: tensor.m22 as f32,
            stress_zz: tensor.m33 as f32,
            stress_yz: tensor.m23 as f32,
            stress_xz: tensor.m13 as f32,
            stress_xy: tensor.m12 as f32,
        }
    }

    fn edge(&self, bond: &Bond) -> Edge {
        let ends = Edge { vertex1: bond.i as i32, vertex2: bond.j as i32, id: bond.id as i32, ..Edge::default() };
        if !(self.bond_groups.force || self.bond_groups.moment || self.bond_groups.stress) {
            return ends;
        }
        let (on, load) = (bond::wrench(bond, self.state), BondLoad::of(bond, self.state));
        Edge {
            force_x: on.force.x as f32,
            force_y: on.force.y as f32,
            force_z: on.force.z as f32,
            moment_x: on.torque.x as f32,
            moment_y: on.torque.y as f32,
            moment_z: on.torque.z as f32,
            sigma: load.sigma(bond, self.axial) as f32,
            tau: load.tau(bond) as f32,
            ..ends
        }
    }

    /// Comments of the header as `key: value`, for users and for [`Frame::comment`](super::Frame::comment).
    fn comments(&self) -> Vec<String> {
        let [x, y, z]: [f64; 3] = self.origin.into();
        let is_moved = self.origin != Vec3::zeros();
        let comments = vec![
            concat!("written by: bdem ", env!("CARGO_PKG_VERSION")).to_owned(),
            "units: m, kg, s, rad, Pa".to_owned(),
            format!("up axis: {}", up_axis(&self.gravity)),
            format!("time: {} s", self.time),
            format!("frame: {}", self.frame),
            format!("frame rate: {} 1/s", self.frame_rate),
            format!("scene digest: {}", self.digest),
        ];
        comments.into_iter().chain(is_moved.then(|| format!("origin: {x} {y} {z} m"))).collect()
    }
}

/// Axis nearest to the opposite of gravity; z without gravity.
fn up_axis(gravity: &Vec3) -> &'static str {
    let axis = if *gravity == Vec3::zeros() { 2 } else { gravity.iamax() };
    if gravity[axis] <= 0.0 { ["x", "y", "z"][axis] } else { ["-x", "-y", "-z"][axis] }
}
