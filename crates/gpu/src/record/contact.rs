use bdem_core::internals::contact::{
    Coefficients, Contact, Frictional, Response, StepDamping, Turn, rolling_limit, slowing,
};
use bdem_core::model::{ContactLaw, ContactSurface, ElasticSurface, NormalPotential, NormalSpring, PairSprings};
use bdem_core::simd::traced::{NotRecordable, Recording, Traced};
use bdem_core::simd::{Lanes, Vec3x};

use crate::inputs::Signature;

/// Recorded contact in an explicit step: see [`contact_results`]. Its spring is the stretch, m, and the friction limit, N, negative
/// if it slid.
pub const CONTACT: Signature = Signature {
    parameters: "c: Approach, s: Spring, start: vec4<f32>",
    // the real parts of rotations, which slip does not depend on, are 1
    inputs: "c.n_0.xyz c.n.xyz c.overlaps.xy s.k s.size s.softening s.damping s.tangential c.radii.xy s.sticking \
             s.sliding start.xyz f32(start.w<0.0f) c.turn_i.xyz 1.0f c.turn_j.xyz 1.0f c.moved.xyz",
    result: "Touch",
    members: "force.xyz torque_i.xyz torque_j.xyz dashpot.xyz drag_i.xyz drag_j.xyz dashpot_work correction trapezoid \
              sliding mean_force.xyz spring.xyzw",
};

/// Recorded spring of two surfaces: see [`pair_spring_results`].
pub const PAIR_SPRING: Signature = Signature {
    parameters: "a: Surface, b: Surface, size: f32, mass: f32",
    inputs: "a.k a.normal a.tangential a.curvature a.sticking a.sliding \
             b.k b.normal b.tangential b.curvature b.sticking b.sliding size mass",
    result: "Spring",
    members: "k size softening damping tangential sticking sliding",
};

/// Recorded elastic force: see [`record_push`].
pub const PUSH: Signature = Signature {
    parameters: "s: Spring, overlap: f32",
    inputs: "s.k s.size s.softening s.damping s.tangential overlap",
    result: "f32",
    members: "push",
};

/// Recorded torque of rolling friction: see [`record_rolling`].
pub const ROLLING: Signature = Signature {
    parameters: "a: f32, b: f32, push: f32, arm: f32, turning: vec3<f32>, give: f32",
    inputs: "a b push arm turning.xyz give",
    result: "vec3<f32>",
    members: "torque.xyz",
};

/// Parts of recorded contacts.
#[derive(Clone, Copy, Debug)]
pub struct ContactOptions {
    /// Normal law.
    pub law: ContactLaw,
    /// Damping, and the inverse of the step.
    pub damping: StepDamping,
    /// Whether contacts have friction.
    pub has_friction: bool,
    /// Whether they are of particles with walls, not of two particles.
    pub on_wall: bool,
}

/// Records contacts in an explicit step. Results are those of [`contact_results`], with a negative friction limit of one that slides.
pub fn record_contact(options: &ContactOptions) -> Result<Recording, NotRecordable> {
    Recording::new(|| {
        let (mut results, _) = contact_results(options, Traced::input);
        let slides = || vec![Traced::from_bits(contact_results(options, Traced::input).1)];
        let (slides, limit) = (Traced::all_paths(slides)[0], results.last_mut().expect("the limit"));
        *limit = slides.pick_below(Traced::splat(1.0), *limit, -*limit);
        results
    })
}

/// Results of contacts in an explicit step, and bits of those that slide.
///
/// Inputs `at` are
///
/// ```text
/// 0   unit normals at the start and at the end (6), overlaps at the start and at the end, m
/// 8   k, size, softening, damping and tangential ratio of the normal spring
/// 13  both radii, m; both coefficients of friction
/// 17  tangential spring at the start (3), m, and 1 if it slid
/// 21  rotations of both particles in the step (x, y, z, w)
/// 29  displacement of i over the other at the contact point, but for rotations of particles (3), m
/// ```
///
/// and results force (3), torques (3 each, zero on walls), those of the dashpots, the dashpots' work, correction, trapezoid error,
/// energy dissipated in sliding, mean force of the tangential spring (3), its stretch (3) and friction limit. Lengths of branches are
/// no inputs: their differences to the sum of the radii are small, and single precision would lose them.
pub fn contact_results<L: Lanes>(options: &ContactOptions, at: impl Fn(u32) -> L) -> (Vec<L>, u32) {
    if options.on_wall { evaluate::<L, 1>(options, &at) } else { evaluate::<L, 2>(options, &at) }
}

fn vector<L: Lanes>(at: &impl Fn(u32) -> L, k: u32) -> Vec3x<L> {
    Vec3x::new(at(k), at(k + 1), at(k + 2))
}

