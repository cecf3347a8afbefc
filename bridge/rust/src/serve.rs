//! A server of policies.

pub mod asked_policy;
pub mod policy_service;
pub mod server;
