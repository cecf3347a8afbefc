//! What a program uses of a server elsewhere.

mod asked_slots;
pub mod connection;
pub mod environment;
mod keep_alive;
mod playing;
pub mod remote_policy;
