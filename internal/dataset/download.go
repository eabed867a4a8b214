package dataset

import (
	"context"
	"errors"
)

func (l *Library) Fetch(ctx context.Context, name string) error { return errors.New("todo") }
