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

// column reads n numbers; a column that is empty stands for zeros.
func column[T number](data []byte, n int) []T {
	values := make([]T, n)
	if len(data) == 0 {
		return values
	}
	if len(data) != binary.Size(values) {
		must.Check(malformed("a column has %d bytes in place of %d", len(data), binary.Size(values)))
	}
	must.Check(binary.Read(bytes.NewReader(data), binary.LittleEndian, values))
	return values
}

// Rows are n rows of a record, as columns.
type Rows struct {
	Count   int
	record  Record
	counts  [][]uint32
	columns [][]byte
}

func readRows(from wire.Rows, record Record) Rows {
	rows := Rows{Count: int(from.Count()), record: record}
	if rows.Count == 0 { // then there need not be columns either
		rows.counts = make([][]uint32, len(record.Groups))
		rows.columns = make([][]byte, len(record.Leaves))
		return rows
	}
	counts, columns := must.Take(from.Counts()), must.Take(from.Columns())
	if counts.Len() != len(record.Groups) || columns.Len() != len(record.Leaves) {
		must.Check(malformed("rows have %d groups and %d leaves in place of %d and %d", counts.Len(),
			columns.Len(), len(record.Groups), len(record.Leaves)))
	}
	for i := 0; i < counts.Len(); i++ {
		rows.counts = append(rows.counts, column[uint32](must.Take(counts.At(i)), rows.Count))
	}
	for i := 0; i < columns.Len(); i++ {
		rows.columns = append(rows.columns, must.Take(columns.At(i)))
	}
	return rows
}

// Elements returns how many elements of a group each row has.
func (r Rows) Elements(group string) ([]uint32, error) {
	for i, name := range r.record.Groups {
		if name == group {
			return r.counts[i], nil
		}
	}
	return nil, fmt.Errorf("there is no group '%s'", group)
}

// Values returns the values of a leaf without a group, those of each row by themselves.
func (r Rows) Values(name string) (rows [][]float64, err error) {
	defer must.Guard(&err)
	for i, leaf := range r.record.Leaves {
		if leaf.Name == name && leaf.Group == "" {
			all := floats(leaf.Type, r.columns[i], r.Count*leaf.Width)
			for row := 0; row < r.Count; row++ {
				rows = append(rows, all[row*leaf.Width:(row+1)*leaf.Width])
			}
			return rows, nil
		}
	}
	return nil, fmt.Errorf("there is no leaf '%s' without a group", name)
}

func floats(dtype wire.DType, data []byte, n int) []float64 {
	switch dtype {
	case wire.DType_u8:
		return convert[uint8, float64](column[uint8](data, n))
	case wire.DType_i32:
		return convert[int32, float64](column[int32](data, n))
	case wire.DType_i64:
		return convert[int64, float64](column[int64](data, n))
	case wire.DType_f32:
		return convert[float32, float64](column[float32](data, n))
	}
	return column[float64](data, n)
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
