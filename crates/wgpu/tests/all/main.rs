//! Tests on a device.

mod device;
mod skin;
mod viewer;
