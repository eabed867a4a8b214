package subprocess

import (
	"slices"
	"strings"
	"sync"
)

// Said keeps the first Head and the last Tail bytes of what a process prints: some programs begin with the reason of a failure, others end
// with it.
type Said struct {
	Head, Tail int

	mu         sync.Mutex
	head, tail []byte
	cut        bool // there was something between the two
}

// Write takes more of it.
func (s *Said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := min(len(p), s.Head-len(s.head))
	s.head = append(s.head, p[:n]...)
	s.tail = append(s.tail, p[n:]...)
	if drop := len(s.tail) - s.Tail; drop > 0 {
		s.tail, s.cut = slices.Delete(s.tail, 0, drop), true
	}
	return len(p), nil
}

// Forget begins anew.
func (s *Said) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.head, s.tail, s.cut = nil, nil, false
}

// String is what was kept, without blanks around it.
func (s *Said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	between := ""
	if s.cut && len(s.head) > 0 && len(s.tail) > 0 {
		between = " … "
	}
	return strings.TrimSpace(strings.ToValidUTF8(string(s.head)+between+string(s.tail), ""))
}
