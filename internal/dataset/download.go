package dataset

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// A downloader fetches single files over HTTP.
type downloader struct {
	client   *http.Client
	attempts int           // in a row without a byte of progress
	pause    time.Duration // before the second attempt, doubled before each further one
	stall    time.Duration // without a byte until an attempt is given up
	openML   string        // address of OpenML's description of a data set, without its number
}

var defaultDownloader = downloader{
	client:   http.DefaultClient,
	attempts: 5,
	pause:    time.Second,
	stall:    time.Minute,
	openML:   "https://www.openml.org/api/v1/json/data/",
}

// lockRetry is how often a lock that another process holds is tried.
const lockRetry = 200 * time.Millisecond

// A permanentError is one that another attempt would meet again.
type permanentError struct{ error }

func (e permanentError) Unwrap() error { return e.error }

// download writes what an address holds to a file, behind what the file holds already. It reports whether something
// was there. Interrupted transfers are resumed, as long as some come forward. What has arrived stays there on errors.
func (d *downloader) download(ctx context.Context, address, part string, p *progress) (resumed bool, err error) {
	file, err := os.OpenFile(part, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return false, err
	}
	defer file.Close()
	before, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return false, err
	}
	defer p.done()
	t := transfer{downloader: d, address: address, file: file, offset: before, progress: p}
	for failures := 0; ; {
		start := t.offset
		err = t.attempt(ctx)
		if err == nil {
			return before > 0 && !t.restarted, file.Sync()
		}
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		if permanent := (permanentError{}); errors.As(err, &permanent) {
			return false, permanent.error
		}
		if failures++; t.offset > start {
			failures = 1
		}
		if failures == d.attempts {
			return false, fmt.Errorf("given up after %d attempts: %w", d.attempts, err)
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-time.After(d.pause << (failures - 1)):
		}
	}
}

// A transfer is the state of one download over several attempts.
type transfer struct {
	*downloader
	address   string
	file      *os.File
	offset    int64
	etag      string // of the answer that the file's bytes came from, in this process
	restarted bool   // the file was emptied
	progress  *progress
}

// attempt asks for what is missing and appends it.
func (t *transfer) attempt(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watchdog := time.AfterFunc(t.stall, func() { cancel(fmt.Errorf("nothing came for %s", t.stall)) })
	defer watchdog.Stop()
	response, err := t.ask(ctx)
	if err != nil {
		return because(ctx, err)
	}
	defer response.Body.Close()
	if finished, err := t.begin(response); finished || err != nil {
		return err
	}
	t.progress.start(t.offset, response.ContentLength)
	return because(ctx, t.copy(response.Body, watchdog))
}

func (t *transfer) ask(ctx context.Context) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, t.address, nil)
	if err != nil {
		return nil, permanentError{err}
	}
	request.Header.Set("Accept-Encoding", "identity") // or ranges would be of something else
	if t.offset > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", t.offset))
		if t.etag != "" {
			request.Header.Set("If-Range", t.etag)
		}
	}
	return t.do(request)
}

// do is the client's Do without the address in its errors, which is said elsewhere.
func (d *downloader) do(request *http.Request) (*http.Response, error) {
	response, err := d.client.Do(request)
	if wrapped := (*url.Error)(nil); errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	return response, err
}

// because returns the reason for which a context was cancelled in place of what followed from it.
func because(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// begin looks at the status of an answer and puts the file in order for what follows.
func (t *transfer) begin(response *http.Response) (finished bool, err error) {
	var first, last, total int64
	ranges := response.Header.Get("Content-Range")
	switch code := response.StatusCode; {
	case code == http.StatusOK:
		t.etag = response.Header.Get("ETag")
		if strings.HasPrefix(t.etag, "W/") {
			t.etag = "" // a weak one does not vouch for bytes
		}
		return false, t.restart()
	case code == http.StatusPartialContent:
		if _, err := fmt.Sscanf(ranges, "bytes %d-%d", &first, &last); err == nil && first == t.offset {
			return false, nil
		}
		return false, t.startOver("the server sent another range than was asked for")
	case code == http.StatusRequestedRangeNotSatisfiable:
		if _, err := fmt.Sscanf(ranges, "bytes */%d", &total); err == nil && total == t.offset {
			return true, nil
		}
		return false, t.startOver("the server's file is shorter than what is here")
	case code >= 500, code == http.StatusRequestTimeout, code == http.StatusTooManyRequests:
		return false, fmt.Errorf("the server answers %s", response.Status)
	default:
		return false, permanentError{fmt.Errorf("the server answers %s", response.Status)}
	}
}

// startOver empties the file and asks for another attempt.
func (t *transfer) startOver(reason string) error {
	if err := t.restart(); err != nil {
		return err
	}
	return errors.New(reason)
}

func (t *transfer) restart() error {
	t.restarted = t.restarted || t.offset > 0
	t.offset = 0
	if err := t.file.Truncate(0); err != nil {
		return permanentError{err}
	}
	if _, err := t.file.Seek(0, io.SeekStart); err != nil {
		return permanentError{err}
	}
	return nil
}

// copy appends the body to the file and refuses a web page in place of data.
func (t *transfer) copy(body io.Reader, watchdog *time.Timer) error {
	block := make([]byte, chunk)
	for {
		n, err := body.Read(block)
		if n > 0 {
			watchdog.Reset(t.stall)
			if t.offset == 0 && bytes.HasPrefix(bytes.TrimSpace(block[:n]), []byte("<")) {
				return permanentError{errors.New("the server sends a web page, not data")}
			}
			if _, err := t.file.Write(block[:n]); err != nil {
				return permanentError{err}
			}
			t.offset += int64(n)
			t.progress.at(t.offset)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// resolveOpenML asks OpenML for the address of a data set's file.
func (d *downloader) resolveOpenML(ctx context.Context, id int) (string, error) {
	address := fmt.Sprintf("%s%d", d.openML, id)
	ctx, cancel := context.WithTimeout(ctx, d.stall)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", err
	}
	response, err := d.do(request)
	if err != nil {
		return "", fmt.Errorf("%s: %w", address, err)
	}
	defer response.Body.Close()
	var answer struct {
		Description struct {
			URL string `json:"url"`
		} `json:"data_set_description"`
	}
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s: the server answers %s", address, response.Status)
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, 1<<20)).Decode(&answer); err != nil || answer.Description.URL == "" {
		return "", fmt.Errorf("%s: no address in the answer", address)
	}
	return answer.Description.URL, nil
}
