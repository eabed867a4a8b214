// Testcount runs "go test" and says in the end how many tests passed, failed and were skipped, and why those were.
//
//	go run ./cmd/testcount -flags "-race -count 1" ./results ./report
//
// Its exit code is 0 only if that of "go test" is, and if no test was skipped for a reason that -allowed does not match.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"

	"nptbench/internal/program"
)

const about = `Runs "go test" on packages, and counts tests at the end, with the reasons of those that were skipped.`

func main() { program.Main(testcount) }

func testcount(ctx context.Context, e program.Env) (exit int, err error) {
	f := program.NewFlags("testcount", about, "[-allowed REGEXP] [-flags FLAGS] PACKAGE...")
	allowed := f.String("allowed", "", "fail if a test is skipped for a reason that this `regexp` does not match")
	flags := f.String("flags", "", "`flags` of go test, with spaces between them")
	f.Arguments = true
	if err := f.Parse(e); err != nil {
		return program.ExitBadInput, err
	}
	allow, err := regexp.Compile(*allowed)
	if err != nil {
		return program.ExitBadInput, f.Errorf("-allowed: %v", err)
	}
	cmd := exec.CommandContext(ctx, "go", slices.Concat([]string{"test", "-json"}, strings.Fields(*flags), f.Args())...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // go test passes it on
	cmd.Stderr = e.Stderr
	events, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return program.ExitFailed, err
	}
	c, err := read(events, e.Stdout)
	io.Copy(io.Discard, events) // else go test waits for a reader
	if ended := cmd.Wait(); ended != nil && ctx.Err() == nil {
		exit = program.ExitFailed // and what failed has been printed
		if exited := (*exec.ExitError)(nil); !errors.As(ended, &exited) {
			return exit, ended
		}
	}
	if err := errors.Join(err, ctx.Err()); err != nil {
		return program.ExitFailed, err
	}
	if refused := c.print(e.Stdout, allow); refused > 0 {
		return program.ExitFailed, fmt.Errorf("%d tests are skipped for reasons that do not hold here", refused)
	}
	return exit, nil
}
