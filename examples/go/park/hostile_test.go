package park

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"math/rand"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pebbe/zmq4"

	"parkclient/must"
	"parkclient/wire"
)

// What a server says that cannot be: each is one error that names the field. A message is built by
// hand, sent through its bytes and read as the client reads it.

var given = []Episode{{0, 1000, 2000}, {1, 1001, 2001}}

func le(values interface{}) []byte {
	var data bytes.Buffer
	must.Check(binary.Write(&data, binary.LittleEndian, values))
	return data.Bytes()
}

// fillSpec describes servers with a number of jobs each, of which one is chosen.
func fillSpec(spec wire.Spec) {
	must.Check(spec.SetName("toy"))
	seen := must.Take(spec.NewObservation())
	groups := must.Take(seen.NewGroups(1))
	must.Check(groups.At(0).SetName("server"))
	groups.At(0).SetCapacity(4)
	leaves := must.Take(seen.NewLeaves(2))
	fillLeaf(leaves.At(0), "time", wire.DType_f64, 1e9)
	fillLeaf(leaves.At(1), "jobs", wire.DType_f32, 1e9)
	must.Check(leaves.At(1).SetGroup("server"))
	chosen := must.Take(spec.NewAction())
	fillLeaf(must.Take(chosen.NewLeaves(1)).At(0), "server", wire.DType_i32, 3)
	metrics := must.Take(spec.NewMetrics(2))
	must.Check(metrics.At(0).SetName("cost"))
	must.Check(metrics.At(1).SetName("jobs"))
	spec.SetLayoutHash(copySpec(spec).layout())
}

func fillLeaf(leaf wire.Leaf, name string, dtype wire.DType, high float64) {
	must.Check(leaf.SetName(name))
	leaf.SetDtype(dtype)
	leaf.SetHigh(high)
}

// fillRows is one row with two servers.
func fillRows(rows wire.Rows) {
	rows.SetCount(1)
	must.Check(must.Take(rows.NewCounts(1)).Set(0, le([]uint32{2})))
	columns := must.Take(rows.NewColumns(2))
	must.Check(columns.Set(0, le([]float64{0.5})))
	must.Check(columns.Set(1, le([]float32{3, 4})))
}

// fillAsked asks for the first row of an episode in slot 0.
func fillAsked(d wire.Decisions, e Episode) {
	d.SetAsked(1)
	fillRows(must.Take(d.NewObservation()))
	must.Check(d.SetContext(le([]uint64{e.ID})))
	fillEpisode(must.Take(d.NewBegun(1)).At(0), e)
}

func fillEpisode(to wire.Episode, e Episode) {
	to.SetId(e.ID)
	to.SetInputs(e.Inputs)
	to.SetDynamics(e.Dynamics)
}

// fillEnded ends the episode in slot 0 after a row.
func fillEnded(d wire.Decisions, e Episode) {
	d.SetEnded(1)
	fillRows(must.Take(d.NewFinalObservation()))
	must.Check(d.SetEndedContext(le([]uint64{e.ID})))
	must.Check(d.SetEndedDecisions(le([]uint64{1})))
	must.Check(d.SetMetrics(le([]float64{1.5, 2})))
}

// sent is a message as it arrives.
func sent(fill func(wire.Envelope)) wire.Envelope {
	return must.Take(Decode(must.Take(encode(nil, 1, fill))))
}

// opening is the stream of a slot that a server opens, and what is wrong with it.
func opening(change func(wire.StreamOpened)) (*Stream, error) { return openingOf(1, change) }

func openingOf(slots int, change func(wire.StreamOpened)) (st *Stream, err error) {
	defer must.Guard(&err)
	message := sent(func(e wire.Envelope) {
		opened := must.Take(e.NewStreamOpened())
		fillSpec(must.Take(opened.NewSpec()))
		fillAsked(must.Take(opened.NewFirst()), given[0])
		change(opened)
	})
	st = newStream(&Session{mostBytes: 64 << 20}, Options{Slots: slots, Episodes: given})
	st.open(must.Take(message.StreamOpened()))
	return st, nil
}

// step is what is wrong with decisions that come after the first ones.
func step(st *Stream, fill func(wire.Decisions)) (d *Decisions, err error) {
	defer must.Guard(&err)
	message := sent(func(e wire.Envelope) { fill(must.Take(e.NewDecisions())) })
	return st.take(must.Take(message.Decisions())), nil
}

