//! `reserve`: places are granted in order of right of way, so that bodies are free of overlap after every single
//! grant and followers use, in the same tick, the room that their leaders just left.

use super::clear::{Cleared, deepest_wall};
use super::steer::{Preferred, Proposal, Stance, longest_squared};
use crate::base::{Offset, Point, Tick, UNITS_PER_METRE, metres_f32};
use crate::rows::{HeldBy, Rows};
use crate::site::{Site, gate_clock};
use crate::space::{Body, CellIndex, Grid, GridFrame, NeighbourIndex, Topology};
use glam::Vec2;

/// What reservation reads.
#[derive(Clone, Copy, Debug)]
pub struct ReserveInput<'a> {
    /// Everybody where they are.
    pub rows: &'a Rows,
    /// Who has the right of way.
    pub preferred: &'a [Preferred],
    /// Moves that walls allow.
    pub cleared: &'a [Cleared],
    /// Who is near whom.
    pub index: &'a NeighbourIndex,
    /// Plane or ring.
    pub topology: Topology,
    /// The length of a tick.
    pub clock: crate::base::Clock,
    /// The tick that the step leads to.
    pub tick: Tick,
}

/// A granted place: the very value that was tested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Granted {
    /// Where the body is from now on; on a ring perhaps a turn too far.
    pub at: Point,
    /// What changed the move.
    pub held_by: HeldBy,
}

/// Times a move is brought out of the deepest overlap before it is shortened.
const ROUNDS: usize = 4;
/// The share by which a move goes beyond what an overlap needs.
const CLEAR_BY: f32 = 1.01;
/// Metres; see [`CLEAR_BY`].
const CLEAR_BY_M: f32 = 1.0e-5;

/// Rows in order of right of way: remaining cost, then id.
pub fn order(preferred: &[Preferred], order: &mut Vec<u32>) {
    order.clear();
    order.extend(0..preferred.len() as u32);
    // Costs are finite and at least 0, so their bits sort like their values.
    order.sort_unstable_by_key(|&row| (preferred[row as usize].cost.to_bits(), row));
}

/// Grants everybody a place where it overlaps nobody: the proposed one, else one moved out of the deepest overlap, else
/// the present one.
///
/// **Determinism:** serial, in order of (remaining cost, id); overlap is exact.
pub fn run(input: ReserveInput<'_>, site: &mut Site, order: &[u32], granted: &mut Vec<Granted>) {
    granted.clear();
    granted.extend(input.rows.position.iter().map(|&at| Granted { at, held_by: HeldBy::Nothing }));
    let largest = input.rows.core_radius.iter().copied().max().unwrap_or(0);
    let fastest = input.rows.free_speed.iter().copied().fold(0.0, f32::max);
    let margin = largest + (2.0 * fastest * input.clock.tick_s() * 1.0e5) as i32 + 4;
    let mut near = Vec::new();
    for &row in order {
        let row = row as usize;
        if input.preferred[row].stance == Stance::Fixed || input.cleared[row].step == Offset::default() {
            granted[row].held_by = if input.cleared[row].by_wall { HeldBy::Wall } else { HeldBy::Nothing };
            continue;
        }
        let at = input.rows.position[row];
        near.clear();
        input.index.visit(at, input.rows.core_radius[row] + margin, |other, _| {
            if other as usize != row {
                near.push(other);
            }
        });
        granted[row] = grant(&input, site, row, &near, granted);
    }
}

fn grant(
    input: &ReserveInput<'_>,
    site: &mut Site,
    row: usize,
    near: &[u32],
    granted: &[Granted],
) -> Granted {
    let from = input.rows.position[row];
    let body = Body { at: from, radius: input.rows.core_radius[row] };
    let cleared = input.cleared[row];
    let mut held_by = if cleared.by_wall { HeldBy::Wall } else { HeldBy::Nothing };
    let mut to = from.plus(cleared.step);
    for round in 0..=ROUNDS {
        let body_in_way = deepest_body(input, row, to, near, granted);
        // The first proposal is known to be clear of walls.
        let wall_in_way = if round == 0 { None } else { deepest_wall(site, body, to) };
        let deepest =
            [body_in_way, wall_in_way].into_iter().flatten().reduce(|a, b| if b.1 > a.1 { b } else { a });
        let Some((normal, depth)) = deepest else {
            let is_first = round == 0;
            if !is_first && !may_go(input, site, body, to, row) {
                break;
            }
            let (now_us, tick_us) = gate_clock(input.clock, input.tick);
            if !site.enter_gates(from, to, now_us, tick_us) {
                return Granted { at: from, held_by: HeldBy::Door };
            }
            return Granted { at: to, held_by };
        };
        held_by = HeldBy::Body;
        to = to.plus(Offset::nearest(normal * (depth * CLEAR_BY + CLEAR_BY_M)));
    }
    Granted { at: from, held_by: HeldBy::Bodies }
}

/// Whether a move other than the proposed one is short enough and allowed by walls, one-way doors and ground.
fn may_go(input: &ReserveInput<'_>, site: &Site, body: Body, to: Point, row: usize) -> bool {
    to.minus(body.at).length_squared() <= longest_squared(input.rows.free_speed[row], input.clock.tick_s())
        && site.admits(input.rows.class[row], body, to)
}

