use crate::model::{ABSENT, KeptFace, Pair, State, World};

use crate::neighbours::ContactPair;

use super::{Contacts, WallTangentialSpring};

impl Contacts {
    /// Near pairs of a [part](World::part) of the world at a `state` of it, with the friction that they have in the whole.
    ///
    /// `members` are the particles of the part by their indices in the whole world, `ABSENT` for mass points; `place_of` is the
    /// inverse.
    pub(crate) fn part(&self, part: &World, state: &State, members: &[u32], place_of: &[u32]) -> Self {
        let mut list = Self::new(part, state);
        // its rigid bodies are bonded pieces, which have the dashpots of their particles when they wake
        list.masses.clear();
        let of_pair = |pair: &ContactPair| {
            let (ends, is_swapped) = whole(pair.ends(), members);
            let of_whole = self.tangential_spring_of(ends);
            if is_swapped { of_whole.swapped() } else { of_whole }
        };
        if !list.tangential_springs().pairs.is_empty() {
            let rows = list.pairs().iter().map(|pair| of_pair(pair).row()).collect();
            list.tangential_springs_mut().pairs = rows;
        }
        let place = |on: &WallTangentialSpring| place_of[on.particle as usize];
        let on_walls = self.tangential_springs().on_walls().filter(|on| place(on) != ABSENT);
        let mut on_walls: Vec<_> = on_walls.map(|on| WallTangentialSpring { particle: place(on), ..*on }).collect();
        on_walls.sort_unstable_by_key(|on| (on.particle, on.wall));
        list.tangential_springs_mut().set_on_walls(on_walls.into_iter());
        let held = self.near_walls.all_held().iter().filter(|held| place_of[held.particle as usize] != ABSENT);
        let mut held: Vec<_> =
            held.map(|held| KeptFace { particle: place_of[held.particle as usize], ..*held }).collect();
        held.sort_unstable_by_key(|held| (held.particle, held.wall));
        list.near_walls.hold(held.into_iter());
        list
    }

    /// Takes over what touches in a [part](Self::part) of `world` that has come to a `state`, with its friction.
    pub(crate) fn take_over(&mut self, world: &World, part: &Self, state: &State, members: &[u32], place_of: &[u32]) {
        let is_new = |ends: &[usize; 2]| self.near.position(*ends).is_none();
        let touching = part.pairs().iter().filter(|pair| pair.overlaps(&state.p));
        let new = touching.map(|pair| whole(pair.ends(), members).0).filter(is_new);
        let new: Vec<_> = new.map(|ends| ends.map(|i| i as u32)).collect();
        if !new.is_empty() {
            self.add_pairs(world, new.into_iter());
        }
        for (pair, tangential) in part.pairs().iter().zip(part.tangential_springs().pairs()) {
            let (ends, is_swapped) = whole(pair.ends(), members);
            self.set_tangential_spring(ends, if is_swapped { tangential.swapped() } else { tangential });
        }
        let others =
            self.tangential_springs().on_walls().filter(|on| place_of[on.particle as usize] == ABSENT).copied();
        let own = part
            .tangential_springs()
            .on_walls()
            .map(|on| WallTangentialSpring { particle: members[on.particle as usize], ..*on });
        let mut on_walls: Vec<_> = others.chain(own).collect();
        on_walls.sort_unstable_by_key(|on| (on.particle, on.wall));
        self.tangential_springs_mut().set_on_walls(on_walls.into_iter());
        let others = self.near_walls.all_held().iter().filter(|held| place_of[held.particle as usize] == ABSENT);
        let own = part.near_walls.all_held().iter();
        let own = own.map(|held| KeptFace { particle: members[held.particle as usize], ..*held });
        let mut held: Vec<_> = others.copied().chain(own).collect();
        held.sort_unstable_by_key(|held| (held.particle, held.wall));
        self.near_walls.hold(held.into_iter());
    }
}

/// The particles of the whole world of a pair in a part, in their order there; and whether that is the other way round.
fn whole(ends: [usize; 2], members: &[u32]) -> ([usize; 2], bool) {
    let [i, j] = ends.map(|k| members[k] as usize);
    if i > j { ([j, i], true) } else { ([i, j], false) }
}
