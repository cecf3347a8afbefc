package main

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"capnproto.org/go/capnp/v3"

	"parkclient/must"
	"parkclient/park"
	"parkclient/wire"
)

// decodeFile returns the line of a file: its name and what the message in it says.
func decodeFile(path string) (string, error) {
	frame, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	said, err := describe(frame)
	if err != nil {
		said = "reject"
	}
	return filepath.Base(path) + " " + said, nil
}

// field is one key of an object whose keys keep their order.
type field struct {
	name  string
	value interface{}
}

func describe(frame []byte) (text string, err error) {
	defer must.Guard(&err)
	envelope := must.Take(park.Decode(frame))
	fields := []field{{"is", envelope.Which().String()}, {"sequence", envelope.Sequence()}}
	var parts []string
	for _, f := range append(fields, contents(envelope)...) {
		var value strings.Builder
		encoder := json.NewEncoder(&value)
		encoder.SetEscapeHTML(false)
		must.Check(encoder.Encode(f.value))
		parts = append(parts, fmt.Sprintf("%q:%s", f.name, strings.TrimSuffix(value.String(), "\n")))
	}
	return "{" + strings.Join(parts, ",") + "}", nil
}

func contents(e wire.Envelope) []field {
	switch e.Which() {
	case wire.Envelope_Which_welcome:
		return welcome(must.Take(e.Welcome()))
	case wire.Envelope_Which_refused:
		refused := must.Take(e.Refused())
		return failure(refused.Code(), must.Take(refused.Text()))
	case wire.Envelope_Which_failure:
		failed := must.Take(e.Failure())
		return failure(failed.Code(), must.Take(failed.Text()))
	case wire.Envelope_Which_pong:
		return nil
	case wire.Envelope_Which_farewell:
		return []field{{"reason", must.Take(must.Take(e.Farewell()).Reason())}}
	case wire.Envelope_Which_streamOpened:
		return streamOpened(must.Take(e.StreamOpened()))
	case wire.Envelope_Which_decisions:
		return decisions(must.Take(e.Decisions()))
	case wire.Envelope_Which_policyOpened:
		opened := must.Take(e.PolicyOpened())
		return []field{{"id", opened.Id()}, {"policy", must.Take(opened.Policy())}}
	case wire.Envelope_Which_answer:
		answer := must.Take(e.Answer())
		columns := list(must.Take(must.Take(answer.Actions()).Columns()))
		return []field{{"id", answer.Id()}, {"columns", columns}}
	}
	must.Check(fmt.Errorf("no message of a server: %d", e.Which()))
	return nil
}

func welcome(w wire.Welcome) []field {
	return []field{{"minor", w.Minor()}, {"session", hex.EncodeToString(must.Take(w.Session()))},
		{"server", must.Take(w.Server())}, {"window", w.Window()}, {"leaseMs", w.LeaseMs()},
		{"mostBytes", w.MostBytes()}, {"mostSlots", w.MostSlots()},
		{"heartbeatMs", w.HeartbeatMs()}}
}

func failure(code wire.Code, text string) []field {
	if code.String() == "" {
		must.Check(fmt.Errorf("unknown code %d", code))
	}
	return []field{{"code", code.String()}, {"text", text}}
}

func streamOpened(o wire.StreamOpened) []field {
	spec := must.Take(o.Spec())
	return []field{{"stream", o.Stream()}, {"env", must.Take(spec.Name())},
		{"layoutHash", fmt.Sprintf("%016x", spec.LayoutHash())},
		{"observation", names(must.Take(spec.Observation()))},
		{"action", names(must.Take(spec.Action()))}, {"asked", must.Take(o.First()).Asked()}}
}

func names(record wire.Record) []string {
	leaves := must.Take(record.Leaves())
	found := []string{}
	for i := 0; i < leaves.Len(); i++ {
		found = append(found, must.Take(leaves.At(i).Name()))
	}
	return found
}

func decisions(d wire.Decisions) []field {
	rows, final := must.Take(d.Observation()), must.Take(d.FinalObservation())
	return []field{{"stream", d.Stream()}, {"asked", d.Asked()}, {"ended", d.Ended()},
		{"done", d.Done()}, {"counts", list(must.Take(rows.Counts()))},
		{"columns", list(must.Take(rows.Columns()))},
		{"slot", hex.EncodeToString(must.Take(d.Slot()))},
		{"reward", hex.EncodeToString(must.Take(d.Reward()))},
		{"finalColumns", list(must.Take(final.Columns()))},
		{"metrics", hex.EncodeToString(must.Take(d.Metrics()))}}
}

func list(columns capnp.DataList) []string {
	found := []string{}
	for i := 0; i < columns.Len(); i++ {
		found = append(found, hex.EncodeToString(must.Take(columns.At(i))))
	}
	return found
}
