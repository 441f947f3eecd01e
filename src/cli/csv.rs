//! `run --csv`: single agents, crossings and measurements as tables, written as they come.

use super::failure::Failure;
use crate::base::AgentId;
use crate::summary::{AgentOutcome, Outcomes};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// The three tables of a run.
pub(super) struct CsvTables {
    folder: PathBuf,
    agents: BufWriter<File>,
    lines: BufWriter<File>,
    measures: BufWriter<File>,
    failed: Option<std::io::Error>,
}

impl CsvTables {
    /// Begins `agents.csv`, `lines.csv` and `measures.csv` in `folder`, which is made where it does not exist.
    pub(super) fn create(folder: &Path) -> Result<Self, Failure> {
        let failed =
            |e: std::io::Error| Failure::input(format!("cannot write tables to {}: {e}", folder.display()));
        std::fs::create_dir_all(folder).map_err(failed)?;
        let begin = |name: &str, header: &str| -> std::io::Result<BufWriter<File>> {
            let mut file = BufWriter::new(File::create(folder.join(name))?);
            writeln!(file, "{header}")?;
            Ok(file)
        };
        let agents = "id,source,class,free_speed_mps,admitted_s,arrived_s,exit,path_m,waited_s,state";
        Ok(Self {
            folder: folder.to_owned(),
            agents: begin("agents.csv", agents).map_err(failed)?,
            lines: begin("lines.csv", "t_s,line,direction,id").map_err(failed)?,
            measures: begin("measures.csv", "t_s,measure,density_per_m2,speed_mps,flow_per_ms")
                .map_err(failed)?,
            failed: None,
        })
    }

    /// Ends the tables, and tells the first thing that went wrong with them.
    pub(super) fn finish(mut self) -> Result<(), Failure> {
        let flushed =
            self.agents.flush().and_then(|()| self.lines.flush()).and_then(|()| self.measures.flush());
        match self.failed.take().or(flushed.err()) {
            None => Ok(()),
            Some(e) => Err(Failure::run(format!("cannot write tables to {}: {e}", self.folder.display()))),
        }
    }

    fn keep(&mut self, written: std::io::Result<()>) {
        if let Err(error) = written {
            self.failed.get_or_insert(error);
        }
    }
}

impl Outcomes for CsvTables {
    fn agent(&mut self, agent: &AgentOutcome<'_>) {
        let written = writeln!(
            self.agents,
            "{},{},{},{},{},{},{},{:.5},{},{}",
            agent.id,
            quoted(agent.source),
            quoted(agent.class),
            agent.free_speed_mps,
            agent.admitted_s,
            agent.arrived_s.map_or_else(String::new, |t| t.to_string()),
            quoted(agent.exit.unwrap_or("")),
            agent.path_m,
            agent.waited_s,
            agent.state
        );
        self.keep(written);
    }

    fn crossing(&mut self, t_s: f64, line: &str, rightwards: bool, agent: AgentId) {
        let direction = if rightwards { "rightwards" } else { "leftwards" };
        let written = writeln!(self.lines, "{t_s},{},{direction},{agent}", quoted(line));
        self.keep(written);
    }

    fn measured(&mut self, t_s: f64, measure: &str, density_per_m2: f32, speed_mps: f32) {
        let flow = f64::from(density_per_m2) * f64::from(speed_mps);
        let written =
            writeln!(self.measures, "{t_s},{},{density_per_m2},{speed_mps},{flow:.6}", quoted(measure));
        self.keep(written);
    }
}

/// A name as CSV wants it (RFC 4180).
fn quoted(name: &str) -> String {
    if name.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use crate::summary::Summary;
    use std::sync::Arc;

    #[test]
    fn tables_have_one_row_for_each_thing() {
        let folder = tempfile::tempdir().unwrap();
        let tables = CsvTables::create(&folder.path().join("deep")).unwrap();
        let mut summary = Summary::with_outcomes(&Arc::new(sample::scenario()), tables);
        let mut run = sample::HandRun::new();
        run.begin();
        (0..3).for_each(|id| run.admit(sample::row(id, 100_000 * (id as i32 + 1), 100_000)));
        summary.observe(&run.end());
        run.begin();
        run.cross(1, false);
        run.measure(2, 0.5, 1.25);
        run.arrive(0);
        summary.observe(&run.end());
        summary.finish().finish().unwrap();
        let read = |name: &str| std::fs::read_to_string(folder.path().join("deep").join(name)).unwrap();
        assert_eq!(
            read("agents.csv").lines().skip(1).collect::<Vec<_>>(),
            [
                "0,crowd,adult,1,0,0.1,east,0.00000,0.05,arrived",
                "1,crowd,adult,1,0,,,0.00000,0.1,walking",
                "2,crowd,adult,1,0,,,0.00000,0.1,walking"
            ]
        );
        assert_eq!(read("lines.csv"), "t_s,line,direction,id\n0.1,door,leftwards,1\n");
        assert_eq!(
            read("measures.csv"),
            "t_s,measure,density_per_m2,speed_mps,flow_per_ms\n0.1,mid,0.5,1.25,0.625000\n"
        );
    }

    #[test]
    fn names_with_commas_are_quoted() {
        assert_eq!(quoted("a \"b\", c"), "\"a \"\"b\"\", c\"");
        assert_eq!(quoted("hall 3"), "hall 3");
    }
}
