//! Agents as entities of `hecs`, gathered into id-ordered rows and scattered back.

use crate::base::{AgentId, ClassId, GoalId, JourneyId, Point, SlotId, Tick};
use crate::rows::{HeldBy, Origin, Row, Rows, State};
use glam::Vec2;
use hecs::Entity;

/// What never changes about an agent.
#[derive(Clone, Copy, Debug)]
struct Identity {
    id: AgentId,
    class: ClassId,
    core_radius: i32,
    comfort_radius: i32,
    starts: Tick,
    admitted: Tick,
    origin: Origin,
    index: u32,
}

/// Where it is and how it moves.
#[derive(Clone, Copy, Debug)]
struct Body {
    position: Point,
    previous: Point,
    velocity: Vec2,
    remainder: Vec2,
    free_speed: f32,
    commanded: Option<Vec2>,
}

/// What it is up to.
#[derive(Clone, Copy, Debug)]
struct Errand {
    goal: Option<GoalId>,
    journey: Option<JourneyId>,
    stage: u32,
    slot: Option<SlotId>,
    state: State,
    waiting_since: Option<Tick>,
}

/// How it bears with the others.
#[derive(Clone, Copy, Debug)]
struct Mood {
    held_by: HeldBy,
    standing_ms: u32,
    impatience: f32,
    waiting_ticks: u32,
    best_cost: f32,
    best_tick: Tick,
}

/// All agents inside.
///
/// **Determinism:** `hecs` iterates in an order that depends on the history of spawns; here everything goes by the list
/// of entities, which is in order of id.
#[derive(Default)]
pub struct Agents {
    ecs: hecs::World,
    entities: Vec<Entity>,
}

impl std::fmt::Debug for Agents {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Agents({})", self.entities.len())
    }
}

impl Agents {
    /// Adds an agent; its id must be above all that are inside.
    pub fn spawn(&mut self, row: &Row) {
        let entity = self.ecs.spawn(components(row));
        self.entities.push(entity);
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.entities.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entities.is_empty()
    }

    /// Fills `rows` with everybody, in order of id.
    ///
    /// # Panics
    /// Never: every listed entity is alive.
    #[expect(
        clippy::disallowed_methods,
        reason = "world/ is the one place that queries, and goes by its own list"
    )]
    pub fn gather(&mut self, rows: &mut Rows) {
        rows.clear();
        let mut query = self.ecs.query::<(&Identity, &Body, &Errand, &Mood)>();
        let view = query.view();
        for &entity in &self.entities {
            let (identity, body, errand, mood) = view.get(entity).expect("listed entities are alive");
            rows.push(row_of(*identity, *body, *errand, *mood));
        }
    }

    /// Writes `rows`, which were gathered since the last spawn, back; those marked in `leaves` are taken out.
    ///
    /// # Panics
    /// Never: every listed entity is alive.
    #[expect(
        clippy::disallowed_methods,
        reason = "world/ is the one place that queries, and goes by its own list"
    )]
    pub fn scatter(&mut self, rows: &Rows, leaves: &[bool]) {
        {
            let mut query = self.ecs.query::<(&Identity, &mut Body, &mut Errand, &mut Mood)>();
            let mut view = query.view();
            for (i, &entity) in self.entities.iter().enumerate() {
                let (identity, body, errand, mood) = view.get_mut(entity).expect("listed entities are alive");
                debug_assert_eq!(identity.id, rows.id[i], "rows are in the order of entities");
                let (_, new_body, new_errand, new_mood) = components(&rows.row(i));
                (*body, *errand, *mood) = (new_body, new_errand, new_mood);
            }
        }
        let mut leaving = leaves.iter();
        let ecs = &mut self.ecs;
        self.entities.retain(|&entity| {
            let leaves = leaving.next().copied().unwrap_or(false);
            if leaves {
                ecs.despawn(entity).expect("listed entities are alive");
            }
            !leaves
        });
    }
}

fn components(row: &Row) -> (Identity, Body, Errand, Mood) {
    let identity = Identity {
        id: row.id,
        class: row.class,
        core_radius: row.core_radius,
        comfort_radius: row.comfort_radius,
        starts: row.starts,
        admitted: row.admitted,
        origin: row.origin,
        index: row.index,
    };
    let body = Body {
        position: row.position,
        previous: row.previous,
        velocity: row.velocity,
        remainder: row.remainder,
        free_speed: row.free_speed,
        commanded: row.commanded,
    };
    let errand = Errand {
        goal: row.goal,
        journey: row.journey,
        stage: row.stage,
        slot: row.slot,
        state: row.state,
        waiting_since: row.waiting_since,
    };
    let mood = Mood {
        held_by: row.held_by,
        standing_ms: row.standing_ms,
        impatience: row.impatience,
        waiting_ticks: row.waiting_ticks,
        best_cost: row.best_cost,
        best_tick: row.best_tick,
    };
    (identity, body, errand, mood)
}

fn row_of(identity: Identity, body: Body, errand: Errand, mood: Mood) -> Row {
    Row {
        id: identity.id,
        position: body.position,
        previous: body.previous,
        velocity: body.velocity,
        remainder: body.remainder,
        class: identity.class,
        goal: errand.goal,
        journey: errand.journey,
        stage: errand.stage,
        state: errand.state,
        held_by: mood.held_by,
        core_radius: identity.core_radius,
        comfort_radius: identity.comfort_radius,
        free_speed: body.free_speed,
        standing_ms: mood.standing_ms,
        impatience: mood.impatience,
        waiting_ticks: mood.waiting_ticks,
        best_cost: mood.best_cost,
        best_tick: mood.best_tick,
        slot: errand.slot,
        waiting_since: errand.waiting_since,
        starts: identity.starts,
        admitted: identity.admitted,
        commanded: body.commanded,
        origin: identity.origin,
        index: identity.index,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: u32) -> Row {
        let body = Body {
            position: Point::new(id as i32, 7),
            previous: Point::new(id as i32, 6),
            velocity: Vec2::new(0.5, id as f32),
            remainder: Vec2::new(0.25, -0.5),
            free_speed: 1.3,
            commanded: None,
        };
        let identity = Identity {
            id: AgentId(id),
            class: ClassId(0),
            core_radius: 18_000,
            comfort_radius: 20_000,
            starts: Tick(1),
            admitted: Tick(0),
            origin: Origin::Placed,
            index: id,
        };
        let errand = Errand {
            goal: None,
            journey: None,
            stage: 0,
            slot: None,
            state: State::Standing,
            waiting_since: None,
        };
        let mood = Mood {
            held_by: HeldBy::Nothing,
            standing_ms: id,
            impatience: 0.25,
            waiting_ticks: 3,
            best_cost: 1.0,
            best_tick: Tick(2),
        };
        row_of(identity, body, errand, mood)
    }

    #[test]
    fn rows_come_in_order_of_id_whatever_the_history() {
        let mut agents = Agents::default();
        (0..5).for_each(|id| agents.spawn(&row(id)));
        let mut rows = Rows::default();
        agents.gather(&mut rows);
        rows.position[3] = Point::new(99, 99);
        agents.scatter(&rows, &[false, true, false, false, true]);
        (5..7).for_each(|id| agents.spawn(&row(id)));
        agents.gather(&mut rows);
        let ids: Vec<u32> = rows.id.iter().map(|id| id.0).collect();
        assert_eq!(ids, [0, 2, 3, 5, 6]);
        assert_eq!(rows.row(2), Row { position: Point::new(99, 99), ..row(3) });
        assert_eq!(rows.row(4), row(6));
    }
}
