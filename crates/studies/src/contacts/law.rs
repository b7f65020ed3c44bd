//! Closed forms of contacts: the laws of `core/src/model/normal_spring.rs`, evaluated without it.

use bdem_core::model::ContactLaw;

use crate::cases::{G, POISSON, RADIUS, YOUNG, mass};

/// Stiffness k = pi/2 E r (N/m) of a grain's contact with a wall: that of a bond, \[BDEM21\] section 3.3.
pub(super) fn wall_stiffness() -> f64 {
    pair_stiffness([RADIUS; 2])
}

/// The same of two grains of these radii (m): twice their stiffnesses in series.
pub(super) fn pair_stiffness([a, b]: [f64; 2]) -> f64 {
    std::f64::consts::PI * YOUNG * a * b / (a + b)
}

/// Factor K of the contact force of a grain of the usual radius with a wall, P = K o^p: k (N/m), by Hertz's law 4/3 E* sqrt(r),
/// and by \[RODR\] 4 k/sqrt(r), since a wall's overlap is half of that with a mirror image.
pub(super) fn wall_factor(law: ContactLaw) -> f64 {
    match law {
        ContactLaw::Linear => wall_stiffness(),
        ContactLaw::Hertz => 4.0 / 3.0 * YOUNG / (1.0 - POISSON * POISSON) * RADIUS.sqrt(),
        ContactLaw::RodriguesHertz => 4.0 * wall_stiffness() / RADIUS.sqrt(),
    }
}

/// The same of two grains of these radii (m): k, by Hertz's law 4/3 E* sqrt(R*), and by \[RODR\] k/sqrt(D) with the sum D of the
/// radii.
pub(super) fn pair_factor(law: ContactLaw, radii: [f64; 2]) -> f64 {
    match law {
        ContactLaw::Linear => pair_stiffness(radii),
        ContactLaw::Hertz => {
            2.0 / 3.0 * YOUNG / (1.0 - POISSON * POISSON) * (1.0 / radii[0] + 1.0 / radii[1]).sqrt().recip()
        }
        ContactLaw::RodriguesHertz => pair_stiffness(radii) / (radii[0] + radii[1]).sqrt(),
    }
}

/// Power p of the overlap in the contact force.
pub(super) fn power(law: ContactLaw) -> f64 {
    match law {
        ContactLaw::Linear => 1.0,
        ContactLaw::Hertz | ContactLaw::RodriguesHertz => 1.5,
    }
}

/// Overlap (m) of a grain of the usual radius that rests on the floor: K o^p = m g.
pub(super) fn resting_overlap(law: ContactLaw) -> f64 {
    libm::pow(mass(RADIUS) * G / wall_factor(law), 1.0 / power(law))
}

/// Greatest overlap (m) of an elastic contact P = `factor` o^p of the reduced mass `m` (kg), at a speed `v` (m/s):
/// K o^(p+1)/(p+1) = m v^2/2.
pub(super) fn greatest_overlap(law: ContactLaw, factor: f64, m: f64, v: f64) -> f64 {
    let p = power(law);
    libm::pow((p + 1.0) * 0.5 * m * v * v / factor, 1.0 / (p + 1.0))
}

/// Duration of an elastic contact over o/v with its greatest overlap o: pi, and by the power 3/2 2 times the integral of
/// `1/sqrt(1 - x^(5/2))`.
pub(super) fn duration_factor(law: ContactLaw) -> f64 {
    let pi = std::f64::consts::PI;
    match law {
        ContactLaw::Linear => pi,
        ContactLaw::Hertz | ContactLaw::RodriguesHertz => 0.8 * pi.sqrt() * libm::tgamma(0.4) / libm::tgamma(0.9),
    }
}

/// Duration (s) of the elastic contact of a grain of the usual radius with a wall, at a speed `v` (m/s).
pub(super) fn contact_duration(law: ContactLaw, v: f64) -> f64 {
    duration_factor(law) * greatest_overlap(law, wall_factor(law), mass(RADIUS), v) / v
}
