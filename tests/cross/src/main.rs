//! Prints the digests of the scenes.

fn main() {
    print!("{}", cross::digests());
}
