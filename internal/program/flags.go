package program

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"nptbench/internal/spelling"
	"nptbench/internal/terminal"
)

// Flags are a program's flags. Errors have one line, which ends by naming -help.
type Flags struct {
	*flag.FlagSet
	About     string            // what the program does, for -help
	Usage     []string          // forms of the command line, each without the program's name; none: "[flags]"
	Arguments bool              // there may be arguments behind the flags
	More      func(w io.Writer) // prints what -help says besides the flags; may be nil

	data *string // the flag -data, where there is one
}

// NewFlags returns an empty set of flags for the named program.
func NewFlags(name, about string, usage ...string) *Flags {
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.SetOutput(io.Discard) // what is wrong is returned, and printed once
	return &Flags{FlagSet: fs, About: about, Usage: usage}
}

// Data defines the flag -data, for dataset.NewLibrary. Parse refuses a folder, or one in $NPT_DATA_DIR, that is not there, but with a
// flag -fetch, which makes it.
func (f *Flags) Data() *string {
	f.data = f.String("data", "", "`folder` with the data sets, before ./data (default $NPT_DATA_DIR, else ./data and ../shared/data)")
	return f.data
}

func (f *Flags) checkData(e Env) error {
	where, dir := "-data", *f.data
	if dir == "" {
		where, dir = "$NPT_DATA_DIR", e.Getenv("NPT_DATA_DIR")
	}
	if dir == "" {
		return nil
	}
	fetch := f.Lookup("fetch")
	switch info, err := os.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist) && fetch != nil && fetch.Value.String() == "true":
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: there is no folder %s", where, dir)
	case err != nil:
		return fmt.Errorf("%s: %w", where, err)
	case !info.IsDir():
		return fmt.Errorf("%s: %s is not a folder", where, dir)
	}
	return nil
}

// List defines a flag whose value is a list with commas, of one word at least; given again it adds to the list.
func (f *Flags) List(name, usage string) *[]string {
	var list []string
	f.Func(name, usage, func(s string) error {
		before := len(list)
		for word := range strings.SplitSeq(s, ",") {
			if word = strings.TrimSpace(word); word != "" {
				list = append(list, word)
			}
		}
		if len(list) == before { // without the flag that often stands for all
			return errors.New("want at least one, with commas between several")
		}
		return nil
	})
	return &list
}

// Choice defines a flag with a few possible values; value is the one that holds when it is not given, and may be "".
func (f *Flags) Choice(name, value, usage string, choices ...string) *string {
	c := &choice{value, choices}
	f.Var(c, name, usage)
	return &c.value
}

type choice struct {
	value   string
	choices []string
}

func (c *choice) String() string { return c.value }

func (c *choice) Set(s string) error {
	if slices.Contains(c.choices, s) {
		c.value = s
		return nil
	}
	err := "want " + orList(c.choices)
	if nearest := spelling.Nearest(s, c.choices); nearest != "" {
		err += fmt.Sprintf(" (did you mean %q?)", nearest)
	}
	return errors.New(err)
}

func orList(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// Errorf returns an error about the command line.
func (f *Flags) Errorf(format string, args ...any) error {
	return fmt.Errorf("%w; %s -help lists the flags", fmt.Errorf(format, args...), f.Name())
}

// Parse reads the command line. When it asks for help, that is printed and the error is flag.ErrHelp.
func (f *Flags) Parse(e Env) error {
	err := f.FlagSet.Parse(e.Args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		f.help(e)
		return err
	case err != nil:
		return f.Errorf("%s", f.wanted(err.Error()))
	case f.NArg() > 0 && !f.Arguments:
		return f.Errorf("%q is not a flag", f.Arg(0))
	}
	for _, argument := range f.Args() {
		if strings.HasPrefix(argument, "-") {
			return f.Errorf("%s stands after %q: flags come first", argument, f.Arg(0))
		}
	}
	if f.data != nil {
		return f.checkData(e)
	}
	return nil
}

// wanted says what a value should be, where package flag says only that it is not.
func (f *Flags) wanted(message string) string {
	what, bad := strings.CutSuffix(message, ": parse error")
	if !bad {
		return message
	}
	want := "a number"
	switch f.Lookup(what[strings.LastIndex(what, " -")+2:]).Value.(flag.Getter).Get().(type) {
	case int:
		want = "a whole number"
	case uint64:
		want = "a whole number, 0 or more"
	case time.Duration:
		want = "a duration, such as 20m or 1h30m"
	case bool:
		want = "true or false"
	}
	return what + ": want " + want
}

// Given reports whether the command line has the named flag.
func (f *Flags) Given(name string) (given bool) {
	f.Visit(func(one *flag.Flag) { given = given || one.Name == name })
	return given
}

func (f *Flags) help(e Env) {
	w, width := e.Stdout, e.Width
	usage := f.Usage
	if len(usage) == 0 {
		usage = []string{"[flags]"}
	}
	head := "usage:"
	for _, form := range usage {
		fmt.Fprintf(w, "%s %s\n", head, strings.TrimSpace(terminal.Indent(f.Name()+" "+form, "       ", width)))
		head = "      "
	}
	for paragraph := range strings.SplitSeq(f.About, "\n\n") {
		fmt.Fprintf(w, "\n%s\n", terminal.Wrap(paragraph, "", width))
	}
	fmt.Fprint(w, "\nFlags:\n")
	var flags bytes.Buffer
	f.SetOutput(&flags)
	f.PrintDefaults()
	for line := range strings.Lines(flags.String()) {
		if usage, ok := strings.CutPrefix(line, "    \t"); ok {
			line = terminal.Indent(usage, "        ", width) + "\n"
		}
		io.WriteString(w, line)
	}
	exit := fmt.Sprintf("Exit codes: %d all done; %d something failed or is missing; %d bad input, nothing was done; %d interrupted, what is finished is kept.",
		ExitOK, ExitFailed, ExitBadInput, ExitInterrupted)
	fmt.Fprintf(w, "\n%s\n", terminal.Wrap(exit, "", width))
	if f.More != nil {
		f.More(w)
	}
}
