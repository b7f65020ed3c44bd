//! Crumbs of packings: the few spheres that bonds do not connect to the others.

use bdem_core::fracture::Pieces;
use bdem_core::geometry::packing::Packed;

/// The `packed` spheres without pieces of one to three, where there are larger ones.
pub(super) fn without_crumbs(packed: Packed) -> Packed {
    /// Spheres of the largest piece that is left out.
    const CRUMB: usize = 3;
    let Packed { centres, radii, bonds } = &packed;
    let pieces = Pieces::new(centres.len(), bonds.iter().copied());
    let mut sizes = vec![0; centres.len()];
    pieces.of_particle.iter().for_each(|piece| sizes[*piece as usize] += 1);
    let stays = |i: &usize| sizes[pieces.of_particle[*i] as usize] > CRUMB;
    let kept: Vec<usize> = (0..centres.len()).filter(stays).collect();
    if kept.is_empty() || kept.len() == centres.len() {
        return packed;
    }
    let mut number = vec![0; centres.len()];
    (0..).zip(&kept).for_each(|(new, &old)| number[old] = new);
    let bonds = bonds.iter().filter(|bond| stays(&(bond[0] as usize)));
    Packed {
        centres: kept.iter().map(|&i| centres[i]).collect(),
        radii: kept.iter().map(|&i| radii[i]).collect(),
        bonds: bonds.map(|bond| bond.map(|i| number[i as usize])).collect(),
    }
}
