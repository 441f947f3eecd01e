//! Traces as a whole: what goes in comes out, damage is found, and nothing panics.

use super::*;
use crate::base::{AgentId, Digest, GoalId, Tick};
use crate::record::TickRecord;
use crate::sample;
use crate::scenario::{Action, Command};
use proptest::prelude::*;
use std::fs;
use std::path::Path;
use std::sync::Arc;

fn options(every: u32) -> TraceOptions {
    TraceOptions { every, results_version: 3 }
}

fn write(folder: &Path, ticks: u32, every: u32) -> Vec<Frame> {
    write_blocks(folder, ticks, every, 200)
}

fn write_blocks(folder: &Path, ticks: u32, every: u32, block_ticks: usize) -> Vec<Frame> {
    let scenario = Arc::new(sample::scenario());
    let mut writer = TraceWriter::create(folder, &scenario, options(every)).unwrap();
    writer.block_ticks = block_ticks;
    let source = FrameSource { scenario: &scenario, every };
    let mut frames = Vec::new();
    sample::walk(ticks, |record: &TickRecord| {
        writer.record(record).unwrap();
        frames.push(source.frame(record).unwrap());
    });
    writer.finish().unwrap();
    frames
}

fn read(folder: &Path) -> Result<(Vec<Frame>, TraceEnd), TraceError> {
    let mut frames = TraceReader::open(folder)?.frames()?;
    let mut all = Vec::new();
    while let Some(frame) = frames.next_frame()? {
        all.push(frame);
    }
    Ok((all, frames.end().unwrap()))
}

/// Writes a file anew: some file systems wait for the disk when a file is cut short and written again.
fn rewrite(path: &Path, bytes: &[u8]) {
    let _ = fs::remove_file(path);
    fs::write(path, bytes).unwrap();
}

fn copy(from: &Path, to: &Path) {
    for name in [RUN_FILE, SCENARIO_FILE, COMMANDS_FILE, "agents.arrows", "ticks.arrows", "roster.arrows"] {
        fs::copy(from.join(name), to.join(name)).unwrap();
    }
    fs::create_dir_all(to.join("maps")).unwrap();
    fs::copy(from.join("maps/hall.wkt"), to.join("maps/hall.wkt")).unwrap();
}

#[test]
fn what_goes_in_comes_out() {
    for every in [1, 7] {
        let folder = tempfile::tempdir().unwrap();
        let written = write(folder.path(), 450, every);
        let (found, end) = read(folder.path()).unwrap();
        assert_eq!(found, written);
        assert_eq!(end, TraceEnd { tick: Some(450), finished: true });
        let reader = TraceReader::open(folder.path()).unwrap();
        assert_eq!(reader.scenario_text().unwrap(), sample::scenario().text);
        assert_eq!(reader.info().seed, 7);
        assert_eq!(reader.info().end.as_ref().unwrap().digest, found.last().unwrap().tick.run_digest);
        assert!(reader.info().altered_files(folder.path()).unwrap().is_empty());
        let roster: Vec<RosterRow> = reader.roster().unwrap().map(Result::unwrap).collect();
        assert_eq!(roster.len(), 5);
        assert_eq!((roster[0].name.as_deref(), roster[1].name.as_deref()), (Some("agent 0"), None));
        assert_eq!((roster[4].core_radius_m, roster[4].source.as_str()), (0.18, "crowd"));
    }
}

#[test]
fn positions_are_the_scenarios_own_and_exact() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), 3, 1);
    let (frames, _) = read(folder.path()).unwrap();
    let agent = &frames[0].agents.as_ref().unwrap()[0];
    assert_eq!((agent.x_m, agent.y_m), (32_500_001.050_03, 5_600_000.999_99));
    let place = sample::scenario().area.frame.place(agent.x_m, agent.y_m).unwrap();
    assert_eq!((place.x, place.y), (105_003, 99_999));
}

