//go:build !amd64 || purego

package knn

func blockWithin(block lanes, q *query, least []uint8, limit float32, squared bool) uint32 {
	return blockWithinGo(block, q, least, limit, squared)
}

func boxBounds(low, high lanes, q *query, least []uint8, squared bool, out *[fanout]float32) {
	boxBoundsGo(low, high, q, least, squared, out)
}
