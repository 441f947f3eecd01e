//! Plain solvers as textbooks print them, for comparison only: a binary heap, one grid of distances, no tricks.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Dijkstra (1959) over eight neighbours, 1 and sqrt 2; a diagonal needs both flanks open.
pub(crate) fn dijkstra(open: &[bool], side: usize, goal: usize) -> Vec<f64> {
    let mut distance = vec![f64::INFINITY; open.len()];
    let mut heap = BinaryHeap::from([Reverse((0_u64, goal))]);
    distance[goal] = 0.0;
    let is_open = |x: i64, y: i64| {
        let inside = (0..side as i64).contains(&x) && (0..side as i64).contains(&y);
        inside && open[y as usize * side + x as usize]
    };
    while let Some(Reverse((bits, cell))) = heap.pop() {
        let here = f64::from_bits(bits);
        if here > distance[cell] {
            continue;
        }
        let (x, y) = ((cell % side) as i64, (cell / side) as i64);
        for (dx, dy) in (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy))) {
            let may_go = is_open(x + dx, y + dy) && is_open(x + dx, y) && is_open(x, y + dy);
            if (dx, dy) == (0, 0) || !may_go {
                continue;
            }
            let length = if dx != 0 && dy != 0 { std::f64::consts::SQRT_2 } else { 1.0 };
            let next = (y + dy) as usize * side + (x + dx) as usize;
            if here + length < distance[next] {
                distance[next] = here + length;
                heap.push(Reverse(((here + length).to_bits(), next)));
            }
        }
    }
    distance
}

/// Fast marching (Sethian 1996), first order, speed 1.
pub(crate) fn fast_marching(open: &[bool], side: usize, goal: usize) -> Vec<f64> {
    let mut distance = vec![f64::INFINITY; open.len()];
    let mut is_known = vec![false; open.len()];
    let mut heap = BinaryHeap::from([Reverse((0_u64, goal))]);
    distance[goal] = 0.0;
    let neighbours = |cell: usize| {
        let (x, y) = (cell % side, cell / side);
        [
            (x > 0).then(|| cell - 1),
            (x + 1 < side).then(|| cell + 1),
            (y > 0).then(|| cell - side),
            (y + 1 < side).then(|| cell + side),
        ]
    };
    while let Some(Reverse((_, cell))) = heap.pop() {
        if std::mem::replace(&mut is_known[cell], true) {
            continue;
        }
        for next in neighbours(cell).into_iter().flatten().filter(|&next| open[next]) {
            if is_known[next] {
                continue;
            }
            let value = |side: Option<usize>| side.map_or(f64::INFINITY, |c| distance[c]);
            let [left, right, down, up] = neighbours(next).map(value);
            let (a, b) = (left.min(right), down.min(up));
            let apart = (a - b).abs();
            let through = if apart >= 1.0 {
                a.min(b) + 1.0
            } else {
                f64::midpoint(a, b) + (2.0 - apart * apart).sqrt() / 2.0
            };
            if through < distance[next] {
                distance[next] = through;
                heap.push(Reverse((through.to_bits(), next)));
            }
        }
    }
    distance
}
