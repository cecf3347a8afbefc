package park

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"parkclient/must"
	"parkclient/wire"
)

const mostText = 16 << 10 // bytes of a text of the server that an error shows

// Error is what a server or the client itself found wrong. Code is a name of the schema's Code.
// Text is as the server sent it; Error shows it so that a terminal may print it.
type Error struct {
	Code, Text string
}

func (e *Error) Error() string { return e.Code + ": " + Shown(e.Text) }

// Shown is a text of somebody else without what a terminal would obey: control characters but line
// ends, and bytes that are no UTF-8, become \xNN. What is beyond 16 KiB is counted only.
func Shown(text string) string {
	var to strings.Builder
	for at := 0; at < len(text); {
		if to.Len() >= mostText {
			fmt.Fprintf(&to, " and %d more bytes", len(text)-at)
			break
		}
		r, size := utf8.DecodeRuneInString(text[at:])
		broken := r == utf8.RuneError && size == 1
		if part := text[at : at+size]; broken || (r != '\n' && unicode.IsControl(r)) {
			for i := range []byte(part) {
				fmt.Fprintf(&to, `\x%02x`, part[i])
			}
		} else {
			to.WriteString(part)
		}
		at += size
	}
	return to.String()
}

func malformed(format string, values ...interface{}) *Error {
	return &Error{"malformed", fmt.Sprintf(format, values...)}
}

func tooMuch(format string, values ...interface{}) *Error {
	return &Error{"tooMuch", fmt.Sprintf(format, values...)}
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
