use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use serde_json::{Value, json};

use crate::error::{Code, Error, Result};

const SCHEMA: &str = "park.endpoint";
const LARGEST: u64 = 1 << 20;
const OTHERS: u32 = 0o077;

/// Where a server is, and the token that it asks for: a JSON file that only its owner can read.
#[derive(Clone, Debug, PartialEq)]
pub struct EndpointFile {
    pub endpoint: String,
    pub token: Vec<u8>,
}

impl EndpointFile {
    /// Of an endpoint, which is taken as it is, or of the path of a file.
    pub fn of(endpoint: &str) -> Result<Self> {
        if endpoint.contains("://") {
            return Ok(EndpointFile { endpoint: endpoint.to_string(), token: Vec::new() });
        }
        if !Path::new(endpoint).exists() {
            let text = format!(
                "endpoint: \"{endpoint}\" is none; allowed are ipc://PATH, tcp://HOST:PORT and the \
                 path of an endpoint file"
            );
            return Err(Error::new(Code::InvalidConfig, text));
        }
        EndpointFile::read(endpoint)
    }

    pub fn read(path: &str) -> Result<Self> {
        let text = read_secret(path)?;
        let wrong = |what: &str| Error::new(Code::InvalidConfig, format!("{path}: {what}"));
        let file: Value = serde_json::from_str(&text)
            .map_err(|error| wrong(&format!("is no {SCHEMA} file: {error}")))?;
        if file["schema"] != SCHEMA || file["version"] != 1 {
            return Err(wrong("is no park.endpoint file of version 1"));
        }
        if !file["server_key"].is_null() {
            let text = "the server has a key; this library has none (CURVE)";
            return Err(Error::new(Code::Unsupported, format!("{path}: {text}")));
        }
        let endpoint = file["endpoint"].as_str().ok_or_else(|| wrong("has no endpoint"))?;
        let token = bytes_of_hex(file["token"].as_str().unwrap_or_default())
            .ok_or_else(|| wrong("its token is not in hex digits"))?;
        Ok(EndpointFile { endpoint: endpoint.to_string(), token })
    }

    pub fn write(&self, path: &str) -> Result<()> {
        let process = std::process::id();
        let mut text = json!({
            "schema": SCHEMA, "version": 1, "endpoint": self.endpoint, "pid": process,
        });
        if !self.token.is_empty() {
            let hex: String = self.token.iter().map(|byte| format!("{byte:02x}")).collect();
            text["token"] = hex.into();
        }
        // Whoever reads it finds all of it.
        let part = format!("{path}.{process}.part");
        let write = || -> std::io::Result<()> {
            let mut options = OpenOptions::new();
            let mut file = options.create_new(true).write(true).mode(0o600).open(&part)?;
            writeln!(file, "{text}")?;
            file.sync_all()?;
            std::fs::rename(&part, path)
        };
        write().map_err(|error| unusable(path, "written", &error))
    }
}

fn read_secret(path: &str) -> Result<String> {
    let mut text = String::new();
    let mut read = || -> std::io::Result<bool> {
        let file = File::open(path)?;
        let secret = file.metadata()?.permissions().mode() & OTHERS == 0;
        file.take(LARGEST).read_to_string(&mut text)?;
        Ok(secret)
    };
    if !read().map_err(|error| unusable(path, "read", &error))? {
        let text = format!("{path}: others can read it; its mode has to be 0600");
        return Err(Error::new(Code::NotAllowed, text));
    }
    Ok(text)
}

fn bytes_of_hex(text: &str) -> Option<Vec<u8>> {
    if !text.is_ascii() || !text.len().is_multiple_of(2) {
        return None;
    }
    let pair = |i| u8::from_str_radix(&text[i..i + 2], 16).ok();
    (0..text.len()).step_by(2).map(pair).collect()
}

fn unusable(path: &str, what: &str, error: &std::io::Error) -> Error {
    Error::new(Code::InvalidConfig, format!("{path}: cannot be {what}: {error}"))
}
