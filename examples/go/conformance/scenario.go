package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parkclient/park"
)

// scenario plays one episode and returns how that went.
func scenario(endpoint, env string) (string, error) {
	session, err := park.Connect(context.Background(), endpoint, 2*time.Second)
	steps := -1
	if err == nil {
		count := func(*park.Decisions) error { steps++; return nil }
		err = play(session, env, 1, 1, count)
		if closed := session.Close(); err == nil {
			err = closed
		}
	}
	var found *park.Error
	if errors.As(err, &found) {
		return found.Code, nil
	}
	return fmt.Sprintf("done %d", steps), err
}
