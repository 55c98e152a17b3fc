//! A window to look around, pick and edit, with panels.

mod input;
mod outlines;
mod panels;
mod session;
mod shown;

pub use session::Summary;

use crate::arguments::Arguments;
use crate::failure::{Failure, Result};
use crate::stage::Stage;
use shown::Shown;
use std::time::Instant;
use winit::application::ApplicationHandler;
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop};
use winit::window::WindowId;

/// Shows the requested stage until the window is closed. Returns a summary of the user's actions.
pub fn run(arguments: &Arguments) -> Result<Summary> {
    let start = Instant::now();
    let failed = |error| Failure::while_doing("no window can be opened; --picture FILE needs none", error);
    let events = EventLoop::new().map_err(failed)?;
    events.set_control_flow(ControlFlow::Poll);
    // Read the file first, so that errors are reported before a window opens.
    let stage = Stage::new(arguments)?;
    let mut app = App { arguments, start, stage: Some(stage), shown: None, failure: None };
    events.run_app(&mut app).map_err(failed)?;
    match (app.failure, app.shown) {
        (Some(failure), shown) => {
            // If the device is lost, dropping its surface would panic in wgpu. The program ends anyway.
            std::mem::forget(shown);
            Err(failure)
        }
        (None, Some(shown)) => Ok(shown.summary()),
        (None, None) => Err(Failure::new("the window system opened no window")),
    }
}

struct App<'a> {
    arguments: &'a Arguments,
    start: Instant,
    /// `None` once a window shows it.
    stage: Option<Stage>,
    shown: Option<Shown>,
    failure: Option<Failure>,
}

impl App<'_> {
    /// Ends the program if something failed.
    fn heed(&mut self, events: &ActiveEventLoop, result: Result<()>) {
        if let Err(failure) = result {
            self.failure.get_or_insert(failure);
            events.exit();
        }
    }
}

impl ApplicationHandler for App<'_> {
    fn resumed(&mut self, events: &ActiveEventLoop) {
        // Some systems send this event repeatedly.
        let Some(stage) = self.stage.take() else { return };
        let shown = Shown::new(events, stage, self.arguments, self.start).map(|shown| self.shown = Some(shown));
        self.heed(events, shown);
    }

    fn window_event(&mut self, events: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Some(shown) = self.shown.as_mut().filter(|_| !events.exiting()) else { return };
        let result = match event {
            WindowEvent::CloseRequested => {
                events.exit();
                Ok(())
            }
            WindowEvent::RedrawRequested => shown.frame(),
            _ => {
                shown.event(&event);
                Ok(())
            }
        };
        if shown.is_over() {
            events.exit();
        }
        self.heed(events, result);
    }

    fn about_to_wait(&mut self, _: &ActiveEventLoop) {
        if let Some(shown) = &self.shown {
            shown.ask_for_frame();
        }
    }
}
