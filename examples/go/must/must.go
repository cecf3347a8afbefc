// Package must shortens functions in which every line can fail for the same reason, such as a
// message that turns out to be broken in whichever field is read. Take and Check unwind to Guard,
// which such a function defers first.
package must

type unwound struct{ error }

// Take returns the value of a call that went well.
func Take[T any](value T, err error) T {
	Check(err)
	return value
}

// Check ends the function where there is an error.
func Check(err error) {
	if err != nil {
		panic(unwound{err})
	}
}

// Guard makes the error that ended the function the one that it returns.
func Guard(err *error) {
	switch found := recover().(type) {
	case nil:
	case unwound:
		*err = found.error
	default:
		panic(found)
	}
}
