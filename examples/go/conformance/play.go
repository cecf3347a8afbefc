package main

import (
	"context"

	"parkclient/park"
	"parkclient/wire"
)

// play plays the first episodes and shows every Decisions to see.
func play(session *park.Session, env string, slots, count int,
	see func(*park.Decisions) error) error {
	options := park.Options{Env: env, Slots: slots, Illegal: wire.Illegal_project}
	for k := uint64(0); k < uint64(count); k++ {
		episode := park.Episode{ID: k, Inputs: 1000 + k, Dynamics: 2000 + k}
		options.Episodes = append(options.Episodes, episode)
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
