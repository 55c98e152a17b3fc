//! Pictures between two steps, which leave no trace.

use super::Check;
use super::oracle::Oracle;

impl Oracle {
    /// Shows the scene between two steps, each of which may have several updates. All later comparisons are of the
    /// scene behind it.
    pub fn show(&mut self, probe: u16) -> Check {
        let Some(smooth) = self.smooth.as_mut().filter(|_| probe.is_multiple_of(8)) else { return Ok(()) };
        // A scene may be loaded as one that tracks no changes.
        if smooth.step(&self.scene).is_err() {
            return Ok(());
        }
        let shown = smooth.blend(&mut self.scene, f32::from(probe % 5) / 4.0);
        shown.validate().map_err(|violation| super::Mismatch(format!("while it is blended: {violation}")))
    }
}
