package filesystem

import (
	"io/fs"
	"os"
	"path/filepath"
)

// HereOrAbove returns the path of the file or folder with this name in the working directory or the nearest one above it that has one;
// empty: none has.
func HereOrAbove(name string) string {
	dir, err := os.Getwd()
	for err == nil {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); err == nil {
			return path
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			break
		}
		dir = parent
	}
	return ""
}

// Glob lists the paths below a folder that match a pattern of path.Match, in their order. The folder's own name is no pattern, and one that
// is not there has nothing; so does a pattern that is none.
func Glob(dir, pattern string) []string {
	paths, _ := fs.Glob(os.DirFS(dir), pattern)
	return paths
}
