//! Pointer and keys outside of panels.

use super::session::Session;
use crate::editor::{fly, look};
use crate::viewer::Viewer;
use hedgerow::glam::{Vec2, Vec3};
use std::collections::HashSet;
use winit::event::{ElementState, KeyEvent, MouseButton, MouseScrollDelta, WindowEvent};
use winit::keyboard::{Key, KeyCode, ModifiersState, NamedKey, PhysicalKey};

/// The pixels that the pointer must move before a drag begins.
const SLACK: f32 = 4.0;
/// Radians per pixel.
const TURN: f32 = 0.006;
/// Keys for flying: to the right, up, ahead.
const FLY: [(KeyCode, Vec3); 6] = [
    (KeyCode::KeyD, Vec3::X),
    (KeyCode::KeyA, Vec3::NEG_X),
    (KeyCode::KeyE, Vec3::Y),
    (KeyCode::KeyQ, Vec3::NEG_Y),
    (KeyCode::KeyW, Vec3::Z),
    (KeyCode::KeyS, Vec3::NEG_Z),
];

/// The pressed buttons and keys.
#[derive(Default)]
pub(super) struct Input {
    pointer: Vec2,
    /// The held button and its action.
    held: Option<(MouseButton, Held)>,
    keys: HashSet<KeyCode>,
    modifiers: ModifiersState,
}

/// The action of a held button.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Held {
    /// A drag of the node picked at this point.
    Taken {
        from: Vec2,
        follows: bool,
    },
    /// A rectangle from this point on.
    Selecting(Vec2),
    Turning,
    Panning,
}

impl Input {
    /// Handles an event. `size` is the window's size, `panel` tells whether the pointer is on a panel, and `typing`
    /// tells whether keys are for a panel.
    pub(super) fn event(
        &mut self,
        event: &WindowEvent,
        size: [u32; 2],
        [panel, typing]: [bool; 2],
        (viewer, session): (&mut Viewer, &mut Session),
    ) {
        match event {
            WindowEvent::CursorMoved { position, .. } => {
                let position = position.cast::<f32>();
                let to = Vec2::new(position.x, position.y);
                let way = to - self.pointer;
                self.pointer = to;
                self.moved(way, size, viewer, session);
            }
            WindowEvent::MouseInput { state: ElementState::Released, button, .. } if self.holds(*button) => {
                if let (Some((_, Held::Selecting(from))), None) = (self.held, session.rectangle) {
                    // A click.
                    session.grab(viewer, aspect(size), from);
                    session.drop();
                }
                session.select(viewer, aspect(size));
                self.let_go(session);
            }
            WindowEvent::MouseInput { state: ElementState::Released, .. } => {}
            // While a button is held, only that button can be pressed again; this happens if its release was missed.
            WindowEvent::MouseInput { button, .. } if !panel && (self.held.is_none() || self.holds(*button)) => {
                self.let_go(session);
                let held = match button {
                    // While flying, shift means faster.
                    MouseButton::Left if self.modifiers.shift_key() && !session.flying => {
                        Held::Selecting(place(self.pointer, size))
                    }
                    MouseButton::Left => {
                        session.grab(viewer, aspect(size), place(self.pointer, size));
                        Held::Taken { from: self.pointer, follows: false }
                    }
                    MouseButton::Right => Held::Turning,
                    MouseButton::Middle => Held::Panning,
                    _ => return,
                };
                self.held = Some((*button, held));
            }
            WindowEvent::MouseWheel { delta, .. } if !panel => {
                let steps = match delta {
                    MouseScrollDelta::LineDelta(_, lines) => *lines,
                    MouseScrollDelta::PixelDelta(pixels) => pixels.cast::<f32>().y / 40.0,
                };
                session.orbit.zoom(&mut viewer.camera, 0.88_f32.powf(steps));
            }
            WindowEvent::ModifiersChanged(modifiers) => self.modifiers = modifiers.state(),
            // Releases in other windows are not reported.
            WindowEvent::Focused(false) => {
                self.keys.clear();
                self.let_go(session);
            }
            WindowEvent::KeyboardInput { event, is_synthetic: false, .. } => {
                self.hold(event, typing);
                if event.state.is_pressed() && !event.repeat && !typing {
                    self.key(&event.logical_key, viewer, session);
                }
            }
            _ => {}
        }
    }

