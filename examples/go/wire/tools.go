//go:build tools

package wire

// Keeps the plugin that generates this package in go.mod.
import _ "capnproto.org/go/capnp/v3/capnpc-go"
