package main

import (
	"context"
	"fmt"
	"hash"
	"hash/fnv"
	"time"

	"parkclient/park"
	"parkclient/wire"
)

// rollout plays five episodes in two slots and returns the hash of all that came.
func rollout(endpoint, env string) (string, error) {
	session, err := park.Connect(context.Background(), endpoint, 5*time.Second)
	if err != nil {
		return "", err
	}
	sum := fnv.New64a()
	err = play(session, env, 2, 5, func(d *park.Decisions) error { return add(sum, d.Raw) })
	if closed := session.Close(); err == nil {
		err = closed
	}
	return fmt.Sprintf("%016x", sum.Sum64()), err
}

func add(sum hash.Hash64, d wire.Decisions) error {
	if err := addRows(sum, d.Observation); err != nil {
		return err
	}
	if err := addEach(sum, d.Slot, d.Context, d.Sequence, d.Reward, d.ElapsedS, d.Applied,
		d.Skipped); err != nil {
		return err
	}
	if err := addRows(sum, d.FinalObservation); err != nil {
		return err
	}
	return addEach(sum, d.EndedSlot, d.EndedContext, d.EndedDecisions, d.EndedEvents, d.EndedReward,
		d.EndedElapsedS, d.EndedApplied, d.EndedSkipped, d.Truncated, d.Metrics)
}

func addRows(sum hash.Hash64, get func() (wire.Rows, error)) error {
	rows, err := get()
	if err != nil {
		return err
	}
	counts, err := rows.Counts()
	if err != nil {
		return err
	}
	for i := 0; i < counts.Len(); i++ {
		i := i
		if err := addEach(sum, func() ([]byte, error) { return counts.At(i) }); err != nil {
			return err
		}
	}
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	for i := 0; i < columns.Len(); i++ {
		i := i
		if err := addEach(sum, func() ([]byte, error) { return columns.At(i) }); err != nil {
			return err
		}
	}
	return nil
}

func addEach(sum hash.Hash64, columns ...func() ([]byte, error)) error {
	for _, column := range columns {
		data, err := column()
		if err != nil {
			return err
		}
		sum.Write(data)
	}
	return nil
}
