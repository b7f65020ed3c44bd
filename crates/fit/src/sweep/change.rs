use bdem_core::charge::ExternalField;
use bdem_core::geometry::{Vec3, rotation};
use bdem_core::model::{Action, Bond, BondModel, Modes, State, Wall, World, Wrench};

use super::{Gradient, StateGradient};

/// Derivative of a world and its start by a parameter.
#[derive(Clone, Debug)]
pub struct Change {
    /// Bonds with derivatives of stiffnesses and damping coefficients in place of these; none where they do not change.
    pub(super) bonds: Option<Box<World>>,
    /// Worlds of different contacts, and the inverse of the parameter's width.
    pub(super) contacts: Option<(Box<[World; 2]>, f64)>,
    rest_lengths: Vec<f64>,
    numbers: Gradient,
    unfollowed: Option<&'static str>,
    /// Whether strengths change, which no unbroken bond depends on.
    has_strengths: bool,
}

impl Change {
    /// Change from one world to another, over the `width` by which the parameter differs in them. A difference of both sides of
    /// a value gives the derivative there.
    ///
    /// # Panics
    /// When the worlds differ in the number of particles.
    pub fn between(from: &(World, State), to: &(World, State), width: f64) -> Self {
        let ((old, old_start), (new, new_start)) = (from, to);
        assert_eq!(old.particles.len(), new.particles.len(), "a parameter leaves the particles");
        let per = 1.0 / width;
        let mut numbers = Gradient::zeros(old);
        let difference = |to: &[f64], from: &[f64]| to.iter().zip(from).map(|(to, from)| (to - from) * per).collect();
        numbers.mass = difference(&new.particles.mass, &old.particles.mass);
        numbers.inertia = difference(&new.particles.inertia, &old.particles.inertia);
        numbers.gravity = (new.gravity - old.gravity) * per;
        numbers.start = start_change(old_start, new_start, per);
        numbers.loads = loads(old).zip(loads(new)).map(|(from, to)| scaled(&to, &from, per)).collect();
        electric_change(&mut numbers, old, new, per);
        let rest_lengths: Vec<f64> = old.bonds().iter().zip(new.bonds()).map(|(a, b)| (b.l0 - a.l0) * per).collect();
        let strengths = |world: &World| world.bonds().iter().map(|bond| bond.strength).collect::<Vec<_>>();
        let has_strengths = strengths(old) != strengths(new);
        let contacts = touch_differently(old, new).then(|| (Box::new([old.clone(), new.clone()]), per));
        Self {
            bonds: bond_change(old, new, per),
            contacts,
            rest_lengths,
            numbers,
            unfollowed: unfollowed(from, to),
            has_strengths,
        }
    }

    /// Whether nothing changes.
    pub fn is_empty(&self) -> bool {
        !self.has_strengths && self.moves_nothing()
    }

    /// Whether nothing changes that moves unbroken bodies.
    fn moves_nothing(&self) -> bool {
        let Self { bonds, contacts, rest_lengths, numbers, unfollowed, .. } = self;
        bonds.is_none()
            && contacts.is_none()
            && unfollowed.is_none()
            && rest_lengths.iter().all(|x| *x == 0.0)
            && numbers.is_zero()
    }

    /// Whether particles' positions at the start change.
    pub fn moves_start(&self) -> bool {
        self.numbers.start.p.iter().any(|p| *p != Vec3::zeros())
    }

    /// Name of a changed property that the sweep has no derivative by.
    pub fn unfollowed(&self) -> Option<&'static str> {
        let strengths = (self.has_strengths && self.moves_nothing()).then_some("the bonds' strengths alone");
        self.unfollowed.or(strengths)
    }

    /// Derivative of the loss by all that changes but the bonds' stiffnesses and damping.
    pub(super) fn dot(&self, gradient: &Gradient) -> f64 {
        let lengths = self.rest_lengths.iter().zip(&gradient.springs).map(|(change, by)| change * by.rest_length);
        self.numbers.dot(gradient) + lengths.sum::<f64>()
    }
}

/// Loads of the constraints; zero for motions.
fn loads(world: &World) -> impl Iterator<Item = Wrench> {
    world.constraints.iter().map(|constraint| match &constraint.action {
        Action::Load(load) => *load,
        Action::Motion(_) | Action::Loads(_) => Wrench::default(),
    })
}

fn scaled(to: &Wrench, from: &Wrench, per: f64) -> Wrench {
    Wrench { force: (to.force - from.force) * per, torque: (to.torque - from.torque) * per }
}

fn start_change(from: &State, to: &State, per: f64) -> StateGradient {
    let difference = |to: &[Vec3], from: &[Vec3]| to.iter().zip(from).map(|(to, from)| (to - from) * per).collect();
    StateGradient {
        p: difference(&to.p, &from.p),
        theta: from.q.iter().zip(&to.q).map(|(from, to)| rotation::rotation_between(from, to) * per).collect(),
        v: difference(&to.v, &from.v),
        w: difference(&to.w, &from.w),
    }
}

