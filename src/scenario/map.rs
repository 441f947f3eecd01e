//! Drawn maps and MovingAI maps.

/// A map as characters; the top line first, lines padded with solid cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CharMap {
    pub(super) columns: usize,
    pub(super) lines: Vec<Vec<char>>,
}

impl CharMap {
    /// A map drawn in the scenario: `#` is solid, and so is what lies beyond a short line.
    pub(super) fn drawn(text: &str) -> Self {
        let text = text.strip_prefix('\n').unwrap_or(text);
        let mut lines: Vec<Vec<char>> = text.lines().map(|line| line.trim_end().chars().collect()).collect();
        while lines.last().is_some_and(Vec::is_empty) {
            lines.pop();
        }
        let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
        lines.iter_mut().for_each(|line| line.resize(columns, '#'));
        Self { columns, lines }
    }

    /// A MovingAI map (Sturtevant 2012): passable `.`, `G` and `S` become `.`, everything else is solid.
    ///
    /// # Errors
    /// A sentence that says what is wrong, with the line of the file.
    pub(super) fn moving_ai(text: &str) -> Result<Self, String> {
        let mut lines = text.lines().enumerate();
        let (mut height, mut width) = (None, None);
        loop {
            let (number, line) = lines.next().ok_or("the map ends before a line \"map\"")?;
            let mut words = line.split_whitespace();
            let size = |word: Option<&str>| {
                let size = word.and_then(|w| w.parse::<usize>().ok()).filter(|&n| n > 0);
                size.ok_or_else(|| format!("line {}: a size must be a whole number above 0", number + 1))
            };
            match words.next() {
                Some("map") => break,
                Some("height") => height = Some(size(words.next())?),
                Some("width") => width = Some(size(words.next())?),
                Some("type") => {}
                _ => {
                    return Err(format!(
                        "line {}: \"type\", \"height\", \"width\" or \"map\" belongs here",
                        number + 1
                    ));
                }
            }
        }
        let height = height.ok_or("the map does not say its height")?;
        let columns = width.ok_or("the map does not say its width")?;
        let mut rows = Vec::new();
        for (number, line) in lines.by_ref().take(height) {
            let row: Vec<char> = line
                .trim_end()
                .chars()
                .map(|c| if matches!(c, '.' | 'G' | 'S') { '.' } else { '#' })
                .collect();
            if row.len() != columns {
                return Err(format!("line {}: {} cells where {columns} belong", number + 1, row.len()));
            }
            rows.push(row);
        }
        if rows.len() < height {
            return Err(format!("the map ends after {} of {height} rows", rows.len()));
        }
        Ok(Self { columns, lines: rows })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_lines_are_solid_beyond_their_end() {
        let map = CharMap::drawn("\n###\n#.\n###\n");
        assert_eq!((map.columns, map.lines.len()), (3, 3));
        assert_eq!(map.lines[1], ['#', '.', '#']);
    }

    #[test]
    fn moving_ai_maps_are_read_and_checked() {
        let map = CharMap::moving_ai("type octile\nheight 2\nwidth 3\nmap\n.G@\nTS.\n").unwrap();
        assert_eq!(map.lines, [['.', '.', '#'], ['#', '.', '.']]);
        for wrong in [
            "",
            "type octile\nheight 2\nwidth 3\nmap\n...\n",
            "height x\n",
            "height 1\nwidth 2\nmap\n...\n",
            "nonsense",
        ] {
            assert!(CharMap::moving_ai(wrong).is_err(), "{wrong}");
        }
    }
}
