// Package methods lists what can be compared. Adding a method takes a package that declares it and a line here.
package methods

import (
	"nptbench/baselines/knn"
	"nptbench/internal/method"
)

// All returns the methods in the order of the paper's tables, those that the paper does not have last.
func All() []*method.Method {
	return []*method.Method{
		knn.Method,
	}
}
