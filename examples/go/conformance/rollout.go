package main

import (
	"context"
	"fmt"
	"hash"
	"hash/fnv"
	"time"

	"capnproto.org/go/capnp/v3"

	"parkclient/must"
	"parkclient/park"
	"parkclient/wire"
)

// rollout plays five episodes in two slots and returns the hash of all that came.
func rollout(endpoint, env string) (line string, err error) {
	defer must.Guard(&err)
	session := must.Take(park.Connect(context.Background(), endpoint, 5*time.Second))
	sum := fnv.New64a()
	err = play(session, env, 2, 5, func(d *park.Decisions) error { return add(sum, d.Raw) })
	if closed := session.Close(); err == nil {
		err = closed
	}
	return fmt.Sprintf("%016x", sum.Sum64()), err
}

func add(sum hash.Hash, d wire.Decisions) (err error) {
	defer must.Guard(&err)
	addRows(sum, must.Take(d.Observation()))
	addEach(sum, d.Slot, d.Context, d.Sequence, d.Reward, d.ElapsedS, d.Applied, d.Skipped)
	addRows(sum, must.Take(d.FinalObservation()))
	addEach(sum, d.EndedSlot, d.EndedContext, d.EndedDecisions, d.EndedEvents, d.EndedReward,
		d.EndedElapsedS, d.EndedApplied, d.EndedSkipped, d.Truncated, d.Metrics)
	return nil
}

func addEach(sum hash.Hash, columns ...func() ([]byte, error)) {
	for _, column := range columns {
		sum.Write(must.Take(column()))
	}
}

func addRows(sum hash.Hash, rows wire.Rows) {
	for _, list := range []capnp.DataList{must.Take(rows.Counts()), must.Take(rows.Columns())} {
		for i := 0; i < list.Len(); i++ {
			sum.Write(must.Take(list.At(i)))
		}
	}
}
