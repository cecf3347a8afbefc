//! Generates the module `wire` from the schema of the bridge.

use std::path::Path;

fn main() {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../schema");
    println!("cargo:rerun-if-changed={}", schema.join("park.capnp").display());
    capnpc::CompilerCommand::new()
        .src_prefix(&schema)
        .file(schema.join("park.capnp"))
        .run()
        .expect("the program capnp (Debian: capnproto) has to be installed");
}
