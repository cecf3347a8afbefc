//! What docs/conformance.md asks of a client:
//!
//!     conformance decode FILE...
//!     conformance rollout ENDPOINT ENV
//!     conformance scenario ENDPOINT ENV
//!     conformance serve ENDPOINT

#[path = "../examples/serve_policy.rs"]
mod serve_policy;

mod decode;
mod json;
mod play;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["decode", ref files @ ..] => decode::files(files),
        ["rollout", endpoint, env] => play::rollout(endpoint, env),
        ["scenario", endpoint, env] => play::scenario(endpoint, env),
        ["serve", endpoint] => serve_policy::serve(endpoint).map_err(|error| error.to_string()),
        _ => Err("usage: conformance decode FILE... | rollout ENDPOINT ENV | scenario ENDPOINT \
                  ENV | serve ENDPOINT"
            .to_string()),
    };
    if let Err(text) = done {
        eprintln!("error: {text}");
        std::process::exit(1);
    }
}