/// The way out of the body that one at `to` would overlap deepest, and how deep, in metres. Whether they overlap at all
/// is decided in integers.
fn deepest_body(
    input: &ReserveInput<'_>,
    row: usize,
    to: Point,
    near: &[u32],
    granted: &[Granted],
) -> Option<(Vec2, f32)> {
    let radius = input.rows.core_radius[row];
    let mut deepest: Option<(Vec2, f32)> = None;
    for &other in near {
        let other = other as usize;
        let reach = radius + input.rows.core_radius[other];
        let offset = input.topology.displacement(granted[other].at, to);
        if offset.is_shorter_than(reach) {
            let away = offset.metres();
            let distance = away.length();
            let depth = metres_f32(reach) - distance;
            if deepest.is_none_or(|(_, d)| depth > d) {
                deepest = Some((away / distance.max(1.0e-9), depth));
            }
        }
    }
    deepest
}

/// Grants everybody the move that walls allow, whoever is there.
pub fn run_without(input: &ReserveInput<'_>, granted: &mut Vec<Granted>) {
    granted.clear();
    granted.extend(input.rows.position.iter().zip(input.cleared).map(|(at, cleared)| Granted {
        at: at.plus(cleared.step),
        held_by: if cleared.by_wall { HeldBy::Wall } else { HeldBy::Nothing },
    }));
}

/// Grants tiles, one holder each, in order of right of way. Whoever stands in the way of a step and is due to step too goes
/// along, so that a tile is free once its holder has left; steps round a circle are granted together, and two who come
/// from either side pass each other where there is room beside them. A step that is refused stays due.
///
/// **Determinism:** serial, in order of (remaining cost, id).
pub fn run_tiles(
    input: &ReserveInput<'_>,
    proposals: &mut [Proposal],
    tiles: GridFrame,
    order: &[u32],
    granted: &mut Vec<Granted>,
) {
    granted.clear();
    granted.extend(input.rows.position.iter().map(|&at| Granted { at, held_by: HeldBy::Nothing }));
    let mut board = Board::new(input, tiles);
    for &row in order {
        let row = row as usize;
        if board.done[row] || input.cleared[row].step == Offset::default() {
            continue;
        }
        match board.chain(input, row) {
            Some(chain) => {
                board.advance(&chain);
                for row in chain {
                    granted[row].at = input.rows.position[row].plus(input.cleared[row].step);
                }
            }
            None => {
                granted[row].held_by = HeldBy::Bodies;
                let Proposal { step, velocity, .. } = proposals[row];
                let due = step.metres().length() * UNITS_PER_METRE as f32;
                proposals[row].remainder = velocity.normalize_or_zero() * due;
            }
        }
    }
}

/// Who holds which tile while steps are granted.
struct Board {
    /// How many stand on each tile.
    counts: Grid<u32>,
    /// The row that came to each tile last.
    holders: Grid<u32>,
    /// For each row the tile it stands on and the one it steps to.
    steps: Vec<(CellIndex, CellIndex)>,
    /// Rows whose step is granted.
    done: Vec<bool>,
    /// For each row the last chain it was part of.
    seen: Vec<Option<usize>>,
}

impl Board {
    fn new(input: &ReserveInput<'_>, tiles: GridFrame) -> Self {
        let rows = input.rows.len();
        let step_of = |row: usize| {
            let at = input.rows.position[row];
            (tiles.nearest_cell(at), tiles.nearest_cell(at.plus(input.cleared[row].step)))
        };
        let mut board = Self {
            counts: Grid::filled(tiles, 0),
            holders: Grid::filled(tiles, 0),
            steps: (0..rows).map(step_of).collect(),
            done: vec![false; rows],
            seen: vec![None; rows],
        };
        for (row, &(tile, _)) in board.steps.iter().enumerate() {
            board.counts[tile] += 1;
            board.holders[tile] = row as u32;
        }
        board
    }

    /// `first` and all who have to step along with it, one after the other; `None` where one of them cannot.
    fn chain(&mut self, input: &ReserveInput<'_>, first: usize) -> Option<Vec<usize>> {
        let mut chain = vec![first];
        let mut last = first;
        loop {
            self.seen[last] = Some(first);
            let (from, to) = self.steps[last];
            if from == to || self.counts[to] == 0 {
                return Some(chain);
            }
            if to == self.steps[first].0 && self.counts[to] == 1 {
                let may_pass = |&row: &usize| input.preferred[row].tile.is_some_and(|tile| tile.may_pass);
                return (chain.len() > 2 || chain.iter().all(may_pass)).then_some(chain);
            }
            let next = self.holders[to] as usize;
            let is_due = !self.done[next] && input.cleared[next].step != Offset::default();
            let is_sole = self.counts[to] == 1 && self.steps[next].0 == to;
            if !is_due || !is_sole || self.seen[next] == Some(first) {
                return None;
            }
            chain.push(next);
            last = next;
        }
    }

    fn advance(&mut self, chain: &[usize]) {
        for &row in chain {
            self.counts[self.steps[row].0] -= 1;
        }
        for &row in chain {
            let to = self.steps[row].1;
            self.counts[to] += 1;
            self.holders[to] = row as u32;
            self.done[row] = true;
        }
    }
}