fn contact<L: Lanes, const N: usize>(options: &ContactOptions, at: &impl Fn(u32) -> L) -> Contact<L, N> {
    let [k, size, softening, damping, tangential] = [8, 9, 10, 11, 12].map(at);
    let mu = Coefficients { sticking: at(15), sliding: at(16) };
    let radii = std::array::from_fn(|k| at(13 + k as u32));
    let turn = |k: usize| Turn::new([0, 1, 2, 3].map(|part| at(21 + 4 * k as u32 + part)));
    Contact {
        n: [vector(at, 0), vector(at, 3)],
        overlaps: [at(6), at(7)],
        moved: vector(at, 29),
        turns: std::array::from_fn(turn),
        spring: NormalSpring { law: options.law, k, size, softening, damping, tangential },
        frictional: Frictional { radii, mu, stretch: vector(at, 17), slid: at(20) },
    }
}

fn evaluate<L: Lanes, const N: usize>(options: &ContactOptions, at: &impl Fn(u32) -> L) -> (Vec<L>, u32) {
    let contact = contact::<L, N>(options, at);
    let response = match (options.has_friction, options.damping.zeta > 0.0) {
        (false, false) => contact.evaluate::<false, false>(options.damping),
        (false, true) => contact.evaluate::<false, true>(options.damping),
        (true, false) => contact.evaluate::<true, false>(options.damping),
        (true, true) => contact.evaluate::<true, true>(options.damping),
    };
    let numbers = |v: Vec3x<L>| [v.x, v.y, v.z];
    let both = |of: [Vec3x<L>; N]| [of[0], of.get(1).copied().unwrap_or(Vec3x::splat(0.0))].map(numbers).concat();
    let Response { dashpot_work, correction, trapezoid_error, by_sliding, .. } = response;
    let results = [
        &numbers(response.force)[..],
        &both(response.torques),
        &numbers(response.dashpot),
        &both(response.dashpot_torques),
        &[dashpot_work, correction, trapezoid_error, by_sliding],
        &numbers(response.mean_force),
        &numbers(response.stretch),
        &[response.limit],
    ];
    (results.concat(), response.slides)
}

/// Records the springs of pairs by the surfaces of their particles. Results are those of [`pair_spring_results`].
pub fn record_pair_spring(rule: &PairSprings) -> Result<Recording, NotRecordable> {
    Recording::new(|| pair_spring_results(rule, Traced::input))
}

/// Springs of pairs. Inputs `at` are
///
/// ```text
/// 0   surface of i: k, N/m; 1/E*, 1/G*, 1/Pa; 1/R*, 1/m; static and sliding friction
/// 6   surface of j
/// 12  distance of the centres at first contact, m; reduced mass, kg
/// ```
///
/// and results k, size, softening, damping and tangential ratio of the normal spring, static and sliding friction.
pub fn pair_spring_results<L: Lanes>(rule: &PairSprings, at: impl Fn(u32) -> L) -> Vec<L> {
    let surface = |first: u32| {
        let [k, normal, tangential, curvature, sticking, sliding] = [0, 1, 2, 3, 4, 5].map(|k| at(first + k));
        let elastic = ElasticSurface { normal, tangential, curvature };
        ContactSurface { k, elastic, mu: Coefficients { sticking, sliding } }
    };
    let surfaces = [surface(0), surface(6)];
    let NormalSpring { k, size, softening, damping, tangential, .. } = rule.spring(&surfaces, at(12), at(13));
    let mu = Coefficients::mean(surfaces.map(|surface| surface.mu));
    vec![k, size, softening, damping, tangential, mu.sticking, mu.sliding]
}

/// Records the elastic force of normal springs. Inputs are those of [`contact_results`] from 8 to 12, and the overlap, m.
pub fn record_push(law: ContactLaw) -> Result<Recording, NotRecordable> {
    Recording::new(|| {
        let [k, size, softening, damping, tangential, overlap] = [0, 1, 2, 3, 4, 5].map(Traced::input);
        vec![NormalSpring { law, k, size, softening, damping, tangential }.push(overlap)]
    })
}

/// Records the torque of rolling friction on the first of two sides (3), N m.
///
/// Inputs are both coefficients, the elastic normal force (N) and its arm (m), the angular velocity of the first over the other (3),
/// and what a unit torque changes it by in a step.
pub fn record_rolling() -> Result<Recording, NotRecordable> {
    Recording::new(|| {
        let [i, j, push, arm, give] = [0, 1, 2, 3, 7].map(Traced::input);
        let turning = vector(&Traced::input, 4);
        // what does not turn has no direction
        let speed = (turning.dot(turning) + Traced::splat(f64::MIN_POSITIVE)).sqrt();
        let torque = turning * slowing(speed, give, rolling_limit([i, j], push, arm));
        [torque.x, torque.y, torque.z].map(|part| -part).to_vec()
    })
}
