package park

import "fmt"

// Error is what a server or the client itself found wrong. Code is a name of the schema's Code.
type Error struct {
	Code, Text string
}

func (e *Error) Error() string { return e.Code + ": " + e.Text }

func malformed(format string, values ...interface{}) *Error {
	return &Error{"malformed", fmt.Sprintf(format, values...)}
}

// Each field of a message can turn out to be broken when it is read. take and check unwind then to
// guard, with which each function ends that reads or writes whole messages.
type broken struct{ error }

func take[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		panic(broken{err})
	}
}

func guard(err *error) {
	switch found := recover().(type) {
	case nil:
	case broken:
		*err = found.error
	default:
		panic(found)
	}
}
