//! Where people stay, how many, and how they get there when the ground changes.

use crate::common::{digests, scenario};
use throng::rows::State;
use throng::simulation::Simulation;

fn hall(size: [u32; 2], rest: &str) -> Simulation {
    let [x, y] = size;
    Simulation::new(scenario(&format!(
        "format = 1\nname = \"hall\"\nduration_s = 120.0\n[area]\ncell_m = 0.2\n\
         walkable = \"POLYGON ((0 0, {x} 0, {x} {y}, 0 {y}, 0 0))\"\n{rest}"
    )))
}

fn settled(simulation: &Simulation) -> usize {
    simulation.agents().state.iter().filter(|s| **s == State::Settled).count()
}

/// A place to stay fills however wide it is: its middle may be far from its edge.
#[test]
fn a_wide_place_fills() {
    for region in ["[20, 2, 36, 18]", "[25, 7, 31, 13]"] {
        let mut simulation = hall(
            [40, 20],
            &format!(
                "[[region]]\nname = \"start\"\nrect = [1, 5, 8, 15]\n[[region]]\nname = \"square\"\nrect = {region}\n\
                 [[goal]]\nname = \"stay\"\nregion = \"square\"\narrival = \"stay\"\n\
                 [[source]]\nname = \"people\"\nregion = \"start\"\ngoal = \"stay\"\ncount = 60\n"
            ),
        );
        digests(&mut simulation, u32::MAX);
        assert_eq!(settled(&simulation), 60, "{region}");
    }
}

/// A goal that moves holds as many as before.
#[test]
fn a_goal_that_moves_keeps_its_capacity() {
    let mut simulation = hall(
        [30, 10],
        "[[region]]\nname = \"start\"\nrect = [1, 1, 5, 9]\n[[region]]\nname = \"camp\"\nrect = [12, 2, 18, 8]\n\
         [[region]]\nname = \"hill\"\nrect = [22, 2, 28, 8]\n\
         [[goal]]\nname = \"stay\"\nregion = \"camp\"\narrival = \"stay\"\ncapacity = 5\n\
         [[source]]\nname = \"people\"\nregion = \"start\"\ngoal = \"stay\"\ncount = 12\n\
         [[event]]\nat_s = 25\nmove_goal = \"stay\"\nto = \"hill\"\n",
    );
    digests(&mut simulation, 490);
    assert_eq!(settled(&simulation), 5);
    digests(&mut simulation, u32::MAX);
    assert_eq!(settled(&simulation), 5);
    let on_the_hill = simulation.agents().position.iter().filter(|p| p.x > 2_150_000).count();
    assert!(on_the_hill >= 5, "{on_the_hill}");
}

/// Whom a closing door catches in its middle walks out of it, on the side of the goal.
#[test]
fn a_door_that_closes_lets_out_whom_it_catches() {
    for (goal_x, count) in [(29, 8), (0, 8)] {
        let mut simulation = hall(
            [30, 4],
            &format!(
                "[[region]]\nname = \"deck\"\nrect = [12, 0, 18, 4]\n[[region]]\nname = \"end\"\nrect = [{goal_x}, 0, {}, 4]\n\
                 [[door]]\nname = \"bridge\"\nregion = \"deck\"\n[[goal]]\nname = \"out\"\nregion = \"end\"\n\
                 [[source]]\nname = \"people\"\nregion = \"deck\"\ngoal = \"out\"\ncount = {count}\n\
                 [[event]]\nat_s = 0.2\nclose = \"bridge\"\n",
                goal_x + 1
            ),
        );
        digests(&mut simulation, u32::MAX);
        let counts = simulation.record().counts;
        assert_eq!((counts.arrived, counts.inside), (count, 0), "towards {goal_x}");
    }
}

/// Places to stay are laid out as if doors were open, for those who come, and wherever a body fits.
#[test]
fn every_place_that_holds_a_body_holds_one() {
    let walker = "[[agent]]\nat = [1, 3]\ngoal = \"g\"\n[[goal]]\nname = \"g\"\nregion = \"seats\"\narrival = \"stay\"\n";
    let behind_a_door = "[[region]]\nname = \"room\"\nrect = [6, 0, 12, 6]\n[[door]]\nname = \"d\"\nregion = \"room\"\n\
                         open = false\n[[event]]\nat_s = 10\nopen = \"d\"\n";
    let unused = "[[class]]\nname = \"huge\"\ncore_radius_m = 0.6\n";
    for (region, rest) in [
        ("rect = [8, 2, 10, 4]", behind_a_door),
        ("polygon = \"POLYGON ((8 2, 8.6 2, 8.6 2.3, 8.3 2.3, 8.3 2.6, 8 2.6, 8 2))\"", unused),
        ("rect = [11.7, 2.7, 12, 3.3]", ""),
        ("rect = [9, 0, 9.3, 0.3]", ""),
        ("rect = [4, 0, 8, 0.25]", ""),
        ("rect = [4, 0, 10, 0.19]", ""),
    ] {
        let seats = format!("[[region]]\nname = \"seats\"\n{region}\n{walker}{rest}");
        let mut simulation = hall([12, 6], &seats);
        digests(&mut simulation, u32::MAX);
        assert_eq!(settled(&simulation), 1, "{region}");
    }
}
