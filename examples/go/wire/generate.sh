#!/usr/bin/env bash
# Writes park.capnp.go: the schema's messages as Go types. Needs capnp, Cap'n Proto's compiler; its
# plugin for Go is built from the module that go.mod names.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")"
schema=../../../bridge/schema/park.capnp
module=capnproto.org/go/capnp/v3

if ! command -v capnp >/dev/null; then
  echo "generate: there is no capnp; on Debian it is in the package capnproto" >&2
  exit 1
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The plugin wants to know the package, which only annotations can tell; the schema has none of Go.
cat "$schema" - >"$work/park.capnp" <<'CAPNP'
using Go = import "/go.capnp";
$Go.package("wire");
$Go.import("parkclient/wire");
CAPNP
go build -o "$work/capnpc-go" "$module/capnpc-go"
include=$(go list -m -f '{{.Dir}}' "$module")/std
# -: prints the request for code on stdout, so that the plugin can be given its options.
capnp compile --no-standard-import -I"$include" --src-prefix="$work" -o- "$work/park.capnp" |
  (cd "$work" && ./capnpc-go -promises=false -schemas=false -structstrings=false)
mv "$work/park.capnp.go" .
