//! `slots`: agents near a goal with places reserve one; at most one holder per slot.

use super::steer::{Preferred, Stance};
use crate::base::{GoalId, Point, SlotId};
use crate::rows::{Rows, State};
use crate::scenario::Arrival;
use crate::site::{GoalNow, Site};
use std::collections::BTreeMap;

/// Metres of remaining cost from which a slot is reserved.
const CLAIM_M: f32 = 3.0;

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
            None if preferred[row].cost <= CLAIM_M => {
                rows.slot[row] = free_slot(goal, taken, rows.position[row]);
                if let Some(slot) = rows.slot[row] {
                    taken[slot.index()] = true;
                }
            }
            None => {}
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
