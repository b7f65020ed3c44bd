//! Materials of faces: by material slots outside, and of cracks.

use std::collections::{BTreeMap, BTreeSet};

use bdem_run::mesh::Polygons;
use bdem_run::scene::Look;

use crate::clip::Clip;

/// Material of faces.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Material {
    /// Name of the slot, or of the scene's material and the side.
    pub name: String,
    /// Linear red, green and blue.
    pub colour: [f64; 3],
    /// Roughness from 0, a mirror, to 1.
    pub roughness: f64,
}

/// Materials of a clip. Those of one name and one look are one.
#[derive(Debug, Default)]
pub(super) struct Materials {
    pub all: Vec<Material>,
    /// Those of each body with pieces or yarns.
    pub bodies: BTreeMap<u16, FaceMaterials>,
}

/// Materials of the faces of a body.
#[derive(Debug, Default)]
pub(super) struct FaceMaterials {
    /// Name and material of each slot that has faces.
    slots: BTreeMap<u16, (String, usize)>,
    cracks: usize,
}

/// Faces of one material.
pub(super) struct Part<'a> {
    /// Name of the slot, `outside` for that of the body, and `inside` for cracks.
    pub name: &'a str,
    /// Indices of the faces, ascending.
    pub faces: Vec<usize>,
    /// Index of the material.
    pub material: usize,
}

impl Materials {
    pub(super) fn of(clip: &Clip) -> Self {
        let mut slots: BTreeMap<u16, BTreeSet<u16>> = BTreeMap::new();
        for piece in &clip.motion.pieces.pieces {
            slots.entry(piece.body).or_default().extend(&piece.mesh.slots[..piece.outside]);
        }
        for yarn in clip.yarns() {
            slots.entry(clip.motion.body[yarn[0] as usize]).or_default().insert(0);
        }
        let mut materials = Self::default();
        for (body, slots) in slots {
            let index = usize::from(body);
            let (look, name) = (&clip.looks[index], &clip.materials[index]);
            let mesh = clip.motion.pieces.bodies[index].as_ref().map(|body| &body.mesh);
            let outside = |name: String| Material { name, colour: look.outside, roughness: look.roughness };
            let inside =
                Material { name: format!("{name}_inside"), colour: look.inside, roughness: Look::INSIDE_ROUGHNESS };
            let mut slot = |slot: u16| match slot.checked_sub(1) {
                None => ("outside".to_owned(), materials.index(outside(format!("{name}_outside")))),
                Some(k) => {
                    let name = &mesh.expect("pieces have a mesh").slot_names[usize::from(k)];
                    (name.clone(), materials.index(outside(name.clone())))
                }
            };
            let slots = slots.into_iter().map(|k| (k, slot(k))).collect();
            let cracks = materials.index(inside);
            materials.bodies.insert(body, FaceMaterials { slots, cracks });
        }
        materials
    }

    /// Index of a material, which is added unless there is one like it.
    fn index(&mut self, material: Material) -> usize {
        self.all.iter().position(|known| *known == material).unwrap_or_else(|| {
            self.all.push(material);
            self.all.len() - 1
        })
    }

    /// Index of the material of a body's yarns.
    pub(super) fn of_yarns(&self, body: u16) -> usize {
        self.bodies[&body].slots[&0].1
    }
}

impl FaceMaterials {
    /// Parts of a mesh whose first `outside` faces are in slots; the others are cracks. Parts without faces are left out.
    pub(super) fn parts(&self, mesh: &Polygons, outside: usize) -> Vec<Part<'_>> {
        let in_slot = |slot: u16| (0..outside).filter(|&face| mesh.slots[face] == slot).collect();
        let slots = self.slots.iter();
        let mut parts: Vec<Part> =
            slots.map(|(&slot, (name, material))| Part { name, faces: in_slot(slot), material: *material }).collect();
        let cracks = Part { name: "inside", faces: (outside..mesh.sizes.len()).collect(), material: self.cracks };
        // before slots of files, which may be called so too
        parts.insert(usize::from(self.slots.contains_key(&0)), cracks);
        parts.retain(|part| !part.faces.is_empty());
        parts
    }
}
