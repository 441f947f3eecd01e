//! Digests: 64-bit xxh3, written as 16 hexadecimal digits.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// A 64-bit digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(pub u64);

impl std::fmt::Display for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl std::str::FromStr for Digest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let digits = text.len() == 16 && text.bytes().all(|b| b.is_ascii_hexdigit());
        digits
            .then(|| u64::from_str_radix(text, 16).ok())
            .flatten()
            .map(Self)
            .ok_or_else(|| format!("\"{text}\" is not a digest of 16 hexadecimal digits"))
    }
}

impl Serialize for Digest {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// The hash of a name, as random draws are addressed by it.
pub fn name_hash(name: &str) -> u64 {
    xxh3_64(name.as_bytes())
}

/// Builds a digest from values in a fixed order, each as little-endian bytes.
#[derive(Clone, Default)]
pub struct Digester(Xxh3);

impl Digester {
    /// A digester that has seen nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds bytes as they are.
    pub fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.update(bytes);
        self
    }

    /// Adds an unsigned integer.
    pub fn u32(&mut self, v: u32) -> &mut Self {
        self.bytes(&v.to_le_bytes())
    }

    /// Adds a signed integer.
    pub fn i32(&mut self, v: i32) -> &mut Self {
        self.bytes(&v.to_le_bytes())
    }

    /// Adds an unsigned 64-bit integer.
    pub fn u64(&mut self, v: u64) -> &mut Self {
        self.bytes(&v.to_le_bytes())
    }

    /// Adds the bits of a float.
    pub fn f32(&mut self, v: f32) -> &mut Self {
        self.u32(v.to_bits())
    }

    /// The digest of everything added so far.
    pub fn finish(&self) -> Digest {
        Digest(self.0.digest())
    }
}

impl std::fmt::Debug for Digester {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Digester({})", self.finish())
    }
}

/// The run's digest: chains the state digests of its ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DigestChain(Digest);

impl DigestChain {
    /// The chain of a run without ticks.
    pub fn new() -> Self {
        Self(Digest(0))
    }

    /// Adds the state digest of the next tick.
    pub fn push(&mut self, state: Digest) {
        self.0 = Digester::new().u64(self.0.0).u64(state.0).finish();
    }

    /// The digest of the run so far.
    pub fn digest(&self) -> Digest {
        self.0
    }
}

impl Default for DigestChain {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_written_and_read_as_sixteen_digits() {
        let digest = Digest(0x1a2b);
        assert_eq!(digest.to_string(), "0000000000001a2b");
        assert_eq!("0000000000001a2b".parse(), Ok(digest));
        for wrong in ["", "1a2b", "000000000000zzzz", "+000000000001a2b"] {
            assert!(wrong.parse::<Digest>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_chain_depends_on_order() {
        let chain = |states: [u64; 2]| {
            let mut chain = DigestChain::new();
            states.into_iter().for_each(|s| chain.push(Digest(s)));
            chain.digest()
        };
        assert_ne!(chain([1, 2]), chain([2, 1]));
    }
}
