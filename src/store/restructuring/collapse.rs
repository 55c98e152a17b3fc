//! Taking portals away, and slices with them that would hold one portal and nothing else.

use crate::store::columns::{At, NIL, Occupant};
use crate::store::restructuring::merge::Partner;
use crate::store::restructuring::transplant::Marks;
use crate::store::{Need, Slice, Spot, Store};

impl Store {
    /// Removes the portal of a slice, and with it each slice above that holds no other row.
    pub(in crate::store) fn drop_portal_of(&mut self, slice: u32) {
        let mut child = slice;
        loop {
            let portal = self.unhang(child);
            if child != slice {
                self.close_slice(child);
            }
            if self.slice(portal.slice).first_top == NIL {
                child = portal.slice;
            } else {
                self.collapse(portal.slice);
                return;
            }
        }
    }

    /// Has no slice hold one portal and nothing else: that goes to a neighbouring run of portals, where there is one,
    /// or is given company from there; else it takes the place of the portal of its slice.
    pub(in crate::store) fn collapse(&mut self, slice: u32) {
        let mut number = slice;
        loop {
            let Slice { first_top, ref row_slots, portal, lives, .. } = self.slices[number as usize];
            if !lives || portal == At::NONE || row_slots.live() != 1 {
                return;
            }
            let top = At { slice: number, row: first_top };
            let Some(child) = self.row(top).occupant.as_portal() else { return };
            let Some(partner) = self.run_of_portals_beside(portal) else {
                self.disown(child);
                self.disown(number);
                self.close_slice(number);
                self.slices[portal.slice as usize].row_mut(portal.row).occupant = Occupant::portal(child);
                self.adopt(portal, child);
                self.wake_beside(portal);
                self.tell_edited(portal.slice);
                return;
            };
            let (Partner::Before(other) | Partner::Behind(other)) = partner else { return };
            if !self.may_hold(other, 1) {
                self.take_portal_from(number, other, partner);
                return;
            }
            self.join(number, partner);
            self.unhang(number);
            self.close_slice(number);
            number = portal.slice;
        }
    }

    /// A slice beside a portal in its run that holds portals alone, too.
    fn run_of_portals_beside(&self, portal: At) -> Option<Partner> {
        let links = self.row(portal);
        let run = |row: u32| {
            let other = (row != NIL).then(|| self.row(At { row, ..portal }).occupant.as_portal())??;
            self.holds_portals_alone(other).then_some(other)
        };
        run(links.previous).map(Partner::Before).or_else(|| run(links.next).map(Partner::Behind))
    }

    /// Moves the nearest portal of a neighbouring run to a slice that holds a single one.
    fn take_portal_from(&mut self, number: u32, other: u32, partner: Partner) {
        self.make_room_for_all(number, &Need::PORTAL);
        let Slice { first_top, last_top, .. } = self.slices[number as usize];
        let (row, spot) = match partner {
            Partner::Before(_) => {
                let spot = Spot { slice: number, parent: NIL, previous: NIL, next: first_top };
                (self.slice(other).last_top, spot)
            }
            Partner::Behind(_) | Partner::Above => {
                let spot = Spot { slice: number, parent: NIL, previous: last_top, next: NIL };
                (self.slice(other).first_top, spot)
            }
        };
        self.slices[other as usize].unlink_run(other, row, row);
        self.transplant(other, row, &spot, Marks::Keep);
    }
}
