//! A server of policies.

mod asked_policy;
pub mod policy_service;
pub mod server;
