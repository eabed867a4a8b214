package dataset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/gofrs/flock"
)

// A server serves one content in the way that a test asks for.
type server struct {
	*httptest.Server
	content   []byte
	cut       int  // bytes of a body after which the connection breaks; 0: never
	cutFirst  int  // only so many requests are cut; 0: all
	noRange   bool // ranges are ignored
	noLength  bool // chunked
	shift     int  // ranges begin so many bytes too late
	status    int  // instead of an answer, for the first failing requests
	failing   int
	hang      chan struct{} // a request that is cut hangs before that until this is closed
	requests  atomic.Int32
	sentBytes atomic.Int64
}

func serve(t *testing.T, content string) *server {
	s := &server{content: []byte(content)}
	s.Server = httptest.NewServer(http.HandlerFunc(s.answer))
	t.Cleanup(s.Close)
	return s
}

func (s *server) answer(w http.ResponseWriter, r *http.Request) {
	if !s.noRange {
		w.Header().Set("Accept-Ranges", "bytes")
	}
	if r.Method == http.MethodHead && s.failing == 0 {
		if !s.noLength {
			w.Header().Set("Content-Length", strconv.Itoa(len(s.content)))
		}
		return
	}
	n := int(s.requests.Add(1))
	if n <= s.failing {
		w.WriteHeader(s.status)
		return
	}
	from := 0
	if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from); err == nil && !s.noRange {
		from += s.shift
		if from >= len(s.content) {
			w.Header().Set("Content-Range", fmt.Sprintf("bytes */%d", len(s.content)))
			w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
			return
		}
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(s.content)-1, len(s.content)))
		w.Header().Set("Content-Length", strconv.Itoa(len(s.content)-from))
		w.WriteHeader(http.StatusPartialContent)
	} else {
		from = 0
		if !s.noLength {
			w.Header().Set("Content-Length", strconv.Itoa(len(s.content)))
		}
	}
	body := s.content[from:]
	cut := s.cut > 0 && len(body) > s.cut && (s.cutFirst == 0 || n <= s.cutFirst)
	if cut {
		body = body[:s.cut]
	}
	sent, _ := w.Write(body)
	s.sentBytes.Add(int64(sent))
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
	if cut && s.hang != nil {
		<-s.hang
	}
	if cut {
		panic(http.ErrAbortHandler)
	}
}

// quick is a downloader that does not wait.
func quick() downloader {
	return downloader{client: http.DefaultClient, attempts: 3, pause: time.Millisecond, patience: 10 * time.Second, least: 1}
}

// fetchToy fetches the toy data set from an address and returns its library.
func fetchToy(t *testing.T, d downloader, addresses ...string) (*Library, error) {
	t.Helper()
	s := toy()
	s.variants[0].files[0].URLs = addresses
	l := put(t, nil)
	l.web = d
	return l, l.fetch(context.Background(), s)
}

func TestFetch(t *testing.T) {
	for name, test := range map[string]struct {
		path, content string
		set           func(*server)
	}{
		"plain":                            {"/toy.csv", toyText, func(*server) {}},
		"compressed":                       {"/toy.csv.gz", zipped(toyText), func(*server) {}},
		"no length":                        {"/toy.csv", toyText, func(s *server) { s.noLength = true }},
		"busy at first":                    {"/toy.csv", toyText, func(s *server) { s.status, s.failing = http.StatusServiceUnavailable, 2 }},
		"breaks off":                       {"/toy.csv", toyText, func(s *server) { s.cut = 50 }},
		"breaks off, no ranges at the end": {"/toy.csv.gz", zipped(toyText), func(s *server) { s.cut = 100 }},
	} {
		t.Run(name, func(t *testing.T) {
			srv := serve(t, test.content)
			test.set(srv)
			l, err := fetchToy(t, quick(), srv.URL+test.path)
			if err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(filepath.Join(l.Dirs[0], "toy", filepath.Base(test.path)))
			if err != nil || string(got) != test.content {
				t.Fatalf("%q, %v", got, err)
			}
			if srv.cut > 0 && srv.sentBytes.Load() != int64(len(test.content)) {
				t.Errorf("%d bytes sent for %d", srv.sentBytes.Load(), len(test.content))
			}
			onlyFile(t, l, filepath.Base(test.path))
			if table, err := l.load(context.Background(), toy()); err != nil || table.Digest != toyDigest {
				t.Errorf("%v, %v", table, err)
			}
		})
	}
}

