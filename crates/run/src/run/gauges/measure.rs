use bdem_core::geometry::Quat;
use bdem_core::geometry::{Mat3, Vec3, rotation};
use bdem_core::model::{State, Wrench};

use super::Loads;

/// A gauge's quantity.
#[derive(Debug)]
pub(super) enum Measure {
    /// Force on the collider of this index, about its origin, which was there (m) at time 0.
    Wall { index: usize, origin: Vec3 },
    /// Force on the constraint of this index, about the mean of its particles.
    Constraint { index: usize, members: Members },
    /// Mean stress of particles.
    Stress(Members),
    /// Mean displacement, velocity and stress of particles.
    Region(Members),
    /// Distance of the means of two groups of particles.
    Extensometer([Members; 2]),
}

/// Particles with their poses at the start.
#[derive(Debug)]
pub(super) struct Members {
    particles: Vec<u32>,
    /// Mean position, m.
    centre: Vec3,
    q: Vec<Quat>,
}

const FORCE: [&str; 12] = [
    "force_x",
    "force_y",
    "force_z",
    "torque_x",
    "torque_y",
    "torque_z",
    "displacement_x",
    "displacement_y",
    "displacement_z",
    "rotation_x",
    "rotation_y",
    "rotation_z",
];
const REGION: [&str; 6] =
    ["displacement_x", "displacement_y", "displacement_z", "velocity_x", "velocity_y", "velocity_z"];
const STRESS: [&str; 6] = ["stress_xx", "stress_yy", "stress_zz", "stress_yz", "stress_xz", "stress_xy"];
const EXTENSOMETER: [&str; 2] = ["distance", "strain"];

impl Members {
    pub(super) fn new(particles: Vec<u32>, state: &State) -> Self {
        let mut members = Self { centre: Vec3::zeros(), q: Vec::new(), particles };
        members.centre = members.mean(&state.p);
        members.q = members.particles.iter().map(|&i| state.q[i as usize]).collect();
        members
    }

    fn mean(&self, of: &[Vec3]) -> Vec3 {
        self.particles.iter().map(|&i| of[i as usize]).sum::<Vec3>() / self.particles.len() as f64
    }

    fn displacement(&self, state: &State) -> Vec3 {
        self.mean(&state.p) - self.centre
    }

    /// Mean rotation vector since the start, rad.
    fn rotation(&self, state: &State) -> Vec3 {
        let turned =
            self.particles.iter().zip(&self.q).map(|(&i, from)| rotation::rotation_between(from, &state.q[i as usize]));
        turned.sum::<Vec3>() / self.particles.len() as f64
    }

    /// Mean stress, Pa: xx, yy, zz, yz, xz, xy.
    fn stress(&self, loads: &Loads) -> [f64; 6] {
        let (mut sum, mut volume) = (Mat3::zeros(), 0.0);
        for i in self.particles.iter().map(|&i| i as usize) {
            sum += loads.virials[i];
            volume += loads.volumes[i];
        }
        let s = super::stress(&sum, volume);
        [s.m11, s.m22, s.m33, s.m23, s.m13, s.m12]
    }
}

impl Measure {
    pub(super) fn columns(&self) -> Vec<&'static str> {
        match self {
            Self::Wall { .. } | Self::Constraint { .. } => FORCE.to_vec(),
            Self::Stress(_) => STRESS.to_vec(),
            Self::Region(_) => [REGION, STRESS].concat(),
            Self::Extensometer(_) => EXTENSOMETER.to_vec(),
        }
    }

    pub(super) fn has_stress(&self) -> bool {
        matches!(self, Self::Stress(_) | Self::Region(_))
    }

    /// Values of its columns.
    pub(super) fn values(&self, loads: &Loads) -> Vec<f64> {
        let Loads { world, state, reactions, gradient, .. } = loads;
        match self {
            Self::Wall { index, origin } => {
                let pose = world.walls[*index].motion.pose(state.time);
                let about = pose.apply(origin);
                let turned = rotation::log(&pose.turn) * 2.0;
                forces(&reactions.on_wall(*index, &about), [about - origin, turned])
            }
            Self::Constraint { index, members } => {
                let displacement = members.displacement(state);
                let about = members.centre + displacement;
                let on = reactions.on_constraint(&world.constraints[*index], gradient, &about);
                forces(&on, [displacement, members.rotation(state)])
            }
            Self::Stress(members) => members.stress(loads).to_vec(),
            Self::Region(members) => {
                let [moved, velocity] = [members.displacement(state), members.mean(&state.v)];
                let vectors = moved.iter().chain(&velocity).copied();
                vectors.chain(members.stress(loads)).collect()
            }
            Self::Extensometer(ends) => {
                let [first, now] = [
                    (ends[1].centre - ends[0].centre).norm(),
                    (ends[1].mean(&state.p) - ends[0].mean(&state.p)).norm(),
                ];
                vec![now, (now - first) / first]
            }
        }
    }
}

/// Values of the columns of a force, a torque, a displacement and a rotation.
fn forces(on: &Wrench, [displacement, rotation]: [Vec3; 2]) -> Vec<f64> {
    [on.force, on.torque, displacement, rotation].iter().flatten().copied().collect()
}
