//! The library as its users see it.

use crate::common::{EVERYTHING, digests, scenario, shipped_scenario};
use throng::base::{AgentId, ClassId, DoorId, GoalId, RegionId};
use throng::rows::State;
use throng::scenario::{Action, ShapeSpec};
use throng::simulation::Simulation;
use throng::site::CommandError;

const ROOM: &str = r#"
format = 1
name = "room"
duration_s = 60.0
[area]
walkable = "POLYGON ((0 0, 12 0, 12 6, 0 6, 0 0))"
[[region]]
name = "exit"
rect = [11, 0, 12, 6]
[[region]]
name = "middle"
rect = [5, 0, 7, 6]
[[door]]
name = "gate"
region = "middle"
[[goal]]
name = "out"
region = "exit"
[[agent]]
at = [1, 3]
goal = "out"
speed_mps = 1.3
"#;

fn run_to_end(simulation: &mut Simulation) {
    digests(simulation, u32::MAX);
}

#[test]
fn commands_do_what_they_say() {
    let mut simulation = Simulation::new(scenario(ROOM));
    let adult = ClassId(0);
    let out = GoalId(0);
    simulation
        .command(Action::AddAgent { at_m: [2.0, 1.0], class: adult, goal: Some(out), speed_mps: Some(1.0) })
        .unwrap();
    simulation
        .command(Action::AddAgent { at_m: [2.0, 1.1], class: adult, goal: None, speed_mps: None })
        .unwrap();
    let record = simulation.step().unwrap();
    assert_eq!(record.counts.admitted, 2);
    assert_eq!(record.events.refused, ["there is no room for a body at (2, 1.1)"]);

    simulation.command(Action::SetDoor { door: DoorId(0), open: false }).unwrap();
    let record = simulation.step().unwrap();
    assert_eq!(record.events.doors, [(DoorId(0), false)]);
    digests(&mut simulation, 300);
    assert!(
        simulation.agents().state.iter().all(|s| *s == State::Unreachable),
        "{:?}",
        simulation.agents().state
    );

    simulation.command(Action::SetDoor { door: DoorId(0), open: true }).unwrap();
    simulation.command(Action::RemoveAgent { agent: AgentId(0) }).unwrap();
    simulation.command(Action::RemoveAgent { agent: AgentId(77) }).unwrap();
    let record = simulation.step().unwrap();
    assert_eq!((record.counts.removed, record.counts.inside), (1, 1));
    assert_eq!(record.events.refused, ["agent 77 is not inside"]);
    run_to_end(&mut simulation);
    assert_eq!(simulation.record().counts.arrived, 1);
}

#[test]
fn goals_obstacles_and_speeds_change_under_way() {
    let mut simulation = Simulation::new(scenario(ROOM));
    digests(&mut simulation, 10);
    let agent = simulation.agents().id[0];
    simulation
        .command(Action::AddGoal {
            name: "corner".into(),
            shape: ShapeSpec::Circle([1.0, 5.0, 0.3]),
            leave: false,
        })
        .unwrap();
    digests(&mut simulation, 11);
    simulation.command(Action::SetGoal { agent, goal: Some(GoalId(1)) }).unwrap();
    simulation.command(Action::SetSpeed { agent, speed_mps: 2.0 }).unwrap();
    simulation.command(Action::AddObstacle { shape: ShapeSpec::Rect([0.0, 3.9, 3.0, 4.1]) }).unwrap();
    let record = simulation.step().unwrap();
    assert_eq!(record.events.rerouted, [(agent, Some(GoalId(1)))]);
    digests(&mut simulation, 300);
    assert_eq!(simulation.agents().state, [State::Settled]);
    let [x, y] = simulation.position_m(agent, 1.0).unwrap();
    assert!((x - 1.0).abs() < 0.1 && (y - 5.0).abs() < 0.1, "{x} {y}");
    simulation
        .command(Action::MoveGoal { goal: GoalId(1), shape: ShapeSpec::Circle([9.0, 1.0, 0.3]) })
        .unwrap();
    digests(&mut simulation, 700);
    let [x, y] = simulation.position_m(agent, 1.0).unwrap();
    assert!((x - 9.0).abs() < 0.1 && (y - 1.0).abs() < 0.1, "{x} {y}");
}

#[test]
fn a_goal_moves_to_a_region_by_an_event() {
    let moving = format!(
        "{ROOM}\n[[region]]\nname = \"corner\"\nrect = [0.5, 5, 1.5, 5.8]\n[[event]]\nat_s = 1.0\nmove_goal = \"out\"\nto = \"corner\"\n"
    );
    let mut simulation = Simulation::new(scenario(&moving));
    digests(&mut simulation, 19);
    let before = simulation.agents().position[0];
    digests(&mut simulation, 45);
    let after = simulation.agents().position[0];
    assert!(after.x < before.x && after.y > before.y, "{before:?} {after:?}");
    run_to_end(&mut simulation);
    assert_eq!(simulation.record().counts.arrived, 1);
    let nowhere = Action::MoveGoal { goal: GoalId(0), shape: ShapeSpec::Region(RegionId(99)) };
    assert!(Simulation::new(scenario(&moving)).command(nowhere).is_err());
}