// onlyFile checks that nothing but the lock lies beside a file; "" is no file.
func onlyFile(t *testing.T, l *Library, name string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(l.Dirs[0], "toy"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != name && e.Name() != ".lock" {
			t.Errorf("left behind: %s", e.Name())
		}
	}
}

func TestFetchRefuses(t *testing.T) {
	altered := strings.Replace(toyText, "1.1", "1.2", 1)
	for name, test := range map[string]struct {
		content string
		set     func(*server)
		want    string
	}{
		"not there":   {toyText, func(s *server) { s.status, s.failing = 404, 99 }, "server returned 404 Not Found"},
		"forbidden":   {toyText, func(s *server) { s.status, s.failing = 403, 99 }, "server returned 403 Forbidden"},
		"always busy": {toyText, func(s *server) { s.status, s.failing = 503, 99 }, "given up after 3 attempts: server returned 503 Service Unavailable"},
		"no progress": {toyText, func(s *server) { s.cut, s.noRange = 10, true }, "given up after 3 attempts: unexpected EOF"},
		"web page":    {"\n <html>log in</html>", func(*server) {}, ".toy.csv.part:1: a web page (HTML or XML), not data"},
		"altered":     {altered, func(*server) {}, "the values are not the published ones"},
		"short":       {toyText[:100], func(*server) {}, `.toy.csv.part:4: field 6 (weight): "-" is not a number`},
		"damaged":     {zipped(toyText)[:60], func(*server) {}, "the compressed data are damaged or cut short"},
		"empty":       {"", func(*server) {}, "the file is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			srv := serve(t, test.content)
			test.set(srv)
			l, err := fetchToy(t, quick(), srv.URL+"/toy.csv")
			if err == nil || !strings.HasPrefix(err.Error(), "toy: "+srv.URL+"/toy.csv: ") || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %s", err, test.want)
			}
			if err != nil && strings.Contains(err.Error(), "\n") {
				t.Error("more than one line")
			}
			if name != "no progress" {
				onlyFile(t, l, "")
			}
			if _, err := l.find(toy()); !errors.As(err, new(*MissingError)) {
				t.Errorf("found: %v", err)
			}
		})
	}
}

// A partial file of an earlier process is continued; when it turns out to be of something else, all is fetched anew.
func TestFetchResume(t *testing.T) {
	for name, test := range map[string]struct {
		part     string
		set      func(*server)
		requests int32
		sent     int
	}{
		"half":                    {toyText[:50], func(*server) {}, 1, len(toyText) - 50},
		"all":                     {toyText, func(*server) {}, 0, 0},
		"all, no length":          {toyText, func(s *server) { s.noLength = true }, 2, len(toyText)},
		"longer, no length":       {toyText + toyText, func(s *server) { s.noLength = true }, 2, len(toyText)},
		"no ranges":               {toyText[:50], func(s *server) { s.noRange = true }, 1, len(toyText)},
		"of another file":         {strings.Repeat("x", 50), func(*server) {}, 2, 2*len(toyText) - 50},
		"longer than the file":    {toyText + toyText, func(*server) {}, 1, len(toyText)},
		"server gives other part": {toyText[:50], func(s *server) { s.shift = 1 }, 2, -1},
	} {
		t.Run(name, func(t *testing.T) {
			srv := serve(t, toyText)
			test.set(srv)
			s := toy()
			s.variants[0].files[0].URLs = []string{srv.URL + "/toy.csv"}
			l := put(t, map[string]string{".toy.csv.part": test.part})
			if err := l.fetch(context.Background(), s); err != nil {
				t.Fatal(err)
			}
			onlyFile(t, l, "toy.csv")
			if got, _ := os.ReadFile(filepath.Join(l.Dirs[0], "toy", "toy.csv")); string(got) != toyText {
				t.Errorf("fetched %q", got)
			}
			if n := srv.requests.Load(); n != test.requests {
				t.Errorf("%d requests, want %d", n, test.requests)
			}
			if n := int(srv.sentBytes.Load()); n != test.sent && test.sent >= 0 {
				t.Errorf("%d bytes sent, want %d", n, test.sent)
			}
		})
	}
}

