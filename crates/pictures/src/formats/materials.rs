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
    /// Share of light that passes through, from 0 to 1.
    pub transmission: f64,
    /// Index of refraction.
    pub ior: f64,
}

/// Materials of a clip. Those of one name and one look are one.
#[derive(Debug, Default)]
pub(super) struct Materials {
    pub all: Vec<Material>,
    /// Those of each body with pieces or yarns.
    pub bodies: BTreeMap<u16, FaceMaterials>,
    /// Those of each collider.
    pub colliders: Vec<FaceMaterials>,
}

/// Materials of the faces of a body or a collider.
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
        let with_pieces: BTreeSet<u16> = clip.motion.pieces.pieces.iter().map(|piece| piece.body).collect();
        for body in with_pieces {
            let mesh = clip.motion.pieces.bodies[usize::from(body)].as_ref().map(|body| &body.mesh);
            slots.entry(body).or_default().extend(mesh.map_or(&[][..], |mesh| &mesh.slots));
        }
        for yarn in clip.yarns() {
            slots.entry(clip.motion.body[yarn[0] as usize]).or_default().insert(0);
        }
        let mut materials = Self::default();
        for (body, slots) in slots {
            let index = usize::from(body);
            let (look, name) = (&clip.looks[index], &clip.materials[index]);
            let Look { transmission, ior, .. } = *look;
            let material = |side, colour, roughness| {
                let name = format!("{name}_{side}");
                Material { name, colour, roughness, transmission, ior }
            };
            let names = clip.motion.pieces.bodies[index].as_ref().map_or(&[][..], |body| &body.mesh.slot_names);
            let slots = materials.slots(slots, names, &material("outside", look.outside, look.roughness));
            let cracks = materials.index(material("inside", look.inside, Look::INSIDE_ROUGHNESS));
            materials.bodies.insert(body, FaceMaterials { slots, cracks });
        }
        let Look { transmission, ior, .. } = Look::default();
        let grey = Material { name: "collider".to_owned(), colour: [0.3; 3], roughness: 0.8, transmission, ior };
        for Polygons { slots, slot_names, .. } in clip.colliders.iter().map(|collider| &collider.polygons) {
            let slots = materials.slots(slots.iter().copied().collect(), slot_names, &grey);
            materials.colliders.push(FaceMaterials { slots, cracks: 0 });
        }
        materials
    }

    /// Names and materials of slots, whose `names` are those of a mesh. `own` is that of faces in none.
    fn slots(&mut self, used: BTreeSet<u16>, names: &[String], own: &Material) -> BTreeMap<u16, (String, usize)> {
        let mut of = |slot: u16| match slot.checked_sub(1).map(|k| names[usize::from(k)].clone()) {
            None => ("outside".to_owned(), self.index(own.clone())),
            Some(name) => (name.clone(), self.index(Material { name, ..own.clone() })),
        };
        used.into_iter().map(|slot| (slot, of(slot))).collect()
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
        parts.push(Part { name: "inside", faces: (outside..mesh.sizes.len()).collect(), material: self.cracks });
        parts.retain(|part| !part.faces.is_empty());
        parts
    }
}
