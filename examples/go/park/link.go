package park

import (
	"context"
	"errors"
	"syscall"
	"time"

	"github.com/pebbe/zmq4"

	"parkclient/must"
)

const (
	lingerTime    = 300 * time.Millisecond
	heartbeatTime = 5 * time.Second
	longestWait   = 100 * time.Millisecond // after which a cancelled context is noticed
	mostFrame     = 64 << 20               // what Park's server sends at most
	handshakes    = "inproc://handshakes"
	failures      = zmq4.EVENT_HANDSHAKE_FAILED_PROTOCOL | zmq4.EVENT_HANDSHAKE_FAILED_NO_DETAIL
)

// errSilent says that nothing came in time.
var errSilent = errors.New("nothing came")

// link is the ZeroMQ socket of a session, and one that tells of its failed handshakes.
type link struct {
	endpoint       string
	context        *zmq4.Context
	socket, events *zmq4.Socket
}

func dial(endpoint string) (l *link, err error) {
	defer must.Guard(&err)
	context := must.Take(zmq4.NewContext())
	l = &link{endpoint, context, must.Take(context.NewSocket(zmq4.DEALER)),
		must.Take(context.NewSocket(zmq4.PAIR))}
	must.Check(l.socket.SetLinger(lingerTime))
	must.Check(l.socket.SetHeartbeatIvl(heartbeatTime))
	must.Check(l.socket.SetMaxmsgsize(mostFrame))
	must.Check(l.socket.SetImmediate(true))
	must.Check(l.socket.Monitor(handshakes, failures))
	must.Check(l.events.Connect(handshakes))
	if err := l.socket.Connect(endpoint); err != nil {
		l.close()
		return nil, &Error{"malformed", "endpoint '" + endpoint + "': " + err.Error()}
	}
	return l, nil
}

func (l *link) close() {
	l.socket.Close()
	l.events.Close()
	l.context.Term()
}

// send does not wait: where no server is there the message is lost, and sent again later.
func (l *link) send(frame []byte) error {
	_, err := l.socket.SendMessageDontwait(preamble, frame)
	if is(err, syscall.EAGAIN) {
		return nil
	}
	return err
}

// receive returns the frames of the next message; errSilent if none came until the end.
func (l *link) receive(ctx context.Context, end time.Time) ([][]byte, error) {
	for {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return nil, &Error{"late", "the server did not reply in time"}
		} else if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		_, _, _, err := l.events.RecvEvent(zmq4.DONTWAIT)
		if latest, _ := ctx.Deadline(); err == nil && wantsKey(l.endpoint, latest) {
			return nil, &Error{"notAllowed", "the server has a key (CURVE); this client has none"}
		}
		wait := time.Until(end)
		if wait <= 0 {
			return nil, errSilent
		} else if wait > longestWait {
			wait = longestWait
		}
		if err := l.socket.SetRcvtimeo(wait + time.Millisecond - 1); err != nil {
			return nil, err
		}
		frames, err := l.socket.RecvMessageBytes(0)
		if !is(err, syscall.EAGAIN) {
			return frames, err
		}
	}
}

func is(err error, number syscall.Errno) bool {
	return err != nil && zmq4.AsErrno(err) == zmq4.Errno(number)
}
