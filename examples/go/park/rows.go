package park

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"capnproto.org/go/capnp/v3"

	"parkclient/must"
	"parkclient/wire"
)

type number interface {
	uint8 | int32 | int64 | uint32 | uint64 | float32 | float64
}

// column reads n numbers; a column that is empty stands for zeros. The caller has checked n against
// what the client asked for: it takes memory for as many.
func column[T number](name string, data []byte, n int) []T {
	if size := n * binary.Size(T(0)); len(data) != 0 && len(data) != size {
		must.Check(malformed("%s: %d bytes in place of %d", name, len(data), size))
	}
	values := make([]T, n)
	if len(data) != 0 {
		must.Check(binary.Read(bytes.NewReader(data), binary.LittleEndian, values))
	}
	return values
}

// Rows are n rows of a record, as columns.
type Rows struct {
	Count   int
	record  Record
	counts  [][]uint32
	columns [][]byte
}

// readRows checks every size against the bytes that are there before it takes any memory.
func readRows(from wire.Rows, record Record, most int) Rows {
	if int64(from.Count()) > int64(most) {
		must.Check(tooMuch("rows: %d, at most %d are allowed", from.Count(), most))
	}
	rows := Rows{Count: int(from.Count()), record: record}
	counts, columns := must.Take(from.Counts()), must.Take(from.Columns())
	if rows.Count == 0 { // then there need not be columns
		checkEmpty("lists of counts", counts, len(record.Groups))
		checkEmpty("columns", columns, len(record.Leaves))
		rows.counts = make([][]uint32, len(record.Groups))
		rows.columns = make([][]byte, len(record.Leaves))
		return rows
	}
	if counts.Len() != len(record.Groups) || columns.Len() != len(record.Leaves) {
		must.Check(malformed("rows: %d groups and %d leaves in place of %d and %d", counts.Len(),
			columns.Len(), len(record.Groups), len(record.Leaves)))
	}
	elements := map[string]int64{"": int64(rows.Count)} // of all rows, by group
	for i, group := range record.Groups {
		rows.counts = append(rows.counts, readCounts(group, must.Take(counts.At(i)), rows.Count))
		for _, n := range rows.counts[i] {
			elements[group.Name] += int64(n)
		}
	}
	for i, leaf := range record.Leaves {
		data := must.Take(columns.At(i))
		n, each, size := elements[leaf.Group], int64(leaf.bytes()), int64(len(data))
		if n > size || n*each != size { // an element has a byte at least: the product is no overflow
			must.Check(malformed("%s: %d bytes for %d elements of %d bytes", leaf.Name, size, n, each))
		}
		rows.columns = append(rows.columns, data)
	}
	return rows
}

func checkEmpty(what string, list capnp.DataList, wanted int) {
	if n := list.Len(); n != 0 && n != wanted {
		must.Check(malformed("rows: %d %s, allowed are %d, or 0 without rows", n, what, wanted))
	}
	for i := 0; i < list.Len(); i++ {
		if len(must.Take(list.At(i))) != 0 {
			must.Check(malformed("rows: %s have bytes without rows", what))
		}
	}
}

func readCounts(group Group, data []byte, rows int) []uint32 {
	if len(data) != 4*rows {
		must.Check(malformed("%s: %d bytes for the counts of %d rows", group.Name, len(data), rows))
	}
	counts := column[uint32](group.Name, data, rows)
	for row, n := range counts {
		if int64(n) > group.Capacity {
			must.Check(malformed("%s: %d elements in row %d, at most %d are allowed", group.Name, n, row,
				group.Capacity))
		}
	}
	return counts
}

// check fails where a value is outside of the bounds of its leaf.
func (r Rows) check() {
	for i, leaf := range r.record.Leaves {
		for _, value := range floats(leaf, r.columns[i], len(r.columns[i])/leaf.size()) {
			if !(value >= leaf.Low && value <= leaf.High) {
				must.Check(malformed("%s: %v is outside of [%v, %v]", leaf.Name, value, leaf.Low, leaf.High))
			}
		}
	}
}

// Elements returns how many elements of a group each row has.
func (r Rows) Elements(group string) ([]uint32, error) {
	if i := r.record.group(group); i >= 0 {
		return r.counts[i], nil
	}
	return nil, fmt.Errorf("there is no group '%s'", group)
}

// Values returns the values of a leaf without a group, those of each row by themselves.
func (r Rows) Values(name string) (rows [][]float64, err error) {
	defer must.Guard(&err)
	for i, leaf := range r.record.Leaves {
		if leaf.Name == name && leaf.Group == "" {
			all := floats(leaf, r.columns[i], r.Count*leaf.Width)
			for row := 0; row < r.Count; row++ {
				rows = append(rows, all[row*leaf.Width:(row+1)*leaf.Width])
			}
			return rows, nil
		}
	}
	return nil, fmt.Errorf("there is no leaf '%s' without a group", name)
}

func floats(leaf Leaf, data []byte, n int) []float64 {
	switch leaf.Type {
	case wire.DType_u8:
		return convert[uint8, float64](column[uint8](leaf.Name, data, n))
	case wire.DType_i32:
		return convert[int32, float64](column[int32](leaf.Name, data, n))
	case wire.DType_i64:
		return convert[int64, float64](column[int64](leaf.Name, data, n))
	case wire.DType_f32:
		return convert[float32, float64](column[float32](leaf.Name, data, n))
	}
	return column[float64](leaf.Name, data, n)
}

func convert[From, To number](from []From) []To {
	to := make([]To, len(from))
	for i, value := range from {
		to[i] = To(value)
	}
	return to
}

// Actions has the values of each leaf of the action, all rows one after the other.
type Actions map[string][]float64

func (a Actions) write(to wire.Rows, record Record, count int) {
	to.SetCount(uint32(count))
	columns := must.Take(to.NewColumns(int32(len(record.Leaves))))
	for i, leaf := range record.Leaves {
		values := a[leaf.Name]
		if leaf.Group != "" || len(values) != count*leaf.Width {
			must.Check(fmt.Errorf("action leaf '%s': %d values in place of %d, and no group is allowed",
				leaf.Name, len(values), count*leaf.Width))
		}
		setBytes(columns, i, leaf.Type, values)
	}
}

func setBytes(columns capnp.DataList, i int, dtype wire.DType, values []float64) {
	var typed interface{} = values
	switch dtype {
	case wire.DType_u8:
		typed = convert[float64, uint8](values)
	case wire.DType_i32:
		typed = convert[float64, int32](values)
	case wire.DType_i64:
		typed = convert[float64, int64](values)
	case wire.DType_f32:
		typed = convert[float64, float32](values)
	}
	var data bytes.Buffer
	must.Check(binary.Write(&data, binary.LittleEndian, typed))
	must.Check(columns.Set(i, data.Bytes()))
}
