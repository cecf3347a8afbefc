// Command conformance is the program of docs/conformance.md that tests this client.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"parkclient/park"
	"parkclient/wire"
)

const usage = `usage: conformance rollout ENDPOINT ENV
       conformance scenario ENDPOINT ENV`

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, usage)
		os.Exit(2)
	}
	var line string
	var err error
	switch os.Args[1] {
	case "rollout":
		line, err = rollout(os.Args[2], os.Args[3])
	case "scenario":
		line, err = scenario(os.Args[2], os.Args[3])
	default:
		err = errors.New(usage)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
	fmt.Println(line)
}

// play plays the first episodes and shows every Decisions to see.
func play(session *park.Session, env string, slots, count int, see func(*park.Decisions) error) error {
	options := park.Options{Env: env, Slots: slots, Illegal: wire.Illegal_project}
	for k := uint64(0); k < uint64(count); k++ {
		options.Episodes = append(options.Episodes, park.Episode{ID: k, Inputs: 1000 + k, Dynamics: 2000 + k})
	}
	stream, decisions, err := session.Open(context.Background(), options)
	for err == nil {
		if err = see(decisions); err != nil || decisions.Done {
			return err
		}
		var actions park.Actions
		if actions, err = act(stream.Spec.Action, decisions); err == nil {
			decisions, err = stream.Step(context.Background(), len(decisions.Asked), actions)
		}
	}
	return err
}

// act follows the rule that all clients follow, so that all play the same.
func act(record park.Record, d *park.Decisions) (park.Actions, error) {
	actions := park.Actions{}
	for _, leaf := range record.Leaves {
		var elements []uint32
		if leaf.IndexOf != "" {
			var err error
			if elements, err = d.Observation.Elements(leaf.IndexOf); err != nil {
				return nil, err
			}
		}
		for i, row := range d.Asked {
			value := valueOf(leaf, row.Sequence)
			if elements != nil {
				value = indexOf(row.Sequence, elements[i])
			}
			for k := 0; k < leaf.Width; k++ {
				actions[leaf.Name] = append(actions[leaf.Name], value)
			}
		}
	}
	return actions, nil
}

func indexOf(sequence uint64, elements uint32) float64 {
	if elements == 0 {
		return 0
	}
	return float64(sequence % uint64(elements))
}

func valueOf(leaf park.Leaf, sequence uint64) float64 {
	if !leaf.Integer() {
		return (leaf.Low + leaf.High) / 2
	}
	return leaf.Low + float64(sequence%uint64(leaf.High-leaf.Low+1))
}

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
