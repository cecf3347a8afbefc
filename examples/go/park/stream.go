package park

import (
	"context"
	"fmt"

	"parkclient/must"
	"parkclient/wire"
)

// Episode is a number and the seeds of its inputs and of all other chance.
type Episode struct {
	ID, Inputs, Dynamics uint64
}

// ParseEpisode reads ID:INPUTS:DYNAMICS.
func ParseEpisode(text string) (Episode, error) {
	var e Episode
	var rest string
	n, _ := fmt.Sscanf(text, "%d:%d:%d%s", &e.ID, &e.Inputs, &e.Dynamics, &rest)
	if n != 3 {
		return e, fmt.Errorf("episode '%s' is not ID:INPUTS:DYNAMICS, three whole numbers", text)
	}
	return e, nil
}

// Options are how environments are opened.
type Options struct {
	Env      string // such as load_balance(servers=4)
	Slots    int    // environments side by side
	Illegal  wire.Illegal
	Episodes []Episode // all that will be played
}

// Stream is a number of environments that play episodes side by side.
type Stream struct {
	Spec    Spec
	session *Session
	id      uint32
	options Options
	next    []int    // per slot the number of the episode that is to be sent next
	freed   []uint32 // slots in which an episode has ended since the last step
	playing []play   // per slot
}

type play struct {
	episode Episode
	sum     float64 // of the rewards
}

// Open opens environments; their first decisions come with the stream.
func (s *Session) Open(ctx context.Context, o Options) (st *Stream, first *Decisions, err error) {
	defer must.Guard(&err)
	st = &Stream{session: s, options: o, playing: make([]play, o.Slots)}
	for slot := 0; slot < o.Slots; slot++ {
		st.next = append(st.next, slot+2*o.Slots) // the first two of each slot are sent at once
	}
	reply := must.Take(s.call(ctx, wire.Envelope_Which_streamOpened, func(envelope wire.Envelope) {
		open := must.Take(envelope.NewOpenStream())
		must.Check(open.SetEnv(o.Env))
		open.SetSlots(uint32(o.Slots))
		open.SetIllegal(o.Illegal)
		var numbers []int
		for number := 0; number < len(o.Episodes) && number < 2*o.Slots; number++ {
			numbers = append(numbers, number)
		}
		st.write(must.Take(open.NewEpisodes(int32(len(numbers)))), numbers)
	}))
	opened := must.Take(reply.StreamOpened())
	st.id = opened.Stream()
	st.Spec = readSpec(must.Take(opened.Spec()))
	return st, st.read(must.Take(opened.First())), nil
}

// Step sends a row of actions for each row that was asked.
func (st *Stream) Step(ctx context.Context, rows int, a Actions) (next *Decisions, err error) {
	defer must.Guard(&err)
	numbers, after := st.due()
	fill := func(envelope wire.Envelope) {
		step := must.Take(envelope.NewStep())
		step.SetStream(st.id)
		a.write(must.Take(step.NewActions()), st.Spec.Action, rows)
		st.write(must.Take(step.NewEpisodes(int32(len(numbers)))), numbers)
	}
	reply := must.Take(st.session.call(ctx, wire.Envelope_Which_decisions, fill))
	st.next, st.freed = after, nil
	return st.read(must.Take(reply.Decisions())), nil
}

// due returns the numbers of the episodes to send, one more for each that has ended in its slot,
// and what next is once they are sent.
func (st *Stream) due() (numbers, after []int) {
	after = append(after, st.next...)
	for _, slot := range st.freed {
		if number := after[slot]; number < len(st.options.Episodes) {
			numbers = append(numbers, number)
			after[slot] += st.options.Slots
		}
	}
	return numbers, after
}

func (st *Stream) write(to wire.NumberedEpisode_List, numbers []int) {
	for i, number := range numbers {
		to.At(i).SetNumber(uint64(number))
		episode := must.Take(to.At(i).NewEpisode())
		episode.SetId(st.options.Episodes[number].ID)
		episode.SetInputs(st.options.Episodes[number].Inputs)
		episode.SetDynamics(st.options.Episodes[number].Dynamics)
	}
}

// read takes what has ended first and then what is asked.
func (st *Stream) read(from wire.Decisions) *Decisions {
	d := &Decisions{Raw: from, Done: from.Done(), Asked: readAsked(from),
		Observation: readRows(must.Take(from.Observation()), st.Spec.Observation)}
	unseen := readEpisodes(must.Take(from.EndedUnseen()))
	for _, result := range readEnded(from, len(st.Spec.Metrics)) {
		if played := st.slot(result.Slot); result.Decisions == 0 {
			result.Episode = unseen()
		} else {
			result.Episode = played.episode
			result.Return += played.sum
		}
		st.freed = append(st.freed, result.Slot)
		d.Ended = append(d.Ended, result)
	}
	begun := readEpisodes(must.Take(from.Begun()))
	for _, row := range d.Asked {
		if row.Sequence == 0 {
			*st.slot(row.Slot) = play{episode: begun()}
		}
		st.slot(row.Slot).sum += row.Reward
	}
	return d
}

func (st *Stream) slot(number uint32) *play {
	if number >= uint32(len(st.playing)) {
		must.Check(malformed("slot %d of %d", number, len(st.playing)))
	}
	return &st.playing[number]
}
