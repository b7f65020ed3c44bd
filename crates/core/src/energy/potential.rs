use std::ops::AddAssign;

use crate::contact::{Contacts, Friction, PairStep, SurfaceMotion, WallFriction};
use crate::geometry::Vec3;
use crate::model::{
    Closing, DampedNormalSpring, Gradient, NormalPotential, NormalSpring, State, WallStep, WallSteps, World,
};
use crate::neighbours::ContactPair;
use crate::parallel;

use super::account::{Energies, Energy};
use super::bond;
use super::bond_sum::{BondSum, Strains, pack_poses, pack_velocities};
use super::contact::Gap;
use super::friction;
use super::workspace::Workspace;
use super::{ElectricState, gravity, wall};

/// The bonds' viscous damping.
#[derive(Clone, Copy, Debug)]
pub enum Damping<'a> {
    /// No damping.
    None,
    /// By the rate of strain of the state's velocities; it has no potential.
    Rate,
    /// By the change of strain within a step. Its potential is half the dissipated energy.
    Step {
        /// Strains at its start.
        before: &'a Strains,
        /// Length, s.
        dt: f64,
    },
}

/// Potential energy V of a world without charges: bonds, contacts, walls and gravity; half the energy dissipated by damping within a
/// step; and the energy of tangential springs.
#[derive(Clone, Copy, Debug)]
pub struct Potential<'a> {
    /// The world.
    pub world: &'a World,
    /// Near pairs of its particles.
    pub contacts: &'a Contacts,
    /// Damping of its bonds.
    pub damping: Damping<'a>,
    /// Tangential displacement of contacts.
    pub motion: SurfaceMotion<'a>,
}

/// Sums over a potential.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sums {
    /// J.
    pub energy: f64,
    /// Dissipation of the bonds' damping: its power, W, if by velocities, or half its energy within a step, J.
    pub damping: f64,
    /// Power dissipated by the contacts' dashpots, from their closing in a step, W.
    pub contact_damping: f64,
}

impl AddAssign for Sums {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        self.energy += other.energy;
        self.damping += other.damping;
        self.contact_damping += other.contact_damping;
    }
}

/// Contact of a particle with a wall.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WallPush {
    /// Index of the wall.
    pub wall: usize,
    /// Gap, < 0, m.
    pub gap: f64,
    /// Outward normal.
    pub n: Vec3,
    elastic: NormalSpring,
    closing: Closing,
}

impl WallPush {
    #[inline]
    pub(crate) fn spring(&self) -> DampedNormalSpring<'_> {
        DampedNormalSpring { spring: &self.elastic, closing: self.closing }
    }
}

/// Particles per task in loops over single particles; constant, so that sums do not depend on the threads.
const CHUNK: usize = 4096;

impl<'a> Potential<'a> {
    /// The potential without damping, with tangential springs at their stored lengths.
    pub fn new(world: &'a World, contacts: &'a Contacts) -> Self {
        Self { world, contacts, damping: Damping::None, motion: SurfaceMotion::None }
    }

    /// V, J, with arrays of its own. Loops use `value_with`.
    pub fn value(&self, state: &State) -> f64 {
        self.value_with(state, &mut Workspace::default())
    }

    /// V, J.
    pub(crate) fn value_with(&self, state: &State, work: &mut Workspace) -> f64 {
        let walls = &*self.walls(state);
        let contacts = self.contact_energy(state) + self.wall_friction_energy(walls, state);
        let singles: f64 = parallel::sum(parallel::chunks(&state.p, CHUNK), |chunk, p| {
            (chunk * CHUNK..).take(p.len()).map(|i| self.single(i, walls, state).0.energy).sum::<f64>()
        });
        self.bonds(false).energy(state, work) + contacts + singles
    }

    /// [`Self::gradient_with`] with arrays of its own. Returns V, J.
    pub fn gradient(&self, state: &State, out: &mut [Gradient]) -> f64 {
        self.gradient_with(state, &mut Workspace::default(), out).energy
    }

