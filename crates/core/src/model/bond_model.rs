use std::any::Any;
use std::cmp::Ordering;
use std::fmt::{self, Debug, Formatter};

use super::AxialStress;

/// Bond law of a material: its properties, and its kernels, whose type only the room of energies knows. That room has the laws,
/// each with a constant here: see [`energy::law`](crate::energy::law). Two laws are equal if their names are.
pub struct BondModel {
    /// Name in scenes and messages.
    pub name: &'static str,
    pub(crate) has_orientation: bool,
    pub(crate) why_explicit: Option<&'static str>,
    pub(crate) keeps_contact: bool,
    pub(crate) breaks_in_compression: bool,
    pub(crate) kernels: &'static (dyn Any + Send + Sync),
}

impl BondModel {
    /// Reason that implicit integrators cannot use it, if they cannot.
    pub fn why_explicit(&self) -> Option<&'static str> {
        self.why_explicit
    }

    /// Whether it depends on orientations.
    pub fn has_orientation(&self) -> bool {
        self.has_orientation
    }

    /// Axial force in sigma of its bonds in a world with this `rule`.
    pub fn axial(&self, rule: AxialStress) -> AxialStress {
        if self.breaks_in_compression { rule } else { AxialStress::Tension }
    }

    /// Whether its bonded particles are in contact where they overlap.
    pub fn keeps_contact(&self) -> bool {
        self.keeps_contact
    }
}

impl Debug for BondModel {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for BondModel {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for BondModel {}

impl PartialOrd for BondModel {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Order of sums over bonds of several laws: that of [`BondModel::ALL`], then laws of other packages by their names.
impl Ord for BondModel {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |model: &Self| (Self::ALL.iter().position(|known| *known == model).unwrap_or(usize::MAX), model.name);
        key(self).cmp(&key(other))
    }
}
