//! What messages say, as plain structs, and back.

pub mod decisions;
pub mod frame;
pub mod masks;
pub mod rows;
pub mod spec;
#[cfg(test)]
mod tests;
