package subprocess

import (
	"bufio"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

const parentVariable = "SUBPROCESS_PARENT"

// With the variable set the test program is a parent that starts a command and prints its process id.
func TestMain(m *testing.M) {
	if path := os.Getenv(holderVariable); path != "" {
		hold(path)
		os.Exit(0)
	}
	if os.Getenv(parentVariable) == "" {
		os.Exit(m.Run())
	}
	cmd := exec.Command("sleep", "100")
	EndWithParent(cmd, syscall.SIGKILL)
	if err := cmd.Start(); err != nil {
		os.Exit(1)
	}
	os.Stdout.WriteString(strconv.Itoa(cmd.Process.Pid) + "\n")
	time.Sleep(time.Minute)
}

func TestEndWithParent(t *testing.T) {
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), parentVariable+"=1")
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	parent.Process.Kill()
	parent.Wait()
	for range 100 {
		if !runs(child) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	syscall.Kill(child, syscall.SIGKILL)
	t.Error("the child runs on after its parent was killed")
}

// runs reports whether a process is there and not a zombie, which only waits to be noticed.
func runs(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}
