// Readme writes into README.md and the other documents what commands and reports give, and checks the numbers of their sentences.
//
//	go run ./cmd/readme [-check]
//
// Where a document has a line <!-- table REPORT NAME -->, all up to the next <!-- end --> becomes the table of that name in the
// report, such as out/published/report/table1.md. Where it has an indented line with a command, a blank line and a line
// <!-- output -->, all up to the next <!-- end --> becomes what the command prints. Sentences with numbers of reports stand in
// sentences_*.go. With -check nothing is written, and what would be is an error.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"nptbench/internal/filesystem"
	"nptbench/internal/program"
)

const about = `Writes into the documents of the working directory what reports and commands give, and checks the numbers of their sentences.`

func main() { program.Main(run) }

func run(ctx context.Context, e program.Env) (exit int, err error) {
	f := program.NewFlags("readme", about, "[-check]")
	check := f.Bool("check", false, "write nothing, and fail where something would be written")
	if err := f.Parse(e); err != nil {
		return program.ExitBadInput, err
	}
	files, err := documents(".")
	if err != nil {
		return program.ExitFailed, err
	}
	var wrong []error
	for _, file := range files {
		if err := update(ctx, file, *check); err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", file, err))
		}
	}
	if err := errors.Join(append(wrong, checkSentences(&reports{}, sentences))...); err != nil {
		return program.ExitFailed, err
	}
	return program.ExitOK, nil
}

// documents are the Markdown files of a folder that are not results.
func documents(dir string) (files []string, err error) {
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch name := entry.Name(); {
		case entry.IsDir() && (len(name) > 1 && name[0] == '.' || name == "out" || name == "data" || name == "testdata" || name == "published"):
			return filepath.SkipDir
		case filepath.Ext(name) == ".md":
			files = append(files, path)
		}
		return nil
	})
	return files, err
}

const end = "<!-- end -->"

var opening = regexp.MustCompile(`(?m)^<!-- (table|output)\b`)

var place = regexp.MustCompile(`(?sm)(^<!-- table (\S+) (\S+) -->\n|^    ([^\n]+)\n\n<!-- output -->\n).*?(^` + end + `$)`)

// update puts tables and output into a document, or with check fails if it has others.
func update(ctx context.Context, file string, check bool) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	places := 0
	out := place.ReplaceAllFunc(text, func(old []byte) []byte {
		at := place.FindSubmatch(old)
		places++
		var now []byte
		var failed error
		if command := string(at[4]); command != "" {
			now, failed = output(ctx, command)
		} else {
			now, failed = find(string(at[2]), string(at[3]))
		}
		err = errors.Join(err, failed)
		return bytes.Join([][]byte{at[1], now, at[5]}, nil)
	})
	switch opened, ends := len(opening.FindAll(text, -1)), bytes.Count(text, []byte(end)); {
	case err != nil:
		return err
	case places != ends:
		return fmt.Errorf("%d lines %s, but %d places <!-- table REPORT NAME --> or <!-- output --> behind a command", ends, end, places)
	case places != opened: // else all up to the next end would be replaced
		return fmt.Errorf("%d lines <!-- table or <!-- output, but %d lines %s", opened, ends, end)
	case bytes.Equal(out, text):
		return nil
	case check:
		return errors.New("not what reports and commands give; make readme writes it")
	}
	return filesystem.WriteFile(file, func(w io.Writer) error {
		_, err := w.Write(out)
		return err
	})
}

// output is what a command of the shell prints.
func output(ctx context.Context, command string) ([]byte, error) {
	var stderr strings.Builder
	c := exec.CommandContext(ctx, "sh", "-c", command)
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", command, err, strings.TrimSpace(stderr.String()))
	}
	return out, nil
}

// find returns a report's table of that name.
func find(report, name string) ([]byte, error) {
	text, err := os.ReadFile(report)
	if err != nil {
		return nil, fmt.Errorf("%w; make reports-published writes it", err)
	}
	found := regexp.MustCompile(`(?s)<!-- table ` + regexp.QuoteMeta(name) + ` -->\n(.*?)` + end).FindSubmatch(text)
	if found == nil {
		return nil, fmt.Errorf("%s has no table %s", report, name)
	}
	return found[1], nil
}