func says(t *testing.T, err error, code, text string) {
	t.Helper()
	var found *Error
	if !errors.As(err, &found) || found.Code != code || !strings.Contains(found.Text, text) {
		t.Errorf("said %v in place of %s: ... %s", err, code, text)
	}
}

func TestAnHonestServerIsPlayed(t *testing.T) {
	st, err := opening(func(wire.StreamOpened) {})
	if err != nil {
		t.Fatal(err)
	}
	for i := range given {
		d, err := step(st, func(d wire.Decisions) {
			fillEnded(d, given[i])
			if i+1 < len(given) {
				fillAsked(d, given[i+1])
			} else { // without rows there need not be columns
				d.SetDone(true)
			}
		})
		if err != nil || len(d.Ended) != 1 || d.Ended[0].Episode != given[i] {
			t.Fatalf("step %d: %v, %v", i, d, err)
		}
		jobs := must.Take(d.Ended[0].Metric("jobs"))
		if place := must.Take(st.Spec.Metric("cost")); jobs != 2 || place != 0 {
			t.Errorf("jobs are %v, cost is number %d", jobs, place)
		}
		_, err = d.Ended[0].Metric("cots")
		says(t, err, "unknownName", "there is no 'cots'")
	}
}

func TestSpecsThatRowsCannotHave(t *testing.T) {
	observed := func(o wire.StreamOpened) wire.Leaf {
		return must.Take(must.Take(must.Take(o.Spec()).Observation()).Leaves()).At(0)
	}
	chosen := func(o wire.StreamOpened) wire.Leaf {
		return must.Take(must.Take(must.Take(o.Spec()).Action()).Leaves()).At(0)
	}
	shaped := func(leaf wire.Leaf, sizes ...int64) {
		shape := must.Take(leaf.NewShape(int32(len(sizes))))
		for i, size := range sizes {
			shape.Set(i, size)
		}
	}
	for text, change := range map[string]func(wire.StreamOpened){
		"tooMuch server: its shape":         func(o wire.StreamOpened) { shaped(chosen(o), 1<<62) },
		"tooMuch time: its shape":           func(o wire.StreamOpened) { shaped(observed(o), 1<<32, 1<<32) },
		"tooMuch time: with it a row takes": func(o wire.StreamOpened) { shaped(observed(o), 1<<24) },
		"malformed time: a size of its":     func(o wire.StreamOpened) { shaped(observed(o), -4, -4) },
		"malformed server: a size of":       func(o wire.StreamOpened) { shaped(chosen(o), 0) },
		"malformed time: its bounds":        func(o wire.StreamOpened) { observed(o).SetHigh(math.Inf(1)) },
		"unsupported time: its type":        func(o wire.StreamOpened) { observed(o).SetDtype(9) },
		"malformed time: there is no group": func(o wire.StreamOpened) { must.Check(observed(o).SetGroup("x")) },
		"malformed spec: leaf 'a\x1b]52": func(o wire.StreamOpened) {
			must.Check(observed(o).SetName("a\x1b]52;c;AAAA\x07"))
		},
		"malformed spec: layoutHash": func(o wire.StreamOpened) {
			must.Take(o.Spec()).SetLayoutHash(1)
		},
		"tooMuch spec: 33 sizes in the shape of time": func(o wire.StreamOpened) {
			must.Take(observed(o).NewShape(33))
		},
		"tooMuch spec: 300 bytes in a name": func(o wire.StreamOpened) {
			must.Check(observed(o).SetName(strings.Repeat("x", 300)))
		},
		"tooMuch spec: 2097152 bytes of texts": func(o wire.StreamOpened) {
			must.Check(must.Take(o.Spec()).SetText(strings.Repeat("x", 2<<20)))
		},
		"tooMuch spec: 257 leaves": func(o wire.StreamOpened) {
			must.Take(must.Take(must.Take(o.Spec()).Action()).NewLeaves(257))
		},
		"tooMuch spec: 4097 metrics": func(o wire.StreamOpened) {
			must.Take(must.Take(o.Spec()).NewMetrics(4097))
		},
	} {
		_, err := opening(change)
		code, text, _ := strings.Cut(text, " ")
		says(t, err, code, text)
	}
}

