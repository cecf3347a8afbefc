package park

import "parkclient/wire"

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
		Text:        take(from.Text()),
		Observation: readRecord(take(from.Observation())),
		Action:      readRecord(take(from.Action())),
	}
	metrics := take(from.Metrics())
	for i := 0; i < metrics.Len(); i++ {
		spec.Metrics = append(spec.Metrics, take(metrics.At(i).Name()))
	}
	return spec
}

func readRecord(from wire.Record) (record Record) {
	leaves, groups := take(from.Leaves()), take(from.Groups())
	for i := 0; i < leaves.Len(); i++ {
		record.Leaves = append(record.Leaves, readLeaf(leaves.At(i)))
	}
	for i := 0; i < groups.Len(); i++ {
		record.Groups = append(record.Groups, take(groups.At(i).Name()))
	}
	return record
}

func readLeaf(from wire.Leaf) Leaf {
	leaf := Leaf{
		Name:    take(from.Name()),
		Type:    from.Dtype(),
		Width:   1,
		Low:     from.Low(),
		High:    from.High(),
		Group:   take(from.Group()),
		IndexOf: take(from.IndexOf()),
	}
	shape := take(from.Shape())
	for i := 0; i < shape.Len(); i++ {
		leaf.Width *= int(shape.At(i))
	}
	return leaf
}
