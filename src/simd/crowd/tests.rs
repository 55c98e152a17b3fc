//! The kernels against each other and against double precision.
