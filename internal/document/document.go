// Package document reads files that people write. In YAML, sweeps and declarations of data sets, every value keeps its place in the file, and
// what is wrong is noted there, each mistake in a line that says what would be right, while reading goes on. CSV (csv.go) is read line by line.
package document

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	yamlparser "github.com/goccy/go-yaml/parser"
)

// A Document is a YAML file that is being read. Its methods read nodes as what is expected there.
type Document struct {
	File   string // as messages name it
	Errors Errors // so far

	anchors map[string]*Node // those so far
	size    int              // number of values so far, those behind aliases counted again for each alias
}

// Bounds on the form of a file. The YAML parser takes time and stack by the square of the nesting, and time and memory by that of the length
// of a mapping.
const (
	MaxBytes = 1 << 20 // a declaration of 20,000 columns has half of it, and is parsed in two seconds
	maxLine  = 20_000  // characters; each can be a level: "- - -"
	maxDepth = 50
	maxSize  = 200_000 // values, with what aliases stand for
)

// Parse returns the document and its top node, which is nil when the content is not one YAML document. least says, where the file is
// empty, what it has to have at least.
func Parse(file string, content []byte, least string) (*Document, *Node) {
	d := &Document{File: file, anchors: map[string]*Node{}}
	d.checkText(content)
	if len(d.Errors) > 0 {
		return d, nil
	}
	tree, err := parseYAML(bytes.TrimPrefix(content, []byte("\ufeff"))) // some editors begin files with this mark
	if err != nil {
		at, text := syntaxError(err)
		d.Errorf(at, "not YAML: %s", text)
		return d, nil
	}
	var bodies []ast.Node
	for _, doc := range tree.Docs {
		if doc.Body != nil {
			bodies = append(bodies, doc.Body)
		}
	}
	if len(bodies) == 0 {
		d.Errorf(Position{1, 1}, "the file is empty; %s", least)
		return d, nil
	}
	if bodies[0].Type() == ast.DirectiveType {
		d.Errorf(position(bodies[0]), "YAML directives are not used here; leave the line out")
		return d, nil
	}
	for _, extra := range bodies[1:] {
		d.Errorf(position(extra), "a second YAML document; the file may hold one")
	}
	root := d.build(bodies[0])
	if d.size > maxSize {
		return d, nil
	}
	return d, root
}

// quoted is text in quotes, as far as it begins and ends in one line.
var quoted = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|'[^']*'`)

// checkText refuses what is no text, or text that no person would write.
func (d *Document) checkText(content []byte) {
	if len(content) > MaxBytes {
		d.Errorf(Position{1, 1}, "%d bytes; the file may have %d", len(content), MaxBytes)
		return
	}
	depth := 0
	for i, line := range bytes.Split(content, []byte("\n")) {
		row := i + 1
		for at, r := range string(line) {
			if _, size := utf8.DecodeRune(line[at:]); r == utf8.RuneError && size == 1 {
				d.Errorf(Position{row, 1 + utf8.RuneCount(line[:at])}, "not UTF-8 text; save the file as UTF-8")
				return
			}
			if r < ' ' && r != '\t' && (r != '\r' || at != len(line)-1) {
				d.Errorf(Position{row, 1 + utf8.RuneCount(line[:at])}, "control character %U; the file is to be plain text", r)
			}
		}
		if indent := len(line) - len(bytes.TrimLeft(line, " \t")); bytes.ContainsRune(line[:indent], '\t') {
			d.Errorf(Position{row, 1 + bytes.IndexByte(line, '\t')}, "tab in the indentation; YAML wants spaces")
		}
		if utf8.RuneCount(line) > maxLine {
			d.Errorf(Position{row, maxLine + 1}, "a line has at most %d characters; break it", maxLine)
		}
		code, _, _ := strings.Cut(" "+quoted.ReplaceAllString(string(line), ""), " #")
		for _, r := range code {
			switch r {
			case '[', '{':
				depth++
			case ']', '}':
				depth--
			}
			if depth > maxDepth {
				d.Errorf(Position{row, 1}, "brackets nested deeper than %d; no file needs that many", maxDepth)
				return
			}
		}
	}
}

// parseYAML is the library's parser with duplicate keys left to us and its panics turned into errors.
func parseYAML(content []byte) (file *ast.File, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the parser gave up: %v", r)
		}
	}()
	return yamlparser.ParseBytes(content, 0, yamlparser.AllowDuplicateMapKey())
}

func syntaxError(err error) (Position, string) {
	at, text := Position{1, 1}, err.Error()
	var syntax yaml.Error
	if errors.As(err, &syntax) {
		text = syntax.GetMessage()
		if strings.HasPrefix(text, "mapping value is not allowed") {
			text += ` (text with ": " in it needs quotes)`
		}
		if t := syntax.GetToken(); t != nil {
			at = Position{t.Position.Line, t.Position.Column}
		}
	}
	return at, text
}
