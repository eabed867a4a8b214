// Readme copies tables of results into README.md, or another document, from the reports that they are in.
//
//	go run ./cmd/readme [-file README.md]
//	go run ./cmd/readme -sentences
//
// Where the document has a line <!-- table REPORT NAME -->, all up to the next <!-- end --> becomes the table of that name in
// the report, such as out/published/report/table1.md. Where there is no such report, the document stays as it is.
// With -sentences it writes nothing, and says which sentences have numbers that the reports do not give.
package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"

	"github.com/google/renameio/v2"

	"nptbench/internal/program"
)

const about = `Copies tables of results into a document from the reports that they are in, or checks the numbers of sentences.`

func main() { program.Main(run) }

func run(_ context.Context, e program.Env) (exit int, err error) {
	f := program.NewFlags("readme", about, "[-file README.md | -sentences]")
	file := f.String("file", "README.md", "the `file` whose tables are written")
	check := f.Bool("sentences", false, "check the sentences of README.md and EXPERIMENTS.md that have numbers of the reports, and write nothing")
	if err := f.Parse(e); err != nil {
		return program.ExitBadInput, err
	}
	if *check {
		if err := checkSentences(&reports{}, sentences); err != nil {
			return program.ExitFailed, err
		}
		return program.ExitOK, nil
	}
	if err := update(*file); err != nil {
		return program.ExitFailed, err
	}
	return program.ExitOK, nil
}

var place = regexp.MustCompile(`(?s)(<!-- table (\S+) (\S+) -->\n)(.*?)(<!-- end -->)`)

func update(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	places := 0
	out := place.ReplaceAllFunc(text, func(old []byte) []byte {
		at := place.FindSubmatch(old)
		places++
		table, failed := find(string(at[2]), string(at[3]))
		if errors.Is(failed, fs.ErrNotExist) {
			return old
		}
		err = errors.Join(err, failed)
		return fmt.Appendf(nil, "%s%s%s", at[1], table, at[5])
	})
	if err == nil && places == 0 {
		err = fmt.Errorf("%s has no place <!-- table REPORT NAME --> ... <!-- end -->", file)
	}
	if err != nil {
		return err
	}
	return renameio.WriteFile(file, out, 0o644)
}

// find returns a report's table of that name.
func find(report, name string) ([]byte, error) {
	text, err := os.ReadFile(report)
	if err != nil {
		return nil, err
	}
	found := regexp.MustCompile(`(?s)<!-- table ` + regexp.QuoteMeta(name) + ` -->\n(.*?)<!-- end -->`).FindSubmatch(text)
	if found == nil {
		return nil, fmt.Errorf("%s has no table %s", report, name)
	}
	return found[1], nil
}