#[test]
fn a_preferred_velocity_overrules_guidance_until_it_is_taken_back() {
    let mut simulation = Simulation::new(scenario(ROOM));
    let record = simulation.step().unwrap();
    let agent = record.rows.id[0];
    simulation.command(Action::SetPreferredVelocity { agent, velocity_mps: Some([0.0, 1.0]) }).unwrap();
    digests(&mut simulation, 40);
    assert!(simulation.agents().position[0].y > 400_000);
    simulation.command(Action::SetPreferredVelocity { agent, velocity_mps: None }).unwrap();
    run_to_end(&mut simulation);
    assert_eq!(simulation.record().counts.arrived, 1);
}

#[test]
fn wrong_commands_are_refused_before_anything_changes() {
    let mut simulation = Simulation::new(scenario(ROOM));
    let unknown = |kind, id| CommandError::Unknown { kind, id };
    let refused = |simulation: &mut Simulation, action| simulation.command(action).unwrap_err();
    assert_eq!(refused(&mut simulation, Action::SetDoor { door: DoorId(3), open: true }), unknown("door", 3));
    assert_eq!(
        refused(&mut simulation, Action::SetGoal { agent: AgentId(0), goal: Some(GoalId(9)) }),
        unknown("goal", 9)
    );
    let ground = Action::SetGround {
        region: RegionId(0),
        price: Some(0.5),
        speed: None,
        closed_to: vec![],
        open_to: vec![],
    };
    assert!(matches!(refused(&mut simulation, ground), CommandError::Range { what: "a price", .. }));
    let speed = Action::SetSpeed { agent: AgentId(0), speed_mps: f64::NAN };
    assert!(matches!(refused(&mut simulation, speed), CommandError::Range { what: "a speed", .. }));
    let flat = Action::AddObstacle { shape: ShapeSpec::Rect([1.0, 1.0, 1.0, 2.0]) };
    assert!(matches!(refused(&mut simulation, flat), CommandError::Range { what: "a shape", .. }));
    let place =
        Action::AddAgent { at_m: [f64::INFINITY, 0.0], class: ClassId(0), goal: None, speed_mps: None };
    assert!(matches!(refused(&mut simulation, place), CommandError::Range { what: "a place", .. }));
}

#[test]
fn closed_ground_is_left_but_not_entered() {
    let mut simulation = Simulation::new(scenario(ROOM));
    let close = Action::SetGround {
        region: RegionId(1),
        price: None,
        speed: None,
        closed_to: vec![ClassId(0)],
        open_to: vec![],
    };
    simulation.command(close).unwrap();
    digests(&mut simulation, 200);
    assert_eq!(simulation.agents().state, [State::Unreachable]);
    assert!(simulation.agents().position[0].x < 500_000);
    let open = Action::SetGround {
        region: RegionId(1),
        price: Some(2.0),
        speed: Some(0.5),
        closed_to: vec![],
        open_to: vec![ClassId(0)],
    };
    simulation.command(open).unwrap();
    run_to_end(&mut simulation);
    assert_eq!(simulation.record().counts.arrived, 1);
}

#[test]
fn questions_are_answered() {
    let mut simulation = Simulation::new(shipped_scenario("bottleneck.toml"));
    digests(&mut simulation, 5);
    let (goal, class) = (GoalId(0), ClassId(0));
    let cost = simulation.remaining_cost(goal, class, [20.0, 3.5]).unwrap();
    assert!((cost - 4.5).abs() < 0.1, "{cost}");
    let direction = simulation.direction_at(goal, class, [20.0, 3.5]).unwrap();
    assert!(direction.x > 0.999);
    assert_eq!(simulation.remaining_cost(goal, class, [-3.0, 3.5]), None);
    let clearance = simulation.clearance_at([20.0, 3.5]).unwrap();
    assert!((clearance - 0.6).abs() < 1e-4, "{clearance}");
    let near = simulation.agents_within([12.0, 3.5], 1.5);
    let by_hand: Vec<_> = (0..simulation.agents().len())
        .filter(|&row| {
            let p = simulation.agents().position[row];
            let (dx, dy) = (f64::from(p.x) * 1e-5 - 12.0, f64::from(p.y) * 1e-5 - 3.5);
            dx * dx + dy * dy <= 1.5 * 1.5
        })
        .map(|row| simulation.agents().id[row])
        .collect();
    let mut sorted = near.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, by_hand);
    let id = simulation.agents().id[0];
    let (a, b) = (simulation.position_m(id, 0.0).unwrap(), simulation.position_m(id, 1.0).unwrap());
    let half = simulation.position_m(id, 0.5).unwrap();
    assert!((half[0] - f64::midpoint(a[0], b[0])).abs() < 1e-9);
}

#[test]
fn a_model_of_ones_own_steers() {
    #[derive(Debug)]
    struct Straight;
    impl throng::stage::steer::Steering for Straight {
        fn velocity(&self, input: &throng::stage::steer::SteerInput<'_>, row: usize) -> glam::Vec2 {
            input.preferred[row].toward * 0.5
        }
    }
    let mut simulation = Simulation::new(scenario(EVERYTHING));
    simulation.set_steering(Box::new(Straight));
    digests(&mut simulation, 200);
    let top = simulation.agents().velocity.iter().map(|v| v.length()).fold(0.0, f32::max);
    assert!(top > 0.4 && top < 0.51, "{top}");
}
