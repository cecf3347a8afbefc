// Package wire has the messages of the bridge, generated from bridge/schema/park.capnp.
package wire

//go:generate ./generate.sh
