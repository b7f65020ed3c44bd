use bdem_core::internals::contact::{Coefficients, Contact, Frictional, StepDamping, Turn, direction};
use bdem_core::model::{ContactLaw, NormalSpring};
use bdem_core::simd::traced::{NotRecordable, Recording, Traced};
use bdem_core::simd::{Lanes, Vec3x};

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

/// Records contacts in an explicit step. Results are those of [`contact_results`], and in the end whether it slides: 1 or 0.
pub fn record_contact(options: &ContactOptions) -> Result<Recording, NotRecordable> {
    Recording::new(|| {
        let (mut results, _) = contact_results(options, Traced::input);
        if options.has_friction {
            let slides = || vec![Traced::from_bits(contact_results(options, Traced::input).1)];
            results.extend(Traced::all_paths(slides));
        }
        results
    })
}

/// Results of contacts in an explicit step, and bits of those that slide.
///
/// Inputs `at` are
///
/// ```text
/// 0   branch at the end (3), m                          on a wall: normals at the start and at the end (6),
/// 3   displacement of i over j (3), reach, m            overlaps at the start and at the end
/// 8   k, size, softening, damping and tangential ratio of the normal spring
/// 13  both radii, m; both coefficients of friction
/// 17  tangential spring at the start (3), m, and 1 if it slid
/// 21  rotations of both particles in the step (x, y, z, w)
/// 29  displacement of the particle over the wall (3), m
/// ```
///
/// and results force (3), torques (3 each), those of the dashpots, the dashpots' work, correction, trapezoid error, energy
/// dissipated in sliding, tangential spring (3) and friction limit.
pub fn contact_results<L: Lanes>(options: &ContactOptions, at: impl Fn(u32) -> L) -> (Vec<L>, u32) {
    if options.on_wall {
        evaluate::<L, 1>(options, &on_wall(options, &at))
    } else {
        evaluate(options, &pair(options, &at))
    }
}

fn vector<L: Lanes>(at: &impl Fn(u32) -> L, k: u32) -> Vec3x<L> {
    Vec3x::new(at(k), at(k + 1), at(k + 2))
}

fn spring<L: Lanes>(options: &ContactOptions, at: &impl Fn(u32) -> L) -> NormalSpring<L> {
    let [k, size, softening, damping, tangential] = [8, 9, 10, 11, 12].map(at);
    NormalSpring { law: options.law, k, size, softening, damping, tangential }
}

fn frictional<L: Lanes, const N: usize>(at: &impl Fn(u32) -> L) -> Frictional<L, N> {
    let mu = Coefficients { sticking: at(15), sliding: at(16) };
    Frictional { radii: std::array::from_fn(|k| at(13 + k as u32)), mu, stretch: vector(at, 17), slid: at(20) }
}

fn turns<L: Lanes, const N: usize>(at: &impl Fn(u32) -> L) -> [Turn<L>; N] {
    std::array::from_fn(|k| Turn::new([0, 1, 2, 3].map(|part| at(21 + 4 * k as u32 + part))))
}

fn pair<L: Lanes>(options: &ContactOptions, at: &impl Fn(u32) -> L) -> Contact<L, 2> {
    let (branch, moved, reach) = (vector(at, 0), vector(at, 3), at(6));
    let ((n_0, l_0), (n, l)) = (direction(branch + moved), direction(branch));
    Contact {
        n: [n_0, n],
        overlaps: [reach - l_0, reach - l],
        moved,
        turns: turns(at),
        spring: spring(options, at),
        frictional: frictional(at),
    }
}

fn on_wall<L: Lanes>(options: &ContactOptions, at: &impl Fn(u32) -> L) -> Contact<L, 1> {
    Contact {
        n: [vector(at, 0), vector(at, 3)],
        overlaps: [at(6), at(7)],
        moved: vector(at, 29),
        turns: turns(at),
        spring: spring(options, at),
        frictional: frictional(at),
    }
}

fn evaluate<L: Lanes, const N: usize>(options: &ContactOptions, contact: &Contact<L, N>) -> (Vec<L>, u32) {
    let response = match (options.has_friction, options.damping.zeta > 0.0) {
        (false, false) => contact.evaluate::<false, false>(options.damping),
        (false, true) => contact.evaluate::<false, true>(options.damping),
        (true, false) => contact.evaluate::<true, false>(options.damping),
        (true, true) => contact.evaluate::<true, true>(options.damping),
    };
    let vectors = [response.force].into_iter().chain(response.torques);
    let vectors = vectors.chain([response.dashpot]).chain(response.dashpot_torques);
    let mut results: Vec<L> = vectors.flat_map(|v| [v.x, v.y, v.z]).collect();
    results.extend([response.dashpot_work, response.correction, response.trapezoid_error, response.by_sliding]);
    results.extend([response.stretch.x, response.stretch.y, response.stretch.z, response.limit]);
    (results, response.slides)
}
