package park

import (
	"fmt"
	"hash/fnv"
	"regexp"
	"strconv"
	"strings"

	"capnproto.org/go/capnp/v3"

	"parkclient/must"
	"parkclient/wire"
)

const (
	mostEntries  = 4096     // leaves, groups or metrics of a spec
	mostHeads    = 256      // leaves of the action
	mostSizes    = 32       // of a shape
	mostName     = 256      // bytes
	mostTexts    = 1 << 20  // bytes of all texts of a spec that are read
	mostRowBytes = 64 << 20 // of a row with one element in each group, and of the numbers of a message
)

// Leaf is one named array of a record.
type Leaf struct {
	Name      string
	Type      wire.DType
	Shape     []int64
	Width     int // the product of the shape: numbers of a row, or of an element of its group
	Low, High float64
	Group     string
	IndexOf   string
	Given     []string
}

// Integer tells whether the leaf's values are whole numbers.
func (l Leaf) Integer() bool { return l.Type != wire.DType_f32 && l.Type != wire.DType_f64 }

// size is what one number takes.
func (l Leaf) size() int {
	sizes := [...]int{wire.DType_u8: 1, wire.DType_i32: 4, wire.DType_i64: 8, wire.DType_f32: 4,
		wire.DType_f64: 8}
	return sizes[l.Type]
}

// bytes is what one element takes.
func (l Leaf) bytes() int { return l.Width * l.size() }

// Group is a number of elements that each row has for itself.
type Group struct {
	Name     string
	Capacity int64 // elements that a row has at most
}

// Record is the form of the rows of an observation or an action.
type Record struct {
	Leaves []Leaf
	Groups []Group
}

// bytes is what a row takes with one element in each group; readRecord has bounded it.
func (r Record) bytes() int {
	sum := 0
	for _, leaf := range r.Leaves {
		sum += leaf.bytes()
	}
	return sum
}

// group is the place of a group, or -1.
func (r Record) group(name string) int {
	for i, group := range r.Groups {
		if group.Name == name {
			return i
		}
	}
	return -1
}

// Spec is what a client has to know of an environment. It is copied out of its message, which may
// be read only so often.
type Spec struct {
	Text                string
	Observation, Action Record
	Metrics             []string // names
	System              bool     // it runs by itself, and begins episodes as it likes
}

// Metric is the place of a metric in the metrics of a result.
func (s Spec) Metric(name string) (int, error) {
	for i, known := range s.Metrics {
		if known == name {
			return i, nil
		}
	}
	return 0, &Error{"unknownName", fmt.Sprintf("metric: there is no '%s'; there are %q", name, s.Metrics)}
}

// layout is what a server's layoutHash has to be.
func (s Spec) layout() uint64 {
	hash := fnv.New64a()
	add := func(texts ...string) {
		for _, text := range texts {
			hash.Write(append([]byte(text), 0xff))
		}
	}
	number := func(n uint64) { add(strconv.FormatUint(n, 10)) }
	ranged := map[string]bool{}
	for _, leaf := range s.Observation.Leaves {
		ranged[leaf.Name] = true
	}
	add("park layout 1")
	for i, record := range []Record{s.Observation, s.Action} {
		for _, leaf := range record.Leaves {
			if strings.HasPrefix(leaf.Name, "info.") {
				continue
			}
			add(leaf.Name)
			number(uint64(leaf.Type))
			number(uint64(len(leaf.Shape)))
			for _, size := range leaf.Shape {
				number(uint64(size))
			}
			add(leaf.Group, leaf.IndexOf)
			number(uint64(len(leaf.Given)))
			add(leaf.Given...)
			if i == 1 && leaf.Integer() && leaf.IndexOf == "" && !ranged[leaf.Name+".min"] {
				number(uint64(leaf.High - leaf.Low + 1))
			}
		}
		add("|")
	}
	return hash.Sum64()
}

// readSpec takes a spec that says of itself what is true.
func readSpec(from wire.Spec) Spec {
	spec := copySpec(from)
	if spec.layout() != from.LayoutHash() {
		must.Check(malformed("spec: layoutHash is not that of its leaves"))
	}
	return spec
}

