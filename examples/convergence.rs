//! Prints how the largest error of the eikonal solvers falls as cells get smaller, against exact solutions.
#![expect(clippy::print_stdout, reason = "printing a table is what it is for")]

#[path = "../tests/it/square.rs"]
mod square;

use square::Square;
use throng::field::Guidance;

fn main() {
    for (name, side, slope) in
        [("1 on [-1, 1]^2", 2.0, (0.0, 0.0)), ("1 + 0.5 x + 0.3 y on [0, 1]^2", 1.0, (0.5, 0.3))]
    {
        for (place, part) in [("middle", 2), ("corner", u32::MAX)] {
            println!("\nspeed {name}, goal in the {place}");
            println!("    N    1st order    2nd order 1st factored 2nd factored");
            for n in [20, 40, 80, 160, 320, 640, 1280] {
                print_row(&Square { n, side, goal: (n / part, n / part), slope });
            }
        }
    }
}

/// The largest error of each method.
fn print_row(square: &Square) {
    let error = |(order, factored): (u8, bool)| {
        let guidance = Guidance { order, factored, ..Guidance::default() };
        format!("{:>12.3e}", square.largest_error(&guidance))
    };
    let errors = [(1, false), (2, false), (1, true), (2, true)].map(error);
    println!("{:>5} {}", square.n, errors.join(" "));
}
