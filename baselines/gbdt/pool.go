package gbdt

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"sync"

	"nptbench/internal/method"
)

// A pool keeps the trainers of a process: as many as there were fits at the same time. They end with the process.
type pool struct {
	command func() (*exec.Cmd, error)

	mu   sync.Mutex
	idle []*worker
}

var trainers = pool{command: trainerCommand}

// fit has an idle or a new worker serve the request; use is given the model as soon as it is there. A worker that failed is
// not used again; the next fit gets a fresh one.
func (p *pool) fit(ctx context.Context, request *fitRequest, use func(*fitAnswer)) (*fitAnswer, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	w := p.take()
	answer, err := (*fitAnswer)(nil), errGone
	if w != nil {
		answer, err = w.fit(ctx, request, use)
	}
	if errors.Is(err, errGone) { // it died when it had nothing to do, which is no fault of this fit
		if w, err = p.start(); err != nil {
			return nil, err
		}
		answer, err = w.fit(ctx, request, use)
	}
	switch {
	case err != nil:
		return nil, err
	case answer.OutOfMemory:
		w.kill() // what is left of it may be in pieces
		w.ended()
		return nil, fmt.Errorf("%w: %s", method.ErrMemory, answer.Error)
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

func (p *pool) start() (*worker, error) {
	cmd, err := p.command()
	if err != nil {
		return nil, err
	}
	return startWorker(cmd)
}

func (p *pool) put(w *worker) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, w)
}