func TestRowsOfAnotherSize(t *testing.T) {
	for text, change := range map[string]func(wire.Rows){
		"tooMuch rows: 4294967295":      func(r wire.Rows) { r.SetCount(math.MaxUint32) },
		"malformed rows: 1 groups":      func(r wire.Rows) { must.Take(r.NewColumns(1)) },
		"malformed server: 4294967295":  func(r wire.Rows) { count(r, math.MaxUint32) },
		"malformed jobs: 8 bytes for 3": func(r wire.Rows) { count(r, 3) },
		"malformed time: NaN is outside of": func(r wire.Rows) {
			column0(r, le([]float64{math.NaN()}))
		},
		"malformed time: 0 bytes for 1": func(r wire.Rows) { column0(r, nil) },
		"malformed server: 3 bytes": func(r wire.Rows) {
			must.Check(must.Take(r.Counts()).Set(0, []byte{1, 2, 3}))
		},
	} {
		_, err := opening(func(o wire.StreamOpened) {
			change(must.Take(must.Take(o.First()).Observation()))
		})
		code, text, _ := strings.Cut(text, " ")
		says(t, err, code, text)
	}
}

func TestWithoutRowsThereNeedNotBeColumns(t *testing.T) {
	rows := func(counts, columns int32, first []byte) error {
		st, err := opening(func(wire.StreamOpened) {})
		must.Check(err)
		_, err = step(st, func(d wire.Decisions) {
			fillEnded(d, given[0])
			observed := must.Take(d.NewObservation())
			must.Take(observed.NewCounts(counts))
			if list := must.Take(observed.NewColumns(columns)); columns > 0 {
				must.Check(list.Set(0, first))
			}
		})
		return err
	}
	for _, lists := range [][2]int32{{0, 0}, {1, 0}, {0, 2}, {1, 2}} {
		if err := rows(lists[0], lists[1], nil); err != nil {
			t.Errorf("%v: %v", lists, err)
		}
	}
	says(t, rows(1, 1, nil), "malformed", "rows: 1 columns, allowed are 2")
	says(t, rows(2, 2, nil), "malformed", "rows: 2 lists of counts")
	says(t, rows(1, 2, []byte{1}), "malformed", "rows: columns have bytes without rows")
}

func count(r wire.Rows, n uint32) { must.Check(must.Take(r.Counts()).Set(0, le([]uint32{n}))) }

func column0(r wire.Rows, data []byte) { must.Check(must.Take(r.Columns()).Set(0, data)) }

func TestFirstQuestionsThatCannotBe(t *testing.T) {
	for text, change := range map[string]func(wire.Decisions){
		"malformed asked: is 4294967295": func(d wire.Decisions) { d.SetAsked(math.MaxUint32) },
		"tooMuch ended: 4294967295":      func(d wire.Decisions) { d.SetEnded(math.MaxUint32) },
		"malformed slot: 7, there":       func(d wire.Decisions) { must.Check(d.SetSlot(le([]uint32{7}))) },
		"malformed slot: 3 bytes":        func(d wire.Decisions) { must.Check(d.SetSlot([]byte{1, 2, 3})) },
		"malformed context: row 5": func(d wire.Decisions) {
			must.Check(d.SetSequence(le([]uint64{5})))
		},
		"malformed begun: slot 0 has episode {0 1000 2000} in context 9": func(d wire.Decisions) {
			must.Check(d.SetContext(le([]uint64{9})))
		},
		"malformed asked: nothing is asked": func(d wire.Decisions) {
			d.SetAsked(0)
			fillNone(d)
		},
		"malformed applied: 9, allowed": func(d wire.Decisions) { must.Check(d.SetApplied([]byte{9})) },
		"malformed reward: NaN": func(d wire.Decisions) {
			must.Check(d.SetReward(le([]float64{math.NaN()})))
		},
		"malformed elapsedS: -1": func(d wire.Decisions) {
			must.Check(d.SetElapsedS(le([]float64{-1})))
		},
		"malformed begun: there are fewer": func(d wire.Decisions) { must.Take(d.NewBegun(0)) },
		"malformed begun: there are more": func(d wire.Decisions) {
			fillEpisode(must.Take(d.NewBegun(2)).At(0), given[0])
		},
		"malformed begun: slot 0 has episode {7 8 9}": func(d wire.Decisions) {
			fillEpisode(must.Take(d.Begun()).At(0), Episode{7, 8, 9})
		},
		"malformed begun: slot 0 has the horizon 5, it": func(d wire.Decisions) { must.Take(d.Begun()).At(0).SetHorizonS(5) },
	} {
		_, err := opening(func(o wire.StreamOpened) { change(must.Take(o.First())) })
		code, text, _ := strings.Cut(text, " ")
		says(t, err, code, text)
	}
}

