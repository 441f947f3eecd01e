//! Units by the last part of a key's name, as everywhere in the project.

/// The unit of a key that says it in its name.
pub(in crate::scenario) fn unit_of(key: &str) -> Option<&'static str> {
    let units = [
        ("_per_s", "1/s"),
        ("_per_m2", "1/m2"),
        ("_mps", "m/s"),
        ("_ms", "ms"),
        ("_mb", "MB"),
        ("_m", "m"),
        ("_s", "s"),
    ];
    units.into_iter().find(|(ending, _)| key.ends_with(ending)).map(|(_, unit)| unit)
}
