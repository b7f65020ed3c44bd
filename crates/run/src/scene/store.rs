//! Packings that are kept from one run to the next.

use bdem_core::geometry::grid::first_pair_within;
use bdem_core::geometry::packing;
use bdem_core::geometry::shape::Shape as Solid;
use rayon::prelude::*;
use sha2::{Digest, Sha256};

use super::particle_file::Spheres;

/// Store of packings that take long to make.
pub trait PackingStore {
    /// Spheres that were kept under this key, if they are whole and sound.
    fn find(&mut self, key: &str, is_sound: &dyn Fn(&Spheres) -> bool) -> Option<Spheres>;

    /// Keeps the spheres of `key`.
    fn keep(&mut self, key: &str, spheres: &Spheres);

    /// Reports the completed share of the packing of `body`.
    fn progress(&mut self, body: &str, share: f64);
}

/// A store that keeps nothing.
impl PackingStore for () {
    fn find(&mut self, _key: &str, _is_sound: &dyn Fn(&Spheres) -> bool) -> Option<Spheres> {
        None
    }

    fn keep(&mut self, _key: &str, _spheres: &Spheres) {}

    fn progress(&mut self, _body: &str, _share: f64) {}
}

/// Bounds on the spheres of a packing: a file of another origin may hold anything.
pub(super) struct Bounds<'a> {
    /// Shape that the spheres fill.
    pub solid: &'a Solid,
    /// Smallest and largest radius, m.
    pub radii: [f64; 2],
    /// Estimated number of spheres, computed from the shape on demand.
    pub estimate: &'a dyn Fn() -> f64,
}

/// Smallest number of spheres over the estimate, which is too high by some tenth. Thin shapes may have fewer; they are packed
/// again.
const MIN_SHARE: f64 = 0.5;

/// Overlap of two spheres over the sum of their radii at the level of rounding.
const ROUNDING: f64 = 1e-6;

impl Bounds<'_> {
    /// Whether the spheres are within the bounds: their number, places and radii. They must not overlap.
    fn hold(&self, Spheres { centres, radii, .. }: &Spheres) -> bool {
        let ([low, high], most) = (self.radii, 2.0 * self.radii[1]);
        let reach = |i: usize, j: usize| (1.0 - ROUNDING) * (radii[i] + radii[j]);
        centres.len() == radii.len()
            && centres.len() as f64 >= MIN_SHARE * (self.estimate)()
            && radii.iter().all(|radius| (low..=high).contains(radius))
            && centres.iter().flatten().all(|x| x.is_finite())
            && centres.par_iter().all(|centre| self.solid.contains(centre))
            && first_pair_within(centres, reach, most).is_none()
    }
}

/// Spheres of `key` from the `store`, if they are within `bounds`, or else as made, and kept.
pub(super) fn find_or(
    store: &mut dyn PackingStore,
    key: &str,
    bounds: &Bounds,
    body: &str,
    make: impl FnOnce(&mut dyn FnMut(f64)) -> Spheres,
) -> Spheres {
    if let Some(spheres) = store.find(key, &|spheres| bounds.hold(spheres)) {
        return spheres;
    }
    let spheres = make(&mut |share| store.progress(body, share));
    store.progress(body, 1.0);
    store.keep(key, &spheres);
    spheres
}

/// SHA-256 of all that a packing depends on, in hexadecimal: its kind, shape, numbers and seed, and the program.
pub(super) fn key(kind: &str, solid: &Solid, numbers: &[f64], seed: u64) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let mut hash = Sha256::new_with_prefix(format!("{version} {} {kind} {numbers:?} {seed}", packing::REVISION));
    add(solid, &mut hash);
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Adds a solid to `hash`, with the corners of its meshes.
fn add(solid: &Solid, hash: &mut Sha256) {
    match solid {
        Solid::Mesh(mesh) => {
            hash.update("mesh");
            mesh.corners().flatten().for_each(|x| hash.update(x.to_le_bytes()));
        }
        Solid::Placed { shape, position, rotation } => {
            hash.update(format!("moved {position:?} {rotation:?}"));
            add(shape, hash);
        }
        Solid::Complement(shape) => {
            hash.update("complement");
            add(shape, hash);
        }
        Solid::Union(members) => add_each("union", members, hash),
        Solid::Group(group) => add_each("union", group.members(), hash),
        Solid::Intersection(members) => add_each("intersection", members, hash),
        // numbers are written with all their digits
        single => hash.update(format!("{single:?}")),
    }
}

/// Adds the members of a combination to `hash`.
fn add_each(name: &str, members: &[Solid], hash: &mut Sha256) {
    hash.update(format!("{name} {}", members.len()));
    members.iter().for_each(|member| add(member, hash));
}
