//! A frame whose every number is different.

use bdem_core::geometry::{Quat, Vec3};
use bdem_core::model::{AxialStress, Bond, BondModel, Criterion, Material, Particles, State};
use bdem_run::output::ply::{BondGroups, FrameView, write_frame};

pub(super) struct Sample {
    pub state: State,
    pub particles: Particles,
    pub piece: Vec<u32>,
    pub damage: Vec<f32>,
    pub stress: Vec<f32>,
    pub bonds: Vec<Bond>,
}

impl Sample {
    /// `count` particles on a line, each bonded to the next.
    pub(super) fn new(count: usize) -> Self {
        let vec = |i: usize, a: f64| Vec3::new(a + i as f64, a * 0.1 - i as f64 * 1e-3, a * 1e-4);
        let mut particles = Particles::default();
        for i in 0..count {
            particles.push(0.002 + 1e-6 * i as f64, 2600.0, 0, 0);
        }
        let state = State {
            time: 0.0,
            p: (0..count).map(|i| vec(i, 0.3)).collect(),
            q: (0..count).map(|i| Quat::new(1.0, 0.1, -0.2, 0.3 + i as f64).normalize()).collect(),
            v: (0..count).map(|i| vec(i, -5.1)).collect(),
            w: (0..count).map(|i| vec(i, 70.7)).collect(),
        };
        let bonds = (1..count).map(|j| bond(j as u32 - 1, j as u32)).collect();
        Self {
            state,
            particles,
            piece: (0..count as u32).map(|i| i / 2).collect(),
            damage: (0..count).map(|i| 1.0 / (i + 1) as f32).collect(),
            stress: (0..count).map(|i| 1e6 + i as f32).collect(),
            bonds,
        }
    }

    pub(super) fn view(&self) -> FrameView<'_> {
        FrameView {
            state: &self.state,
            particles: &self.particles,
            piece: &self.piece,
            damage: &self.damage,
            stress: &self.stress,
            softening: None,
            charge: None,
            start: None,
            tensor: None,
            bonds: None,
            bond_groups: BondGroups::default(),
            axial: AxialStress::default(),
            time: 0.1 / 3.0,
            frame: 16,
            frame_rate: 480.0,
            gravity: Vec3::new(0.0, 0.0, -9.81),
            origin: Vec3::zeros(),
            digest: "0123abcd",
        }
    }
}

pub(super) fn bytes(view: &FrameView) -> Vec<u8> {
    let mut out = Vec::new();
    write_frame(&mut out, view).expect("a vector takes everything");
    out
}

fn bond(i: u32, j: u32) -> Bond {
    let material = Material {
        name: "ceramic".to_owned(),
        density: 2600.0,
        young_modulus: 1e9,
        shear_modulus: 4e8,
        solid_modulus: 1e9,
        poisson_ratio: 0.25,
        bond: BondModel::QUATERNION,
        tensile_strength: 5e6,
        shear_strength: 5e6,
        criterion: Criterion::default(),
        fracture_energy: None,
        grain: None,
        weibull_modulus: None,
        friction: 0.5,
        static_friction: 0.5,
        rolling_friction: 0.0,
        damping: 0.0,
        vibration_decay: f64::INFINITY,
    };
    Bond::new(7 * i, [i, j], Vec3::new(0.004, 0.0, 0.0), [0.002; 2], [1e-4; 2], &material)
}
