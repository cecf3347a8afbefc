//! Drives environments of a server: each job goes to the server with the least work.
//!
//!     park serve load_balance --endpoint tcp://127.0.0.1:5555
//!     cargo run --example drive tcp://127.0.0.1:5555

use park_sdk::{Connection, EnvironmentOptions, Episode, Options, Result, Rows};

const EPISODES: u64 = 20;

/// The first server with the least work, in each row.
fn least_work(observation: &Rows, actions: &mut Rows) -> Result<()> {
    for row in 0..observation.count() {
        let work = observation.row::<f32>("server.work", row)?;
        let least = (0..work.len()).min_by(|&a, &b| work[a].total_cmp(&work[b]));
        actions.row_mut::<i32>("server", row)?[0] = least.unwrap_or(0) as i32;
    }
    Ok(())
}

fn drive(endpoint: &str) -> Result<()> {
    let connection = Connection::open(endpoint, Options::default())?;
    let options = EnvironmentOptions { slots: 4, ..EnvironmentOptions::of("load_balance") };
    let episodes = |k| (k < EPISODES).then(|| Episode::new(k, 1000 + k, 2000 + k));
    let mut env = connection.environment(options, episodes)?;
    let (mut ended, mut sums) = (0, vec![0.0; env.spec().metrics.len()]);
    loop {
        let decisions = env.decisions();
        ended += decisions.ended.count();
        for (metric, sum) in env.spec().metrics.iter().zip(&mut sums) {
            for value in decisions.ended.metric(env.spec(), &metric.name)? {
                *sum += value;
            }
        }
        if decisions.done {
            break;
        }
        let mut actions = env.actions();
        least_work(&decisions.observation, &mut actions)?;
        env.step(&actions)?;
    }
    for (metric, sum) in env.spec().metrics.iter().zip(&sums) {
        println!("{} {:.3} {}", metric.name, sum / ended as f64, metric.unit);
    }
    println!("{ended} episodes of {}", env.spec().text);
    env.close()?.close();
    Ok(())
}

fn main() {
    let endpoint = std::env::args().nth(1).unwrap_or("tcp://127.0.0.1:5555".to_string());
    if let Err(error) = drive(&endpoint) {
        eprintln!("error: {error}");
        std::process::exit(1);
    }
}
