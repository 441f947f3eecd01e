//! Stages on hand-made rows.

use super::clear::{self, ClearInput, Cleared};
use super::layered::Layered;
use super::patience::{self, Patience, PatienceInput};
use super::reserve::{self, Granted, ReserveInput};
use super::steer::{Preferred, Proposal, Stance, SteerInput, Steering};
use crate::base::{Clock, Offset, Point, Tick, Workers};
use crate::rows::{HeldBy, Rows};
use crate::sample;
use crate::scenario::{Scenario, Steering as Parameters};
use crate::site::Site;
use crate::space::{NeighbourIndex, Topology};
use glam::Vec2;
use std::sync::Arc;

const CLOCK: Clock = Clock { tick_ms: 50 };

/// Rows in the sample's hall, an index over them, and the hall.
struct Scene {
    scenario: Arc<Scenario>,
    site: Site,
    rows: Rows,
    preferred: Vec<Preferred>,
    index: NeighbourIndex,
}

impl Scene {
    /// Agents at these places (metres), all on their way to the right; each is closer to the goal than the one before.
    fn new(places: &[(f64, f64)]) -> Self {
        let scenario = Arc::new(sample::scenario());
        let mut rows = Rows::default();
        let mut preferred = Vec::new();
        for (i, &(x, y)) in places.iter().enumerate() {
            rows.push(sample::row(i as u32, (x * 1e5) as i32, (y * 1e5) as i32));
            let cost = 20.0 - i as f32;
            preferred.push(Preferred {
                toward: Vec2::X,
                speed: 1.0,
                cost,
                stance: Stance::Walking,
                ..Preferred::default()
            });
        }
        let mut index = NeighbourIndex::default();
        index.rebuild(&rows.position, scenario.area.bounds(), 125_000, Topology::default());
        Self { site: Site::new(&scenario), scenario, rows, preferred, index }
    }

    fn velocity(&self, row: usize) -> Vec2 {
        let input = SteerInput {
            rows: &self.rows,
            preferred: &self.preferred,
            index: &self.index,
            terrain: self.site.terrain(),
            tick_s: CLOCK.tick_s(),
        };
        // Without inertia the answer is the target itself.
        let parameters = Parameters { relaxation_s: 0.0, ..Parameters::default() };
        Layered::new(&parameters, 0.05).velocity(&input, row)
    }

    fn reserve(&mut self, steps: &[Vec2]) -> Vec<Granted> {
        let cleared: Vec<Cleared> =
            steps.iter().map(|s| Cleared { step: Offset::nearest(*s), by_wall: false }).collect();
        let (mut order, mut granted) = (Vec::new(), Vec::new());
        reserve::order(&self.preferred, &mut order);
        let input = ReserveInput {
            rows: &self.rows,
            preferred: &self.preferred,
            cleared: &cleared,
            index: &self.index,
            topology: Topology::default(),
            clock: CLOCK,
            tick: Tick(1),
        };
        reserve::run(input, &mut self.site, &order, &mut granted);
        granted
    }
}

#[test]
fn alone_one_walks_at_free_speed() {
    assert_eq!(Scene::new(&[(3.0, 3.0)]).velocity(0), Vec2::X);
}

#[test]
fn one_yields_to_those_closer_to_the_goal_and_not_to_those_behind() {
    let scene = Scene::new(&[(3.0, 3.0), (3.5, 3.0)]);
    let (behind, ahead) = (scene.velocity(0), scene.velocity(1));
    // A gap of 0.14 m between cores, a time gap of 1 s, and a push of comfort discs that do not meet.
    assert!((behind.x - 0.14).abs() < 1e-3, "{behind}");
    assert_eq!(ahead, Vec2::X);
}

#[test]
fn comfort_discs_that_overlap_push_even_at_standstill() {
    let mut scene = Scene::new(&[(3.0, 3.0), (3.37, 3.0)]);
    scene.preferred.iter_mut().for_each(|p| {
        p.stance = Stance::Yielding;
        p.toward = Vec2::ZERO;
    });
    // 0.03 m of overlap times 5 per second; those behind push with three tenths of it.
    assert!((scene.velocity(0).x + 0.15).abs() < 1e-3, "{}", scene.velocity(0));
    assert!((scene.velocity(1).x - 0.045).abs() < 1e-3, "{}", scene.velocity(1));
    // A leader that has been standing for 2 s asks for 0.2 m more.
    scene.rows.standing_ms[1] = 2000;
    assert!((scene.velocity(0).x + 0.8).abs() < 1e-3, "the largest push: {}", scene.velocity(0));
}

