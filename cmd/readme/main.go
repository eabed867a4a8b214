// Readme writes the tables of results in README.md anew, from reports: each between a line <!-- table NAME --> and the next
// <!-- end -->.
//
//	go run ./cmd/readme [-quick cells.csv] [-published cells.csv]
//
// The files are what `make reproduce-table1` and `make report-published` leave. A table whose file is not there stays.
package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/google/renameio/v2"

	"nptbench/internal/methods"
	"nptbench/internal/program"
)

const about = `Writes the tables of results in README.md anew, from reports. A table whose report is not there stays.`

func main() { program.Main(run) }

func run(_ context.Context, e program.Env) (exit int, err error) {
	f := program.NewFlags("readme", about, "[-file README.md] [-quick cells.csv] [-published cells.csv]")
	file := f.String("file", "README.md", "the `file` whose tables are written")
	quick := f.String("quick", "out/table1-quick/report/cells.csv", "`cells` of the quick sweep")
	published := f.String("published", "out/published/report/cells.csv", "`cells` of the published records")
	if err := f.Parse(e); err != nil {
		return program.ExitBadInput, err
	}
	return program.ExitOK, update(*file, *quick, *published)
}

// A column of a table.
type column struct{ title, dataset, metric string }

var (
	small = []column{
		{"Yacht RMSE", "yacht", "rmse"}, {"Boston RMSE", "boston-housing", "rmse"}, {"Concrete RMSE", "concrete", "rmse"},
		{"Breast Cancer AUROC", "breast-cancer", "auroc"},
	}
	breastCancer = []column{
		{"Breast Cancer accuracy", "breast-cancer", "accuracy"}, {"Breast Cancer NLL", "breast-cancer", "nll"},
		{"Breast Cancer AUROC", "breast-cancer", "auroc"},
	}
	large = []column{
		{"Protein RMSE", "protein", "rmse"}, {"Kick AUROC", "kick", "auroc"}, {"Income AUROC", "income", "auroc"},
		{"Poker Hand accuracy", "poker-hand", "accuracy"}, {"Forest Cover accuracy", "forest-cover", "accuracy"},
	}
)

func update(file, quick, published string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	out := string(text)
	for _, source := range []struct {
		path   string
		tables map[string]func(cells) string
	}{
		{quick, map[string]func(cells) string{
			"quick": func(c cells) string { return c.table(small, cells.beside) },
		}},
		{published, map[string]func(cells) string{
			"small":         func(c cells) string { return c.table(small, cells.beside) },
			"breast-cancer": func(c cells) string { return c.table(breastCancer, cells.beside) },
			"large":         func(c cells) string { return c.table(large, cells.beside) },
			"protocols":     func(c cells) string { return c.table(small, cells.corrected) },
		}},
	} {
		c, err := readCells(source.path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		for name, table := range source.tables {
			block := regexp.MustCompile(`(?s)(<!-- table ` + name + ` -->\n).*?(<!-- end -->)`)
			if found := block.FindString(out); found == "" || strings.Count(found, "<!-- table") > 1 {
				return fmt.Errorf("%s has no place <!-- table %s --> ... <!-- end -->", file, name)
			}
			out = block.ReplaceAllString(out, "${1}"+strings.ReplaceAll(table(c), "$", "$$")+"${2}")
		}
	}
	return renameio.WriteFile(file, []byte(out), 0o644)
}

type key struct{ dataset, protocol, method, metric string }

// cells are the lines of a report's cells.csv, by column name.
type cells map[key]map[string]string

func readCells(path string) (cells, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil || len(lines) == 0 {
		return nil, fmt.Errorf("%s: %w", path, errors.Join(err, errors.New("want a report's cells.csv")))
	}
	out := cells{}
	for _, line := range lines[1:] {
		cell := map[string]string{}
		for i, name := range lines[0] {
			cell[name] = line[i]
		}
		out[key{cell["dataset"], cell["protocol"], cell["method"], cell["metric"]}] = cell
	}
	return out, nil
}

// complete returns a cell in which nothing is missing; nil when there is none.
func (c cells) complete(col column, protocol, method string) map[string]string {
	cell := c[key{col.dataset, protocol, method, col.metric}]
	switch {
	case cell == nil, cell["mean"] == "", cell["missing"] != "0", cell["verdict"] == "partial", cell["verdict"] == "failed":
		return nil
	}
	return cell
}

// table has a line for each method with a cell.
func (c cells) table(columns []column, text func(c cells, col column, method string) string) string {
	var b strings.Builder
	b.WriteString("| Method |")
	for _, col := range columns {
		b.WriteString(" " + col.title + " |")
	}
	b.WriteString("\n" + strings.Repeat("|---", len(columns)+1) + "|\n")
	for _, m := range methods.All() {
		title := m.Title
		if m.Name == "npt" {
			title += " (tiny)" // as in both sweeps: two layers
		}
		line, any := "| "+title+" |", false
		for _, col := range columns {
			cell := text(c, col, m.Name)
			line, any = line+" "+cell+" |", any || cell != ""
		}
		if any {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// beside shows our number with the paper's in parentheses; bold when it came out.
func (c cells) beside(col column, method string) string {
	cell := c.complete(col, "published", method)
	if cell == nil {
		return ""
	}
	text := ours(cell, digits(cell))
	if paper := cell["paper_printed"]; paper != "" {
		text += " (" + paper + ")"
	}
	if cell["verdict"] == "reproduced" {
		text = "**" + text + "**"
	}
	return text
}

// corrected shows what correcting the protocol changes.
func (c cells) corrected(col column, method string) string {
	before, after := c.complete(col, "published", method), c.complete(col, "corrected", method)
	if before == nil || after == nil || before["paper_printed"] == "" {
		return ""
	}
	n := digits(before)
	return rounded(before["mean"], n) + " → " + ours(after, n)
}

func ours(cell map[string]string, digits int) string {
	text := rounded(cell["mean"], digits)
	if cell["stderr"] != "" {
		text += " ± " + rounded(cell["stderr"], digits)
	}
	return text
}

// digits is how many decimals the paper prints, or what is usual.
func digits(cell map[string]string) int {
	n := map[string]int{"rmse": 2, "accuracy": 1, "nll": 3, "auroc": 3}[cell["metric"]]
	mean, _, _ := strings.Cut(cell["paper_printed"], " ")
	_, decimals, _ := strings.Cut(mean, ".")
	return max(n, len(decimals))
}

func rounded(number string, digits int) string {
	v, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return number
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}