func TestAnswersThatCannotBe(t *testing.T) {
	for text, change := range map[string]func(wire.Decisions){
		"done: the server has played 1 of 2": func(d wire.Decisions) {
			d.SetAsked(0)
			fillNone(d)
			d.SetDone(true)
		},
		"endedContext: 9 is not":     func(d wire.Decisions) { must.Check(d.SetEndedContext(le([]uint64{9}))) },
		"endedContext: 0 is not":     func(d wire.Decisions) { must.Check(d.SetEndedDecisions(nil)) },
		"slot: 3000000000, there":    func(d wire.Decisions) { must.Check(d.SetEndedSlot(le([]uint32{3e9}))) },
		"begun: slot 0 has episode":  func(d wire.Decisions) { fillEpisode(must.Take(d.Begun()).At(0), given[0]) },
		"metric jobs: +Inf of the":   func(d wire.Decisions) { must.Check(d.SetMetrics(le([]float64{1, math.Inf(1)}))) },
		"metric cost: NaN of the":    func(d wire.Decisions) { must.Check(d.SetMetrics(le([]float64{math.NaN(), 1}))) },
		"endedReward: -Inf is not":   func(d wire.Decisions) { must.Check(d.SetEndedReward(le([]float64{math.Inf(-1)}))) },
		"endedElapsedS: NaN is not":  func(d wire.Decisions) { must.Check(d.SetEndedElapsedS(le([]float64{math.NaN()}))) },
		"metrics: 8 bytes in place":  func(d wire.Decisions) { must.Check(d.SetMetrics(make([]byte, 8))) },
		"endedUnseen: there are mor": func(d wire.Decisions) { must.Take(d.NewEndedUnseen(1)) },
	} {
		st, err := opening(func(wire.StreamOpened) {})
		must.Check(err)
		_, err = step(st, func(d wire.Decisions) {
			fillEnded(d, given[0])
			fillAsked(d, given[1])
			change(d)
		})
		says(t, err, "malformed", text)
	}
}

// fillNone takes the question away again.
func fillNone(d wire.Decisions) {
	must.Take(d.NewObservation())
	must.Take(d.NewBegun(0))
	must.Check(d.SetContext(nil))
}

func TestAnEpisodeThatWasCutOffMayLeaveAMetricUndefined(t *testing.T) {
	st, err := opening(func(wire.StreamOpened) {})
	must.Check(err)
	_, err = step(st, func(d wire.Decisions) {
		fillEnded(d, given[0])
		fillAsked(d, given[1])
		must.Check(d.SetTruncated([]byte{1}))
		must.Check(d.SetMetrics(le([]float64{math.NaN(), 1})))
	})
	if err != nil {
		t.Error(err)
	}
}

func TestASystemBeginsWhatItWasGivenInAnyOrder(t *testing.T) {
	begins := func(e Episode) error {
		_, err := opening(func(o wire.StreamOpened) {
			must.Take(o.Spec()).SetSystem(true)
			fillAsked(must.Take(o.First()), e)
			must.Check(must.Take(o.First()).SetContext(le([]uint64{9})))
		})
		return err
	}
	if err := begins(given[1]); err != nil {
		t.Error(err)
	}
	says(t, begins(Episode{7, 8, 9}), "malformed", "begun: slot 0 has episode {7 8 9}, which was not")
}

func TestASlotIsAskedOnce(t *testing.T) {
	_, err := openingOf(2, func(o wire.StreamOpened) {
		d := must.Take(o.First())
		rows := must.Take(d.Observation())
		rows.SetCount(2)
		must.Check(must.Take(rows.Counts()).Set(0, le([]uint32{0, 0})))
		must.Check(must.Take(rows.Columns()).Set(0, le([]float64{1, 2})))
		must.Check(must.Take(rows.Columns()).Set(1, nil))
		d.SetAsked(2)
		must.Check(d.SetContext(nil))
		must.Check(d.SetSequence(le([]uint64{0, 1})))
	})
	says(t, err, "malformed", "slot: 0 is asked twice")
}

func TestTextsOfServersAreShownWithoutControlCharacters(t *testing.T) {
	shown := (&Error{"internal", "a\x1b]52;c;AA\x07\n\u009bZ\xff\x7fé"}).Error()
	if want := "internal: a" + `\x1b]52;c;AA\x07` + "\n" + `\xc2\x9bZ\xff\x7fé`; shown != want {
		t.Errorf("%q in place of %q", shown, want)
	}
	long := Shown(strings.Repeat("x", 3<<20))
	if len(long) > mostText+64 || !strings.HasSuffix(long, " and 3129344 more bytes") {
		t.Errorf("%d bytes, at the end %q", len(long), long[len(long)-40:])
	}
}

