//! Regions, doors, ground, measuring lines and areas.

use super::super::file::File;
use super::super::{Door, Ground, Line, Measure, Region};
use super::{Base, Check, Classes, Names, names_of, number};
use crate::base::RegionId;
use crate::space::{Area, GridFrame, Shape};
use std::collections::BTreeMap;

/// Regions by name.
#[derive(Default)]
pub(super) struct Regions {
    shapes: BTreeMap<String, Shape>,
}

impl Regions {
    pub(super) fn insert(&mut self, name: String, shape: Shape) {
        self.shapes.insert(name, shape);
    }

    pub(super) fn names(&self) -> Names {
        names_of(self.shapes.keys())
    }

    pub(super) fn shape(&self, index: usize) -> Option<&Shape> {
        self.shapes.values().nth(index)
    }

    pub(super) fn into_list(self) -> Vec<Region> {
        self.shapes.into_iter().map(|(name, shape)| Region { name, shape }).collect()
    }
}

impl Check<'_> {
    pub(super) fn regions(&mut self, file: &File, ground: &Base<'_>, regions: &mut Regions) {
        for (name, shape) in &regions.shapes {
            if self.knows_area && !has_walkable_place(shape, ground.area, ground.grid) {
                let span =
                    file.area.as_ref().and_then(|a| a.legend.as_ref()).map_or(0..0, |l| l.span.clone());
                self.add(&span, format!("region \"{name}\" has no walkable place"), "an obstacle covers it");
            }
        }
        for (name, entry) in self.by_name(file.region.as_ref(), "region", |r| r.name.as_ref()) {
            let shapes = (entry.rect.as_ref(), entry.polygon.as_ref(), entry.circle.as_ref());
            let Some(shape) = self.shape(shapes, &entry.value, ground.area.frame) else {
                // Known by name all the same, so that nothing else is reported for it.
                regions.shapes.entry(name).or_insert(Shape::Boxes(Vec::new()));
                continue;
            };
            if regions.shapes.contains_key(&name) {
                self.add(
                    &entry.span,
                    format!("region \"{name}\" is in the legend already"),
                    "names must differ",
                );
            } else if !has_walkable_place(&shape, ground.area, ground.grid) {
                let message = format!("region \"{name}\" has no walkable place");
                self.add(&entry.span, message, "it lies outside the area or inside an obstacle");
                regions.insert(name, shape);
            } else {
                regions.insert(name, shape);
            }
        }
    }

    pub(super) fn doors(&mut self, file: &File, regions: &Regions) -> (Vec<Door>, Names) {
        let region_names = regions.names();
        let mut doors = Vec::new();
        let entries = self.by_name(file.door.as_ref(), "door", |d| d.name.as_ref());
        let names = names_of(entries.iter().map(|(name, _)| name));
        for (name, entry) in entries {
            let region =
                self.required_reference(entry.region.as_ref(), &region_names, "region", &entry.value);
            let one_way = entry.one_way.as_ref();
            if let Some(way) = one_way.filter(|w| w.value == [0.0, 0.0]) {
                self.add(&way.span, "[0, 0] is no direction", "for example [1, 0] for towards +x");
            }
            let Some(region) = region else { continue };
            doors.push(Door {
                name,
                region: RegionId::from_index(region),
                open: entry.open(),
                one_way: one_way.map(|w| w.value),
                max_flow_per_s: number(entry.max_flow_per_s.as_ref()),
            });
        }
        (doors, names)
    }

    pub(super) fn grounds(&mut self, file: &File, regions: &Regions, classes: &Classes) -> Vec<Ground> {
        let region_names = regions.names();
        let mut grounds: BTreeMap<usize, Ground> = BTreeMap::new();
        for entry in file.ground.iter().flat_map(|list| &list.value) {
            let region =
                self.required_reference(entry.region.as_ref(), &region_names, "region", &entry.value);
            let mut prices = vec![entry.price() as f32; classes.list.len()];
            for (class, value) in entry.prices.iter().flat_map(|p| &p.value) {
                let name = super::At { value: class.clone(), span: value.span.clone() };
                if let Some(class) = self.reference(Some(&name), &classes.names, "class") {
                    prices[class] = value.value as f32;
                }
            }
            let mut closed_to = vec![false; classes.list.len()];
            for class in entry.closed_to.iter().flat_map(|c| &c.value) {
                if let Some(class) = self.reference(Some(class), &classes.names, "class") {
                    closed_to[class] = true;
                }
            }
            let Some(region) = region else { continue };
            let ground = Ground {
                region: RegionId::from_index(region),
                prices,
                speed: entry.speed() as f32,
                closed_to,
            };
            if grounds.insert(region, ground).is_some() {
                let span = entry.region.as_ref().map_or(entry.span.clone(), |r| r.span.clone());
                self.add(&span, "this region has a [[ground]] already", "one ground a region");
            }
        }
        grounds.into_values().collect()
    }

    pub(super) fn lines(&mut self, file: &File, ground: &Base<'_>) -> (Vec<Line>, Names) {
        let mut lines = Vec::new();
        let entries = self.by_name(file.line.as_ref(), "line", |l| l.name.as_ref());
        let names = names_of(entries.iter().map(|(name, _)| name));
        for (name, entry) in entries {
            let (Some(from), Some(to)) = (&entry.from, &entry.to) else {
                let message = format!("line \"{name}\" lacks an end");
                self.missing(&entry.value, message, "add: from = [x, y] and to = [x, y]");
                continue;
            };
            let ends = (self.place(from, ground.area.frame), self.place(to, ground.area.frame));
            let (Some(from_place), Some(to_place)) = ends else { continue };
            if from_place == to_place {
                self.add(&to.span, format!("line \"{name}\" has no length"), "its ends must differ");
            }
            lines.push(Line { name, from: from_place, to: to_place });
        }
        (lines, names)
    }

    pub(super) fn measures(
        &mut self,
        file: &File,
        ground: &Base<'_>,
        regions: &Regions,
    ) -> (Vec<Measure>, Names) {
        let region_names = regions.names();
        let mut measures = Vec::new();
        let entries = self.by_name(file.measure.as_ref(), "measure", |m| m.name.as_ref());
        let names = names_of(entries.iter().map(|(name, _)| name));
        for (name, entry) in entries {
            let region =
                self.required_reference(entry.region.as_ref(), &region_names, "region", &entry.value);
            let from = self.tick(entry.from_s.as_ref(), ground);
            let until_s = number(entry.until_s.as_ref());
            let until = until_s.map_or(ground.last_tick, |s| ground.clock.tick_at(s).min(ground.last_tick));
            if from >= until {
                let span = entry.until_s.as_ref().map_or(entry.span.clone(), |u| u.span.clone());
                self.add(
                    &span,
                    format!("measure \"{name}\" ends before it begins"),
                    "until_s must be after from_s",
                );
            }
            let Some(region) = region else { continue };
            measures.push(Measure { name, region: RegionId::from_index(region), window: (from, until) });
        }
        (measures, names)
    }
}

/// Whether a centre may stand somewhere in a shape: at its anchor, or at one of the cell centres or corners in it.
pub(super) fn has_walkable_place(shape: &Shape, area: &Area, grid: GridFrame) -> bool {
    let stands = |p: crate::base::Point| shape.contains(p) && area.contains(p);
    if shape.anchor().is_some_and(|p| area.contains(p)) {
        return true;
    }
    let Some(bounds) = shape.bounds() else { return false };
    let finest = (bounds.max.x - bounds.min.x).min(bounds.max.y - bounds.min.y) / 4;
    let step = grid
        .cell
        .min(finest.max(100))
        .max(((bounds.max.x - bounds.min.x).max(bounds.max.y - bounds.min.y)) / 2000);
    let steps = |low: i32, high: i32| (0..=(high - low) / step).map(move |i| low + i * step + step / 2);
    steps(bounds.min.y, bounds.max.y)
        .any(|y| steps(bounds.min.x, bounds.max.x).any(|x| stands(crate::base::Point::new(x, y))))
}
