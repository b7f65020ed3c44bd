//! Thresholds of `integrator = "auto"`. The book's page on integrators lists them.

/// Thresholds of [`Hybrid`](super::Hybrid) and of the run's step control. By them they choose between implicit steps, explicit
/// steps, and explicit steps with sleeping pieces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AutoSettings {
    /// Limits on the Newton iterations of a minimisation, and on the rounds of friction. A step that needs more is shortened or
    /// replaced by explicit steps.
    pub newton_iterations: u32,
    pub friction_rounds: u32,
    /// Newton's tolerance over the mean strain at which bonds break, and limit on the factor on the scene's tolerance.
    /// Unbalanced forces do work: at five times this value a plate's steps are repeated four times as often.
    pub tolerance_of_strength: f64,
    pub max_tolerance_factor: f64,
    /// Factor on Newton's tolerance where no bond can break. Without it a spinning ball dissipates 2 % of its energy in eight
    /// frames.
    pub unbreakable_tolerance: f64,

    /// Limit on the length of a block of explicit steps, in periods T; the minimum is half of it. Shorter implicit steps take
    /// more work.
    pub block_periods: f64,
    /// Minimum and maximum number of blocks without a running crack before implicit steps are tried. The maximum is reached
    /// where they do not pay. A wave crosses a hundred particles in four blocks.
    pub blocks_before_implicit: [u32; 2],
    /// Limit on the excess work of a turn of implicit steps over the explicit steps that it replaces, in blocks. Also the work
    /// that a turn must save to have paid.
    pub excess_of_implicit: f64,
    /// Work of an implicit step, of a Newton iteration and of a conjugate-gradient iteration, in explicit steps. Measured on
    /// plates of 5000 to 50 000 particles (`benches/kernels`).
    pub implicit_work: [f64; 3],

    /// Number of steps in a block with sleeping pieces.
    pub sleep_steps: f64,
    /// Limits on a particle's distance from its ballistic path: within a block with sleeping pieces, and within a broad phase.
    /// In radii.
    pub path_margin: f64,
    pub broad_phase_margin: f64,
    /// Number of blocks for which a broad phase holds.
    pub broad_phase_blocks: f64,
    /// Strain that is visible in a picture. Bonds at a larger strain count as broken at this one.
    pub visible_strain: f64,
    /// Minimum and maximum number of blocks that a piece stays active after contacts woke it. The number doubles after each
    /// sleep of less than [`Self::long_sleep`] blocks.
    pub active_blocks: [u8; 2],
    pub long_sleep: u32,
    /// Work of a particle, of a step, and of a flying particle in a block, in bond evaluations. Then the extraction of a small
    /// world, in steps. Measured by `perf` on the plate and the star.
    pub work_of_particle: f64,
    pub work_of_step: f64,
    pub work_of_flight: f64,
    pub steps_of_extraction: f64,

    /// Ratios of work, steps with sleeping pieces over explicit steps. Above the first explicit steps continue; below the
    /// second they end. The gap prevents alternation: the future number of active pieces is unknown.
    pub sleep_ends_above: f64,
    pub sleep_begins_below: f64,
    /// Ratio of work below which implicit steps and steps with sleeping pieces replace each other.
    pub takes_over_below: f64,
    /// Assumed work of implicit steps over explicit ones before the first measurement; low, so that they are tried once. Then
    /// the decay factor on a measurement, per step of the other kind.
    pub initial_implicit_work: f64,
    pub work_decay: f64,
    /// Minimum number of steps with sleeping pieces before implicit ones are tried. After contacts woke a piece, because
    /// implicit steps dissipate a bounce. Then, after a turn of explicit steps, the minimum and maximum.
    pub steps_after_wake: u32,
    pub steps_before_implicit: [u32; 2],
    /// Limit on the number of steps before another far flight is tried.
    pub steps_before_flight: u32,
}

/// Values of the thresholds.
pub(crate) const AUTO: AutoSettings = AutoSettings {
    newton_iterations: 12,
    friction_rounds: 3,
    tolerance_of_strength: 1.5e-3,
    max_tolerance_factor: 3.0,
    unbreakable_tolerance: 0.1,
    block_periods: 20.0,
    blocks_before_implicit: [4, 64],
    excess_of_implicit: 2.0,
    implicit_work: [5.0, 5.0, 0.3],
    sleep_steps: 64.0,
    path_margin: 0.03,
    broad_phase_margin: 0.5,
    broad_phase_blocks: 16.0,
    visible_strain: 3e-3,
    active_blocks: [1, 64],
    long_sleep: 16,
    work_of_particle: 2.0,
    work_of_step: 1000.0,
    work_of_flight: 5.0,
    steps_of_extraction: 8.0,
    sleep_ends_above: 0.8,
    sleep_begins_below: 0.5,
    takes_over_below: 0.8,
    initial_implicit_work: 0.05,
    work_decay: 0.95,
    steps_after_wake: 8,
    steps_before_implicit: [4, 256],
    steps_before_flight: 16,
};