// Another address is tried when the first one fails, and all are named when none works.
func TestFetchAddresses(t *testing.T) {
	gone, wrong, good := serve(t, ""), serve(t, "something else"), serve(t, toyText)
	gone.status, gone.failing = 410, 99
	if _, err := fetchToy(t, quick(), gone.URL+"/toy.csv", wrong.URL+"/toy.csv", good.URL+"/toy.csv"); err != nil {
		t.Error(err)
	}
	_, err := fetchToy(t, quick(), gone.URL+"/toy.csv", wrong.URL+"/toy.csv")
	if err == nil || !strings.Contains(err.Error(), gone.URL+"/toy.csv: server returned 410 Gone; "+wrong.URL+"/toy.csv: ") {
		t.Errorf("error %v", err)
	}
	closed := serve(t, "")
	closed.Close()
	if _, err := fetchToy(t, quick(), closed.URL+"/toy.csv"); err == nil || !strings.Contains(err.Error(), "given up after 2 attempts: ") {
		t.Errorf("error %v", err)
	}
}

// Of a table whose values are not known, a download with another checksum than the known one is none.
func TestFetchOtherChecksum(t *testing.T) {
	for name, sums := range map[string][]string{"none known": nil, "another": {strings.Repeat("0", 64)}} {
		s := toy()
		s.variants[0].digest, s.variants[0].files[0].SHA256, s.variants[0].files[0].Gzip = "", nil, sums
		s.variants[0].files[0].URLs = []string{serve(t, zipped(toyText)).URL + "/toy.csv.gz"}
		l := put(t, nil)
		l.web = quick()
		err := l.fetch(context.Background(), s)
		if refused := err != nil && strings.Contains(err.Error(), "not the published file: its SHA-256 begins with "); refused != (sums != nil) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Another form of the same table is fetched when the first cannot be had.
func TestFetchOtherForm(t *testing.T) {
	gone, good := serve(t, ""), serve(t, strings.ReplaceAll(toyText, ",", ";"))
	gone.status, gone.failing = 404, 99
	s := toy()
	s.variants[0].files[0].URLs = []string{gone.URL + "/toy.csv"}
	other := s.variants[0]
	form := toyForm
	form.separator = ';'
	other.files = []File{{Name: "toy.txt", Rows: 4, URLs: []string{good.URL + "/toy.txt"}, parse: form.parse}}
	s.variants = append(s.variants, other)
	l := put(t, nil)
	if err := l.fetch(context.Background(), s); err != nil {
		t.Fatal(err)
	}
	if table, err := l.load(context.Background(), s); err != nil || table.Digest != toyDigest {
		t.Errorf("%v, %v", table, err)
	}
	good.status, good.failing = 500, 99
	err := put(t, nil).fetch(context.Background(), s)
	want := "toy: " + gone.URL + "/toy.csv: server returned 404 Not Found; " + good.URL +
		"/toy.txt: given up after 3 attempts: server returned 500 Internal Server Error"
	if err == nil || err.Error() != want {
		t.Errorf("error\n%v, want\n%s", err, want)
	}
}

// A cancelled download keeps what it has and goes on from there.
func TestFetchCancel(t *testing.T) {
	srv := serve(t, toyText)
	srv.cut, srv.cutFirst, srv.hang = 60, 1, make(chan struct{})
	s := toy()
	s.variants[0].files[0].URLs = []string{srv.URL + "/toy.csv"}
	l := put(t, nil)
	part := filepath.Join(l.Dirs[0], "toy", ".toy.csv.part")
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		for {
			if info, err := os.Stat(part); err == nil && info.Size() == 60 {
				cancel()
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	if err := l.fetch(ctx, s); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	close(srv.hang)
	if err := l.fetch(context.Background(), s); err != nil {
		t.Fatal(err)
	}
	if n := srv.sentBytes.Load(); n != int64(len(toyText)) {
		t.Errorf("%d bytes sent for %d", n, len(toyText))
	}
}

// A connection over which nothing comes, or hardly anything, is given up; what has come is kept.
func TestFetchSlow(t *testing.T) {
	for name, after := range map[string]time.Duration{"nothing": time.Hour, "drips": time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Length", "60000")
				for r.Method == http.MethodGet {
					if _, err := w.Write([]byte("1")); err != nil {
						return
					}
					w.(http.Flusher).Flush()
					select {
					case <-r.Context().Done():
						return
					case <-time.After(after):
					}
				}
			}))
			t.Cleanup(srv.Close)
			d := quick()
			d.patience, d.least, d.attempts = 60*time.Millisecond, 10000, 2
			l, err := fetchToy(t, d, srv.URL+"/toy.csv")
			if err == nil || !strings.Contains(err.Error(), "given up after 2 attempts: only ") || !strings.Contains(err.Error(), " B came in 60ms") {
				t.Errorf("error %v", err)
			}
			if info, err := os.Stat(filepath.Join(l.Dirs[0], "toy", ".toy.csv.part")); err != nil || info.Size() == 0 {
				t.Error("nothing is left to go on with")
			}
		})
	}
}