// copySpec takes a spec whose rows can be had: names that are words, types that are known, shapes
// whose product is no more than a row may take.
func copySpec(from wire.Spec) Spec {
	texts := &texts{}
	spec := Spec{
		Text:        texts.take("its text", must.Take(from.Text())),
		Observation: readRecord(must.Take(from.Observation()), mostEntries, texts),
		Action:      readRecord(must.Take(from.Action()), mostHeads, texts),
		System:      from.System(),
	}
	metrics := must.Take(from.Metrics())
	limited("metrics", metrics.Len(), mostEntries)
	for i := 0; i < metrics.Len(); i++ {
		spec.Metrics = append(spec.Metrics, texts.name("metric", must.Take(metrics.At(i).Name())))
	}
	return spec
}

func limited(what string, n, most int) {
	if n > most {
		must.Check(tooMuch("spec: %d %s, at most %d are allowed", n, what, most))
	}
}

// texts are those of one spec.
type texts struct{ bytes int }

func (t *texts) take(of, text string) string {
	t.bytes += len(text)
	limited("bytes of texts up to "+of, t.bytes, mostTexts)
	return text
}

var words = regexp.MustCompile(`^[a-z0-9_]+(\.[a-z0-9_]+)*$`)

// name is a name that is one.
func (t *texts) name(of, name string) string {
	limited("bytes in a name of a "+of, len(name), mostName)
	if !words.MatchString(name) {
		must.Check(malformed("spec: %s '%s' must be lower-case words joined by dots", of, name))
	}
	return t.take(of, name)
}

func readRecord(from wire.Record, mostLeaves int, texts *texts) (record Record) {
	leaves, groups := must.Take(from.Leaves()), must.Take(from.Groups())
	limited("leaves of a record", leaves.Len(), mostLeaves)
	limited("groups of a record", groups.Len(), mostEntries)
	known := map[string]bool{"": true}
	for i := 0; i < groups.Len(); i++ {
		group := Group{texts.name("group", must.Take(groups.At(i).Name())), groups.At(i).Capacity()}
		record.Groups = append(record.Groups, group)
		known[group.Name] = true
	}
	bytes := 0
	for i := 0; i < leaves.Len(); i++ {
		leaf := readLeaf(leaves.At(i), texts)
		if bytes += leaf.bytes(); bytes > mostRowBytes {
			must.Check(tooMuch("%s: with it a row takes %d bytes, at most %d are allowed", leaf.Name,
				bytes, mostRowBytes))
		}
		if !known[leaf.Group] {
			must.Check(malformed("%s: there is no group '%s'", leaf.Name, leaf.Group))
		}
		record.Leaves = append(record.Leaves, leaf)
	}
	return record
}

func readLeaf(from wire.Leaf, texts *texts) Leaf {
	leaf := Leaf{
		Name:    texts.name("leaf", must.Take(from.Name())),
		Type:    from.Dtype(),
		Width:   1,
		Low:     from.Low(),
		High:    from.High(),
		Group:   texts.take("the groups", must.Take(from.Group())),
		IndexOf: texts.take("the indices", must.Take(from.IndexOf())),
	}
	if leaf.Type > wire.DType_f64 {
		must.Check(&Error{"unsupported", leaf.Name + ": its type is not known"})
	}
	if !finite(leaf.Low) || !finite(leaf.High) || leaf.Low > leaf.High {
		must.Check(malformed("%s: its bounds [%v, %v] must be finite, the lower one first", leaf.Name,
			leaf.Low, leaf.High))
	}
	given := must.Take(from.Given())
	limited("names in given of "+leaf.Name, given.Len(), mostSizes)
	for i := 0; i < given.Len(); i++ {
		leaf.Given = append(leaf.Given, texts.take("the paths", must.Take(given.At(i))))
	}
	leaf.readShape(must.Take(from.Shape()))
	return leaf
}

// readShape takes a shape whose product is no more than a row may take.
func (l *Leaf) readShape(shape capnp.Int64List) {
	limited("sizes in the shape of "+l.Name, shape.Len(), mostSizes)
	for i := 0; i < shape.Len(); i++ {
		size := shape.At(i)
		if size < 1 {
			must.Check(malformed("%s: a size of its shape is %d, allowed is 1 or more", l.Name, size))
		}
		if size > int64(mostRowBytes/l.Width) {
			must.Check(tooMuch("%s: its shape has more than %d numbers", l.Name, mostRowBytes))
		}
		l.Shape = append(l.Shape, size)
		l.Width *= int(size)
	}
}
