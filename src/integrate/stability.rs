//! How long an explicit step may be.
