package gbdt

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"sync"
	"time"

	"nptbench/internal/method"
)

// A pool keeps the trainers of a process: as many as there were fits at the same time. They end with the process.
type pool struct {
	command func() (*exec.Cmd, error)
	pause   time.Duration // before a trainer that did not start is started once more

	mu   sync.Mutex
	idle []*worker
}

var trainers = pool{command: trainerCommand, pause: 5 * time.Second}

// fit has an idle or a new trainer serve the request. A trainer that failed is not used again. Where none came to fit anything,
// which a program or an environment that was away for a moment can cause, a fresh one is tried once more after a pause.
func (p *pool) fit(ctx context.Context, request *fitRequest) (*fitAnswer, error) {
	if err := ctx.Err(); err != nil { // before a trainer is taken that would not come back
		return nil, err
	}
	answer, err := p.fitBy(ctx, p.take(), request)
	if !errors.Is(err, errNotStarted) {
		return answer, err
	}
	select {
	case <-time.After(p.pause):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return p.fitBy(ctx, nil, request)
}

// fitBy has a trainer serve the request; nil is a fresh one. It goes back to the pool if it is sound.
func (p *pool) fitBy(ctx context.Context, w *worker, request *fitRequest) (*fitAnswer, error) {
	if w == nil {
		cmd, err := p.command()
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errNotStarted, err)
		}
		if w, err = startWorker(ctx, cmd); err != nil {
			return nil, err
		}
	}
	answer, err := w.fit(ctx, request)
	switch {
	case err != nil:
		return nil, err
	case answer.OutOfMemory: // what is left of it may be in pieces
		w.stop()
		return nil, fmt.Errorf("%w: %s", method.ErrMemory, answer.Error)
	case answer.Broken:
		w.stop()
		return nil, fmt.Errorf("%w: %s", errNotStarted, answer.Error)
	}
	p.put(w)
	if answer.Error != "" {
		return nil, errors.New(answer.Error)
	}
	return answer, nil
}

// take returns an idle worker; nil when there is none.
func (p *pool) take() *worker {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.idle)
	if n == 0 {
		return nil
	}
	w := p.idle[n-1]
	p.idle = p.idle[:n-1]
	return w
}

func (p *pool) put(w *worker) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, w)
}
