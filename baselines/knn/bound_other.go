//go:build !amd64

package knn

func blockWithin(numeric []float32, codes []uint8, q *query, least []uint8, limit float32, squared bool) uint32 {
	return blockWithinGo(numeric, codes, q, least, limit, squared)
}

func boxBounds(low, high []float32, first, last []uint8, q *query, least []uint8, squared bool, out *[fanout]float32) {
	boxBoundsGo(low, high, first, last, q, least, squared, out)
}