// A server that sends more than a file has is stopped, whether it says so or not, and nothing stays of it.
func TestFetchTooLong(t *testing.T) {
	limit := int64((&toy().variants[0].files[0]).limit())
	for name, length := range map[string]int64{"without end": -1, "announced": limit + 1} {
		t.Run(name, func(t *testing.T) {
			sent := atomic.Int64{}
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if length > 0 {
					w.Header().Set("Content-Length", strconv.FormatInt(length, 10))
				}
				for n, err := 0, error(nil); err == nil && r.Method == http.MethodGet; {
					n, err = w.Write(bytes.Repeat([]byte("1"), 1<<12))
					sent.Add(int64(n))
				}
			}))
			t.Cleanup(srv.Close)
			l, err := fetchToy(t, quick(), srv.URL+"/toy.csv")
			if err == nil || !strings.HasSuffix(err.Error(), "/toy.csv: the server sends more than the 65.0 KiB that this file has at most") {
				t.Errorf("error %v", err)
			}
			onlyFile(t, l, "")
			if n := sent.Load(); n > 100*limit {
				t.Errorf("%d bytes were sent", n)
			}
		})
	}
}

// Compressed data that unpack to more than a file has are refused before they are parsed.
func TestFetchBomb(t *testing.T) {
	srv := serve(t, zipped(strings.Repeat("0", 10<<20)))
	l, err := fetchToy(t, quick(), srv.URL+"/toy.csv.gz")
	if err == nil || !strings.HasSuffix(err.Error(), "unpacked it has more than the 65.0 KiB that this file has at most") {
		t.Errorf("error %v", err)
	}
	onlyFile(t, l, "")
}

func TestFetchFolderNotWritable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	os.WriteFile(file, nil, 0o644)
	s := toy()
	s.variants[0].files[0].URLs = []string{"http://127.0.0.1:1/toy.csv"}
	if err := (&Library{Dirs: []string{file}, web: quick()}).fetch(context.Background(), s); err == nil || !strings.HasPrefix(err.Error(), "toy: ") {
		t.Errorf("error %v", err)
	}
}

// Load fetches what is missing only if it may, and never what is there.
func TestLoadDownloads(t *testing.T) {
	srv := serve(t, toyText)
	s := toy()
	s.variants[0].files[0].URLs = []string{srv.URL + "/toy.csv"}
	l := put(t, nil)
	if _, err := l.load(context.Background(), s); !errors.As(err, new(*MissingError)) || srv.requests.Load() > 0 {
		t.Fatalf("error %v after %d requests", err, srv.requests.Load())
	}
	l.Download = true
	for range 2 {
		if _, err := l.load(context.Background(), s); err != nil {
			t.Fatal(err)
		}
	}
	if srv.requests.Load() != 1 {
		t.Errorf("%d requests", srv.requests.Load())
	}
	s.variants[0].files[0].URLs = nil
	l.Dirs = []string{t.TempDir()}
	if _, err := l.load(context.Background(), s); !errors.As(err, new(*MissingError)) || !strings.Contains(err.Error(), "toy shop") {
		t.Errorf("error %v", err)
	}
}

// Two processes that fetch at the same time fetch once.
func TestFetchTogether(t *testing.T) {
	srv := serve(t, toyText)
	s := toy()
	s.variants[0].files[0].URLs = []string{srv.URL + "/toy.csv"}
	l := put(t, nil)
	l.Log = io.Discard
	errs := make(chan error)
	for range 4 {
		go func() { errs <- l.fetch(context.Background(), s) }()
	}
	for range 4 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if srv.requests.Load() != 1 {
		t.Errorf("%d requests", srv.requests.Load())
	}
}

