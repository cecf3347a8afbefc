package park

import (
	"parkclient/must"
	"parkclient/wire"
)

// Row is one question: the episode that a slot plays wants an action.
type Row struct {
	Slot     uint32
	Sequence uint64  // rows of the episode before
	Reward   float64 // since the row before
}

// Result is an episode that has ended.
type Result struct {
	Episode   Episode
	Slot      uint32
	Return    float64 // the sum of its rewards
	Decisions uint64
	Truncated bool // at its horizon
	Metrics   []float64
}

// Decisions is what has ended and what is asked now.
type Decisions struct {
	Ended       []Result
	Asked       []Row
	Observation Rows
	Done        bool // nothing will follow
	Raw         wire.Decisions
}

func readAsked(from wire.Decisions) []Row {
	n := int(from.Asked())
	slots := column[uint32](must.Take(from.Slot()), n)
	sequences := column[uint64](must.Take(from.Sequence()), n)
	rewards := column[float64](must.Take(from.Reward()), n)
	rows := make([]Row, n)
	for i := range rows {
		rows[i] = Row{slots[i], sequences[i], rewards[i]}
	}
	return rows
}

// readEnded leaves to its caller what a message does not have: the episode of each result, and the
// rewards before the last one.
func readEnded(from wire.Decisions, metrics int) []Result {
	n := int(from.Ended())
	slots := column[uint32](must.Take(from.EndedSlot()), n)
	decisions := column[uint64](must.Take(from.EndedDecisions()), n)
	rewards := column[float64](must.Take(from.EndedReward()), n)
	truncated := column[uint8](must.Take(from.Truncated()), n)
	values := column[float64](must.Take(from.Metrics()), n*metrics)
	results := make([]Result, n)
	for i := range results {
		results[i] = Result{Slot: slots[i], Return: rewards[i], Decisions: decisions[i],
			Truncated: truncated[i] == 1, Metrics: values[i*metrics : (i+1)*metrics]}
	}
	return results
}

// readEpisodes hands the episodes of a list out, one at each call.
func readEpisodes(list wire.Episode_List) func() Episode {
	next := 0
	return func() Episode {
		if next >= list.Len() {
			must.Check(malformed("there are fewer episodes than contexts that begin"))
		}
		episode := list.At(next)
		next++
		return Episode{episode.Id(), episode.Inputs(), episode.Dynamics()}
	}
}