fn electric_change(numbers: &mut Gradient, old: &World, new: &World, per: f64) {
    let (old, new) = (&old.electrostatics, &new.electrostatics);
    let keys = |to: &bdem_core::model::Ramp, from: &bdem_core::model::Ramp| -> Vec<f64> {
        to.values().zip(from.values()).map(|(to, from)| (to - from) * per).collect()
    };
    for (k, &[group, place]) in old.places().iter().enumerate() {
        let of = |electrostatics: &bdem_core::model::Electrostatics| {
            electrostatics.groups()[group as usize].charges[place as usize]
        };
        numbers.charges[k] = (of(new) - of(old)) * per;
    }
    for (k, (from, to)) in old.groups().iter().zip(new.groups()).enumerate() {
        numbers.charge_factors[k] = keys(&to.factor, &from.factor);
    }
    for (k, (from, to)) in old.external_charges.iter().zip(&new.external_charges).enumerate() {
        numbers.external_charges[k].charge = keys(&to.charge, &from.charge);
        numbers.external_charges[k].position = (to.position - from.position) * per;
    }
    for (k, (from, to)) in old.external_fields.iter().zip(&new.external_fields).enumerate() {
        numbers.external_fields[k].factor = keys(&to.factor, &from.factor);
        numbers.external_fields[k].strength = (strength(&to.field) - strength(&from.field)) * per;
    }
}

/// Vector of a uniform field; strength of others, in x.
pub(super) fn strength(field: &ExternalField) -> Vec3 {
    match field {
        ExternalField::Uniform { field } => *field,
        ExternalField::Vortex { strength, .. } | ExternalField::Saddle { strength, .. } => Vec3::x() * *strength,
    }
}

fn bond_change(old: &World, new: &World, per: f64) -> Option<Box<World>> {
    let difference = |a: &Modes, b: &Modes| Modes {
        n: (b.n - a.n) * per,
        s: (b.s - a.s) * per,
        t: (b.t - a.t) * per,
        b: (b.b - a.b) * per,
    };
    let change = |(a, b): (&Bond, &Bond)| {
        let strength = [f64::INFINITY; 2];
        Bond { k: difference(&a.k, &b.k), c: difference(&a.c, &b.c), strength, ..a.clone() }
    };
    let bonds: Vec<Bond> = old.bonds().iter().zip(new.bonds()).map(change).collect();
    let none = Modes::default();
    if bonds.iter().all(|bond| bond.k == none && bond.c == none) {
        return None;
    }
    Some(Box::new(World::new(old.materials.clone(), old.particles.clone(), bonds)))
}

/// Whether contacts of the same overlap have other forces.
fn touch_differently(old: &World, new: &World) -> bool {
    let stiffness = |world: &World| -> Vec<[f64; 2]> {
        let touching = (0..world.particles.len()).filter(|&i| world.particles.has_contacts(i));
        touching.map(|i| world.wall_normal_spring(i)).map(|spring| [spring.k, spring.tangential]).collect()
    };
    let damps = |world: &World| {
        world.contact_damping > 0.0 && (0..world.particles.len()).any(|i| world.particles.has_contacts(i))
    };
    let masses_matter = damps(old) && old.particles.mass != new.particles.mass;
    let numbers = |world: &World| [world.contact_damping, world.contact_softening];
    let friction = |world: &World| -> Vec<[Option<f64>; 2]> {
        let of_materials = world.materials.iter().map(|m| [m.friction, m.static_friction].map(Some));
        of_materials.chain(world.walls.iter().map(|c| [c.friction, c.static_friction])).collect()
    };
    let rubs_differently = !stiffness(old).is_empty() && friction(old) != friction(new);
    stiffness(old) != stiffness(new)
        || rubs_differently
        || masses_matter
        || (damps(old) || damps(new)) && numbers(old) != numbers(new)
}

/// Difference that the sweep does not follow.
fn unfollowed((old, _): &(World, State), (new, _): &(World, State)) -> Option<&'static str> {
    let ends = |world: &World| world.bonds().iter().map(|bond| [bond.i, bond.j]).collect::<Vec<_>>();
    let geometry = |world: &World| -> Vec<(f64, Vec3)> {
        let oriented = world.bonds().iter().filter(|bond| bond.model != BondModel::AXIAL);
        oriented.map(|bond| (bond.l0, bond.d0)).collect()
    };
    let motions = |world: &World| {
        format!("{:?}", world.constraints.iter().map(|c| (&c.particles, c.motion(), &c.times)).collect::<Vec<_>>())
    };
    let factors = |world: &World| world.constraints.iter().map(|c| c.factor.clone()).collect::<Vec<_>>();
    // their friction is that of contacts
    let colliders = |world: &World| {
        let bare = |wall: &Wall| {
            let mut bare = wall.clone();
            (bare.friction, bare.static_friction) = (None, None);
            bare
        };
        format!("{:?}", world.walls.iter().map(bare).collect::<Vec<_>>())
    };
    let rolling = |world: &World| world.materials.iter().map(|m| m.rolling_friction).collect::<Vec<_>>();
    let differences = [
        ("the bonds", ends(old) != ends(new)),
        ("the bonds' rest shape", geometry(old) != geometry(new)),
        ("the particles' radii", old.particles.radius != new.particles.radius),
        ("motions of constraints", motions(old) != motions(new)),
        ("loads over time", factors(old) != factors(new)),
        ("colliders", colliders(old) != colliders(new)),
        ("rolling friction", rolling(old) != rolling(new)),
        ("the contacts' law", old.contact_law != new.contact_law),
        ("the field's softening", old.electrostatics.softening != new.electrostatics.softening),
    ];
    differences.into_iter().find(|(_, differs)| *differs).map(|(what, _)| what)
}
