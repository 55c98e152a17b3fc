//! The kernels against each other to the bit, and against double precision.