    fn holds(&self, button: MouseButton) -> bool {
        self.held.is_some_and(|(held, _)| held == button)
    }

    /// Ends a drag.
    fn let_go(&mut self, session: &mut Session) {
        session.rectangle = None;
        if let Some((_, Held::Taken { .. })) = self.held.take() {
            session.drop();
        }
    }

    fn moved(&mut self, way: Vec2, size: [u32; 2], viewer: &mut Viewer, session: &mut Session) {
        let Session { orbit, flying, .. } = &mut *session;
        match self.held.as_mut().map(|(_, held)| held) {
            Some(Held::Taken { from, follows }) => {
                *follows |= (self.pointer - *from).length() > SLACK;
                if *follows {
                    session.drag(viewer, aspect(size), place(self.pointer, size));
                }
            }
            Some(Held::Selecting(from)) => session.rectangle = Some([*from, place(self.pointer, size)]),
            Some(Held::Turning) if *flying => look(&mut viewer.camera, TURN * way.x, -TURN * way.y),
            Some(Held::Turning) => orbit.turn(&mut viewer.camera, TURN * way.x, TURN * way.y),
            Some(Held::Panning) => {
                let share = way / size[1].max(1) as f32;
                orbit.pan(&mut viewer.camera, -share.x, share.y);
            }
            None => {}
        }
    }

    fn hold(&mut self, event: &KeyEvent, typing: bool) {
        if let PhysicalKey::Code(code) = event.physical_key {
            if event.state.is_pressed() && !typing {
                self.keys.insert(code);
            } else {
                self.keys.remove(&code);
            }
        }
    }

    fn key(&mut self, key: &Key, viewer: &mut Viewer, session: &mut Session) {
        let command = self.modifiers.control_key() || self.modifiers.super_key();
        match key {
            Key::Named(NamedKey::Delete | NamedKey::Backspace) => session.delete(viewer),
            Key::Named(NamedKey::Space) => viewer.still = !viewer.still,
            Key::Named(NamedKey::Escape) => {
                self.held.take_if(|(_, held)| matches!(held, Held::Selecting(_)));
                session.rectangle = None;
                session.editor.pick_nothing();
            }
            Key::Named(NamedKey::F1) => session.shows_panels = !session.shows_panels,
            Key::Character(letter) => match (command, letter.to_lowercase().as_str()) {
                (true, "z") if self.modifiers.shift_key() => session.redo(viewer),
                (true, "z") => session.undo(viewer),
                (true, "y") => session.redo(viewer),
                (true, "d") => session.duplicate(viewer),
                (true, "q") => session.quits = true,
                (false, "c") => session.fly(viewer),
                (false, "f") => session.focus(viewer),
                (false, "p") => session.pick_parent(viewer),
                (false, "x") => session.freeze(viewer),
                (false, "b") => session.next_boxes(),
                (false, "n") => session.next_animation(viewer),
                (false, "v") => session.next_camera(viewer),
                (false, digit @ ("1" | "2" | "3" | "4")) => {
                    session.switch(viewer, usize::from(digit.as_bytes()[0] - b'1'))
                }
                _ => {}
            },
            _ => {}
        }
    }

    /// Flies in the direction of the pressed keys for `seconds`.
    pub(super) fn fly(&self, seconds: f32, viewer: &mut Viewer, session: &Session) {
        if !session.flying || self.modifiers.control_key() {
            return;
        }
        let way: Vec3 = FLY.iter().filter(|(key, _)| self.keys.contains(key)).map(|(_, way)| *way).sum();
        // The speed rises with the distance of the target.
        let distance = (session.orbit.target - viewer.camera.eye).as_vec3().length().clamp(2.0, 200.0);
        let fast = if self.modifiers.shift_key() { 4.0 } else { 1.0 };
        fly(&mut viewer.camera, (way * (0.4 * distance * fast * seconds)).to_array());
    }
}

/// Returns width ÷ height.
pub(super) fn aspect(size: [u32; 2]) -> f32 {
    size[0] as f32 / size[1].max(1) as f32
}

/// Returns the point of a pixel, in normalised device coordinates.
fn place(pointer: Vec2, size: [u32; 2]) -> Vec2 {
    let share = pointer / Vec2::new(size[0].max(1) as f32, size[1].max(1) as f32);
    Vec2::new(2.0 * share.x - 1.0, 1.0 - 2.0 * share.y)
}
