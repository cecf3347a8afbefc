package park

import (
	"bytes"
	"io"
	"net"
	"strings"
	"time"
)

const (
	greetingTime  = 300 * time.Millisecond
	greetingBytes = 64
	mechanism     = 12 // where it is in the greeting
)

// firstBytes are the signature and the version of ZMTP 3; a server then tells its mechanism before
// it is told ours.
var firstBytes = []byte{0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 3}

// wantsKey is true where the server behind an endpoint says in time that it has a key. ZeroMQ tells
// that of a connection that was turned away only where it was quicker than the server.
func wantsKey(endpoint string, end time.Time) bool {
	network, address := "tcp", strings.TrimPrefix(endpoint, "tcp://")
	if strings.HasPrefix(endpoint, "ipc://") {
		network, address = "unix", strings.TrimPrefix(endpoint, "ipc://")
	}
	if soon := time.Now().Add(greetingTime); soon.Before(end) {
		end = soon
	}
	connection, err := net.DialTimeout(network, address, time.Until(end))
	if err != nil {
		return false
	}
	defer connection.Close()
	greeting := make([]byte, greetingBytes)
	if connection.SetDeadline(end) != nil {
		return false
	}
	if _, err := connection.Write(firstBytes); err != nil {
		return false
	}
	_, err = io.ReadFull(connection, greeting)
	return err == nil && bytes.HasPrefix(greeting[mechanism:], []byte("CURVE\x00"))
}
