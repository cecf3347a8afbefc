package park

import (
	"bytes"
	"fmt"

	"capnproto.org/go/capnp/v3"

	"parkclient/must"
	"parkclient/wire"
)

const (
	nestingLimit = 16
	leastLimit   = 4096 * 8 // bytes that may be read of a small message
)

// preamble is the first frame of every message: its form and the major version.
var preamble = []byte{'P', 'K', 'B', 1, 0, 0, 0, 0}

// encode returns the second frame of a message.
func encode(session []byte, sequence uint64, fill func(wire.Envelope)) (frame []byte, err error) {
	defer must.Guard(&err)
	message, segment := capnp.NewSingleSegmentMessage(nil)
	envelope := must.Take(wire.NewRootEnvelope(segment))
	must.Check(envelope.SetSession(session))
	envelope.SetSequence(sequence)
	fill(envelope)
	return message.Marshal()
}

// otherMajor is an error where a first frame is one of another major version.
func otherMajor(first []byte) error {
	form, ours := preamble[:3], preamble[3]
	if len(first) != len(preamble) || !bytes.Equal(first[:3], form) || first[3] == ours {
		return nil
	}
	return &Error{"unsupported",
		fmt.Sprintf("the server speaks version %d, this client %d", first[3], ours)}
}

// decode reads the frames of a message; ok tells whether they are one.
func decode(frames [][]byte) (envelope wire.Envelope, ok bool) {
	if len(frames) != 2 || !bytes.Equal(frames[0], preamble) {
		return envelope, false
	}
	envelope, err := Decode(frames[1])
	return envelope, err == nil
}

// Decode reads the second frame of a message.
func Decode(frame []byte) (envelope wire.Envelope, err error) {
	if len(frame)%8 != 0 {
		return envelope, malformed("a frame has %d bytes, no multiple of 8", len(frame))
	}
	message, err := capnp.Unmarshal(frame)
	if err != nil {
		return envelope, err
	}
	message.DepthLimit = nestingLimit
	message.TraverseLimit = leastLimit
	if most := 8 * uint64(len(frame)); most > leastLimit {
		message.TraverseLimit = most
	}
	return wire.ReadRootEnvelope(message)
}
