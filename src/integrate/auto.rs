//! Thresholds of `integrator = "auto"`, all in one place. The book's page on integrators has them in a table.

/// Settings by which [`Hybrid`](super::Hybrid) and the run's step control choose between implicit steps, explicit ones, and explicit ones
/// with sleeping pieces.
#[derive(Clone, Copy, Debug)]
pub struct AutoSettings {
    /// Newton iterations of a minimisation, and rounds of friction, at most. Steps that need more are left to shorter or explicit ones.
    pub newton_iterations: u32,
    pub friction_rounds: u32,
    /// Newton's tolerance over the mean strain at which bonds break, and the greatest factor on the scene's own tolerance. What Newton
    /// leaves undone works: at five times this a plate's steps are repeated four times as often.
    pub tolerance_of_strength: f64,
    pub max_tolerance_factor: f64,
    /// Factor on Newton's tolerance where nothing can break: a spinning ball would lose 2 % of its energy in eight frames otherwise.
    pub unbreakable_tolerance: f64,

    /// Length of a block of explicit steps, and half as much at least, in periods T. Shorter implicit steps take more work.
    pub block_periods: f64,
    /// Blocks without a running crack before implicit steps are tried, and the most where these have not paid: in four blocks a wave
    /// crosses a hundred particles.
    pub blocks_before_implicit: [u32; 2],
    /// Work that a turn of implicit steps may take beyond that of the explicit steps which it replaces, and what it is to save to have
    /// paid, in blocks of these.
    pub excess_of_implicit: f64,
    /// Work of an implicit step, of a Newton iteration and of an iteration of conjugate gradients, over that of an explicit step:
    /// measured on plates of 5000 to 50 000 particles (`benches/kernels`).
    pub implicit_work: [f64; 3],

    /// Steps of a block with sleeping pieces.
    pub sleep_steps: f64,
    /// Distance from its straight path that a particle may come off within such a block, and within what is foreseen, in radii.
    pub path_margin: f64,
    pub broad_phase_margin: f64,
    /// Blocks for which contacts are foreseen.
    pub broad_phase_blocks: f64,
    /// Strain that shows in a picture: bonds that bear more count as if they broke there.
    pub visible_strain: f64,
    /// Blocks that a piece stays active for after contacts have woken it: the least, doubled each time that it has slept for less than
    /// [`Self::long_sleep`] blocks, up to the most.
    pub active_blocks: [u8; 2],
    pub long_sleep: u32,
    /// Work of a step in that of a bond: of each particle; of each step whatever is in it; of each particle and block of what flies; and
    /// steps that take as long as to cut out a small world. By `perf` on the plate and the star.
    pub work_of_particle: f64,
    pub work_of_step: f64,
    pub work_of_flight: f64,
    pub steps_of_extraction: f64,

    /// Work of steps with sleeping pieces, over that of explicit steps of all: explicit ones go on above the first, and end below the
    /// second, for what will be active soon is not known.
    pub sleep_ends_above: f64,
    pub sleep_begins_below: f64,
    /// Ratio of work below which implicit steps and steps with sleeping pieces take over from each other.
    pub takes_over_below: f64,
    /// Work of implicit steps over that of explicit ones before any was tried: low, so that they are tried once. And the factor on what
    /// was measured last, each step that the other kind takes.
    pub initial_implicit_work: f64,
    pub work_decay: f64,
    /// Steps with sleeping pieces before implicit ones are tried: after a blow that woke a piece, since these dissipate a bounce; after
    /// a turn of explicit steps, and the most where implicit ones fail at once.
    pub steps_after_wake: u32,
    pub steps_before_implicit: [u32; 2],
    /// Steps at most before another far flight is tried.
    pub steps_before_flight: u32,
}

/// The settings.
pub const AUTO: AutoSettings = AutoSettings {
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
