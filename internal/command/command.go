// Package command has methods of one's own: any program that reads the rows of a fold from a folder and writes predictions there.
// A sweep file declares one where it uses it, and names it as any other method from there on:
//
//	methods:
//	  - method: boosting
//	    title: Boosting of mine    # left out: the name
//	    command: [python3, boosting.py, --fast]
//	    params: {max_iter: 200}    # any names; numbers, true, false or text
//	    grid: {learning_rate: [0.05, 0.1]}
//
// The program is run once for each fold and setting, in a folder of its own, with what it may see (exchange.go writes it):
//
//	task.json     the problem, features, parameters, seed, threads: see type description, go doc -u
//	train_x.csv   the encoded features of the training rows, as all baselines get them, below a line with the names of columns
//	train_y.csv   their targets, below a line with a name: standardised numbers, or classes from 0
//	val_x.csv, val_y.csv    the same of the validation rows
//	test_x.csv    the features of the test rows; nobody but the harness gets their targets
//	train_missing.csv, val_missing.csv, test_missing.csv    where entries are missing, which are 0 in the files above: 1 for these, 0 for
//	              others, with a column for each feature; without missing entries there are no such files
//	train_groups.csv    the number of each training row's group, below a line with a name, where the split of the data set has groups
//
// It writes val_predicted.csv and test_predicted.csv, without a line of names: a line for each row, in the order given, with one
// number on the scale of the targets, or a probability for each class. Whatever else it writes is ignored, but what it says on
// standard error, or else on standard output, when it fails.
//
// Arguments that are files may be relative to the folder of the sweep; the program itself is looked for in PATH if its name has no slash.
// A program with a slash, scripts, and what begins with ./ or ../ must be files when the sweep is read. The command line and a digest of
// these files are part of every configuration: when a script changes, its cells are other cells. What a script imports is not looked at:
// name it as one more argument, or count versions in the parameter version. None of these three changes the seed of a fold and setting.
//
// The limits of a sweep's budget hold for the program, and it ends when the run does, with what it has started, but for processes in
// sessions of their own (daemons). It has OMP_NUM_THREADS set to the number of
// threads that it may use. The time of the whole program counts as that of the fit.
//
// Begin with this file.
package command

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"nptbench/internal/machine"
	"nptbench/internal/method"
	"nptbench/internal/seed"
	"nptbench/internal/subprocess"
	"nptbench/internal/task"
)

// Parameters that every command has, with a value that is not to be chosen: they make configurations differ.
const (
	argsParam   = "command"
	digestParam = "files_sha256"
)

// versionParam is the parameter in which users count versions of what no digest is of.
const versionParam = "version"

// Find returns the method that a command is, and without one (nil) the known method of that name.
func Find(known []*method.Method, name string, c *method.Command) (*method.Method, error) {
	if c != nil {
		return New(*c), nil
	}
	for _, m := range known {
		if m.Name == name {
			return m, nil
		}
	}
	return nil, fmt.Errorf("method %q is not known to this program", name)
}

// New returns the method that a command is. Its digest must have been set.
func New(c method.Command) *method.Method {
	m := &method.Method{Name: c.Name, Title: c.Title, Doc: "a command of one's own", Command: &c, Extra: true}
	fixed := func(name, value, doc string) {
		m.Params = append(m.Params, method.Param{Name: name, Type: method.Choice, Default: value, Choices: []string{value}, Doc: doc})
	}
	fixed(argsParam, line(c.Args), "what is run")
	if c.Digest != "" {
		fixed(digestParam, c.Digest, "of the content of its files")
	}
	m.Available = func() error {
		args, _ := absolute(c)
		_, err := exec.LookPath(args[0])
		return err
	}
	m.Run = func(ctx context.Context, t *task.Task, batch []method.Config, done func(method.Result)) error {
		for i, config := range batch {
			r, err := run(ctx, c, t, config)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			r.Index, r.Err = i, err
			done(r)
		}
		return nil
	}
	return m
}

// line joins arguments to a line that reads as one would type it.
func line(args []string) string {
	words := make([]string, len(args))
	for i, a := range args {
		if words[i] = a; a == "" || strings.ContainsAny(a, " \t\"'\\") {
			words[i] = strconv.Quote(a)
		}
	}
	return strings.Join(words, " ")
}

// scripts are the endings of arguments that must be files.
var scripts = []string{".py", ".sh", ".R", ".jl"}

// CheckFile returns an error if an argument must be a file, as a program that is named by a path, a script, and what begins with ./ or ../
// must, and is none.
func CheckFile(c method.Command, arg int) error {
	a := c.Args[arg]
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return err
	}
	path := pathIn(dir, a)
	program := arg == 0 && strings.Contains(a, "/")
	script := arg > 0 && slices.Contains(scripts, filepath.Ext(a)) && !strings.HasPrefix(a, "-") && !strings.Contains(a, " ")
	relative := strings.HasPrefix(a, "./") || strings.HasPrefix(a, "../")
	if !program && !script && !relative {
		return nil
	}
	switch info, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist) && path != a:
		hint := ""
		if arg > 0 && strings.HasPrefix(a, "./") {
			hint = "; a file of the folder in which the program runs is named without ./"
		}
		return fmt.Errorf("there is no %s in %s, the folder of the sweep, where relative names begin%s", a, dir, hint)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no %s", a)
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a file", path)
	case program && info.Mode()&0o111 == 0:
		return fmt.Errorf("%s cannot be executed", path)
	}
	return nil
}

