package dataset

import (
	"encoding/binary"
	"fmt"
	"io"
)

// IDX is the binary form of MNIST: a magic number, the sizes of all dimensions, all big-endian, then unsigned bytes.
const (
	idxLabels = 2049
	idxImages = 2051
)

// parseIDXImages appends the pixels of every image to all columns but the last.
func parseIDXImages(r io.Reader, rows int, columns []*builder) error {
	pixels := columns[:len(columns)-1]
	side := 0
	for side*side < len(pixels) {
		side++
	}
	if err := idxHeader(r, idxImages, rows, side, side); err != nil {
		return err
	}
	// A block of images at a time, so that each column is appended to in one go.
	const block = 256
	images := make([]byte, block*len(pixels))
	for at := 0; at < rows; at += block {
		n := min(block, rows-at)
		if _, err := io.ReadFull(r, images[:n*len(pixels)]); err != nil {
			return idxCutShort(err, rows)
		}
		for i, column := range pixels {
			for image := range n {
				column.n++
				column.addNumber(float64(images[image*len(pixels)+i]))
			}
		}
	}
	return idxEnd(r, rows)
}

// parseIDXLabels appends the labels to the last column.
func parseIDXLabels(r io.Reader, rows int, columns []*builder) error {
	if err := idxHeader(r, idxLabels, rows); err != nil {
		return err
	}
	labels := make([]byte, rows)
	if _, err := io.ReadFull(r, labels); err != nil {
		return idxCutShort(err, rows)
	}
	target := columns[len(columns)-1]
	for i, label := range labels {
		if err := target.add(fmt.Append(nil, label)); err != nil {
			return fmt.Errorf("label %d: %w", i, err)
		}
	}
	return idxEnd(r, rows)
}

func idxHeader(r io.Reader, magic, rows int, sizes ...int) error {
	want := append([]int{magic, rows}, sizes...)
	head := make([]byte, 4*len(want))
	if _, err := io.ReadFull(r, head); err != nil {
		return idxCutShort(err, rows)
	}
	for i, w := range want {
		got := int(binary.BigEndian.Uint32(head[4*i:]))
		if got != w && i == 0 {
			return fmt.Errorf("not an IDX file of the expected kind: it begins with %d, %d expected", got, magic)
		}
		if got != w {
			return fmt.Errorf("IDX dimension %d is %d, %d expected", i, got, w)
		}
	}
	return nil
}

func idxCutShort(err error, rows int) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("the file ends before its %d entries do", rows)
	}
	return err
}

func idxEnd(r io.Reader, rows int) error {
	n, err := io.ReadFull(r, make([]byte, 1))
	if n > 0 {
		return fmt.Errorf("the file goes on after its %d entries", rows)
	}
	if err == io.EOF {
		return nil
	}
	return err
}
