package program

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"k8s.io/klog/v2"
)

const asProgram = "NPTBENCH_TEST_PROGRAM"

// The test binary is also the program that the tests of signals interrupt.
func TestMain(m *testing.M) {
	switch os.Getenv(asProgram) {
	case "polite":
		Main(func(ctx context.Context, e Env) (int, error) {
			klog.Warning("of GoMLX")
			fmt.Fprintln(e.Stdout, "ready")
			<-ctx.Done()
			return ExitOK, fmt.Errorf("waiting: %w", ctx.Err())
		})
	case "deaf":
		Main(func(ctx context.Context, e Env) (int, error) {
			fmt.Fprintln(e.Stdout, "ready")
			<-ctx.Done()
			fmt.Fprintln(e.Stdout, "going on")
			select {}
		})
	}
	os.Exit(m.Run())
}

// One signal ends a program, and a second one that does not listen, but for that of a closed terminal, which may come twice, and which
// nohup has ignored.
func TestSignals(t *testing.T) {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP, syscall.SIGINT) // which programs started in the background may ignore
	defer signal.Reset(syscall.SIGHUP, syscall.SIGINT)
	direct, nohup := []string{os.Args[0]}, []string{"sh", "-c", `trap "" HUP; exec "$0"`, os.Args[0]}
	for _, c := range []struct {
		kind    string
		command []string
		signals []syscall.Signal
		want    string
	}{
		{"polite", direct, []syscall.Signal{syscall.SIGTERM}, "exit status 130"},
		{"polite", direct, []syscall.Signal{syscall.SIGHUP}, "exit status 130"},
		{"deaf", direct, []syscall.Signal{syscall.SIGTERM, syscall.SIGINT}, "signal: interrupt"},
		{"deaf", direct, []syscall.Signal{syscall.SIGHUP, syscall.SIGHUP, syscall.SIGTERM}, "signal: terminated"},
		{"deaf", nohup, []syscall.Signal{syscall.SIGHUP, syscall.SIGTERM, syscall.SIGINT}, "signal: interrupt"},
	} {
		cmd := exec.CommandContext(t.Context(), c.command[0], c.command[1:]...)
		cmd.Env = append(os.Environ(), asProgram+"="+c.kind)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		pipe, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		out := bufio.NewReader(pipe)
		out.ReadString('\n')
		for i, s := range c.signals {
			if i > 0 {
				time.Sleep(100 * time.Millisecond)
			}
			if i > 0 && i == len(c.signals)-1 {
				out.ReadString('\n') // it knows of an earlier one
			}
			cmd.Process.Signal(s)
		}
		err = cmd.Wait()
		if fmt.Sprint(err) != c.want || c.kind == "polite" && stderr.String() != "interrupted\n" {
			t.Errorf("%s after %v: %v, %q, want %s", c.kind, c.signals, err, stderr.String(), c.want)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		exit     int
		err      error
		wantExit int
		wantSaid string
	}{
		{ExitBadInput, nil, ExitBadInput, ""},
		{ExitBadInput, errors.New("no such thing\n"), ExitBadInput, "no such thing\n"},
		{ExitOK, errors.New("broken"), ExitFailed, "broken\n"},
		{ExitOK, context.Canceled, ExitFailed, "context canceled\n"}, // something else's: this program was not interrupted
	} {
		var said bytes.Buffer
		f := Func(func(context.Context, Env) (int, error) { return c.exit, c.err })
		if exit := f.Run(t.Context(), Env{Stderr: &said}); exit != c.wantExit || said.String() != c.wantSaid {
			t.Errorf("%d, %v: exit code %d, said %q", c.exit, c.err, exit, said.String())
		}
	}
}

// parse reads a command line with a flag of each kind.
func parse(stdout io.Writer, args ...string) (list []string, choice string, rest []string, err error) {
	f := NewFlags("tool", "Does something.", "[-names LIST] FILE")
	names := f.List("names", "a `list` with commas")
	kind := f.Choice("kind", "large", "`size` of what is done, in one of two sizes, of which neither is better than the other one", "large", "small")
	f.Int("n", 3, "a number")
	f.Uint64("from-seed", 0, "")
	f.Duration("time", 0, "")
	f.Float64("alpha", 0, "")
	f.Bool("csv", false, "")
	f.Arguments = len(args) > 0 && args[0] != "-n"
	err = f.Parse(Env{Args: args, Stdout: stdout, Width: 80})
	return *names, *kind, f.Args(), err
}

func TestFlags(t *testing.T) {
	list, kind, rest, err := parse(nil, "-names", " a,b ,", "-kind", "small", "file")
	if err != nil || !slices.Equal(list, []string{"a", "b"}) || kind != "small" || !slices.Equal(rest, []string{"file"}) {
		t.Errorf("%q %q %q %v", list, kind, rest, err)
	}
	if list, _, _, err := parse(nil, "-names", "a", "-names", "b,c", "file"); err != nil || !slices.Equal(list, []string{"a", "b", "c"}) {
		t.Errorf("given twice: %q, %v", list, err)
	}
	if _, kind, _, _ := parse(nil); kind != "large" {
		t.Errorf("by default %q", kind)
	}
}

func TestFlagErrors(t *testing.T) {
	for want, args := range map[string][]string{
		"flag provided but not defined: -nmae; tool -help lists the flags":                                               {"-nmae"},
		`invalid value "smal" for flag -kind: want large or small (did you mean "small"?); tool -help lists the flags`:   {"-kind", "smal"},
		`invalid value "" for flag -names: want at least one, with commas between several; tool -help lists the flags`:   {"-names", ""},
		`invalid value ", " for flag -names: want at least one, with commas between several; tool -help lists the flags`: {"-names=, "},
		`"file" is not a flag; tool -help lists the flags`:                                                               {"-n", "4", "file"},
		`-n stands after "file": flags come first; tool -help lists the flags`:                                           {"file", "-n", "4"},
		`invalid value "x" for flag -n: want a whole number; tool -help lists the flags`:                                 {"-n", "x"},
		`invalid value "-1" for flag -from-seed: want a whole number, 0 or more; tool -help lists the flags`:             {"-from-seed", "-1"},
		`invalid value "x" for flag -time: want a duration, such as 20m or 1h30m; tool -help lists the flags`:            {"-time", "x"},
		`invalid value "x" for flag -alpha: want a number; tool -help lists the flags`:                                   {"-alpha", "x"},
		`invalid boolean value "x" for -csv: want true or false; tool -help lists the flags`:                             {"-csv=x"},
	} {
		if _, _, _, err := parse(nil, args...); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", args, err, want)
		}
	}
}

func TestHelp(t *testing.T) {
	var out bytes.Buffer
	f := Func(func(_ context.Context, e Env) (int, error) {
		_, _, _, err := parse(e.Stdout, e.Args...)
		return ExitBadInput, err
	})
	exit := f.Run(t.Context(), Env{Args: []string{"-h"}, Stdout: &out, Stderr: &out, Width: 80})
	text := out.String()
	if exit != ExitOK || !strings.HasPrefix(text, "usage: tool [-names LIST] FILE\n\nDoes something.\n\nFlags:\n") ||
		!strings.Contains(text, "-kind size") || !strings.Contains(text, "(default large)") || !strings.Contains(text, "130 interrupted") {
		t.Errorf("exit code %d\n%s", exit, text)
	}
	for line := range strings.Lines(text) {
		if len(line) > 81 {
			t.Errorf("%d columns: %s", len(line)-1, line)
		}
	}
}
