//! The edits of the town from frame to frame.

use crate::dice::Dice;
use crate::house;
use crate::parts::{COATS, Site};
use crate::people::People;
use crate::town::{self, AXLES, BLOCKS, CROWN, PITCH, Town};
use crate::turn::{Life, Tally};
use hedgerow::glam::Quat;
use hedgerow::{Error, Keep, NodeHandle, Scene, Transform, Visibility};
use hedgerow_character::CharacterError;
use std::collections::VecDeque;
use std::f32::consts::TAU;

/// The number of houses that are torn down in a frame, and of those that are built; each is about 1 % of the nodes.
const HOUSES: usize = 8;
/// The number of frames for which a lot stays empty.
const EMPTY_FRAMES: usize = 5;
/// The number of houses whose doors move in a frame.
const DOORS: usize = 40;
/// The numbers of pieces of furniture that are moved within a house and between houses in a frame.
const MOVES: (usize, usize) = (60, 20);
/// One in this many trees sways in a frame.
const GUST: usize = 4;

/// The life of a town: its edits and its people.
pub(crate) struct TownLife {
    pub(crate) bustle: Bustle,
    pub(crate) people: People,
}

/// The edits of a town.
pub(crate) struct Bustle {
    town: Town,
    dice: Dice,
    empty_lots: VecDeque<usize>,
    dark_street: Option<usize>,
    /// Local transforms to set as one batch; reused to save allocations.
    moves: Vec<(NodeHandle, Transform)>,
}

impl TownLife {
    /// Returns the life of a town that was just built. Empties some lots, so that the first frame is like any other.
    pub(crate) fn new(scene: &mut Scene, town: Town, people: u32, seed: u64) -> Result<Self, CharacterError> {
        let people = People::new(scene, &town.streets, people, seed)?;
        let mut bustle =
            Bustle { town, dice: Dice::new(!seed), empty_lots: VecDeque::new(), dark_street: None, moves: Vec::new() };
        for _ in 0..EMPTY_FRAMES {
            bustle.tear_down(scene, &mut Tally::default())?;
        }
        Ok(Self { bustle, people })
    }
}

impl Life for TownLife {
    fn frame(&mut self, scene: &mut Scene, frame: usize) -> Result<Tally, CharacterError> {
        self.bustle.frame(scene, frame)
    }

    fn characters(&self) -> usize {
        self.people.len()
    }

    fn animate(&mut self, scene: &mut Scene) -> Result<(), CharacterError> {
        self.people.frame(scene)
    }
}

impl Bustle {
    pub(crate) fn frame(&mut self, scene: &mut Scene, frame: usize) -> Result<Tally, CharacterError> {
        let mut tally = Tally::default();
        self.moves.clear();
        self.drive(scene, &mut tally)?;
        self.sway(frame);
        self.turn_doors(scene, frame);
        scene.set_locals(self.moves.iter().copied())?;
        tally.set += self.moves.len();
        self.move_furniture(scene, &mut tally)?;
        let empty = self.empty_lots.len();
        self.tear_down(scene, &mut tally)?;
        self.build(scene, self.empty_lots.len() - empty, &mut tally)?;
        self.switch_lanterns(scene, &mut tally)?;
        self.paint(scene, &mut tally)?;
        Ok(tally)
    }

    /// Drives all cars and turns their wheels; at a crossing a car may change streets.
    fn drive(&mut self, scene: &mut Scene, tally: &mut Tally) -> Result<(), Error> {
        let length = BLOCKS as f32 * PITCH;
        for car in &mut self.town.cars {
            let before = car.along;
            car.along += car.speed;
            if !(0.0..=length).contains(&car.along) {
                car.along = before;
                car.speed = -car.speed;
            }
            if let Some(crossing) = crossing(before, car.along)
                && self.dice.chance(0.4)
            {
                let along_x = car.street <= BLOCKS;
                car.along = (car.street % (BLOCKS + 1)) as f32 * PITCH;
                car.street = if along_x { crossing + BLOCKS + 1 } else { crossing };
                scene.reparent(car.node, self.town.streets[car.street].traffic, Keep::World)?;
                tally.moved += 1;
            }
            self.moves.push((car.node, town::car_place(car.along, car.speed)));
            let rolled = Quat::from_rotation_x((car.along / 0.32) % TAU);
            let turned = |(axle, _)| Transform::from_translation(axle).with_rotation(rolled);
            self.moves.extend(car.wheels.into_iter().zip(AXLES.map(turned)));
        }
        Ok(())
    }

