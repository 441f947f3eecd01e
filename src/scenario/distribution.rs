//! What a class's attributes are drawn from.

use crate::base::Draws;

/// A distribution of one number.
#[derive(Clone, Debug, PartialEq)]
pub enum Distribution {
    /// Always this.
    Fixed(f64),
    /// Normal, redrawn until within `[min, max]`.
    Normal {
        /// Of the distribution before bounds.
        mean: f64,
        /// Standard deviation before bounds.
        sd: f64,
        /// The least value.
        min: f64,
        /// The largest value.
        max: f64,
    },
    /// Uniform between the two.
    Uniform(f64, f64),
    /// One of these, each as likely.
    List(Vec<f64>),
    /// The exponential of a normal value, redrawn until within `[min, max]`.
    LogNormal {
        /// Mean of the logarithm.
        mu: f64,
        /// Standard deviation of the logarithm.
        sigma: f64,
        /// The least value.
        min: f64,
        /// The largest value.
        max: f64,
    },
}

/// Draws before a bound that is all but never met is enforced by clamping.
const REDRAWS: u32 = 1000;

impl Distribution {
    /// The value at the address that `draws` begin at.
    pub fn draw(&self, draws: &mut Draws) -> f64 {
        match *self {
            Self::Fixed(value) => value,
            Self::Normal { mean, sd, min, max } => within(min, max, || mean + sd * draws.normal()),
            Self::Uniform(low, high) => draws.between(low, high),
            Self::List(ref values) => {
                let i = (draws.unit() * values.len() as f64) as usize;
                values.get(i).or(values.last()).copied().unwrap_or(0.0)
            }
            Self::LogNormal { mu, sigma, min, max } => {
                within(min, max, || libm::exp(mu + sigma * draws.normal()))
            }
        }
    }

    /// The least and the largest value it can give.
    pub fn range(&self) -> (f64, f64) {
        match *self {
            Self::Fixed(value) => (value, value),
            Self::Normal { min, max, .. } | Self::LogNormal { min, max, .. } => (min, max),
            Self::Uniform(low, high) => (low, high),
            Self::List(ref values) => values
                .iter()
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &v| (low.min(v), high.max(v))),
        }
    }
}

fn within(min: f64, max: f64, mut draw: impl FnMut() -> f64) -> f64 {
    let mut value = draw();
    for _ in 0..REDRAWS {
        if (min..=max).contains(&value) {
            return value;
        }
        value = draw();
    }
    value.clamp(min, max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Purpose;

    #[test]
    fn values_stay_within_their_range() {
        let all = [
            Distribution::Fixed(1.0),
            Distribution::Normal { mean: 1.34, sd: 0.26, min: 0.5, max: 2.2 },
            Distribution::Normal { mean: 0.0, sd: 0.1, min: 5.0, max: 6.0 },
            Distribution::Uniform(0.97, 1.62),
            Distribution::List(vec![1.0, 2.0, 4.0]),
            Distribution::LogNormal { mu: 0.0, sigma: 1.0, min: 0.1, max: 3.0 },
        ];
        for distribution in all {
            let (low, high) = distribution.range();
            for i in 0..500 {
                let value = distribution.draw(&mut Draws::at(1, Purpose::Speed, 0, i, 0));
                assert!((low..=high).contains(&value), "{distribution:?} gave {value}");
            }
        }
    }
}
