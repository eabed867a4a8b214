package slurm

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/renameio/v2"

	"nptbench/internal/command"
	"nptbench/internal/dataset"
	"nptbench/internal/filesystem"
	"nptbench/internal/method"
	"nptbench/internal/plan"
	"nptbench/internal/run"
	"nptbench/internal/subprocess"
)

// The files of a submission: an array of tasks, in a folder of its own that is there as a whole or not at all. Its name is also that
// of the array in Slurm.
const (
	setupFile  = "setup.json" // a setup
	scriptFile = "script"     // what sbatch was given
	numberFile = "job"        // the number that Slurm gave the array; not there: it was not submitted, or its submitter died or had no answer
	overFile   = "over"       // there: all its tasks have ended, and what became of them was looked at
)

func taskFile(index int) string          { return strconv.Itoa(index) + ".json" } // a list of jobs
func logFile(index string) string        { return index + ".log" }                // what the task prints
func eventsFile(index, start int) string { return fmt.Sprintf("%d-%d.events", index, start) }

// A setup is what all tasks of a submission have in common.
type setup struct {
	Pool    run.Pool // that does the jobs, but for Records
	Records string   // the folder that records are written to
	GPU     bool     // the tasks are on nodes with a GPU, which networks must find
}

// A job is a plan.Job in a file.
type job struct {
	Dataset, Digest string
	Fold            plan.Fold
	Method          string
	Command         *method.Command
	Fit             string
	Configurations  []*plan.Configuration `json:"Trainings"` // as it was called when submissions were made that may still wait
	Deaths          int                   // of tasks that were at it
}

// planned is the job as a pool wants it.
func (j *job) planned(methods []*method.Method, library *dataset.Library) (*plan.Job, error) {
	location, err := library.Find(j.Dataset)
	if err != nil {
		return nil, err
	}
	m, err := command.Find(methods, j.Method, j.Command)
	if err != nil {
		return nil, err
	}
	for _, c := range j.Configurations { // which come as JSON
		if c.Config, err = m.Resolve(c.Config, location.Info); err != nil {
			return nil, err
		}
	}
	return &plan.Job{Dataset: &plan.Dataset{Info: location.Info, Digest: j.Digest}, Fold: j.Fold, Method: m, Fit: j.Fit, Configurations: j.Configurations}, nil
}

var submissions atomic.Int64 // of this process

// writeSubmission makes the folder of a submission, and returns its path.
func writeSubmission(dir string, s setup, tasks [][]*job) (path string, err error) {
	binary, err := copySelf(filepath.Join(dir, "bin"))
	if err != nil {
		return "", err
	}
	host, _ := os.Hostname()
	name := fmt.Sprintf("nptbench-%s-%s-%d-%d", time.Now().UTC().Format("20060102T150405"), host, os.Getpid(), submissions.Add(1))
	path = filepath.Join(dir, name)
	unfinished := path + ".new"
	if err := os.Mkdir(unfinished, 0o777); err != nil {
		return "", err
	}
	defer os.RemoveAll(unfinished)
	script := fmt.Sprintf("#!/bin/sh\n%s=%s exec %s\n", taskVariable, quoted(path), quoted(binary))
	if err := os.WriteFile(filepath.Join(unfinished, scriptFile), []byte(script), 0o777); err != nil {
		return "", err
	}
	if err := writeJSON(filepath.Join(unfinished, setupFile), s); err != nil {
		return "", err
	}
	for i, jobs := range tasks {
		if err := writeJSON(filepath.Join(unfinished, taskFile(i)), jobs); err != nil {
			return "", err
		}
	}
	return path, os.Rename(unfinished, path)
}

// quoted is a word for the shell.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func writeJSON(path string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return filesystem.WriteFile(path, func(w io.Writer) error { // a file cut short would stop all that look at the folder
		_, err := w.Write(b)
		return err
	})
}

func readJSON(path string, v any) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

var digestOfSelf = sync.OnceValues(func() (string, error) {
	self, err := subprocess.Self()
	if err != nil {
		return "", err
	}
	f, err := os.Open(self)
	if err != nil {
		return "", err
	}
	defer f.Close()
	digest := sha256.New()
	_, err = io.Copy(digest, f)
	return hex.EncodeToString(digest.Sum(nil)[:8]), err
})

// copySelf copies this program to a folder that all nodes see, under a name with its digest: what waits in the queue is run by the
// program that submitted it, whatever is built meanwhile.
func copySelf(dir string) (path string, err error) {
	name, err := os.Executable()
	if err != nil {
		return "", err
	}
	self, err := subprocess.Self()
	if err != nil {
		return "", err
	}
	digest, err := digestOfSelf()
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, filepath.Base(name)+"-"+digest)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	f, err := os.Open(self)
	if err != nil {
		return "", err
	}
	defer f.Close()
	to, err := renameio.NewPendingFile(path, renameio.WithPermissions(0o777))
	if err != nil {
		return "", err
	}
	defer to.Cleanup()
	if _, err := io.Copy(to, f); err != nil {
		return "", err
	}
	return path, to.CloseAtomicallyReplace()
}

// A submission is an array as those see it who watch it.
type submission struct {
	path   string
	number string // that Slurm gave it; empty: see numberFile
	tasks  []*watched
}

func (s *submission) name() string { return filepath.Base(s.path) }

// openSubmissions lists the submissions in a folder that are not over and not among those known, by their paths.
func openSubmissions(dir string, known map[string]*submission) (all []*submission, err error) {
	for _, name := range filesystem.Glob(dir, "nptbench-*/"+setupFile) {
		path := filepath.Join(dir, filepath.Dir(name))
		if strings.HasSuffix(path, ".new") || known[path] != nil {
			continue
		}
		if _, err := os.Stat(filepath.Join(path, overFile)); err == nil {
			continue
		}
		s := &submission{path: path}
		for i := 0; ; i++ {
			var jobs []*job
			if err := readJSON(filepath.Join(path, taskFile(i)), &jobs); os.IsNotExist(err) {
				break
			} else if err != nil {
				return nil, err
			}
			s.tasks = append(s.tasks, newWatched(s, i, jobs))
		}
		all = append(all, s)
	}
	return all, nil
}

// readNumber looks for the number of the array in Slurm.
func (s *submission) readNumber() {
	if s.number == "" {
		b, _ := os.ReadFile(filepath.Join(s.path, numberFile))
		s.number = string(b)
	}
}
