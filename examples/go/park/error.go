package park

import (
	"fmt"

	"parkclient/must"
	"parkclient/wire"
)

// Error is what a server or the client itself found wrong. Code is a name of the schema's Code.
type Error struct {
	Code, Text string
}

func (e *Error) Error() string { return e.Code + ": " + e.Text }

func malformed(format string, values ...interface{}) *Error {
	return &Error{"malformed", fmt.Sprintf(format, values...)}
}

// failed returns what a reply says went wrong, or nil.
func failed(reply wire.Envelope) (err error) {
	defer must.Guard(&err)
	switch reply.Which() {
	case wire.Envelope_Which_failure:
		failure := must.Take(reply.Failure())
		return coded(failure.Code(), must.Take(failure.Text()))
	case wire.Envelope_Which_refused:
		refused := must.Take(reply.Refused())
		return coded(refused.Code(), must.Take(refused.Text()))
	case wire.Envelope_Which_farewell:
		return &Error{"shuttingDown", must.Take(must.Take(reply.Farewell()).Reason())}
	}
	return nil
}

// coded is an error of a server, whose schema may know more codes than this one.
func coded(code wire.Code, text string) *Error {
	if name := code.String(); name != "" {
		return &Error{name, text}
	}
	return &Error{"unsupported", fmt.Sprintf("code %d of the server: %s", code, text)}
}
