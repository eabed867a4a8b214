package results

import (
	"compress/gzip"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/renameio/v2"
)

// Merge writes the records of several folders into one compressed segment, one record per cell (a success before a
// failure, then the first), ordered by cell: how published records are kept. Damaged records are an error.
func Merge(path string, dirs ...string) (n int, err error) {
	best := map[string]*Record{}
	for r, err := range Read(dirs...) {
		if d := (*Damage)(nil); errors.As(err, &d) && d.Torn {
			continue // a run that was killed
		} else if err != nil {
			return 0, err
		}
		if kept := best[r.ID]; kept == nil || kept.Status == Failed && r.Status == OK {
			best[r.ID] = r
		}
	}
	records := make([]*Record, 0, len(best))
	for _, r := range best {
		records = append(records, r)
	}
	slices.SortFunc(records, func(a, b *Record) int {
		return strings.Compare(sortKey(a), sortKey(b))
	})
	return len(records), writeCompressed(path, records)
}

func sortKey(r *Record) string {
	return fmt.Sprintf("%s %s %s %06d %s", r.Dataset, r.Method, r.Protocol, r.Fold, r.Config)
}

func writeCompressed(path string, records []*Record) error {
	f, err := renameio.NewPendingFile(path, renameio.WithPermissions(0o644))
	if err != nil {
		return err
	}
	defer f.Cleanup()
	z, _ := gzip.NewWriterLevel(f, gzip.BestCompression)
	for _, r := range records {
		line, err := r.line()
		if err != nil {
			return err
		}
		if _, err := z.Write(line); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	return f.CloseAtomicallyReplace()
}
