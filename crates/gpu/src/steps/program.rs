//! Shaders of steps for the bonds of a world.

use bdem_core::model::{BondModel, World};

use crate::contacts::{ContactProgram, surface_functions};
use crate::device::{Device, GROUP};
use crate::inputs::BondOptions;
use crate::record::{RecordError, record_bond};
use crate::wgsl;

use super::decay;
use super::layout::{Pose, slices};

/// Law of bonds, with or without softening: one of the shader's functions.
#[derive(Clone, Copy)]
pub(super) struct Law {
    pub model: &'static BondModel,
    pub softens: bool,
}

impl Law {
    pub(super) fn is_of(&self, model: &BondModel, softens: bool) -> bool {
        self.model == model && self.softens == softens
    }
}

/// Shader for the bonds of a world.
pub struct Program {
    /// The device.
    pub device: Device,
    pub(super) pipeline: wgpu::ComputePipeline,
    pub(super) laws: Vec<Law>,
    /// Length of the longest bond at first, m: formats do not depend on which ones break.
    pub(super) longest: f64,
    pub(super) contacts: Option<ContactProgram>,
    pub(super) decay: [wgpu::ComputePipeline; 2],
}

impl Program {
    /// Shader for the bonds of `world`.
    ///
    /// # Errors
    /// When a law is not recorded.
    pub fn new(device: &Device, world: &World) -> Result<Self, RecordError> {
        let laws = laws(world);
        let recordings: Vec<_> =
            laws.iter().map(|law| record_bond(law.model, &options(world, law))).collect::<Result<_, _>>()?;
        let softens = laws.iter().any(|law| law.softens);
        let contacts = ContactProgram::new(device, world).map_err(RecordError::Contacts)?;
        let has_contacts = contacts.is_some();
        let constants = format!("const SOFTENS = {softens};\nconst HAS_CONTACTS = {has_contacts};\n");
        let shader = [
            include_str!("../state.wgsl"),
            include_str!("../step.wgsl"),
            &constants,
            &surface_functions(world).map_err(RecordError::Contacts)?,
            &wgsl::bond_structures(),
            &wgsl::bond_functions(&recordings),
        ];
        Ok(Self {
            device: device.clone(),
            pipeline: device.pipeline(&shader.join("\n"), "advance"),
            longest: world.whole_bonds().map(|bond| bond.l0).fold(0.0, f64::max),
            laws,
            contacts,
            decay: decay::pipelines(device),
        })
    }
}

/// Size of the largest buffer for `world`, bytes.
pub fn largest_buffer(world: &World) -> u64 {
    let slices = slices(&world.first_bonds);
    let slots = size_of::<[u32; 4]>() * GROUP * slices[slices.len() - 1] as usize;
    slots.max(world.particles.len() * size_of::<Pose>()) as u64
}

/// Laws of the world's bonds; one without bonds.
fn laws(world: &World) -> Vec<Law> {
    let mut laws = Vec::<Law>::new();
    for bond in world.whole_bonds() {
        let softens = bond.softening.is_some();
        if !laws.iter().any(|law| law.is_of(bond.model, softens)) {
            laws.push(Law { model: bond.model, softens });
        }
    }
    if laws.is_empty() {
        laws.push(Law { model: BondModel::QUATERNION, softens: false });
    }
    laws
}

fn options(world: &World, law: &Law) -> BondOptions {
    let own = || world.whole_bonds().filter(|bond| law.is_of(bond.model, bond.softening.is_some()));
    BondOptions {
        is_damped: world.is_damped(),
        is_breakable: own().any(|bond| bond.strength.iter().any(|strength| strength.is_finite())),
        has_criterion: own().any(|bond| bond.criterion != Default::default()),
        softens: law.softens,
        axial: world.axial,
        in_frame: true,
    }
}
