//! Serves the policy `shortest_queue`: a job goes to the server with the fewest jobs.
//!
//!     cargo run --example serve_policy 'tcp://127.0.0.1:*'
//!     park run load_balance --policy 'shortest_queue,remote(endpoint=tcp://127.0.0.1:PORT)'

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use park_sdk::{Code, Decisions, Error, Policy, Result, Rows, Server, ServerOptions, Spec};
use signal_hook::consts::{SIGINT, SIGTERM};

struct ShortestQueue;

impl Policy for ShortestQueue {
    fn name(&self) -> String {
        "shortest_queue".to_string()
    }

    fn act(&mut self, question: &Decisions, actions: &mut Rows) -> Result<()> {
        for row in 0..question.asked() {
            let jobs = question.observation.row::<f32>("server.jobs", row)?;
            let fewest = (0..jobs.len()).min_by(|&a, &b| jobs[a].total_cmp(&jobs[b])); // the first
            actions.row_mut::<i32>("server", row)?[0] = fewest.unwrap_or(0) as i32;
        }
        Ok(())
    }
}

fn make(name: &str, spec: &Arc<Spec>) -> Result<Box<dyn Policy>> {
    if !name.is_empty() && name != "shortest_queue" {
        let text = format!("policy: \"{name}\" is unknown; this server has shortest_queue");
        return Err(Error::new(Code::UnknownName, text));
    }
    if spec.observation.leaf("server.jobs").is_none() || spec.action.leaf("server").is_none() {
        let text = format!("policy: shortest_queue decides on load_balance, not {}", spec.name);
        return Err(Error::new(Code::InvalidConfig, text));
    }
    Ok(Box::new(ShortestQueue))
}

/// Serves until Ctrl-C, and says where.
pub fn serve(endpoint: &str) -> Result<()> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, stop.clone())
            .map_err(|error| Error::new(Code::Internal, format!("signal: {error}")))?;
    }
    let mut server = Server::bind(endpoint, ServerOptions::default(), make)?;
    println!("ready {}", server.endpoint());
    server.run(&stop)
}

#[allow(dead_code)] // the program of docs/conformance.md has a main of its own
fn main() {
    let endpoint = std::env::args().nth(1).unwrap_or("tcp://127.0.0.1:*".to_string());
    if let Err(error) = serve(&endpoint) {
        eprintln!("error: {error}");
        std::process::exit(1);
    }
}
