//! Small arithmetic whose bits are the same everywhere.

/// `v` with a negative zero made positive, so that the sign of nothing never reaches a digest.
pub fn positive_zero(v: f32) -> f32 {
    v + 0.0
}

/// The share of a difference that an exponential relaxation with time constant `relaxation_s` closes in `tick_s`:
/// `1 - exp(-tick / relaxation)`. Uses `libm`; called once at load, never in the tick.
pub fn relaxation_factor(tick_s: f64, relaxation_s: f64) -> f32 {
    if relaxation_s <= 0.0 { 1.0 } else { (1.0 - libm::exp(-tick_s / relaxation_s)) as f32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_has_one_sign() {
        assert_eq!(positive_zero(-0.0).to_bits(), 0.0_f32.to_bits());
        assert_eq!(positive_zero(-1.5).to_bits(), (-1.5_f32).to_bits());
    }

    #[test]
    fn relaxation_is_complete_without_inertia() {
        assert_eq!(relaxation_factor(0.05, 0.0).to_bits(), 1.0_f32.to_bits());
        assert!((relaxation_factor(0.05, 0.3) - 0.153_518).abs() < 1e-6);
    }
}