    /// Sways some of the trees.
    fn sway(&mut self, frame: usize) {
        for tree in self.town.trees.iter().skip(frame % GUST).step_by(GUST) {
            let bend = Quat::from_rotation_z(0.05 * (frame as f32 * 0.1 + tree.phase).sin());
            self.moves.push((tree.crown, Transform::from_translation(CROWN).with_rotation(bend)));
        }
    }

    fn turn_doors(&mut self, scene: &Scene, frame: usize) {
        let angle = 0.8 * (1.0 + (frame as f32 * 0.05).sin());
        for _ in 0..DOORS {
            let lot = self.dice.below(self.town.lots.len());
            for door in self.town.lots[lot].house.iter().flat_map(|house| &house.doors) {
                // If a cabinet was carried to a house that is gone, its doors' handles are stale.
                if !scene.contains(door.hinge) {
                    continue;
                }
                let open = Transform::from_translation(door.place).with_rotation(Quat::from_rotation_y(angle));
                self.moves.push((door.hinge, open));
            }
        }
    }

    /// Moves furniture to another room of its house or of another house.
    fn move_furniture(&mut self, scene: &mut Scene, tally: &mut Tally) -> Result<(), Error> {
        let (within, between) = MOVES;
        for i in 0..within + between {
            let from = self.dice.below(self.town.lots.len());
            let to = if i < within { from } else { self.dice.below(self.town.lots.len()) };
            let Some(piece) = self.take_piece(from) else { continue };
            let lot = if self.town.lots[to].house.is_some() { to } else { from };
            let Some(house) = &mut self.town.lots[lot].house else { continue };
            let room = self.dice.below(house.rooms.len());
            let room = &mut house.rooms[room];
            room.furniture.push(piece);
            scene.reparent(piece, room.node, Keep::Local)?;
            let mut site = Site::new(scene, &mut self.dice);
            let spot = house::spot(&mut site);
            scene.set_local(piece, spot)?;
            tally.moved += 1;
            tally.set += 1;
        }
        Ok(())
    }

    /// Takes a piece of furniture from the house on a lot, if it has any.
    fn take_piece(&mut self, lot: usize) -> Option<NodeHandle> {
        let house = self.town.lots[lot].house.as_mut()?;
        let room = self.dice.below(house.rooms.len());
        house.rooms[room].furniture.pop()
    }

    fn tear_down(&mut self, scene: &mut Scene, tally: &mut Tally) -> Result<(), Error> {
        for _ in 0..HOUSES {
            let lot = self.dice.below(self.town.lots.len());
            if let Some(house) = self.town.lots[lot].house.take() {
                tally.removed += scene.remove(house.node)?;
                self.empty_lots.push_back(lot);
            }
        }
        Ok(())
    }

    /// Builds houses on the lots that have been empty longest.
    fn build(&mut self, scene: &mut Scene, houses: usize, tally: &mut Tally) -> Result<(), Error> {
        for lot in self.empty_lots.drain(..houses) {
            let mut site = Site::new(scene, &mut self.dice);
            let lot = &mut self.town.lots[lot];
            lot.house = Some(house::build(&mut site, lot.node)?);
            tally.inserted += site.inserted;
        }
        Ok(())
    }

    /// Toggles the lanterns of one street.
    fn switch_lanterns(&mut self, scene: &mut Scene, tally: &mut Tally) -> Result<(), Error> {
        let street = self.dice.below(self.town.streets.len());
        if let Some(dark) = self.dark_street.replace(street) {
            scene.edit(self.town.streets[dark].lanterns)?.set_visibility(Visibility::Inherited);
            tally.set += 1;
        }
        scene.edit(self.town.streets[street].lanterns)?.set_visibility(Visibility::Hidden);
        tally.set += 1;
        Ok(())
    }

    /// Paints a house in another colour.
    fn paint(&mut self, scene: &mut Scene, tally: &mut Tally) -> Result<(), Error> {
        let lot = self.dice.below(self.town.lots.len());
        if let Some(house) = &self.town.lots[lot].house {
            scene.edit(house.node)?.set_material(self.dice.pick(&COATS) as u32);
            tally.set += 1;
        }
        Ok(())
    }
}

/// Returns the rank of the crossing street between two positions along a street.
fn crossing(before: f32, after: f32) -> Option<usize> {
    (0..=BLOCKS).find(|&rank| {
        let line = rank as f32 * PITCH;
        (before < line) != (after < line)
    })
}