// answered is what Connect says of a server that answers each message with a frame.
func answered(t *testing.T, fill func(wire.Envelope)) error {
	t.Helper()
	socket := must.Take(zmq4.NewSocket(zmq4.ROUTER))
	defer socket.Close()
	must.Check(socket.SetLinger(0))
	must.Check(socket.SetRcvtimeo(20 * time.Millisecond))
	must.Check(socket.Bind("tcp://127.0.0.1:*"))
	frame := must.Take(encode(nil, 0, fill))
	done := make(chan error, 1)
	over := make(chan struct{})
	go func() {
		for {
			route, err := socket.RecvMessageBytes(0)
			select {
			case <-over:
				done <- nil
				return
			default:
			}
			if err == nil {
				_, err = socket.SendMessage(route[0], preamble, frame)
			}
			if err != nil && !is(err, syscall.EAGAIN) {
				done <- err
				return
			}
		}
	}()
	endpoint := must.Take(socket.GetLastEndpoint())
	begin := time.Now()
	session, err := Connect(context.Background(), endpoint, 4*time.Second)
	if err == nil {
		session.Close()
	}
	close(over)
	must.Check(<-done)
	if took := time.Since(begin); took > 3*time.Second {
		t.Errorf("it took %v", took)
	}
	return err
}

func fillWelcome(e wire.Envelope) wire.Welcome {
	welcome := must.Take(e.NewWelcome())
	must.Check(welcome.SetSession(make([]byte, sessionBytes)))
	welcome.SetWindow(8)
	welcome.SetLeaseMs(1000)
	welcome.SetMostBytes(1000)
	welcome.SetMostSlots(8)
	welcome.SetHeartbeatMs(100)
	return welcome
}

func TestALimitOf0IsNamed(t *testing.T) {
	for name, change := range map[string]func(wire.Welcome){
		"window":      func(w wire.Welcome) { w.SetWindow(0) },
		"leaseMs":     func(w wire.Welcome) { w.SetLeaseMs(0) },
		"mostBytes":   func(w wire.Welcome) { w.SetMostBytes(0) },
		"mostSlots":   func(w wire.Welcome) { w.SetMostSlots(0) },
		"heartbeatMs": func(w wire.Welcome) { w.SetHeartbeatMs(0) },
		"session":     func(w wire.Welcome) { must.Check(w.SetSession(make([]byte, 15))) },
	} {
		err := answered(t, func(e wire.Envelope) { change(fillWelcome(e)) })
		says(t, err, "malformed", "welcome: "+name)
	}
}

func TestAHelloThatTheServerCannotReadEndsTheCall(t *testing.T) {
	err := answered(t, func(e wire.Envelope) {
		failure := must.Take(e.NewFailure())
		failure.SetCode(wire.Code_malformed)
		must.Check(failure.SetText("envelope: is none"))
	})
	says(t, err, "malformed", "the server cannot read what this client sends: malformed: envelope: is none")
}

// Whatever bytes change, reading ends with an error or without one.
func TestMutatedMessagesDoNoHarm(t *testing.T) {
	frame := must.Take(encode(nil, 1, func(e wire.Envelope) {
		opened := must.Take(e.NewStreamOpened())
		fillSpec(must.Take(opened.NewSpec()))
		fillAsked(must.Take(opened.NewFirst()), given[0])
	}))
	chance := rand.New(rand.NewSource(1))
	good, bad := 0, 0
	for i := 0; i < 20000; i++ {
		changed := append([]byte(nil), frame...)
		for n := chance.Intn(4); n >= 0; n-- {
			changed[chance.Intn(len(changed))] = byte(chance.Intn(256))
		}
		if read(changed) == nil {
			good++
		} else {
			bad++
		}
	}
	if good < 1000 || bad < 1000 {
		t.Errorf("%d good, %d bad", good, bad)
	}
}

func read(frame []byte) (err error) {
	defer must.Guard(&err)
	message := must.Take(Decode(frame))
	if message.Which() != wire.Envelope_Which_streamOpened {
		return malformed("it is another message, which a session ignores")
	}
	opened := must.Take(message.StreamOpened())
	st := newStream(&Session{mostBytes: 64 << 20}, Options{Slots: 1, Episodes: given})
	d := st.open(opened)
	for _, leaf := range st.Spec.Observation.Leaves {
		if leaf.Group == "" {
			must.Take(d.Observation.Values(leaf.Name))
		}
	}
	return nil
}
