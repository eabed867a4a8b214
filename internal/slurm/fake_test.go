package slurm

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The fake is a Slurm of one node that does one task after another. Its commands are this test binary, started by scripts in a folder
// in PATH; what it knows is in a folder: a file for each task, JOB|INDEX, with its state, a file for each array with the number, and
// what is to go wrong.
const (
	fakeCommand = "NPTBENCH_FAKE_COMMAND"
	fakeFolder  = "NPTBENCH_FAKE_FOLDER"
)

// newFake puts the fake's commands first in PATH.
func newFake(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	for _, name := range []string{"sbatch", "squeue", "sacct", "scancel", "scontrol"} {
		script := fmt.Sprintf("#!/bin/sh\n%s=%s exec %s \"$@\"\n", fakeCommand, name, self)
		if err := os.WriteFile(filepath.Join(bin, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv(fakeFolder, dir)
	return dir
}

// endTasks cancels what waits in the fake's queue, and waits for what runs.
func endTasks() {
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		running := false
		tasks, _ := filepath.Glob(filepath.Join(os.Getenv(fakeFolder), "*|*"))
		for _, path := range tasks {
			switch state, _ := os.ReadFile(path); string(state) {
			case "PENDING":
				os.WriteFile(path, []byte("CANCELLED"), 0o644)
			case "RUNNING":
				running = true
			}
		}
		if !running {
			return
		}
	}
}

// wish has something go wrong in the fake, until it is taken back.
func wish(t *testing.T, dir, name, value string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(value), 0o644); err != nil {
		t.Fatal(err)
	}
}

// submitted lists the arguments of every sbatch.
func submitted(t *testing.T, dir string) (all []string) {
	t.Helper()
	text, _ := os.ReadFile(filepath.Join(dir, "submitted"))
	return strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' })
}

// fakeMain is what the fake's commands do.
func fakeMain(command string, args []string) (exit int) {
	dir := os.Getenv(fakeFolder)
	there := func(name string) string {
		text, _ := os.ReadFile(filepath.Join(dir, name))
		return string(text)
	}
	if why := there("down"); why != "" && command != "node" {
		fmt.Fprintf(os.Stderr, "%s: error: %s\n", command, why)
		return 1
	}
	flags, rest := map[string]string{}, []string{}
	for _, a := range args {
		if name, value, _ := strings.Cut(a, "="); strings.HasPrefix(a, "--") {
			flags[name] = value
		} else {
			rest = append(rest, a)
		}
	}
	switch command {
	case "scontrol":
		fmt.Println("ProcessGroup =", syscall.Getpgrp())
		fmt.Println("Configuration data\nMaxArraySize            = 3\nMaxJobCount = 10000")
	case "sbatch":
		if why := there("refuse"); why != "" {
			fmt.Fprintf(os.Stderr, "sbatch: error: %s\nsbatch: error: Batch job submission failed\n", why)
			return 1
		}
		if there("one at a time") != "" && slices.ContainsFunc(tasksOf(dir, "*"), waitsOrRuns) {
			fmt.Fprintln(os.Stderr, "sbatch: error: AssocMaxSubmitJobLimit")
			return 1
		}
		f, _ := os.OpenFile(filepath.Join(dir, "submitted"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		fmt.Fprintln(f, strings.Join(args, " "))
		f.Close()
		number := len(strings.Split(there("submitted"), "\n"))
		last, _ := strconv.Atoi(strings.TrimPrefix(flags["--array"], "0-"))
		for i := 0; i <= last; i++ {
			os.WriteFile(taskOf(dir, flags["--job-name"], i), []byte("PENDING"), 0o644)
		}
		node := exec.Command(os.Args[0], flags["--job-name"], strconv.Itoa(last), flags["--output"], rest[0])
		node.Env = append(os.Environ(), fakeCommand+"=node")
		node.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := node.Start(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		switch there("no answer") {
		case "hang":
			time.Sleep(time.Minute)
		case "timed out":
			fmt.Fprintln(os.Stderr, "sbatch: error: Batch job submission failed: Socket timed out on send/recv operation")
			return 1
		}
		fmt.Printf("%d;cluster\n", number)
	case "squeue", "sacct":
		if _, asked := flags["--array"]; asked && command == "sacct" { // Slurm 22.05 does not know it
			fmt.Fprintln(os.Stderr, "sacct: unrecognized option '--array'")
			return 1
		}
		for _, name := range strings.Split(flags["--name"], ",") {
			for _, path := range tasksOf(dir, name) {
				state, _ := os.ReadFile(path)
				_, index, _ := strings.Cut(filepath.Base(path), "|")
				forgotten := there("forget") != ""
				switch {
				case command == "squeue" && !forgotten:
					fmt.Printf("%s|%s|%s|None\n", name, index, state)
				case command == "sacct" && there("forget") == "squeue":
					fmt.Printf("%s|7_%s|%s\n", name, index, state)
				}
			}
		}
	case "scancel":
		f, _ := os.OpenFile(filepath.Join(dir, "cancelled"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		fmt.Fprintln(f, strings.Join(args, " "))
		f.Close()
		for _, path := range tasksOf(dir, flags["--name"]) {
			if waitsOrRuns(path) {
				os.WriteFile(path, []byte("CANCELLED"), 0o644)
			}
		}
	case "node":
		last, _ := strconv.Atoi(args[1])
		for i := 0; i <= last; i++ {
			for there("drained") != "" || i > 0 && there("drained after one") != "" {
				time.Sleep(10 * time.Millisecond)
			}
			runTask(dir, args[0], i, args[2], args[3])
		}
	}
	return 0
}

func taskOf(dir, name string, index int) string {
	return filepath.Join(dir, fmt.Sprintf("%s|%d", name, index))
}

// tasksOf are the files of an array's tasks.
func tasksOf(dir, name string) []string {
	paths, _ := filepath.Glob(filepath.Join(dir, name+"|*"))
	return paths
}

func waitsOrRuns(path string) bool {
	state, _ := os.ReadFile(path)
	return string(state) == "PENDING" || string(state) == "RUNNING"
}

// runTask starts a task, as often as it is requeued, and writes down how it ended: as the task wished, or by its exit code.
func runTask(dir, name string, index int, output, script string) {
	file := taskOf(dir, name, index)
	for {
		if state, _ := os.ReadFile(file); string(state) != "PENDING" {
			return
		}
		os.WriteFile(file, []byte("RUNNING"), 0o644)
		log, err := os.OpenFile(strings.ReplaceAll(output, "%a", strconv.Itoa(index)), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			os.WriteFile(file, []byte("FAILED"), 0o644)
			return
		}
		cmd := exec.Command(script)
		cmd.Stdout, cmd.Stderr = log, log
		cmd.Env = append(os.Environ(), fakeCommand+"=", "SLURM_ARRAY_TASK_ID="+strconv.Itoa(index), "SLURM_CPUS_PER_TASK=3", "SLURMD_NODENAME=n1")
		ended := make(chan error)
		cmd.Start()
		go func() { ended <- cmd.Wait() }()
		state := ""
		for state == "" {
			select {
			case err := <-ended:
				if state = "COMPLETED"; err != nil {
					state = "FAILED"
				}
			case <-time.After(5 * time.Millisecond):
				if now, _ := os.ReadFile(file); string(now) == "CANCELLED" {
					cmd.Process.Signal(syscall.SIGTERM)
					<-ended
					state = "CANCELLED"
				}
			}
		}
		log.Close()
		if wished, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("wish-%d", cmd.Process.Pid))); err == nil && state != "COMPLETED" {
			state = string(wished)
		}
		if _, err := os.Stat(filepath.Join(dir, "epilog")); err == nil { // of the node, which takes its time
			time.Sleep(200 * time.Millisecond)
		}
		os.WriteFile(file, []byte(state), 0o644)
	}
}
