use std::fmt::{self, Debug, Formatter};
use std::ops::{AddAssign, Index, IndexMut};

use serde::{Deserialize, Serialize};

use crate::contact::FrictionWork;

/// Columns of the energy account: an enum of them, whose names are those of `metrics.csv`, and a number for each.
macro_rules! columns {
    (
        $(#[$about_column:meta])* $column:ident,
        $(#[$about_numbers:meta])* $numbers:ident,
        $($(#[$about:meta])* $variant:ident = $name:literal,)*
    ) => {
        $(#[$about_column])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $column {
            $($(#[$about])* $variant,)*
        }

        impl $column {
            /// All columns, in the order of `metrics.csv`.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Name in `metrics.csv`.
            pub fn name(self) -> &'static str {
                [$($name,)*][self as usize]
            }
        }

        $(#[$about_numbers])*
        #[derive(Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
        pub struct $numbers([f64; $column::ALL.len()]);

        impl Index<$column> for $numbers {
            type Output = f64;

            fn index(&self, column: $column) -> &f64 {
                &self.0[column as usize]
            }
        }

        impl IndexMut<$column> for $numbers {
            fn index_mut(&mut self, column: $column) -> &mut f64 {
                &mut self.0[column as usize]
            }
        }

        impl AddAssign for $numbers {
            fn add_assign(&mut self, other: Self) {
                self.0.iter_mut().zip(other.0).for_each(|(sum, part)| *sum += part);
            }
        }

        /// Numbers of the named columns, and zero in the others.
        impl<const N: usize> From<[($column, f64); N]> for $numbers {
            fn from(parts: [($column, f64); N]) -> Self {
                let mut numbers = Self::default();
                parts.into_iter().for_each(|(column, part)| numbers[column] += part);
                numbers
            }
        }

        impl Debug for $numbers {
            fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
                f.debug_map().entries($column::ALL.iter().map(|column| (column.name(), self[*column]))).finish()
            }
        }
    };
}

columns! {
    /// Column of an energy that the world has.
    Energy,
    /// Energies of a state, J.
    Energies,
    /// Kinetic energy of translation.
    KineticLinear = "kinetic_linear",
    /// Kinetic energy of rotation.
    KineticSpin = "kinetic_spin",
    /// Of the bonds' stretch.
    Stretch = "stretch",
    /// Of the bonds' shear.
    Shear = "shear",
    /// Of the bonds' twist.
    Twist = "twist",
    /// Of the bonds' bending.
    Bend = "bend",
    /// Of contacts between particles.
    Contact = "contact",
    /// Of contacts with walls.
    Wall = "collider",
    /// Of the particles' weights, zero at the origin.
    Gravity = "gravity",
    /// Of charges, of either sign: not a number where their field has no value. See [`ElectricState::energy`].
    ///
    /// [`ElectricState::energy`]: crate::energy::ElectricState::energy
    Electric = "electric",
}

columns! {
    /// Column of an energy flow.
    Flow,
    /// Energy flows of a step, or since the start, J.
    Flows,
    /// Work done on the world by moving walls.
    Walls = "work_walls",
    /// Work of loads.
    Loads = "work_loads",
    /// Work of constraints on held particles.
    Held = "work_held",
    /// Work of changing charges, and of charges and fields from outside: see [`ElectricState::work_to`].
    ///
    /// [`ElectricState::work_to`]: crate::energy::ElectricState::work_to
    Electric = "work_electric",
    /// Dissipation by damping, positive.
    Damping = "lost_damping",
    /// Dissipation by friction, positive.
    Friction = "lost_friction",
    /// Energy of broken bonds, positive.
    Fracture = "lost_fracture",
    /// Energy gain of the time rule; negative for dissipation.
    Numerical = "numerical",
    /// Work of the solver's residual forces.
    Solver = "solver",
}

/// Of the velocity correction; steps with tangential springs have dashpots and supports as well: `integrate/*/flows.rs`.
impl From<FrictionWork> for Flows {
    fn from(FrictionWork { by_sliding, damped, walls, held }: FrictionWork) -> Self {
        [(Flow::Walls, walls), (Flow::Held, held), (Flow::Friction, by_sliding), (Flow::Damping, damped)].into()
    }
}

impl Energies {
    /// Kinetic energy, J.
    pub fn kinetic(&self) -> f64 {
        self[Energy::KineticLinear] + self[Energy::KineticSpin]
    }

    /// Potential energy of bonds, contacts, walls, gravity and charges, J.
    pub fn potential(&self) -> f64 {
        self.0[Energy::Stretch as usize..].iter().sum()
    }

    /// Elastic energy of bonds, contacts and walls, J, >= 0.
    pub fn elastic(&self) -> f64 {
        self.potential() - self[Energy::Gravity] - self[Energy::Electric]
    }

    /// Kinetic and potential energy, J.
    pub fn total(&self) -> f64 {
        self.kinetic() + self.potential()
    }
}

impl Flow {
    /// Whether a positive flow leaves the world.
    fn is_loss(self) -> bool {
        matches!(self, Self::Damping | Self::Friction | Self::Fracture)
    }
}

impl Flows {
    /// Change of the world's energy by all flows.
    pub(crate) fn sum(&self) -> f64 {
        let sum =
            |are_losses| Flow::ALL.iter().filter(move |f| f.is_loss() == are_losses).map(|f| self[*f]).sum::<f64>();
        sum(false) - sum(true)
    }

    pub(super) fn each(&self) -> &[f64] {
        &self.0
    }
}