#[test]
fn a_killed_run_leaves_whole_blocks() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = Arc::new(sample::scenario());
    let mut writer = TraceWriter::create(folder.path(), &scenario, options(1)).unwrap();
    sample::walk(450, |record| writer.record(record).unwrap());
    std::mem::forget(writer);
    let (frames, end) = read(folder.path()).unwrap();
    assert_eq!((frames.len(), end), (400, TraceEnd { tick: Some(400), finished: false }));
    assert_eq!(end.to_string(), "ends at tick 400, not finished");
}

#[test]
fn a_cut_at_any_byte_leaves_whole_blocks() {
    let (whole, cut) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let written = write_blocks(whole.path(), 14, 2, 10);
    copy(whole.path(), cut.path());
    for name in ["ticks.arrows", "agents.arrows", "roster.arrows"] {
        let bytes = fs::read(whole.path().join(name)).unwrap();
        for length in 0..bytes.len() {
            rewrite(&cut.path().join(name), &bytes[..length]);
            let (frames, end) = read(cut.path()).unwrap();
            assert!(
                matches!(frames.len(), 0 | 1 | 10 | 11 | 14),
                "{name} cut at {length} gives {}",
                frames.len()
            );
            assert_eq!(frames[..], written[..frames.len()]);
            assert!(!end.finished, "{name} cut at {length}");
        }
        rewrite(&cut.path().join(name), &bytes);
    }
    let run = fs::read(whole.path().join(RUN_FILE)).unwrap();
    for length in 0..run.len() {
        rewrite(&cut.path().join(RUN_FILE), &run[..length]);
        assert!(read(cut.path()).is_err());
    }
}

#[test]
fn any_changed_byte_is_found() {
    let (whole, bad) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let scenario = Arc::new(sample::scenario());
    let mut writer = TraceWriter::create(whole.path(), &scenario, options(4)).unwrap();
    let action = Action::SetGoal { agent: AgentId(1), goal: Some(GoalId(1)) };
    writer.command(&Command { tick: Tick(2), action }).unwrap();
    sample::walk(20, |record| writer.record(record).unwrap());
    writer.finish().unwrap();
    copy(whole.path(), bad.path());
    let written = read(whole.path()).unwrap().0;
    let names = ["agents.arrows", "ticks.arrows", "roster.arrows", RUN_FILE, SCENARIO_FILE, COMMANDS_FILE];
    for name in names.into_iter().chain(["maps/hall.wkt"]) {
        let bytes = fs::read(whole.path().join(name)).unwrap();
        for place in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[place] ^= 1 << (place % 8);
            rewrite(&bad.path().join(name), &changed);
            if let Ok(reader) = TraceReader::open(bad.path()) {
                assert_eq!(reader.info().altered_files(bad.path()).unwrap(), [name]);
                reader.commands().unwrap().take_while(Result::is_ok).for_each(drop);
            }
            // Damage is an error, an early end or another value; where Arrow pads, it is nothing.
            if let Ok((frames, _)) = read(bad.path()) {
                assert!(frames.len() <= written.len());
            }
        }
        rewrite(&bad.path().join(name), &bytes);
    }
}

#[test]
fn a_length_beyond_all_bounds_is_damage() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), 20, 1);
    let path = folder.path().join("agents.arrows");
    let mut bytes = fs::read(&path).unwrap();
    bytes[4..8].copy_from_slice(&0x7fff_fff0_u32.to_le_bytes());
    fs::write(&path, bytes).unwrap();
    let error = read(folder.path()).unwrap_err();
    assert!(matches!(&error, TraceError::Damaged { file, .. } if file == "agents.arrows"), "{error}");
}

#[test]
fn commands_come_back_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = Arc::new(sample::scenario());
    let mut writer = TraceWriter::create(folder.path(), &scenario, options(1)).unwrap();
    let commands: Vec<Command> = (0..3)
        .map(|i| Command {
            tick: Tick(i),
            action: Action::SetSpeed { agent: AgentId(i), speed_mps: 0.1 + f64::from(i) },
        })
        .collect();
    for command in &commands {
        writer.command(command).unwrap();
    }
    writer.finish().unwrap();
    let reader = TraceReader::open(folder.path()).unwrap();
    let found: Result<Vec<Command>, _> = reader.commands().unwrap().collect();
    assert_eq!(found.unwrap(), commands);
    let path = folder.path().join(COMMANDS_FILE);
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, &text[..text.len() - 3]).unwrap();
    assert_eq!(reader.commands().unwrap().count(), 2);
}