// A file system without locks is said, and no reason not to fetch.
func TestFetchWithoutLocks(t *testing.T) {
	t.Cleanup(func() { tryLock = (*flock.Flock).TryLock })
	srv := serve(t, toyText)
	s := toy()
	s.variants[0].files[0].URLs = []string{srv.URL + "/toy.csv"}
	for _, none := range []error{syscall.ENOSYS, syscall.ENOLCK, syscall.EOPNOTSUPP} {
		tryLock = func(*flock.Flock) (bool, error) { return false, none }
		l, log := put(t, nil), &bytes.Buffer{}
		l.Log = log
		if err := l.fetch(context.Background(), s); err != nil || !strings.Contains(log.String(), "cannot be locked") {
			t.Errorf("%v: %v, log %q", none, err, log)
		}
	}
	tryLock = func(*flock.Flock) (bool, error) { return false, syscall.EIO }
	if err := put(t, nil).fetch(context.Background(), s); !errors.Is(err, syscall.EIO) {
		t.Errorf("error %v", err)
	}
}

// The first answer may be that OpenML is busy.
func TestFetchOpenML(t *testing.T) {
	srv := serve(t, toyText)
	busy := true
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if busy {
			busy = false
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		if r.URL.Path != "/data/4353" {
			w.WriteHeader(http.StatusPreconditionFailed) // what OpenML answers for an unknown number
			return
		}
		fmt.Fprintf(w, `{"data_set_description":{"id":"4353","url":%q}}`, srv.URL+"/download/1/toy.csv")
	}))
	t.Cleanup(api.Close)
	s := toy()
	s.variants[0].files[0].OpenML = 4353
	l := put(t, nil)
	l.web.openML = api.URL + "/data/"
	if err := l.fetch(context.Background(), s); err != nil {
		t.Fatal(err)
	}
	onlyFile(t, l, "toy.csv")
	s.variants[0].files[0].OpenML = 1
	l.Dirs = []string{t.TempDir()}
	if err := l.fetch(context.Background(), s); err == nil || err.Error() != "toy: "+api.URL+"/data/1: the server answers 412 Precondition Failed" {
		t.Errorf("error %v", err)
	}
	l.web.openML = srv.URL + "/"
	if err := l.fetch(context.Background(), s); err == nil || err.Error() != "toy: "+srv.URL+"/1: no address in the answer" {
		t.Errorf("error %v", err)
	}
}

// A data set of several files is checked file by file, and files that are in another folder are not fetched.
func TestFetchSeveral(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	first, second := make([]byte, 300000), make([]byte, 100000)
	for i := range first {
		first[i] = byte(r.Uint32())
	}
	for i := range second {
		second[i] = byte(r.Uint32())
	}
	one, two := serve(t, string(first)), serve(t, string(second))
	one.cut = 150000
	s := toy()
	s.variants[0].files = []File{
		{Name: "one", MaxBytes: 300000, URLs: []string{one.URL + "/one"}, SHA256: []string{hexSHA256(first)}},
		{Name: "two", MaxBytes: 100000, URLs: []string{two.URL + "/two"}, SHA256: []string{hexSHA256(first)}},
	}
	l := put(t, nil)
	if err := l.fetch(context.Background(), s); err == nil || !strings.Contains(err.Error(), two.URL+"/two: not the published file") {
		t.Fatalf("error %v", err)
	}
	onlyFile(t, l, "one")
	s.variants[0].files[1].SHA256 = []string{hexSHA256(second)}
	elsewhere := put(t, map[string]string{"one": string(first)})
	elsewhere.Dirs = []string{t.TempDir(), elsewhere.Dirs[0]}
	requests := one.requests.Load()
	if err := elsewhere.fetch(context.Background(), s); err != nil || one.requests.Load() != requests {
		t.Errorf("%v after %d further requests", err, one.requests.Load()-requests)
	}
	if got, _ := os.ReadFile(filepath.Join(elsewhere.Dirs[0], "toy", "two")); !bytes.Equal(got, second) {
		t.Error("not fetched to the first folder")
	}
}

func TestProgressLines(t *testing.T) {
	var log strings.Builder
	p := (&Library{Log: &log}).progress("toy: toy.csv")
	p.lastLine = time.Now().Add(-time.Hour)
	p.at(512, 2048)
	p.at(1024, 2048)
	p.lastLine = time.Now().Add(-time.Hour)
	p.at(512, -1)
	p.done()
	if want := "toy: toy.csv: 512 B of 2.0 KiB (25 %)\ntoy: toy.csv: 512 B\n"; log.String() != want {
		t.Errorf("%q, want %q", log.String(), want)
	}
}

func TestFormatBytes(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 2816407858: "2.6 GiB", 1 << 50: "1024.0 TiB"} {
		if got := FormatBytes(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
