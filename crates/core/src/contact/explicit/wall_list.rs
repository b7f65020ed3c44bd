use crate::contact::Coefficients;
use crate::contact::near_walls::NearWall;
use crate::model::{ContactLaw, ContactSpring, World};
use crate::simd::{Lanes, Row8};

/// Contacts a block.
pub(super) const BLOCK: usize = 8;

/// Particles of a chunk that may touch walls soon.
#[derive(Clone, Debug, Default)]
pub(super) struct WallList {
    /// Sorted by particle, wall and place.
    pub contacts: Vec<NearWall>,
    /// Law of each: see [`WallLaw`].
    pub laws: Vec<Row8>,
    /// The same contacts by walls.
    pub blocks: Vec<WallBlock>,
    /// [`NearWalls::version`](crate::contact::NearWalls::version) of the contacts.
    version: Option<u64>,
}

/// Contacts with one wall. A partial block ends with copies of its last one.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct WallBlock {
    pub radius: [f64; BLOCK],
    pub largest_radius: f64,
    pub particles: [u32; BLOCK],
    /// Indices in the list of the first contact of each.
    pub contacts: [u32; BLOCK],
    pub wall: u32,
    pub count: u32,
}

/// Contact laws and radii of particles on walls.
pub(super) struct WallLaw<L> {
    pub spring: ContactSpring<L>,
    pub mu: Coefficients<L>,
    /// m.
    pub radius: L,
    /// Stiffness that tangential springs refer to, N/m.
    pub stiffness: L,
}

impl<L: Lanes> WallLaw<L> {
    /// Laws of these contacts.
    #[inline(always)]
    pub(super) fn load(law: ContactLaw, rows: &[Row8], contacts: &[u32]) -> Self {
        let [k, size, softening, damping, sticking, sliding, radius, stiffness] = L::columns(rows, contacts);
        Self {
            spring: ContactSpring { law, k, size, softening, damping },
            mu: Coefficients { sticking, sliding },
            radius,
            stiffness,
        }
    }
}

impl WallList {
    /// Whether the list is to be set to near contacts of this version.
    pub(super) fn follow(&mut self, version: u64) -> bool {
        self.version.replace(version) != Some(version)
    }

    /// Sets the list to `near` contacts, sorted.
    pub(super) fn set(&mut self, world: &World, near: impl Iterator<Item = NearWall>) {
        self.contacts.clear();
        self.contacts.extend(near.flat_map(|on| {
            let places = world.colliders[on.wall as usize].max_contacts() as u32;
            (0..places).map(move |place| NearWall { place, ..on })
        }));
        self.laws.clear();
        self.laws.extend(self.contacts.iter().map(|on| law(world, on)));
        self.blocks.clear();
        for wall in 0..world.colliders.len() as u32 {
            self.add_blocks(world, wall);
        }
    }

    /// Sets the damping (N s/m) of a contact.
    pub(super) fn set_damping(&mut self, contact: usize, damping: f64) {
        self.laws[contact].0[3] = damping;
    }

    /// Makes room for this many contacts.
    pub(super) fn reserve(&mut self, contacts: usize) {
        self.contacts.reserve(contacts.saturating_sub(self.contacts.len()));
        self.laws.reserve(contacts.saturating_sub(self.laws.len()));
        let blocks = contacts.div_ceil(BLOCK);
        self.blocks.reserve(blocks.saturating_sub(self.blocks.len()));
    }

    fn add_blocks(&mut self, world: &World, wall: u32) {
        let radius = &world.particles.contact_radius;
        let mut count = BLOCK;
        for (on, index) in self.contacts.iter().zip(0..).filter(|(on, _)| on.wall == wall && on.place == 0) {
            if count == BLOCK {
                let filled = [on.particle; BLOCK];
                let radius = [radius[on.particle as usize]; BLOCK];
                self.blocks.push(WallBlock {
                    radius,
                    largest_radius: 0.0,
                    particles: filled,
                    contacts: [index; BLOCK],
                    wall,
                    count: 0,
                });
                count = 0;
            }
            let block = self.blocks.last_mut().expect("a block was added");
            block.radius[count..].fill(radius[on.particle as usize]);
            block.particles[count..].fill(on.particle);
            block.contacts[count..].fill(index);
            count += 1;
            block.largest_radius = block.largest_radius.max(radius[on.particle as usize]);
            block.count = count as u32;
        }
    }
}

/// See [`WallLaw::load`].
fn law(world: &World, on: &NearWall) -> Row8 {
    let i = on.particle as usize;
    let ContactSpring { k, size, softening, damping, .. } = world.wall_spring(i);
    let mu = Coefficients::on_wall(world, i, on.wall as usize);
    let (radius, stiffness) = (world.particles.contact_radius[i], world.contact_stiffness_of(i));
    Row8([k, size, softening, damping, mu.sticking, mu.sliding, radius, stiffness])
}
