//! `slots`: agents near a goal with places reserve one; at most one holder per slot.

use super::steer::{Preferred, Stance};
use crate::base::{GoalId, Point, SlotId};
use crate::rows::{Rows, State};
use crate::scenario::Arrival;
use crate::site::{GoalNow, Site};
use std::collections::BTreeMap;

/// Metres from which a slot is reserved, as the crow flies (remaining cost grows with the crowd around it); also what remains
/// to the edge of a region, whose middle may be far.
const CLAIM_M: f32 = 4.0;

/// Gives free slots to those close to their goal, in order of right of way; queues move up.
///
/// **Determinism:** in `order` (remaining cost, then id); a named slot goes to the nearest claimant's nearest choice, found
/// places fill from the middle, a queue from its head.
pub fn run(site: &Site, preferred: &[Preferred], order: &[u32], rows: &mut Rows) {
    let mut taken: BTreeMap<GoalId, Vec<bool>> = BTreeMap::new();
    for (goal, slot) in rows.goal.iter().zip(&rows.slot) {
        if let (Some(goal), Some(slot)) = (goal, slot) {
            let slots = taken.entry(*goal).or_insert_with(|| vec![false; site.goal(*goal).slots.len()]);
            if let Some(slot) = slots.get_mut(slot.index()) {
                *slot = true;
            }
        }
    }
    for &row in order {
        let row = row as usize;
        let Some(id) = rows.goal[row] else { continue };
        let goal = site.goal(id);
        if goal.arrival == Arrival::Leave || preferred[row].stance == Stance::Fixed {
            continue;
        }
        let taken = taken.entry(id).or_insert_with(|| vec![false; goal.slots.len()]);
        match rows.slot[row] {
            Some(slot) => move_up(goal, slot, taken, rows, row),
            None => {
                let at = rows.position[row];
                let near = |slot: &Point| slot.minus(at).metres().length() <= CLAIM_M;
                // Found places fill from the middle, which may be far: who is at the edge has come near enough.
                let at_edge = !goal.named_slots && preferred[row].cost <= CLAIM_M;
                let may_claim = |slot: &SlotId| {
                    let others = if goal.named_slots { &goal.slots[..] } else { &goal.slots[..1] };
                    at_edge || near(&goal.slots[slot.index()]) || others.iter().any(near)
                };
                rows.slot[row] = free_slot(goal, taken, at).filter(may_claim);
                if let Some(slot) = rows.slot[row] {
                    taken[slot.index()] = true;
                }
            }
        }
    }
}

/// Metres around an agent in which others may trade slots with it.
const TRADE_M: f32 = 1.5;
/// Square metres that a trade must save, so that nobody trades to and fro.
const TRADE_GAIN: f32 = 0.02;

/// Agents on their way to found places trade slots with a neighbour, settled or not, where that shortens the sum of their
/// squared ways: who is blocked by the settled ones before it takes their place, and they move up.
///
/// **Determinism:** in `order`; of equal partners the one with the smaller row. Every trade lowers the sum, so trading
/// ends.
pub fn trade(site: &Site, order: &[u32], rows: &mut Rows) {
    let squared =
        |rows: &Rows, row: usize, slot: Point| slot.minus(rows.position[row]).metres().length_squared();
    let slot_of =
        |rows: &Rows, row: usize| Some((rows.goal[row]?, site.slot(rows.goal[row]?, rows.slot[row]?)?));
    let mut holders: BTreeMap<GoalId, Vec<usize>> = BTreeMap::new();
    for row in 0..rows.len() {
        if let Some((goal, _)) = slot_of(rows, row).filter(|(goal, _)| !site.goal(*goal).named_slots) {
            holders.entry(goal).or_default().push(row);
        }
    }
    for &row in order {
        let row = row as usize;
        let Some((goal, mine)) = slot_of(rows, row) else { continue };
        let Some(others) = holders.get(&goal).filter(|_| rows.state[row] != State::Settled) else { continue };
        let gain = |&other: &usize| {
            let away = rows.position[other].minus(rows.position[row]).metres().length();
            let theirs = slot_of(rows, other).filter(|_| other != row && away < TRADE_M)?.1;
            let now = squared(rows, row, mine) + squared(rows, other, theirs);
            let then = squared(rows, row, theirs) + squared(rows, other, mine);
            Some((now - then, other)).filter(|g| g.0 > TRADE_GAIN)
        };
        let best = others.iter().filter_map(gain).reduce(|a, b| if b.0 > a.0 { b } else { a });
        if let Some((_, other)) = best {
            rows.slot.swap(row, other);
            for traded in [row, other] {
                if matches!(rows.state[traded], State::Settled | State::Waiting) {
                    rows.state[traded] = State::Walking;
                    rows.waiting_since[traded] = None;
                }
            }
        }
    }
}

/// In a queue, to the first free place before one's own if all between are free.
fn move_up(goal: &GoalNow, slot: SlotId, taken: &mut [bool], rows: &mut Rows, row: usize) {
    let Some(before) = goal.fifo.then(|| slot.index().checked_sub(1)).flatten() else { return };
    if !taken[before] {
        taken.swap(before, slot.index());
        rows.slot[row] = Some(SlotId::from_index(before));
        if rows.state[row] == State::Waiting {
            rows.waiting_since[row] = None;
            rows.state[row] = State::Walking;
        }
    }
}

fn free_slot(goal: &GoalNow, taken: &[bool], at: Point) -> Option<SlotId> {
    let mut free = (0..goal.slots.len()).filter(|&i| !taken[i]);
    let chosen = if goal.fifo {
        // Behind the last one, never into a gap before somebody.
        Some(taken.iter().rposition(|&t| t).map_or(0, |last| last + 1)).filter(|&i| i < goal.slots.len())
    } else if goal.named_slots {
        free.min_by_key(|&i| (goal.slots[i].minus(at).length_squared(), i))
    } else {
        free.next()
    };
    chosen.map(SlotId::from_index)
}
