package park

import (
	"parkclient/must"
	"parkclient/wire"
)

// Leaf is one named array of a record.
type Leaf struct {
	Name      string
	Type      wire.DType
	Width     int // elements of a row; of one element of its group where it has one
	Low, High float64
	Group     string
	IndexOf   string
}

// Integer tells whether the leaf's values are whole numbers.
func (l Leaf) Integer() bool { return l.Type != wire.DType_f32 && l.Type != wire.DType_f64 }

// Record is the form of the rows of an observation or an action.
type Record struct {
	Leaves []Leaf
	Groups []string
}

// Spec is what a client has to know of an environment. It is copied out of its message, which may
// be read only so often.
type Spec struct {
	Text                string
	Observation, Action Record
	Metrics             []string
}

func readSpec(from wire.Spec) Spec {
	spec := Spec{
		Text:        must.Take(from.Text()),
		Observation: readRecord(must.Take(from.Observation())),
		Action:      readRecord(must.Take(from.Action())),
	}
	metrics := must.Take(from.Metrics())
	for i := 0; i < metrics.Len(); i++ {
		spec.Metrics = append(spec.Metrics, must.Take(metrics.At(i).Name()))
	}
	return spec
}

func readRecord(from wire.Record) (record Record) {
	leaves, groups := must.Take(from.Leaves()), must.Take(from.Groups())
	for i := 0; i < leaves.Len(); i++ {
		record.Leaves = append(record.Leaves, readLeaf(leaves.At(i)))
	}
	for i := 0; i < groups.Len(); i++ {
		record.Groups = append(record.Groups, must.Take(groups.At(i).Name()))
	}
	return record
}

func readLeaf(from wire.Leaf) Leaf {
	leaf := Leaf{
		Name:    must.Take(from.Name()),
		Type:    from.Dtype(),
		Width:   1,
		Low:     from.Low(),
		High:    from.High(),
		Group:   must.Take(from.Group()),
		IndexOf: must.Take(from.IndexOf()),
	}
	shape := must.Take(from.Shape())
	for i := 0; i < shape.Len(); i++ {
		leaf.Width *= int(shape.At(i))
	}
	return leaf
}
