//! Prints what messages of a server say, and those of a client that a server is asked by.

use std::path::Path;

use capnp::{data_list, struct_list};
use park_sdk::wire::envelope::Which;
use park_sdk::{Code, Frame, Result, wire};

use crate::json::{Object, hex};

/// A line for each file.
pub fn files(names: &[&str]) -> std::result::Result<(), String> {
    for name in names {
        let bytes = std::fs::read(name).map_err(|error| format!("{name}: {error}"))?;
        let text = line(&bytes);
        let shifted = [&[0], &bytes[..]].concat();
        if line(&shifted[1..]) != text {
            return Err(format!("{name}: says something else where it begins at an odd address"));
        }
        println!("{} {text}", Path::new(name).file_name().unwrap_or_default().display());
    }
    Ok(())
}

fn line(bytes: &[u8]) -> String {
    let said = Frame::copy(bytes).and_then(|frame| said(&frame));
    said.unwrap_or_else(|_| "reject".to_string())
}

fn said(frame: &Frame) -> Result<String> {
    let message = frame.message()?;
    let envelope = message.envelope()?;
    let begin = |kind: &str| Object::of_kind(kind).plain("sequence", envelope.get_sequence());
    let object = match envelope.which()? {
        Which::Welcome(from) => welcome(begin("welcome"), from?)?,
        Which::Refused(from) => {
            let from = from?;
            begin("refused")
                .text("code", Code::from(from.get_code()?).name())
                .text("text", from.get_text()?.to_str()?)
        }
        Which::Failure(from) => {
            let from = from?;
            begin("failure")
                .text("code", Code::from(from.get_code()?).name())
                .text("text", from.get_text()?.to_str()?)
        }
        Which::Pong(()) => begin("pong"),
        Which::Farewell(from) => begin("farewell").text("reason", from?.get_reason()?.to_str()?),
        Which::StreamOpened(from) => stream_opened(begin("streamOpened"), from?)?,
        Which::Decisions(from) => decisions(begin("decisions"), from?)?,
        Which::PolicyOpened(from) => {
            let from = from?;
            begin("policyOpened")
                .plain("id", from.get_id())
                .text("policy", from.get_policy()?.to_str()?)
        }
        Which::Answer(from) => {
            let from = from?;
            let columns = hexes(from.get_actions()?.get_columns()?)?;
            begin("answer").plain("id", from.get_id()).texts("columns", &columns)
        }
        Which::Hello(from) => hello(begin("hello"), from?)?,
        Which::OpenStream(from) => open_stream(begin("openStream"), from?)?,
        Which::Step(from) => {
            let from = from?;
            begin("step")
                .plain("stream", from.get_stream())
                .texts("columns", &hexes(from.get_actions()?.get_columns()?)?)
                .texts("episodes", &episodes(from.get_episodes()?)?)
        }
        Which::OpenPolicy(from) => {
            let from = from?;
            let spec = from.get_spec()?;
            begin("openPolicy")
                .text("policy", from.get_policy()?.to_str()?)
                .text("env", spec.get_name()?.to_str()?)
                .text("layoutHash", &format!("{:016x}", spec.get_layout_hash()))
        }
        Which::Ask(from) => {
            ask(begin("ask").plain("deadlineMs", envelope.get_deadline_ms()), from?)?
        }
        _ => return Err(park_sdk::Error::new(Code::Malformed, "no message of these")),
    };
    Ok(object.end())
}

fn hello(to: Object, from: wire::hello::Reader) -> Result<Object> {
    Ok(to
        .plain("leastMinor", from.get_least_minor())
        .plain("mostMinor", from.get_most_minor())
        .text("client", from.get_client()?.to_str()?)
        .hex("token", from.get_token()?)
        .hex("nonce", from.get_nonce()?))
}

fn open_stream(to: Object, from: wire::open_stream::Reader) -> Result<Object> {
    let illegal = match from.get_illegal()? {
        wire::Illegal::Error => "error",
        wire::Illegal::Project => "project",
        wire::Illegal::Penalise => "penalise",
    };
    Ok(to
        .text("env", from.get_env()?.to_str()?)
        .plain("slots", from.get_slots())
        .text("illegal", illegal)
        .texts("episodes", &episodes(from.get_episodes()?)?))
}

fn ask(to: Object, from: wire::ask::Reader) -> Result<Object> {
    let question = from.get_question()?;
    Ok(to
        .plain("id", from.get_id())
        .plain("asked", question.get_asked())
        .texts("columns", &hexes(question.get_observation()?.get_columns()?)?)
        .hex("chance", from.get_chance()?))
}

/// Number, id and the two seeds of each.
fn episodes(from: struct_list::Reader<wire::numbered_episode::Owned>) -> Result<Vec<String>> {
    let text = |from: wire::numbered_episode::Reader| {
        let e = from.get_episode()?;
        let (number, id) = (from.get_number(), e.get_id());
        Ok(format!("{number} {id} {} {}", e.get_inputs(), e.get_dynamics()))
    };
    from.iter().map(text).collect()
}

fn welcome(to: Object, from: wire::welcome::Reader) -> Result<Object> {
    Ok(to
        .plain("minor", from.get_minor())
        .hex("session", from.get_session()?)
        .text("server", from.get_server()?.to_str()?)
        .plain("window", from.get_window())
        .plain("leaseMs", from.get_lease_ms())
        .plain("mostBytes", from.get_most_bytes())
        .plain("mostSlots", from.get_most_slots())
        .plain("heartbeatMs", from.get_heartbeat_ms()))
}

fn stream_opened(to: Object, from: wire::stream_opened::Reader) -> Result<Object> {
    let spec = from.get_spec()?;
    Ok(to
        .plain("stream", from.get_stream())
        .text("env", spec.get_name()?.to_str()?)
        .text("layoutHash", &format!("{:016x}", spec.get_layout_hash()))
        .texts("observation", &names(spec.get_observation()?.get_leaves()?)?)
        .texts("action", &names(spec.get_action()?.get_leaves()?)?)
        .plain("asked", from.get_first()?.get_asked()))
}

fn decisions(to: Object, from: wire::decisions::Reader) -> Result<Object> {
    let rows = from.get_observation()?;
    Ok(to
        .plain("stream", from.get_stream())
        .plain("asked", from.get_asked())
        .plain("ended", from.get_ended())
        .plain("done", from.get_done())
        .texts("counts", &hexes(rows.get_counts()?)?)
        .texts("columns", &hexes(rows.get_columns()?)?)
        .hex("slot", from.get_slot()?)
        .hex("reward", from.get_reward()?)
        .texts("finalColumns", &hexes(from.get_final_observation()?.get_columns()?)?)
        .hex("metrics", from.get_metrics()?))
}

fn names(leaves: struct_list::Reader<wire::leaf::Owned>) -> Result<Vec<String>> {
    leaves.iter().map(|leaf| Ok(leaf.get_name()?.to_string()?)).collect()
}

fn hexes(columns: data_list::Reader) -> Result<Vec<String>> {
    columns.iter().map(|bytes| Ok(hex(bytes?))).collect()
}
