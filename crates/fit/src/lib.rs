//! Gradients of bdem's simulations by the adjoint method, and the minimisation of losses by them.
//!
//! A [`Loss`](run::Loss) is a sum over the frames of a [`Run`](run::Run). Its derivative by every number of the world follows from
//! one sweep backward over the run's steps, \[MSC\] eqs 13-17 for springs and charges, and the same for bonds. The derivative by a
//! parameter of your choice follows from the worlds that it makes: see [`Gradient::along`](sweep::Gradient::along). Which
//! stiffness of a spring brings its end to 1.2 m within 0.2 s?
//!
//! ```
//! use bdem_core::geometry::Vec3;
//! use bdem_core::model::{AxialSpring, State, World};
//! use bdem_core::simulate::{IntegratorKind, SimulationSettings, StepSize};
//! use bdem_fit::minimize::{Bounds, Limits, Method, minimize};
//! use bdem_fit::run::{Loss, Run, Storage};
//! use bdem_fit::sweep::{Change, StateGradient, gradient};
//!
//! struct End;
//!
//! impl Loss for End {
//!     fn at(&self, frame: u32, _: &World, state: &State, by: Option<&mut StateGradient>) -> f64 {
//!         let off = if frame == 1 { state.p[1].x - 1.2 } else { 0.0 };
//!         if let Some(by) = by {
//!             by.p[1].x += 2.0 * off;
//!         }
//!         off * off
//!     }
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // two masses of 0.1 kg fly apart at 3 m/s
//! let scene = |stiffness: f64| {
//!     let spring = AxialSpring::elastic(stiffness);
//!     let mut builder = World::builder();
//!     let material = builder.material(spring.material("mass", 0.1, 0.1));
//!     let ends = [0.0, 1.0].map(|x| builder.particle(Vec3::x() * x, 0.1, material));
//!     builder.spring(ends[0], ends[1], spring);
//!     let (world, mut state) = builder.build().expect("a world");
//!     (state.v[0].x, state.v[1].x) = (-1.5, 1.5);
//!     (world, state)
//! };
//! let mut settings = SimulationSettings::new(0.2);
//! (settings.integrator, settings.step) = (IntegratorKind::ExplicitVerlet, Some(StepSize::Seconds(0.002)));
//! let problem = |k: &[f64]| {
//!     let run = Run::new(scene(k[0]), &settings, 1)?;
//!     let change = Change::between(&scene(k[0] - 0.01), &scene(k[0] + 0.01), 0.02);
//!     let gradient = gradient(&run, &End, &Storage::default(), &[change])?;
//!     Ok((gradient.loss, gradient.along))
//! };
//! let bounds = [Bounds { low: 1.0, high: 100.0 }];
//! let method = Method::Lbfgs { memory: 5 };
//! let limits = Limits { evaluations: 40, loss: 1e-12 };
//! let fit = minimize(method, &[5.0], &bounds, limits, &mut |_| (), &problem)?;
//! // x = 1 + 1.5 sin(w t)/w with w^2 = 2 k/m: sin(0.2 w)/(0.2 w) = 2/3
//! let w: f64 = 1.4957814 / 0.2;
//! assert!(fit.loss < 1e-12 && (fit.parameters[0] - 0.05 * w * w).abs() < 1e-3, "{fit:?}");
//! # Ok(())
//! # }
//! ```
//!
//! # Rooms
//!
//! Each knows only rooms further down:
//!
//! ```text
//! sweep      backward over the steps of a run: adjoints of each integrator, of bonds, charges and contacts
//! run        steps of a world at a constant length; their storage, or their replay from sparse states
//! minimize   L-BFGS, Gauss-Newton, Nelder-Mead and particle swarms within bounds
//! error      reasons why there is no gradient
//! ```

// the same bits on every machine: clippy.toml lists functions whose results differ between machines
#![warn(clippy::disallowed_methods)]

pub mod error;
pub mod minimize;
pub mod run;
pub mod sweep;
