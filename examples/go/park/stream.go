package park

import (
	"context"
	"fmt"
	"math"

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
	read    int      // messages
	ended   int      // episodes
	untrue  error    // what the server said that cannot be; nothing is asked after that
}

// play is what a slot does.
type play struct {
	next    int // number of the episode that it begins next
	episode Episode
	context uint64
	rows    uint64  // of the episode that goes on; 0: none does
	asked   int     // the message that asked for it last
	sum     float64 // of the rewards
}

// Open opens environments; their first decisions come with the stream.
func (s *Session) Open(ctx context.Context, o Options) (st *Stream, first *Decisions, err error) {
	defer must.Guard(&err)
	if most := s.mostSlots; o.Slots < 1 || uint64(o.Slots) > uint64(most) {
		return nil, nil, tooMuch("slots: %d, the server allows 1 to %d", o.Slots, most)
	}
	st = newStream(s, o)
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
	return st, st.open(must.Take(reply.StreamOpened())), nil
}

func newStream(s *Session, o Options) *Stream {
	st := &Stream{session: s, options: o}
	for slot := 0; slot < o.Slots; slot++ {
		st.playing = append(st.playing, play{next: slot})
		st.next = append(st.next, slot+2*o.Slots) // the first two of each slot are sent at once
	}
	return st
}

// open takes what the server says of its environments.
func (st *Stream) open(from wire.StreamOpened) *Decisions {
	st.id = from.Stream()
	st.Spec = readSpec(must.Take(from.Spec()))
	size, most := uint64(st.Spec.Action.bytes())*uint64(st.options.Slots), st.session.mostBytes
	if size > most {
		must.Check(tooMuch("action: rows of %d slots take %d bytes, the server allows %d",
			st.options.Slots, size, most))
	}
	return st.take(must.Take(from.First()))
}

// Step sends a row of actions for each row that was asked.
func (st *Stream) Step(ctx context.Context, rows int, a Actions) (next *Decisions, err error) {
	if st.untrue != nil {
		return nil, st.untrue
	}
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
	defer func() { st.untrue = err }()
	defer must.Guard(&err)
	return st.take(must.Take(reply.Decisions())), nil
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

// take takes what has ended first and then what is asked.
func (st *Stream) take(from wire.Decisions) *Decisions {
	st.read++
	seen := readRows(must.Take(from.Observation()), st.Spec.Observation, st.options.Slots)
	seen.check()
	d := &Decisions{Raw: from, Done: from.Done(), Observation: seen,
		Asked: readAsked(from, seen.Count)}
	unseen := &episodes{name: "endedUnseen", list: must.Take(from.EndedUnseen())}
	for _, result := range readEnded(from, st.Spec, st.options.Slots) {
		d.Ended = append(d.Ended, st.end(result, unseen))
	}
	unseen.finish()
	begun := &episodes{name: "begun", list: must.Take(from.Begun())}
	for _, row := range d.Asked {
		st.ask(row, begun)
	}
	begun.finish()
	if given := len(st.options.Episodes); d.Done && st.ended < given {
		must.Check(malformed("done: the server has played %d of %d episodes", st.ended, given))
	} else if !d.Done && len(d.Asked) == 0 && len(d.Ended) == 0 {
		must.Check(malformed("asked: nothing is asked and nothing has ended, but it is not done"))
	}
	return d
}

// end is a result with its episode and all of its rewards.
func (st *Stream) end(result Result, unseen *episodes) Result {
	played := st.slot(result.Slot)
	if result.Decisions != played.rows || (played.rows > 0 && result.context != played.context) {
		must.Check(malformed("endedContext: %d is not what slot %d plays", result.context, result.Slot))
	}
	if result.Decisions == 0 {
		result.Episode = st.begin(result.Slot, result.context, unseen)
	} else {
		result.Episode = played.episode
		result.Return += played.sum
	}
	played.rows = 0
	st.ended++
	st.freed = append(st.freed, result.Slot)
	return result
}

// ask takes a question, which follows what its slot was asked before.
func (st *Stream) ask(row Row, begun *episodes) {
	played := st.slot(row.Slot)
	if played.asked == st.read {
		must.Check(malformed("slot: %d is asked twice", row.Slot))
	}
	if row.Sequence != played.rows || (played.rows > 0 && row.Context != played.context) {
		must.Check(malformed("context: row %d of %d does not follow what slot %d was asked before",
			row.Sequence, row.Context, row.Slot))
	}
	if row.Sequence == 0 {
		played.episode, played.context = st.begin(row.Slot, row.Context, begun), row.Context
		played.sum = 0
	}
	played.asked = st.read
	played.rows++
	played.sum += row.Reward
}

// begin is the episode that a slot begins: the next one that it was given. A system that runs by
// itself begins any of those that were given, in contexts with numbers of its own.
func (st *Stream) begin(slot uint32, context uint64, told *episodes) Episode {
	from := told.take()
	episode := Episode{from.Id(), from.Inputs(), from.Dynamics()}
	if !math.IsInf(from.HorizonS(), 1) {
		must.Check(malformed("%s: slot %d has the horizon %v, it was given none", told.name, slot,
			from.HorizonS()))
	}
	if st.Spec.System {
		for _, given := range st.options.Episodes {
			if given == episode {
				return episode
			}
		}
		must.Check(malformed("%s: slot %d has episode %v, which was not given", told.name, slot, episode))
	}
	played := st.slot(slot)
	if played.next >= len(st.options.Episodes) {
		must.Check(malformed("%s: slot %d has no episode left", told.name, slot))
	}
	if given := st.options.Episodes[played.next]; episode != given || context != given.ID {
		must.Check(malformed("%s: slot %d has episode %v in context %d, it was given %v", told.name,
			slot, episode, context, given))
	}
	played.next += st.options.Slots
	return episode
}

func (st *Stream) slot(number uint32) *play {
	if int64(number) >= int64(len(st.playing)) {
		must.Check(malformed("slot: %d, there are %d", number, len(st.playing)))
	}
	return &st.playing[number]
}