// pathIn is the name of a file that may be relative to a folder.
func pathIn(dir, file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(dir, file)
}

// absolute returns the arguments with absolute names of those files that are beside the sweep, and these names.
func absolute(c method.Command) (args, files []string) {
	dir, err := filepath.Abs(c.Dir)
	for i, a := range c.Args {
		path := pathIn(dir, a)
		info, statErr := os.Stat(path)
		inPath := i == 0 && !strings.Contains(a, "/")
		if !inPath && cmp.Or(err, statErr) == nil && info.Mode().IsRegular() {
			a, files = path, append(files, path)
		}
		args = append(args, a)
	}
	return args, files
}

// Digest returns a digest of the content of those arguments of a command that are files; empty when none is one.
func Digest(c method.Command) (string, error) {
	_, files := absolute(c)
	if len(files) == 0 {
		return "", nil
	}
	all := sha256.New()
	for _, path := range files {
		one := sha256.New()
		f, err := os.Open(path)
		if err != nil {
			return "", err
		}
		_, err = io.Copy(one, f)
		f.Close()
		if err != nil {
			return "", err
		}
		all.Write(one.Sum(nil))
	}
	return hex.EncodeToString(all.Sum(nil)[:8]), nil
}

var digestMember = regexp.MustCompile(`"` + digestParam + `":"[0-9a-f]*"`)

// Renew is the configuration, in its canonical JSON form, that a configuration of a command would be if the files of the command had
// always been what they are now.
func Renew(config string, c method.Command) string {
	return digestMember.ReplaceAllLiteralString(config, `"`+digestParam+`":"`+c.Digest+`"`)
}

// run does one configuration.
func run(ctx context.Context, c method.Command, t *task.Task, config method.Config) (r method.Result, err error) {
	if now, err := Digest(c); err != nil || now != c.Digest {
		return r, cmp.Or(err, errors.New("the files of the command are not those that the run was planned with: changed since, or others on this machine; where machines have different programs, name the program without a slash, from PATH"))
	}
	dir, err := folder(t)
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(dir)
	params := maps.Clone(config)
	delete(params, argsParam)
	delete(params, digestParam)
	chosen := maps.Clone(params) // an edited script gets the old one's seed, so that what the edit does is not mixed with chance
	delete(chosen, versionParam)
	// 31 bits: what every language takes as a seed.
	if err := write(dir, t, params, seed.Derive(t.Seed, c.Name, chosen.JSON())>>33); err != nil {
		return r, err
	}
	start := time.Now()
	said, err := execute(ctx, c, dir, t.Threads)
	if err != nil {
		return r, err
	}
	r.Fit = time.Since(start)
	if r.Val, err = read(dir, "val", t.Val, t.Outputs()); err == nil {
		r.Test, err = read(dir, "test", t.Test, t.Outputs())
	}
	if errors.Is(err, fs.ErrNotExist) && said != "" { // as of a script whose last line did not fail
		err = fmt.Errorf("%w; it said: %s", err, said)
	}
	return r, err
}

// folder makes an empty folder. That for checkpoints is removed by the harness when the worker that has this process is killed.
func folder(t *task.Task) (string, error) {
	if t.CheckpointDir == "" {
		return os.MkdirTemp("", "nptbench-command-")
	}
	dir, err := filepath.Abs(t.CheckpointDir)
	if err == nil {
		err = cmp.Or(os.RemoveAll(dir), os.MkdirAll(dir, 0o777))
	}
	return dir, err
}

var oomKills = machine.OOMKills // tests set it

// execute runs the command in a folder, and returns what it said: on standard error, or else on standard output.
func execute(ctx context.Context, c method.Command, dir string, threads int) (text string, err error) {
	args, _ := absolute(c)
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = dir
	// OpenMP's threads that spin while they wait make a fit of scikit-learn's beside others three times as long.
	cmd.Env = append(cmd.Environ(), fmt.Sprintf("OMP_NUM_THREADS=%d", max(1, threads)), "OMP_WAIT_POLICY=passive")
	cmd.WaitDelay = time.Second // what it started may hold the pipe open
	subprocess.EndWithParent(cmd, syscall.SIGKILL)
	said, printed := &subprocess.Said{Head: 150, Tail: 250}, &subprocess.Said{Head: 150, Tail: 250} // a failure message has 500
	cmd.Stderr, cmd.Stdout = said, printed
	before := oomKills()
	err = cmd.Run()
	text = cmp.Or(said.String(), printed.String())
	if err == nil || errors.Is(err, exec.ErrWaitDelay) {
		return text, nil
	}
	err = fmt.Errorf("%s: %w", line(c.Args), err)
	if text != "" {
		err = fmt.Errorf("%w: %s", err, text)
	}
	exit := (*exec.ExitError)(nil)
	switch {
	case subprocess.KilledForMemory(err, before):
		return "", fmt.Errorf("%w: %w", method.ErrMemory, err)
	case errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signaled():
		return "", fmt.Errorf("%w: %w", method.ErrCrash, err)
	}
	return "", err
}
