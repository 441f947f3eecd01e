//! The crowd of this crate's scenarios: a change of any result is shown line by line, with the first tick that differs.

#[test]
fn the_door_lets_everybody_out() {
    throng::assert_run!("scenarios/door.toml");
}
