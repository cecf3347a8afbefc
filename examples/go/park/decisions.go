package park

import (
	"math"

	"parkclient/must"
	"parkclient/wire"
)

const mostApplied = 2 // 0 the policy, 1 it was projected, 2 a fall-back

// Row is one question: the episode that a slot plays wants an action.
type Row struct {
	Slot     uint32
	Context  uint64  // the server's number of the episode
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
	context   uint64
	spec      Spec
}

// Metric is the value of a metric of the environment.
func (r Result) Metric(name string) (float64, error) {
	i, err := r.spec.Metric(name)
	if err != nil {
		return 0, err
	}
	return r.Metrics[i], nil
}

// Decisions is what has ended and what is asked now.
type Decisions struct {
	Ended       []Result
	Asked       []Row
	Observation Rows
	Done        bool // nothing will follow
	Raw         wire.Decisions
}

// readAsked reads the columns beside n rows of an observation.
func readAsked(from wire.Decisions, n int) []Row {
	if int64(from.Asked()) != int64(n) {
		must.Check(malformed("asked: is %d, there are %d rows of the observation", from.Asked(), n))
	}
	slots := column[uint32]("slot", must.Take(from.Slot()), n)
	contexts := column[uint64]("context", must.Take(from.Context()), n)
	sequences := column[uint64]("sequence", must.Take(from.Sequence()), n)
	rewards := column[float64]("reward", must.Take(from.Reward()), n)
	times := column[float64]("elapsedS", must.Take(from.ElapsedS()), n)
	checkApplied("applied", must.Take(from.Applied()), n)
	rows := make([]Row, n)
	for i := range rows {
		checkReward("reward", rewards[i])
		checkTime("elapsedS", times[i])
		rows[i] = Row{slots[i], contexts[i], sequences[i], rewards[i]}
	}
	return rows
}

// readEnded leaves to its caller what a message does not have: the episode of each result, and the
// rewards before the last one.
func readEnded(from wire.Decisions, spec Spec, slots int) []Result {
	metrics := len(spec.Metrics)
	if most := uint32(slots); from.Ended() > most {
		must.Check(tooMuch("ended: %d episodes, there are %d slots", from.Ended(), most))
	}
	n := int(from.Ended())
	if n*metrics > mostRowBytes/8 {
		must.Check(tooMuch("metrics: %d of %d episodes are more than a message may have", metrics, n))
	}
	places := column[uint32]("endedSlot", must.Take(from.EndedSlot()), n)
	contexts := column[uint64]("endedContext", must.Take(from.EndedContext()), n)
	decisions := column[uint64]("endedDecisions", must.Take(from.EndedDecisions()), n)
	rewards := column[float64]("endedReward", must.Take(from.EndedReward()), n)
	times := column[float64]("endedElapsedS", must.Take(from.EndedElapsedS()), n)
	truncated := column[uint8]("truncated", must.Take(from.Truncated()), n)
	values := column[float64]("metrics", must.Take(from.Metrics()), n*metrics)
	checkApplied("endedApplied", must.Take(from.EndedApplied()), n)
	results := make([]Result, n)
	for i := range results {
		checkReward("endedReward", rewards[i])
		checkTime("endedElapsedS", times[i])
		results[i] = Result{Slot: places[i], Return: rewards[i], Decisions: decisions[i],
			Truncated: truncated[i] == 1, Metrics: values[i*metrics : (i+1)*metrics],
			context: contexts[i], spec: spec}
		checkMetrics(results[i])
	}
	return results
}

// checkApplied fails where it is not known who took a decision.
func checkApplied(name string, data []byte, n int) {
	for _, who := range column[uint8](name, data, n) {
		if who > mostApplied {
			must.Check(malformed("%s: %d, allowed are 0 to %d", name, who, mostApplied))
		}
	}
}

func checkReward(name string, value float64) {
	if !finite(value) {
		must.Check(malformed("%s: %v is not a number", name, value))
	}
}

func checkTime(name string, value float64) {
	if !finite(value) || value < 0 {
		must.Check(malformed("%s: %v is not a time", name, value))
	}
}

func finite(value float64) bool { return !math.IsNaN(value) && !math.IsInf(value, 0) }

// checkMetrics fails where a metric is no number. An episode that was cut off may leave one
// undefined, such as a mean over nothing; then it is NaN.
func checkMetrics(r Result) {
	for i, value := range r.Metrics {
		if math.IsInf(value, 0) || (math.IsNaN(value) && !r.Truncated) {
			must.Check(malformed("metric %s: %v of the episode in slot %d is not a number",
				r.spec.Metrics[i], value, r.Slot))
		}
	}
}

// episodes hands the episodes of a list out, one at each call.
type episodes struct {
	name string
	list wire.Episode_List
	next int
}

func (e *episodes) take() wire.Episode {
	if e.next >= e.list.Len() {
		must.Check(malformed("%s: there are fewer episodes than contexts", e.name))
	}
	e.next++
	return e.list.At(e.next - 1)
}

// finish fails where some were not taken.
func (e *episodes) finish() {
	if e.next != e.list.Len() {
		must.Check(malformed("%s: there are more episodes than contexts", e.name))
	}
}