#[test]
fn oncoming_people_step_to_their_right() {
    let mut scene = Scene::new(&[(3.0, 3.0), (4.5, 3.0)]);
    scene.rows.goal[1] = None;
    scene.preferred[1].toward = Vec2::NEG_X;
    assert!(scene.velocity(0).y < -0.1, "{}", scene.velocity(0));
    assert!(scene.velocity(1).y > 0.1, "{}", scene.velocity(1));
}

#[test]
fn walls_bend_and_push_but_never_turn_back() {
    let scene = Scene::new(&[(3.0, 0.19)]);
    let v = scene.velocity(0);
    assert!(v.y > 0.0 && v.x > 0.8, "{v}");
}

#[test]
fn followers_use_the_room_that_leaders_leave_in_the_same_tick() {
    let mut scene = Scene::new(&[(3.0, 3.0), (3.36, 3.0)]);
    let step = Vec2::new(0.05, 0.0);
    let granted = scene.reserve(&[step, step]);
    assert_eq!(granted[0], Granted { at: Point::new(305_000, 300_000), held_by: HeldBy::Nothing });
    assert_eq!(granted[1].at, Point::new(341_000, 300_000));
}

#[test]
fn a_blocked_body_stays_and_says_so_and_nobody_overlaps() {
    let mut scene = Scene::new(&[(3.0, 3.0), (3.36, 3.0)]);
    let granted = scene.reserve(&[Vec2::new(0.05, 0.0), Vec2::ZERO]);
    assert_eq!(granted[1].at, scene.rows.position[1]);
    assert!(matches!(granted[0].held_by, HeldBy::Body | HeldBy::Bodies));
    assert!(!granted[0].at.minus(granted[1].at).is_shorter_than(36_000));
    // Of two who want one place, the one closer to the goal gets it.
    let mut scene = Scene::new(&[(3.0, 2.78), (3.0, 3.2)]);
    let granted = scene.reserve(&[Vec2::new(0.0, 0.05), Vec2::new(0.0, -0.05)]);
    assert_eq!(granted[1].at, Point::new(300_000, 315_000));
    assert_eq!(granted[1].held_by, HeldBy::Nothing);
    assert!(!granted[0].at.minus(granted[1].at).is_shorter_than(36_000));
}

#[test]
fn a_move_into_a_wall_slides_along_it() {
    let scene = Scene::new(&[(3.0, 0.2)]);
    let proposals = [Proposal { step: Offset::nearest(Vec2::new(0.03, -0.04)), ..Proposal::default() }];
    let mut cleared = Vec::new();
    let input = ClearInput { rows: &scene.rows, proposals: &proposals, site: &scene.site };
    clear::run(input, &Workers::new(1), &mut cleared);
    let step = cleared[0].step;
    assert!(cleared[0].by_wall && step.x == 3_000 && (-2_000..-1_990).contains(&step.y), "{step:?}");
    assert!(
        scene
            .scenario
            .area
            .walls()
            .iter()
            .all(|w| w.distance(Point::new(303_000, 20_000 + step.y)) >= 18_000)
    );
}

#[test]
fn standing_is_counted_and_forgotten_four_times_as_fast() {
    let mut scene = Scene::new(&[(3.0, 3.0)]);
    let patience = Patience::new(&Parameters::default(), CLOCK);
    let tick = |scene: &mut Scene, by: i32| {
        let at = scene.rows.position[0];
        let granted = [Granted { at: Point::new(at.x + by, at.y), held_by: HeldBy::Nothing }];
        // Asked to walk at 1 m/s, it is let move by so many units.
        let proposals = [Proposal { step: Offset::new(5_000, 0), velocity: Vec2::X, ..Proposal::default() }];
        let input = PatienceInput {
            proposals: &proposals,
            preferred: &scene.preferred,
            granted: &granted,
            topology: Topology::default(),
            tick: Tick(1),
            fields_changed: false,
        };
        patience::run(input, &patience, &mut scene.rows, &mut Vec::new());
    };
    (0..10).for_each(|_| tick(&mut scene, 0));
    assert_eq!(scene.rows.standing_ms[0], 500);
    assert!(scene.rows.impatience[0] > 0.15 && scene.rows.impatience[0] < 0.16);
    (0..2).for_each(|_| tick(&mut scene, 5_000));
    assert_eq!(scene.rows.standing_ms[0], 100);
    assert!(scene.rows.velocity[0].distance(Vec2::X) < 1e-6);
    assert_eq!(scene.rows.previous[0], Point::new(305_000, 300_000));
}
