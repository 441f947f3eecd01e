//! A recorded tick: the same rows whether they come from a file or from a run that is under way.

use super::error::TraceError;
use super::table::{AgentRow, RosterRow, TickRow};
use crate::base::{GoalId, metres};
use crate::record::{Admitted, TickRecord};
use crate::rows::Origin;
use crate::scenario::Scenario;

/// One tick as a trace holds it.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Digests and totals.
    pub tick: TickRow,
    /// The agents in order of id; `None` where this tick's agents were not recorded.
    pub agents: Option<Vec<AgentRow>>,
    /// Who was admitted in this tick.
    pub admitted: Vec<RosterRow>,
}

/// Turns a run's ticks into frames.
#[derive(Clone, Copy, Debug)]
pub struct FrameSource<'a> {
    /// What runs.
    pub scenario: &'a Scenario,
    /// Agents are recorded in every tick that this divides.
    pub every: u32,
}

impl FrameSource<'_> {
    /// The frame of `record`.
    ///
    /// # Errors
    /// If a goal's number does not fit the file.
    pub fn frame(self, record: &TickRecord) -> Result<Frame, TraceError> {
        let agents = self.is_recorded(record).then(|| self.agents(record).collect::<Result<_, _>>());
        let admitted = record.events.admitted.iter().map(|agent| self.roster_row(agent)).collect();
        Ok(Frame { tick: self.tick_row(record), agents: agents.transpose()?, admitted })
    }

    fn is_recorded(self, record: &TickRecord) -> bool {
        record.tick.0.is_multiple_of(self.every)
    }

    /// The agents of `record`, whether recorded or not.
    pub(super) fn agents<'a>(
        self,
        record: &'a TickRecord<'_>,
    ) -> impl Iterator<Item = Result<AgentRow, TraceError>> + 'a {
        let (rows, frame) = (record.rows, self.scenario.area.frame);
        (0..rows.len()).map(move |i| {
            let [x_m, y_m] = frame.metres(rows.position[i]);
            Ok(AgentRow {
                tick: record.tick.0,
                id: rows.id[i].0,
                x_m,
                y_m,
                vx_mps: rows.velocity[i].x,
                vy_mps: rows.velocity[i].y,
                goal: rows.goal[i].map(goal_number).transpose()?,
                state: rows.state[i] as u8,
                held_by: rows.held_by[i] as u8,
            })
        })
    }

    pub(super) fn tick_row(self, record: &TickRecord) -> TickRow {
        let counts = record.counts;
        TickRow {
            tick: record.tick.0,
            state_digest: record.state_digest,
            run_digest: record.run_digest,
            admitted: counts.admitted,
            inside: counts.inside,
            arrived: counts.arrived,
            removed: counts.removed,
            unreachable: counts.unreachable,
            blocked: counts.blocked,
            stuck: counts.stuck,
            settled: counts.settled,
            waiting: counts.waiting,
            outside: counts.outside,
            agent_rows: self.is_recorded(record).then_some(record.rows.len() as u32),
        }
    }

    pub(super) fn roster_row(self, agent: &Admitted) -> RosterRow {
        let source = match agent.origin {
            Origin::Source(source) => self.scenario.source(source).name.clone(),
            Origin::Placed | Origin::Command => String::new(),
        };
        RosterRow {
            id: agent.agent.0,
            name: agent.name.clone(),
            class: self.scenario.class(agent.class).name.clone(),
            source,
            index: agent.index,
            core_radius_m: metres(agent.core_radius),
            comfort_radius_m: metres(agent.comfort_radius),
            free_speed_mps: agent.free_speed,
            admitted_tick: agent.at.0,
        }
    }
}

/// The number 65,535 stays free, so that readers without nulls may use it for "none".
fn goal_number(goal: GoalId) -> Result<u16, TraceError> {
    u16::try_from(goal.0).ok().filter(|&number| number != u16::MAX).ok_or(TraceError::GoalNumber(goal.0))
}