    /// V and the dissipation. The gradient goes into `out`: dV/dp (N) and dV/dtheta (N m) of each particle.
    pub fn gradient_with(&self, state: &State, work: &mut Workspace, out: &mut [Gradient]) -> Sums {
        pack_poses(work, state);
        if self.is_damped_by_velocities() {
            pack_velocities(work, state);
        }
        let walls = &*self.walls(state);
        let touching = !self.contacts.pairs().is_empty() || self.contacts.wall_frictions().next().is_some();
        let mut sums = Sums::default();
        if touching {
            let [energy, contact_damping] = self.pairs(state).scatter(self.contacts.chunks(), out);
            sums += Sums { energy, contact_damping, ..Sums::default() };
        }
        sums.energy += self.add_wall_friction(walls, state, out);
        sums += self.bonds(false).gradient(work, |i| self.single(i, walls, state), out, touching);
        sums
    }

    fn is_damped_by_velocities(&self) -> bool {
        matches!(self.damping, Damping::Rate) && self.world.is_damped()
    }

    /// Sum over the bonds; with `check_breakage` it records those near breakage.
    pub(crate) fn bonds(&self, check_breakage: bool) -> BondSum<'_> {
        BondSum { world: self.world, damping: self.damping, check_breakage }
    }

    /// Energies of `state` by column, J; those of bonds without damping.
    pub fn energies(&self, state: &State) -> Energies {
        let (linear, spin) = state.kinetic_energy(&self.world.particles);
        let mut sum = Energies::from([(Energy::KineticLinear, linear), (Energy::KineticSpin, spin)]);
        sum += self.world.bond_chunks().sum(self.world.bonds(), |_, bond| bond::values(bond, &bond::pose(bond, state)));
        sum[Energy::Contact] += self.contact_energy(state);
        let walls = &*self.walls(state);
        sum[Energy::Wall] += self.wall_friction_energy(walls, state);
        for (i, p) in state.p.iter().enumerate() {
            sum[Energy::Gravity] += gravity::value(self.world.particles.mass[i], &self.world.gravity, p);
            let spring = self.world.wall_normal_spring(i);
            sum[Energy::Wall] += self.touches(walls, i, p).map(|(gap, _)| wall::value(&spring, gap)).sum::<f64>();
        }
        if !self.world.electrostatics.is_empty() {
            sum[Energy::Electric] = ElectricState::of(self.world, state).map_or(f64::NAN, |electric| electric.energy());
        }
        sum
    }

    /// The walls in the step that leads to `state`.
    pub fn walls(&self, state: &State) -> WallSteps<'a> {
        self.motion.walls(self.world, state)
    }

    /// Gaps (m, < 0) and normals of those of the `walls` in contact with particle `i` at `p`.
    #[inline]
    pub fn touches(&self, walls: &[WallStep], i: usize, p: &Vec3) -> impl Iterator<Item = (f64, Vec3)> {
        let r = self.world.particles.contact_radius[i];
        let near = self.contacts.near_walls();
        self.walls_near(walls, i).iter().zip(0..).flat_map(move |(wall, k)| {
            wall.end.contacts(p, r, near.kept_faces(i, k)).into_iter().map(|contact| (contact.gaps[1], contact.n))
        })
    }

    /// Energy of all pairs in contact, J.
    fn contact_energy(&self, state: &State) -> f64 {
        self.pairs(state).energy(self.contacts.chunks())
    }

    /// The near pairs in the step that leads to `state`.
    pub(crate) fn pairs<'b>(&'b self, state: &'b State) -> PairStep<'b> {
        self.contacts.pairs_in(self.world, self.motion, state)
    }

    /// dV/dx of the two particles of the near pair `k`, N and N m.
    pub(crate) fn by_pair(&self, k: usize, state: &State) -> [Gradient; 2] {
        self.pairs(state).gradient(k)
    }

    /// Friction of the near pair `k`; `None` without a normal force.
    pub fn friction(&self, k: usize, state: &State) -> Option<Friction> {
        self.pairs(state).friction(k)
    }

    /// Friction of all particles on `walls`, with its particle, where it has a normal force.
    pub fn wall_frictions<'w>(
        &'w self,
        walls: &'w [WallStep],
        state: &'w State,
    ) -> impl Iterator<Item = (usize, Friction<f64, 1>)> {
        self.frictions_on_walls(self.contacts.wall_frictions(), walls, state)
    }

    /// The same of these contacts.
    pub(crate) fn frictions_on_walls<'w>(
        &'w self,
        on_walls: impl Iterator<Item = WallFriction>,
        walls: &'w [WallStep],
        state: &'w State,
    ) -> impl Iterator<Item = (usize, Friction<f64, 1>)> {
        let at = (self.world, walls, self.contacts.near_walls());
        let of = move |on: WallFriction| on.friction(at, state, self.motion, self.contacts.reference());
        on_walls.filter(|on| on.point.limit > 0.0).map(move |on| (on.particle as usize, of(on)))
    }

    fn wall_friction_energy(&self, walls: &[WallStep], state: &State) -> f64 {
        self.wall_frictions(walls, state).map(|(_, friction)| friction.energy()).sum()
    }

    /// Adds the gradient of wall friction; returns its energy, J.
    fn add_wall_friction(&self, walls: &[WallStep], state: &State, out: &mut [Gradient]) -> f64 {
        let mut energy = 0.0;
        for (i, friction) in self.wall_frictions(walls, state) {
            out[i] += friction::wall_gradient(&friction);
            energy += friction.energy();
        }
        energy
    }

    /// Terms of a single particle: V with dissipation, and dV/dp.
    #[inline]
    fn single(&self, i: usize, walls: &[WallStep], state: &State) -> (Sums, Vec3) {
        let (m, g, p) = (self.world.particles.mass[i], &self.world.gravity, &state.p[i]);
        let mut value = Sums { energy: gravity::value(m, g, p), ..Sums::default() };
        let mut force = gravity::gradient(m, g);
        for push in self.wall_pushes(walls, i, state) {
            force += wall::gradient(&push.spring(), push.gap, &push.n);
            value += pressed(&push.spring(), -push.gap);
        }
        (value, force)
    }

    /// The `walls`, if particle `i` is near any.
    #[inline(always)]
    pub(crate) fn walls_near<'w>(&self, walls: &'w [WallStep<'w>], i: usize) -> &'w [WallStep<'w>] {
        if self.contacts.near_walls().may_touch(i) { walls } else { &[] }
    }

    /// Wall contacts of particle `i`.
    #[inline]
    pub(crate) fn wall_pushes<'w>(
        &self,
        walls: &'w [WallStep<'w>],
        i: usize,
        state: &State,
    ) -> impl Iterator<Item = WallPush> {
        let r = self.world.particles.contact_radius[i];
        let near = self.contacts.near_walls();
        let contacts = self.walls_near(walls, i).iter().zip(0..).flat_map(move |(wall, k)| {
            let contacts = self.motion.wall_contacts(wall, state, (i, r), near.kept_faces(i, k));
            contacts.into_iter().map(move |contact| (k as usize, contact))
        });
        contacts.map(move |(wall, contact)| {
            let elastic = near.spring(self.world, i);
            let closing = self.motion.wall_closing(&elastic, &contact, state);
            WallPush { wall, gap: contact.gaps[1], n: contact.n, elastic, closing }
        })
    }
}

/// V of an `overlap` (m), and the dissipation of its dashpot.
#[inline]
fn pressed(spring: &DampedNormalSpring, overlap: f64) -> Sums {
    let speed = (overlap - spring.closing.before) * spring.closing.rate;
    let contact_damping = if speed == 0.0 { 0.0 } else { spring.resistance(overlap) * speed };
    Sums { energy: spring.energy(overlap), damping: 0.0, contact_damping }
}

/// Gap of the two spheres of a pair.
#[inline(always)]
pub fn gap_between(pair: &ContactPair, state: &State) -> Gap {
    Gap::new(&state.p[pair.i as usize], &state.p[pair.j as usize], pair.reach)
}
