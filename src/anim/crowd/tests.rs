//! Crowds against single poses.
