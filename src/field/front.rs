//! Fronts: what a solver goes on from. Values not yet passed on come out roughly the smallest first; solvers correct what
//! comes out of order.

use crate::space::CellIndex;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A value as it was when it was pushed, by its bits, and its cell: where the cell's value has changed since, the entry is
/// out of date.
pub(super) type Entry = (u32, CellIndex);

/// Values not yet passed on; none is negative.
pub(super) trait Front {
    fn push(&mut self, value: f32, cell: CellIndex);
    fn pop(&mut self) -> Option<Entry>;
}

/// A binary heap: the smallest first, however far the values lie apart.
#[derive(Default)]
pub(super) struct HeapFront(BinaryHeap<Reverse<Entry>>);

impl Front for HeapFront {
    fn push(&mut self, value: f32, cell: CellIndex) {
        // Bits of values that are not negative sort like the values.
        self.0.push(Reverse((value.to_bits(), cell)));
    }

    fn pop(&mut self) -> Option<Entry> {
        self.0.pop().map(|Reverse(entry)| entry)
    }
}

/// Buckets that a front passes through in turn (Dial 1969 for whole numbers): constant time, in order up to the width of a
/// bucket.
pub(super) struct BucketFront {
    /// As many as a power of two.
    buckets: Vec<Vec<Entry>>,
    per_bucket: f64,
    /// Which bucket comes next, counted from value 0.
    current: u64,
    /// What was in it when it was last looked into, and how much of that is out.
    now: Vec<Entry>,
    out: usize,
    /// How much is in the buckets.
    held: usize,
}

/// Beyond so many buckets, finding the next full one costs more than a heap.
const MOST_BUCKETS: f64 = 1024.0;

impl BucketFront {
    /// For values that lie at most `spread` apart, as the costliest step makes them; `None` where that takes too many
    /// buckets of such a width.
    pub(super) fn new(width: f64, spread: f64) -> Option<Self> {
        // A value may lie `spread` above the current bucket's upper edge.
        let buckets = spread / width + 2.0;
        (buckets <= MOST_BUCKETS).then(|| Self {
            buckets: vec![Vec::new(); (buckets as usize).next_power_of_two()],
            per_bucket: 1.0 / width,
            current: 0,
            now: Vec::new(),
            out: 0,
            held: 0,
        })
    }

    #[inline]
    fn bucket(&mut self, number: u64) -> &mut Vec<Entry> {
        let mask = self.buckets.len() - 1;
        &mut self.buckets[number as usize & mask]
    }

    /// Takes out the next bucket with something in it.
    fn look_further(&mut self) {
        self.now.clear();
        self.out = 0;
        while self.bucket(self.current).is_empty() {
            self.current += 1;
        }
        let mut now = std::mem::take(&mut self.now);
        std::mem::swap(&mut now, self.bucket(self.current));
        self.held -= now.len();
        self.now = now;
    }
}

impl Front for BucketFront {
    #[inline]
    fn push(&mut self, value: f32, cell: CellIndex) {
        let furthest = self.current + self.buckets.len() as u64 - 1;
        let bucket = ((f64::from(value) * self.per_bucket) as u64).clamp(self.current, furthest);
        self.bucket(bucket).push((value.to_bits(), cell));
        self.held += 1;
    }

    /// First in, first out: the oldest entries are about the smallest, so that less has to be corrected.
    #[inline]
    fn pop(&mut self) -> Option<Entry> {
        loop {
            if let Some(&entry) = self.now.get(self.out) {
                self.out += 1;
                return Some(entry);
            }
            if self.held == 0 {
                return None;
            }
            self.look_further();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_give_back_all_in_order_up_to_their_width() {
        let mut front = BucketFront::new(1.0, 5.0).expect("few buckets");
        let values = [3.2_f32, 0.1, 4.9, 0.7, 2.5];
        for (cell, &value) in values.iter().enumerate() {
            front.push(value, cell as CellIndex);
        }
        let popped: Vec<f32> =
            std::iter::from_fn(|| front.pop()).map(|(bits, _)| f32::from_bits(bits)).collect();
        assert_eq!(popped.len(), values.len());
        assert!(popped.windows(2).all(|w| w[0] < w[1] + 1.0), "{popped:?}");
    }

    #[test]
    fn values_too_far_apart_take_no_buckets() {
        assert!(BucketFront::new(1.0, 1e6).is_none());
    }
}
