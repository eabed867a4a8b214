package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"nptbench/internal/experiment"
	"nptbench/internal/program"
	"nptbench/internal/program/programtest"
)

// The report of the published records has the differences, errors and p that NumPy and SciPy find in these records:
// d.mean(), se = d.std(ddof=1) * np.sqrt(1/10 + share) and 2 * scipy.stats.t.sf(abs(d.mean() / se), 9) of the differences d from Base, fold by
// fold, where share is that of test rows in training rows.
func TestPublishedRecords(t *testing.T) {
	records, out := t.TempDir(), t.TempDir()
	content, err := os.ReadFile("../../results/published/ablation-quick.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(records, "ablation-quick.jsonl.gz"), content, 0o644); err != nil {
		t.Fatal(err)
	}
	exit, stdout, stderr := programtest.Run(t, func(ctx context.Context, e program.Env) (int, error) { return experiment.Run(ctx, e, ablation) },
		"-report-only", "-with", records, "-out", out, "-data", t.TempDir())
	if exit != program.ExitOK {
		t.Fatalf("exit %d: %s", exit, stderr)
	}
	footnote := regexp.MustCompile(` \[\d+\]`)
	for _, want := range []string{
		"No feature -1.02 ± 0.21 0.0010 -0.77 ± 0.16 same direction", "No masking -0.79 ± 0.43 0.103 +0.20 ± 0.35 not clear",
		"Half the heads +0.01 ± 0.16 0.959 +0.25 ± 0.38 not clear", "Kendall's rank correlation",
		"Over 3 seeds: mean -0.026, standard deviation 0.356.", // of Half the heads
	} {
		if !strings.Contains(strings.Join(strings.Fields(footnote.ReplaceAllString(stdout, "")), " "), want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
	facts, err := os.ReadFile(filepath.Join(out, "report", "ablation.csv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"yacht,published,npt,No feature masking,rmse_change,-1.02476", "boston-housing,published,npt,Feature mask 0.5,rmse_change_p,0.0123144356"} {
		if !strings.Contains(string(facts), want) {
			t.Errorf("no %s in\n%s", want, facts)
		}
	}
}
