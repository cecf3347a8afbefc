//! Enough JSON to print a message: an object without spaces, its keys in the order of the calls.

/// An object that is being written.
pub struct Object(String);

impl Object {
    pub fn of_kind(kind: &str) -> Self {
        Object(format!("{{\"is\":\"{kind}\""))
    }

    pub fn end(self) -> String {
        self.0 + "}"
    }

    /// A number or a truth value.
    pub fn plain(self, key: &str, value: impl ToString) -> Self {
        Object(format!("{},\"{key}\":{}", self.0, value.to_string()))
    }

    pub fn text(self, key: &str, value: &str) -> Self {
        let value = escaped(value);
        self.plain(key, value)
    }

    pub fn hex(self, key: &str, bytes: &[u8]) -> Self {
        self.text(key, &hex(bytes))
    }

    pub fn texts(self, key: &str, values: &[String]) -> Self {
        let values: Vec<String> = values.iter().map(|value| escaped(value)).collect();
        self.plain(key, format!("[{}]", values.join(",")))
    }
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn escaped(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{text}\"")
}
