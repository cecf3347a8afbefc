//! Plays the episodes of docs/conformance.md with its actions.

use std::time::Duration;

use park_sdk::wire::envelope::Which;
use park_sdk::{
    Connection, DType, Environment, EnvironmentOptions, Episode, Error, Frame, Illegal, Options,
    Result, Rows, wire,
};

/// Prints the hash of five episodes in two slots.
pub fn rollout(endpoint: &str, env: &str) -> std::result::Result<(), String> {
    let hash = || -> Result<u64> {
        let options_ = Options { timeout: Duration::from_secs(5), ..Options::default() };
        let connection = Connection::open(endpoint, options_)?;
        let mut played = connection.environment(options(env, 2), episodes(5))?;
        let mut hash = 0xcbf2_9ce4_8422_2325;
        add(&mut hash, played.reply())?;
        while !played.decisions().done {
            let actions = actions(&played)?;
            played.step(&actions)?;
            add(&mut hash, played.reply())?;
        }
        played.close()?;
        Ok(hash)
    };
    println!("{:016x}", hash().map_err(|error| error.to_string())?);
    Ok(())
}

/// Prints how many steps an episode took, or the code of what went wrong.
pub fn scenario(endpoint: &str, env: &str) -> std::result::Result<(), String> {
    let steps = || -> Result<u64> {
        let options_ = Options { timeout: Duration::from_secs(2), ..Options::default() };
        let connection = Connection::open(endpoint, options_)?;
        let mut played = connection.environment(options(env, 1), episodes(1))?;
        let mut steps = 0;
        while !played.decisions().done {
            let actions = actions(&played)?;
            played.step(&actions)?;
            steps += 1;
        }
        played.close()?.close();
        Ok(steps)
    };
    match steps() {
        Ok(steps) => println!("done {steps}"),
        Err(error) => println!("{}", error.code),
    }
    Ok(())
}

fn options(env: &str, slots: u32) -> EnvironmentOptions {
    EnvironmentOptions { slots, illegal: Illegal::Project, ..EnvironmentOptions::of(env) }
}

fn episodes(count: u64) -> impl FnMut(u64) -> Option<Episode> + Send {
    move |k| (k < count).then(|| Episode::new(k, 1000 + k, 2000 + k))
}

/// Of a row with sequence q: q modulo the number of choices, or the middle of the bounds.
fn actions(played: &Environment) -> Result<Rows> {
    let (mut actions, decisions) = (played.actions(), played.decisions());
    for leaf in &played.spec().action.leaves {
        for (row, &sequence) in decisions.sequence.iter().enumerate() {
            let whole = if leaf.index_of.is_empty() {
                leaf.low as i64 + (sequence % (leaf.high - leaf.low + 1.0) as u64) as i64
            } else {
                let elements = decisions.observation.elements(&leaf.index_of, row)? as u64;
                sequence.checked_rem(elements).unwrap_or(0) as i64
            };
            let middle = (leaf.low + leaf.high) / 2.0;
            match leaf.dtype {
                DType::U8 => actions.row_mut::<u8>(&leaf.name, row)?.fill(whole as u8),
                DType::I32 => actions.row_mut::<i32>(&leaf.name, row)?.fill(whole as i32),
                DType::I64 => actions.row_mut::<i64>(&leaf.name, row)?.fill(whole),
                DType::F32 => actions.row_mut::<f32>(&leaf.name, row)?.fill(middle as f32),
                DType::F64 => actions.row_mut::<f64>(&leaf.name, row)?.fill(middle),
            }
        }
    }
    Ok(actions)
}

/// Adds the bytes of a reply, as they came.
fn add(hash: &mut u64, reply: &Frame) -> Result<()> {
    let message = reply.message()?;
    let decisions = match message.envelope()?.which()? {
        Which::StreamOpened(opened) => opened?.get_first()?,
        Which::Decisions(decisions) => decisions?,
        _ => return Err(Error::new(park_sdk::Code::Malformed, "another reply")),
    };
    let mut bytes = |data: &[u8]| {
        for &byte in data {
            *hash = (*hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    };
    add_rows(&mut bytes, decisions.get_observation()?)?;
    bytes(decisions.get_slot()?);
    bytes(decisions.get_context()?);
    bytes(decisions.get_sequence()?);
    bytes(decisions.get_reward()?);
    bytes(decisions.get_elapsed_s()?);
    bytes(decisions.get_applied()?);
    bytes(decisions.get_skipped()?);
    add_rows(&mut bytes, decisions.get_final_observation()?)?;
    bytes(decisions.get_ended_slot()?);
    bytes(decisions.get_ended_context()?);
    bytes(decisions.get_ended_decisions()?);
    bytes(decisions.get_ended_events()?);
    bytes(decisions.get_ended_reward()?);
    bytes(decisions.get_ended_elapsed_s()?);
    bytes(decisions.get_ended_applied()?);
    bytes(decisions.get_ended_skipped()?);
    bytes(decisions.get_truncated()?);
    bytes(decisions.get_metrics()?);
    Ok(())
}

fn add_rows(bytes: &mut impl FnMut(&[u8]), rows: wire::rows::Reader) -> Result<()> {
    for data in rows.get_counts()?.iter().chain(rows.get_columns()?.iter()) {
        bytes(data?);
    }
    Ok(())
}
