//! `command`: outside changes, carried out at the start of a step. Nothing else changes a run from outside.

use super::admit::{AdmitInput, Newcomer, by_command};
use super::retire::set_goal;
use crate::base::{AgentId, ClassId, Tick, positive_zero};
use crate::record::Events;
use crate::rows::Rows;
use crate::scenario::{Action, Command, Errand, Scenario};
use crate::site::Site;
use glam::Vec2;

/// What commands read and change.
#[derive(Debug)]
pub struct CommandInput<'a> {
    /// The scenario.
    pub scenario: &'a Scenario,
    /// Doors, obstacles, ground and goals.
    pub site: &'a mut Site,
    /// Everybody inside.
    pub rows: &'a mut Rows,
    /// What is told about it.
    pub events: &'a mut Events,
    /// The tick that the step leaves.
    pub tick: Tick,
    /// The next free id.
    pub next_id: AgentId,
}

/// What the caller has yet to do.
#[derive(Debug, Default)]
pub struct Outcome {
    /// One flag a row: who is taken out.
    pub leaves: Vec<bool>,
    /// How many are taken out.
    pub removed: u32,
    /// Who comes in.
    pub newcomers: Vec<Newcomer>,
}

/// Carries commands out in their order. One that cannot be carried out any more changes nothing and is told as refused.
pub fn run<'c>(input: &mut CommandInput<'_>, commands: impl Iterator<Item = &'c Command>) -> Outcome {
    let mut outcome = Outcome { leaves: vec![false; input.rows.len()], ..Outcome::default() };
    for command in commands {
        let checked = input.site.check(&command.action).map_err(|error| error.to_string());
        if let Err(reason) = checked.and_then(|()| carry_out(input, &command.action, &mut outcome)) {
            input.events.refused.push(reason);
        }
    }
    outcome
}

fn carry_out(input: &mut CommandInput<'_>, action: &Action, outcome: &mut Outcome) -> Result<(), String> {
    match action {
        Action::AddAgent { at_m, class, goal, speed_mps } => {
            let errand = goal.map_or(Errand::Stand, Errand::Goal);
            add_agent(input, (*at_m, *class, errand), *speed_mps, outcome)
        }
        Action::RemoveAgent { agent } => {
            let row = row_of(input.rows, *agent)?;
            outcome.removed += u32::from(!std::mem::replace(&mut outcome.leaves[row], true));
            Ok(())
        }
        Action::SetGoal { agent, goal } => {
            let row = row_of(input.rows, *agent)?;
            input.rows.journey[row] = None;
            set_goal(input.rows, row, *goal, input.tick);
            input.events.rerouted.push((*agent, *goal));
            Ok(())
        }
        Action::SetSpeed { agent, speed_mps } => {
            let row = row_of(input.rows, *agent)?;
            input.rows.free_speed[row] = *speed_mps as f32;
            Ok(())
        }
        Action::SetPreferredVelocity { agent, velocity_mps } => {
            let row = row_of(input.rows, *agent)?;
            let clean = |v: [f32; 2]| Vec2::new(positive_zero(v[0]), positive_zero(v[1]));
            input.rows.commanded[row] = velocity_mps.map(clean);
            Ok(())
        }
        _ => change_site(input, action),
    }
}

fn change_site(input: &mut CommandInput<'_>, action: &Action) -> Result<(), String> {
    let shape = |site: &Site, spec| site.shape(spec).map_err(|error| error.to_string());
    match action {
        Action::AddGoal { name, shape: spec, leave } => {
            let shape = shape(input.site, spec)?;
            input.site.add_goal(name.clone(), shape, *leave);
        }
        Action::MoveGoal { goal, shape: spec } => {
            let shape = shape(input.site, spec)?;
            input.site.move_goal(*goal, shape);
            for row in
                (0..input.rows.len()).filter(|&row| input.rows.goal[row] == Some(*goal)).collect::<Vec<_>>()
            {
                set_goal(input.rows, row, Some(*goal), input.tick);
            }
        }
        Action::AddObstacle { shape: spec } => {
            let shape = shape(input.site, spec)?;
            input.site.add_obstacle(shape);
        }
        Action::RemoveObstacle { obstacle } => input.site.remove_obstacle(*obstacle),
        Action::SetDoor { door, open } => {
            input.site.set_door(*door, *open);
            input.events.doors.push((*door, *open));
        }
        Action::SetGround { region, price, speed, closed_to, open_to } => {
            let marked =
                |classes: &[ClassId], closed| classes.iter().map(|&c| (c, closed)).collect::<Vec<_>>();
            let closed = [marked(closed_to, true), marked(open_to, false)].concat();
            input.site.set_ground(*region, *price, *speed, &closed);
        }
        Action::Release { goal } => input.site.release(*goal, input.tick),
        // Actions on agents have been carried out before.
        _ => {}
    }
    Ok(())
}

fn add_agent(
    input: &mut CommandInput<'_>,
    (at_m, class, errand): ([f64; 2], ClassId, Errand),
    speed_mps: Option<f64>,
    outcome: &mut Outcome,
) -> Result<(), String> {
    let no_room = || format!("there is no room for a body at ({}, {})", at_m[0], at_m[1]);
    let at = input.scenario.place(at_m).ok_or_else(no_room)?;
    let mut rows = input.rows.clone();
    outcome.newcomers.iter().for_each(|newcomer| rows.push(newcomer.row.clone()));
    let admit = AdmitInput {
        scenario: input.scenario,
        site: input.site,
        rows: &rows,
        tick: input.tick,
        next_id: AgentId(input.next_id.0 + outcome.newcomers.len() as u32),
    };
    let newcomer = by_command(admit, at, class, errand, speed_mps).ok_or_else(no_room)?;
    outcome.newcomers.push(newcomer);
    Ok(())
}

fn row_of(rows: &Rows, agent: AgentId) -> Result<usize, String> {
    rows.row_of(agent).ok_or_else(|| format!("agent {agent} is not inside"))
}
