package park

import (
	"bytes"

	"capnproto.org/go/capnp/v3"

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
	defer guard(&err)
	message, segment := capnp.NewSingleSegmentMessage(nil)
	envelope := take(wire.NewRootEnvelope(segment))
	check(envelope.SetSession(session))
	envelope.SetSequence(sequence)
	fill(envelope)
	return message.Marshal()
}

// decode reads the frames of a message; ok tells whether they are one.
func decode(frames [][]byte) (envelope wire.Envelope, ok bool) {
	if len(frames) != 2 || !bytes.Equal(frames[0], preamble) || len(frames[1])%8 != 0 {
		return envelope, false
	}
	message, err := capnp.Unmarshal(frames[1])
	if err != nil {
		return envelope, false
	}
	message.DepthLimit = nestingLimit
	message.TraverseLimit = leastLimit
	if most := 8 * uint64(len(frames[1])); most > leastLimit {
		message.TraverseLimit = most
	}
	envelope, err = wire.ReadRootEnvelope(message)
	return envelope, err == nil
}

// failed returns what a reply says went wrong, or nil.
func failed(reply wire.Envelope) (err error) {
	defer guard(&err)
	switch reply.Which() {
	case wire.Envelope_Which_failure:
		failure := take(reply.Failure())
		return &Error{failure.Code().String(), take(failure.Text())}
	case wire.Envelope_Which_refused:
		refused := take(reply.Refused())
		return &Error{refused.Code().String(), take(refused.Text())}
	case wire.Envelope_Which_farewell:
		return &Error{"shuttingDown", take(take(reply.Farewell()).Reason())}
	}
	return nil
}
