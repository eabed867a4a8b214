package dataset

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/cavaliergopher/grab/v3"
)

// A downloader fetches single files over HTTP.
type downloader struct {
	client   *http.Client
	attempts int
	pause    time.Duration // before the second attempt, doubled before each further one, up to half a minute
	patience time.Duration // in which at least so many bytes must come, or an attempt is given up
	least    int64
	openML   string // address of OpenML's description of a data set, without its number
}

var defaultDownloader = downloader{
	client:   impatientClient(30 * time.Second),
	attempts: 10,
	pause:    time.Second,
	patience: 30 * time.Second,
	least:    64 << 10,
	openML:   "https://www.openml.org/api/v1/json/data/",
}

// impatientClient is a client that waits no longer than this for an answer to begin.
func impatientClient(patience time.Duration) *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = patience
	return &http.Client{Transport: transport}
}

// lockRetry is how often a lock that another process holds is tried.
const lockRetry = 200 * time.Millisecond

var (
	errTooLong   = errors.New("the server sends more")
	errOtherPart = errors.New("the server sends another part than was asked for")
)

// download writes what an address holds to the file part, behind what that holds already. On errors part stays, for the
// next call to go on with, unless it cannot become a file of at most limit bytes.
func (d *downloader) download(ctx context.Context, address, part string, limit int64, p *progress) error {
	defer p.done()
	return d.again(ctx, func() (final bool, err error) {
		err = d.attempt(ctx, address, part, limit, p)
		status := grab.StatusCodeError(0)
		switch {
		case errors.Is(err, grab.ErrBadLength), errors.Is(err, errOtherPart): // part cannot be gone on with
			os.Remove(part)
		case errors.Is(err, errTooLong):
			os.Remove(part)
			return true, fmt.Errorf("%w than the %s that this file has at most", errTooLong, FormatBytes(limit))
		case errors.As(err, &status) && status == http.StatusRequestedRangeNotSatisfiable: // as long as the file, or longer
			os.Remove(part)
		case errors.As(err, &status):
			return refused(int(status)), err
		}
		return errors.As(err, new(*os.PathError)), err
	})
}

// refused reports whether another attempt would have the same answer from a server.
func refused(status int) bool {
	return status < 500 && status != http.StatusRequestTimeout && status != http.StatusTooManyRequests
}

// again tries until there is no error or a final one, or too many.
func (d *downloader) again(ctx context.Context, try func() (final bool, err error)) error {
	pause := d.pause
	for attempt := 1; ; attempt++ {
		final, err := try()
		switch {
		case err == nil || ctx.Err() != nil:
			return context.Cause(ctx)
		case final:
			return err
		case attempt == d.attempts || attempt == offlineAttempts && offline(err):
			return fmt.Errorf("given up after %d attempts: %w", attempt, err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
			pause = min(2*pause, 30*time.Second)
		}
	}
}

// offlineAttempts is how often it is tried to reach a server at all.
const offlineAttempts = 2

// offline reports whether no connection came about.
func offline(err error) bool {
	op := (*net.OpError)(nil)
	return errors.As(err, &op) && op.Op != "read" && op.Op != "write"
}

// attempt asks for what part lacks and appends it.
func (d *downloader) attempt(ctx context.Context, address, part string, limit int64, p *progress) error {
	request, err := grab.NewRequest(part, address)
	if err != nil {
		return err
	}
	request = request.WithContext(ctx)
	request.IgnoreRemoteTime = true
	request.HTTPRequest.Header.Set("Accept-Encoding", "identity") // or ranges would be of something else
	allowed := &quota{}
	request.RateLimiter = allowed
	request.BeforeCopy = func(r *grab.Response) error {
		allowed.left = limit - r.BytesComplete()
		from := fmt.Sprintf("bytes %d-", r.BytesComplete())
		switch {
		case r.Size() > limit:
			return errTooLong
		case r.DidResume && !strings.HasPrefix(r.HTTPResponse.Header.Get("Content-Range"), from):
			return errOtherPart
		}
		return nil
	}
	client := grab.Client{HTTPClient: d.client, UserAgent: "nptbench"}
	response := client.Do(request)
	tick := time.NewTicker(min(d.patience/4, 200*time.Millisecond))
	defer tick.Stop()
	began, before := time.Now(), response.BytesComplete()
	for {
		select {
		case <-response.Done:
			return withoutAddress(response.Err())
		case <-tick.C:
		}
		n := response.BytesComplete()
		p.at(n, response.Size())
		if time.Since(began) < d.patience {
			continue
		}
		if n-before < d.least {
			response.Cancel()
			return fmt.Errorf("only %s came in %v", FormatBytes(n-before), d.patience)
		}
		began, before = time.Now(), n
	}
}

// A quota is called a rate limiter by grab, which tells it of every block that has come.
type quota struct{ left int64 }

func (q *quota) WaitN(_ context.Context, n int) error {
	if q.left -= int64(n); q.left < 0 {
		return errTooLong
	}
	return nil
}

// withoutAddress takes the address, which is said elsewhere, out of an error of package http.
func withoutAddress(err error) error {
	if wrapped := (*url.Error)(nil); errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

// resolveOpenML asks OpenML for the address of a data set's file.
func (d *downloader) resolveOpenML(ctx context.Context, id int) (string, error) {
	var answer struct {
		Description struct {
			URL string `json:"url"`
		} `json:"data_set_description"`
	}
	address := fmt.Sprintf("%s%d", d.openML, id)
	err := d.again(ctx, func() (final bool, err error) {
		ctx, cancel := context.WithTimeout(ctx, d.patience)
		defer cancel()
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return true, err
		}
		response, err := d.client.Do(request)
		if err != nil {
			return false, withoutAddress(err)
		}
		defer response.Body.Close()
		if response.StatusCode != http.StatusOK {
			return refused(response.StatusCode), fmt.Errorf("the server answers %s", response.Status)
		}
		text, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
		if err != nil {
			return false, err
		}
		if json.Unmarshal(text, &answer) != nil || answer.Description.URL == "" {
			return true, errors.New("no address in the answer")
		}
		return true, nil
	})
	if err != nil {
		return "", fmt.Errorf("%s: %w", address, err)
	}
	return answer.Description.URL, nil
}