#[test]
fn a_folder_with_other_things_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = Arc::new(sample::scenario());
    fs::write(folder.path().join("thesis.doc"), "years of work").unwrap();
    let error = TraceWriter::create(folder.path(), &scenario, options(1)).err().unwrap();
    assert!(matches!(&error, TraceError::Occupied { found, .. } if found == "thesis.doc"), "{error}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    let trace = folder.path().join("deep/trace");
    write(&trace, 20, 1);
    fs::write(trace.join("notes.txt"), "mine").unwrap();
    write(&trace, 10, 1);
    assert_eq!(read(&trace).unwrap().0.len(), 10);
    assert_eq!(fs::read_to_string(trace.join("notes.txt")).unwrap(), "mine");
    let mut other = sample::scenario();
    other.side_files = vec![("notes.txt".to_owned(), "not mine".to_owned())];
    assert!(TraceWriter::create(&trace, &Arc::new(other), options(1)).is_err());
    assert_eq!(fs::read_to_string(trace.join("notes.txt")).unwrap(), "mine");
}

#[test]
fn a_place_that_cannot_be_written_is_a_clear_error() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    let place = folder.path().join("file/trace");
    let error = TraceWriter::create(&place, &Arc::new(sample::scenario()), options(1)).err().unwrap();
    assert!(error.to_string().starts_with("cannot make the folder"), "{error}");
}

#[test]
fn files_from_outside_the_scenarios_folder_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut scenario = sample::scenario();
    scenario.side_files = vec![("../hall.wkt".to_owned(), String::new())];
    let error = TraceWriter::create(folder.path(), &Arc::new(scenario), options(1)).err().unwrap();
    assert!(matches!(error, TraceError::SideFile(_)));
}

#[test]
fn the_first_difference_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let frames = write(&folder.path().join("a"), 20, 1);
    write(&folder.path().join("b"), 20, 5);
    write(&folder.path().join("c"), 15, 1);
    let open = |name: &str| TraceReader::open(&folder.path().join(name)).unwrap();
    assert_eq!(compare(&open("a"), &open("a")).unwrap(), None);
    assert_eq!(compare(&open("a"), &open("b")).unwrap(), None);
    let short = compare(&open("a"), &open("c")).unwrap().unwrap();
    assert_eq!((short.tick, short.column, short.b.as_str()), (16, "tick", "ended"));

    let a = &frames[9];
    let changed = |change: &dyn Fn(&mut Frame)| {
        let mut b = a.clone();
        change(&mut b);
        compare_frames(a, &b).map(|d| (d.tick, d.column, d.agent))
    };
    assert_eq!(changed(&|_| {}), None);
    let without = |b: &mut Frame| b.agents.as_mut().unwrap().retain(|row| row.id != 2);
    assert_eq!(changed(&without), Some((10, "id", Some(2))));
    let flip = |b: &mut Frame| {
        let rows = b.agents.as_mut().unwrap();
        rows[3].vy_mps = -0.0;
        rows[1].goal = None;
    };
    assert_eq!(changed(&flip), Some((10, "goal", Some(1))));
    assert_eq!(changed(&|b| b.agents.as_mut().unwrap()[3].vy_mps = -0.0), Some((10, "vy_mps", Some(3))));
    assert_eq!(changed(&|b| b.tick.state_digest = Digest(1)), Some((10, "state_digest", None)));
    let mut b = a.clone();
    b.agents.as_mut().unwrap()[0].x_m += 0.25;
    assert_eq!(compare_frames(a, &b).unwrap().by, Some(0.25));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn nothing_in_a_stream_panics(
        which in 0..3_usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), 12, 1);
        let path = folder.path().join(["agents.arrows", "ticks.arrows", "roster.arrows"][which]);
        let mut bytes = fs::read(&path).unwrap();
        for (place, value) in changes {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        fs::write(&path, bytes).unwrap();
        let _ = read(folder.path());
    }
}
