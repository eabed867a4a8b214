package mixed

import "testing"

func TestPasses(t *testing.T) { t.Log("not shown") }

func TestFails(t *testing.T) { t.Error("the cause") }

func TestSkips(t *testing.T) { t.Skip("no GPU") }

func TestSkipsWithoutReason(t *testing.T) { t.SkipNow() }

func TestAllSubtestsSkip(t *testing.T) {
	for _, name := range []string{"a", "b"} {
		t.Run(name, func(t *testing.T) {
			t.Log("before it, something else")
			t.Skipf("no file:\n%s", "get one")
		})
	}
}

func TestOneSubtestSkips(t *testing.T) {
	t.Run("a", func(t *testing.T) { t.Skip("no GPU") })
	t.Run("b", func(*testing.T) {})
}
