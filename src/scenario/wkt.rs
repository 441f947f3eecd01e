//! Well-known text: polygons of the walkable area, regions and obstacles.

use wkt::Wkt;
use wkt::types::{LineString, Polygon};

/// A polygon in metres: an outer ring and its holes, without the repeated last corner.
pub(super) type Polygon2 = Vec<Vec<[f64; 2]>>;

/// Parentheses deep at most: a collection of multipolygons needs four.
const DEPTH_MAX: usize = 8;

/// The polygons of a POLYGON, MULTIPOLYGON or GEOMETRYCOLLECTION of these.
///
/// # Errors
/// A sentence that says what is wrong.
pub(super) fn polygons(text: &str) -> Result<Vec<Polygon2>, String> {
    let mut depth = 0_usize;
    for byte in text.bytes() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEPTH_MAX {
            return Err(format!("this WKT is nested more than {DEPTH_MAX} deep"));
        }
    }
    let geometry: Wkt<f64> = text.trim().parse().map_err(|error| format!("this is not WKT: {error}"))?;
    let mut found = Vec::new();
    collect(&geometry, &mut found)?;
    if found.is_empty() { Err("this WKT holds no polygon".to_owned()) } else { Ok(found) }
}

fn collect(geometry: &Wkt<f64>, found: &mut Vec<Polygon2>) -> Result<(), String> {
    match geometry {
        Wkt::Polygon(polygon) => found.push(rings(polygon)?),
        Wkt::MultiPolygon(several) => {
            for polygon in several.polygons() {
                found.push(rings(polygon)?);
            }
        }
        Wkt::GeometryCollection(several) => {
            several.geometries().iter().try_for_each(|g| collect(g, found))?;
        }
        _ => return Err("only POLYGON, MULTIPOLYGON and GEOMETRYCOLLECTION of these have an area".to_owned()),
    }
    Ok(())
}

fn rings(polygon: &Polygon<f64>) -> Result<Polygon2, String> {
    if polygon.rings().is_empty() {
        return Err("a polygon is empty".to_owned());
    }
    polygon.rings().iter().map(ring).collect()
}

fn ring(line: &LineString<f64>) -> Result<Vec<[f64; 2]>, String> {
    let mut corners: Vec<[f64; 2]> = line.coords().iter().map(|c| [c.x, c.y]).collect();
    if corners.iter().flatten().any(|v| !v.is_finite()) {
        return Err("a coordinate is not a finite number".to_owned());
    }
    if corners.len() > 1 && corners.first() == corners.last() {
        corners.pop();
    }
    if corners.len() < 3 {
        return Err(format!("a ring needs at least 3 corners, this one has {}", corners.len()));
    }
    Ok(corners)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polygons_multipolygons_and_collections_are_read() {
        let square = "((0 0, 1 0, 1 1, 0 1, 0 0), (0.2 0.2, 0.4 0.2, 0.4 0.4, 0.2 0.2))";
        assert_eq!(polygons(&format!("POLYGON {square}")).unwrap()[0].len(), 2);
        assert_eq!(polygons(&format!("MULTIPOLYGON ({square}, {square})")).unwrap().len(), 2);
        assert_eq!(polygons(&format!("GEOMETRYCOLLECTION (POLYGON {square})")).unwrap()[0][0].len(), 4);
    }

    #[test]
    fn other_text_is_refused() {
        for wrong in ["", "POINT (1 2)", "POLYGON ((0 0, 1 1, 0 0))", "POLYGON ((0 0, 1 0", "POLYGON EMPTY"] {
            assert!(polygons(wrong).is_err(), "{wrong}");
        }
        assert!(polygons(&format!("GEOMETRYCOLLECTION {}", "(".repeat(100_000))).is_err());
    }
}
