// Package park drives environments that a Park server offers. docs/protocol.md tells what both
// sides send; the numbers in brackets are those of the rules of its section Session.
package park

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"parkclient/must"
	"parkclient/wire"
)

const (
	helloPause   = 5 * time.Millisecond
	requestPause = 200 * time.Millisecond
	mostPause    = 2 * time.Second
	farewellTime = time.Second // that Close waits at most
	sessionBytes = 16
	mostUnread   = 4 // rounds of repeats in which the server cannot read a message
)

// Session is the client's side. One goroutine at a time may use it. It sends no pings: a program
// that pauses for longer than the server's lease (30 s) would have to [5].
type Session struct {
	link      *link
	timeout   time.Duration
	id        []byte
	sequence  uint64
	mostBytes uint64
	mostSlots uint32
	over      bool
}

// Connect opens a session. Every call of it, this one included, fails with the code late when there
// is no reply within the timeout.
func Connect(ctx context.Context, endpoint string, timeout time.Duration) (*Session, error) {
	link, err := dial(endpoint)
	if err != nil {
		return nil, err
	}
	s := &Session{link: link, timeout: timeout}
	if err := s.hello(ctx); err != nil {
		link.close()
		return nil, err
	}
	return s, nil
}

// Close tells the server that the session is over and waits for its farewell. Where that was lost,
// the goodbye that is sent again finds no session, which is just as well.
func (s *Session) Close() error {
	defer s.link.close()
	if s.over {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), farewellTime)
	defer cancel()
	fill := func(e wire.Envelope) { e.SetGoodbye() }
	_, err := s.call(ctx, wire.Envelope_Which_farewell, fill)
	if err != nil && s.over {
		return nil
	}
	return err
}

// hello repeats the same nonce until it is welcome or refused [1, 2].
func (s *Session) hello(ctx context.Context) (err error) {
	defer must.Guard(&err)
	nonce := make([]byte, 16)
	must.Take(rand.Read(nonce))
	frame := must.Take(encode(nil, 0, func(envelope wire.Envelope) {
		hello := must.Take(envelope.NewHello())
		must.Check(hello.SetClient("park example (Go)"))
		must.Check(hello.SetNonce(nonce))
	}))
	reply := must.Take(s.exchange(ctx, frame, helloPause, func(reply wire.Envelope) bool {
		which := reply.Which()
		return which == wire.Envelope_Which_welcome || which == wire.Envelope_Which_refused
	}))
	must.Check(failed(reply))
	s.begin(must.Take(reply.Welcome()))
	return nil
}

// begin takes what a welcome tells. A limit of 0 would allow nothing.
func (s *Session) begin(welcome wire.Welcome) {
	limits := []struct {
		name  string
		value uint64
	}{{"window", uint64(welcome.Window())}, {"leaseMs", uint64(welcome.LeaseMs())},
		{"mostBytes", welcome.MostBytes()}, {"mostSlots", uint64(welcome.MostSlots())},
		{"heartbeatMs", uint64(welcome.HeartbeatMs())}}
	for _, limit := range limits {
		if limit.value == 0 {
			must.Check(malformed("welcome: %s is 0, allowed is 1 or more", limit.name))
		}
	}
	if welcome.Minor() != 0 {
		must.Check(&Error{"unsupported",
			fmt.Sprintf("the server chose minor version %d, offered was 0", welcome.Minor())})
	}
	id := must.Take(welcome.Session())
	if len(id) != sessionBytes {
		must.Check(malformed("welcome: session has %d bytes in place of %d", len(id), sessionBytes))
	}
	s.id = append([]byte(nil), id...)
	s.mostBytes, s.mostSlots = welcome.MostBytes(), welcome.MostSlots()
}

// call sends a request under the next number and returns the reply of the kind that is wanted [3].
func (s *Session) call(ctx context.Context, want wire.Envelope_Which,
	fill func(wire.Envelope)) (wire.Envelope, error) {
	number := s.sequence + 1
	frame, err := encode(s.id, number, fill)
	if err != nil {
		return wire.Envelope{}, err
	}
	if size := len(preamble) + len(frame); uint64(size) > s.mostBytes { // [6]
		return wire.Envelope{}, tooMuch("the request is larger than the server's mostBytes")
	}
	s.sequence = number
	reply, err := s.exchange(ctx, frame, requestPause, func(reply wire.Envelope) bool {
		return s.concerns(reply, number, want)
	})
	if err != nil || reply.Which() == want {
		return reply, err
	}
	err = failed(reply)
	var found *Error
	s.over = errors.As(err, &found) && (found.Code == "noSession" || found.Code == "shuttingDown")
	return reply, err
}

// concerns tells whether a message is what becomes of a request: the reply that is wanted, its
// failure, or the end of the session.
func (s *Session) concerns(m wire.Envelope, number uint64, want wire.Envelope_Which) bool {
	session, err := m.Session()
	if err != nil || !bytes.Equal(session, s.id) {
		return false
	}
	switch m.Which() {
	case wire.Envelope_Which_farewell:
		return true // has no number of its own
	case want, wire.Envelope_Which_failure:
		return m.Sequence() == number
	}
	return false
}

// exchange sends a message, again after a pause and then after twice as long each time, until one
// comes that is accepted [4]. It gives up where the server cannot read it in several rounds [8].
func (s *Session) exchange(ctx context.Context, frame []byte, pause time.Duration,
	accept func(wire.Envelope) bool) (wire.Envelope, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	for unread := 0; ; pause *= 2 {
		if pause > mostPause {
			pause = mostPause
		}
		if err := s.link.send(frame); err != nil {
			return wire.Envelope{}, err
		}
		told := false // in this round
		reply, err := s.await(ctx, pause, func(message wire.Envelope) bool {
			if !told && isUnread(message) {
				told = true
				unread++
			}
			return unread == mostUnread || accept(message)
		})
		if err == nil && unread == mostUnread {
			return reply, malformed("the server cannot read what this client sends: %v", failed(reply))
		}
		if !errors.Is(err, errSilent) {
			return reply, err
		}
	}
}

// isUnread tells whether a server says that it could not read a message: that is malformed, under no
// number of no session. What was damaged on its way is read when it comes again.
func isUnread(m wire.Envelope) bool {
	if m.Which() != wire.Envelope_Which_failure || m.Sequence() != 0 {
		return false
	}
	session, err := m.Session()
	failure, broken := m.Failure()
	return err == nil && broken == nil && len(session) == 0 && failure.Code() == wire.Code_malformed
}

// await receives until a message is accepted, errSilent if the pause passes before.
func (s *Session) await(ctx context.Context, pause time.Duration,
	accept func(wire.Envelope) bool) (wire.Envelope, error) {
	for end := time.Now().Add(pause); ; {
		frames, err := s.link.receive(ctx, end)
		if err != nil {
			return wire.Envelope{}, err
		}
		if err := otherMajor(frames[0]); err != nil && s.id == nil { // not welcome yet
			return wire.Envelope{}, err
		}
		if message, ok := decode(frames); ok && accept(message) {
			return message, nil
		}
	}
}
