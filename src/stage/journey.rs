//! `choose`: agents at the start of a journey stage choose a goal.

use super::refresh::FieldTable;
use crate::base::{Draws, GoalId, Purpose, SourceId, name_hash};
use crate::rows::{Origin, Rows};
use crate::scenario::{Choice, JourneyStage, Scenario};

/// For each row without a goal but with a journey, the goal of its stage; other rows keep theirs. Rows that changed are
/// appended to `changed`.
///
/// **Determinism:** in row order, so that `least-occupied` sees the choices of smaller ids; draws are addressed by
/// (source, index, stage).
pub fn run(scenario: &Scenario, fields: &FieldTable, rows: &mut Rows, goals: usize, changed: &mut Vec<u32>) {
    let mut occupied = None;
    for row in 0..rows.len() {
        let (None, Some(journey)) = (rows.goal[row], rows.journey[row]) else { continue };
        let Some(stage) = scenario.journey(journey).stages.get(rows.stage[row] as usize) else { continue };
        let is_pending = |&goal: &GoalId| fields.is_pending(goal, rows.class[row]);
        if matches!(stage.choice, Choice::Cost) && stage.goals.len() > 1 && stage.goals.iter().any(is_pending)
        {
            // What cannot be compared yet is chosen later.
            continue;
        }
        let occupied = occupied.get_or_insert_with(|| occupancy(rows, goals));
        let goal = choose(scenario, fields, rows, row, stage, occupied);
        occupied[goal.index()] += 1;
        rows.goal[row] = Some(goal);
        changed.push(row as u32);
    }
}

fn occupancy(rows: &Rows, goals: usize) -> Vec<u32> {
    let mut occupied = vec![0; goals];
    for goal in rows.goal.iter().flatten() {
        occupied[goal.index()] += 1;
    }
    occupied
}

fn choose(
    scenario: &Scenario,
    fields: &FieldTable,
    rows: &Rows,
    row: usize,
    stage: &JourneyStage,
    occupied: &[u32],
) -> GoalId {
    let first = stage.goals[0];
    match &stage.choice {
        _ if stage.goals.len() == 1 => first,
        Choice::Cost => {
            let cost = |goal: GoalId| {
                let field = fields.field(goal, rows.class[row])?;
                field.remaining_cost(rows.position[row])
            };
            let costs = stage.goals.iter().map(|&g| (cost(g).unwrap_or(f32::INFINITY), g));
            costs.reduce(|a, b| if b.0 < a.0 { b } else { a }).map_or(first, |(_, goal)| goal)
        }
        Choice::LeastOccupied => {
            stage.goals.iter().copied().min_by_key(|g| (occupied[g.index()], *g)).unwrap_or(first)
        }
        Choice::Share(shares) => by_share(scenario, rows, row, stage, shares),
    }
}

fn by_share(scenario: &Scenario, rows: &Rows, row: usize, stage: &JourneyStage, shares: &[f64]) -> GoalId {
    let name = match rows.origin[row] {
        Origin::Source(SourceId(source)) => scenario.sources[source as usize].name_hash,
        Origin::Placed => name_hash("placed") ^ u64::from(rows.id[row].0),
        Origin::Command => name_hash("command"),
    };
    let mut rest = Draws::at(scenario.seed, Purpose::Choice, name, rows.index[row], rows.stage[row]).unit();
    for (&goal, &share) in stage.goals.iter().zip(shares) {
        if rest < share {
            return goal;
        }
        rest -= share;
    }
    stage.goals[stage.goals.len() - 1]
}
