# nptbench. "make help" explains every target.

# Targets share environments and folders: one at a time, also under -j.
.NOTPARALLEL:

SCALE ?= quick
BENCHTIME ?= 3x
OUT   ?= out/table1-$(SCALE)
ARGS  ?=
PY    ?= $(shell python3.11 -c '' 2>/dev/null && echo python3.11 || echo python3)

.PHONY: help
help: ## list the targets
	@echo "nptbench: make TARGET"
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { line = sprintf("  %-18s", $$1); n = split($$2, words, " "); \
		for (i = 1; i <= n; i++) { if (length(line " " words[i]) > 79) { print line; line = sprintf("%20s", "") } line = line " " words[i] } \
		print line }' $(MAKEFILE_LIST)
	@echo "Variables: SCALE=quick|cpu|paper and OUT=folder (reproduce-table1, plan-table1),"
	@echo "  ARGS='more flags', HOURS=8 and OVERNIGHT=folder (overnight), PY=python3.11"
	@echo "  (venv), BENCH='flags of bench-*', BENCHTIME=3x (bench-npt), SKIPS=regexp"
	@echo "  (test: it fails if a test is skipped for another reason)."

.PHONY: reproduce-table1
reproduce-table1: bin/table1 venv-if-possible ## run what SCALE's sweep lacks and print the tables; SCALE=cpu takes many hours, SCALE=paper is the real thing
	bin/table1 -sweep table1-$(SCALE) -out "$(OUT)" -fetch $(ARGS)

.PHONY: plan-table1
plan-table1: bin/table1 ## show what reproduce-table1 would do, without doing it
	bin/table1 -sweep table1-$(SCALE) -out "$(OUT)" -dry-run $(ARGS)

.PHONY: report-published
report-published: bin/table1 ## the tables from our own records in results/published, without running anything
	rm -rf out/published/report
	bin/table1 -sweep table1-cpu -protocol both -with results/published -report-only -out out/published $(ARGS)

.PHONY: reports-published
reports-published: report-published bin/lookup bin/ablation bin/variants bin/corruption bin/deletion bin/attention bin/cost bin/lookup-size bin/width ## the same for make reproduce-table1 and all experiments
	rm -rf out/published-*/report
	bin/table1 -sweep table1-quick -with results/published -report-only -out out/published-quick
	for x in lookup lookup-size ablation variants corruption deletion attention cost width; do bin/$$x -with results/published -report-only -out out/published-$$x || exit; done
	for x in cpu random-column coded batches; do bin/lookup -sweep lookup-$$x -with results/published -report-only -out out/published-lookup-$$x || exit; done
	for x in ablation corruption attention deletion; do bin/$$x -sweep $$x-cpu -with results/published -report-only -out out/published-$$x-cpu || exit; done
	bin/corruption -sweep corruption-paper -datasets yacht,boston-housing,concrete,breast-cancer -with results/published/gpu -report-only -out out/published-corruption-paper

.PHONY: lookup
lookup: bin/lookup ## does NPT look up targets in other rows? the paper's semi-synthetic task, Table 3
	bin/lookup -fetch $(ARGS)

.PHONY: lookup-size
lookup-size: bin/lookup-size ## how small can a network be and still look targets up? about half an hour on two cores
	bin/lookup-size -fetch $(ARGS)

.PHONY: width
width: bin/width ## what is NPT's width worth? errors and learning curves on Boston Housing, two days on two cores; ARGS='-with results/published -report-only' shows what there is
	bin/width -fetch $(ARGS)

.PHONY: ablation
ablation: bin/ablation ## what are NPT's parts good for? the paper's ablations, Tables 4 and 5; minutes, ARGS='-sweep ablation-paper -dry-run' for theirs
	bin/ablation -fetch $(ARGS)

.PHONY: variants
variants: bin/variants ## ranks of the eight variants of NPT-Small, and the choice among them, Table 13; minutes
	bin/variants -fetch $(ARGS)

.PHONY: cost
cost: bin/cost ## times and memory from our own records, a part of a search extrapolated, Tables 6 and 7; runs nothing
	bin/cost -with results/published $(ARGS)

.PHONY: corruption
corruption: bin/corruption venv-if-possible ## do NPT's predictions depend on other rows? Table 2, and networks that cannot use any
	bin/corruption -fetch $(ARGS)

.PHONY: deletion
deletion: bin/deletion ## which other rows do NPT's predictions need? the paper's data deletion; after make corruption it has a model already
	bin/deletion -fetch $(if $(wildcard out/corruption-quick/records/*.jsonl),-with out/corruption-quick/records) $(ARGS)

.PHONY: attention
attention: bin/attention ## to which other rows does NPT attend? numbers and maps; after make corruption it has its models already
	bin/attention -fetch $(if $(wildcard out/corruption-quick/records/*.jsonl),-with out/corruption-quick/records) $(ARGS)

.PHONY: experiments
experiments: ablation variants corruption deletion attention lookup cost ## all experiments in their quick forms, one after the other

.PHONY: check-report
check-report: reports-published .venv-check/installed ## open the pages of our own reports in Chromium and compile their LaTeX; needs chromium, pdflatex with siunitx, and pdftotext, pictures are in out/check-report
	.venv-check/bin/python report/testdata/check_page.py out/check-report out/published*/report/*.html
	report/testdata/check_latex.sh out/check-report out/published*/report/*.tex

HOURS ?= 8
OVERNIGHT ?= out/overnight

.PHONY: overnight
overnight: bin/overnight ## long runs at the lowest priority for HOURS=8, to be stopped and started again at will; SWEEPS="a b" runs others
	nice -n 19 $$(command -v chrt >/dev/null && echo chrt -i 0) $$(command -v ionice >/dev/null && echo ionice -c 3) bin/overnight -hours $(HOURS) -out "$(OVERNIGHT)" $(ARGS) $(SWEEPS)

.PHONY: overnight-merge
overnight-merge: bin/merge ## take the finished records of make overnight over into results/published
	ls -d "$(OVERNIGHT)"/*/records >/dev/null
	for dir in "$(OVERNIGHT)"/*/records; do \
		if ls "$$dir"/*.jsonl >/dev/null 2>&1; then bin/merge "results/published/$$(basename "$$(dirname "$$dir")").jsonl.gz" "$$dir" || exit; \
		else echo "nothing to merge in $$dir"; fi; \
	done

.PHONY: readme
readme: reports-published ## write the tables and figures of README.md and the other documents anew, from our own records
	cp out/published-quick/report/table1.svg results/published/table1-quick.svg
	cp out/published-ablation/report/ablation.svg results/published/
	cp out/published-lookup/report/lookup-curves.svg out/published-width/report/width-curves.svg results/published/
	rm -rf results/published/report && mkdir results/published/report && cp out/published/report/summary.md out/published/report/table1.md out/published/report/table1*.svg results/published/report/
	go run ./cmd/readme

.PHONY: test
test: venv-if-possible xla-if-possible ## all tests, a few minutes on two cores; at the end, how many passed, failed and were skipped, and why
	go vet ./...
	go test -tags purego ./internal/f32 ./internal/fused
	go test -tags purego -run 'Exact|Bounds' ./baselines/knn
	CGO_ENABLED=0 go build ./...
	CGO_ENABLED=0 go test ./internal/backends
	go run ./cmd/testcount $(if $(SKIPS),-allowed '$(SKIPS)') ./...

.PHONY: test-long
test-long: venv-if-possible xla-if-possible ## also the tests that take long or need all data sets
	NPT_LONG_TESTS=1 go run ./cmd/testcount -flags '-timeout 120m' ./...

.PHONY: test-higgs-memory
test-higgs-memory: ## load a generated table of Higgs' full size (5 GB in $TMPDIR) in at most 2.5 GB of memory
	NPT_LONG_TESTS=1 go test -run TestHiggsMemory -v -timeout 30m ./internal/dataset

.PHONY: test-race
test-race: ## the concurrent packages under the race detector
	go test -race -gcflags=github.com/gomlx/...=-d=checkptr=0 $$(go list ./internal/... | grep -v /fused) ./results ./report ./sweeps ./baselines/...
	go test -race -gcflags=github.com/gomlx/...=-d=checkptr=0 ./internal/fused
	go test -race -gcflags=github.com/gomlx/...=-d=checkptr=0 -run 'Method|Cancel|Backend|SideBySide' ./npt

.PHONY: lint
lint: ## gofmt, go vet and staticcheck
	@test -z "$$(gofmt -l .)" || { echo "not formatted:"; gofmt -l .; exit 1; }
	go vet ./...
	go run honnef.co/go/tools/cmd/staticcheck@v0.7.0 ./...

.PHONY: data
data: bin/data ## list the data sets: where they are, what is missing, what is a subset
	bin/data $(ARGS)

.PHONY: fetch
fetch: bin/data ## download the data sets that are missing into $NPT_DATA_DIR, else ./data
	bin/data -fetch $(ARGS)

.PHONY: venv
venv: .venv/installed ## the Python environment in which the boosting libraries train

.PHONY: xla
xla: .venv/xla-installed ## XLA for the CPU, NPT's backend xla:cpu, beside which the tests hold its own

.venv/bin/python:
	$(PY) -m venv --clear .venv || { rm -f $@; exit 1; }

# The versions that are pinned have packages for Python 3.11 alone. An environment of another one is made anew, without XLA, if there is a 3.11
# to make it.
IS_311 = -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))'

# What was installed is lost when an upgrade of the system takes the Python away or makes another of it.
$(shell [ -x .venv/bin/python ] || rm -f .venv/*installed; [ ! -e .venv/installed ] || .venv/bin/python $(IS_311) || rm -f .venv/installed)

.venv/installed: baselines/gbdt/requirements.txt | .venv/bin/python
	@.venv/bin/python $(IS_311) || { \
		$(PY) $(IS_311) || { echo "$(PY) is $$($(PY) -V), and the boosting libraries need 3.11: make venv PY=python3.11, with a path where it is not found" >&2; exit 1; }; \
		$(PY) -m venv --clear .venv || { rm -f .venv/bin/python; exit 1; }; }
	.venv/bin/python -m pip install --quiet --disable-pip-version-check --only-binary :all: -r baselines/gbdt/requirements.txt
	touch $@

.venv/xla-installed: npt/requirements.txt | .venv/bin/python
	.venv/bin/python -m pip install --quiet --disable-pip-version-check --only-binary :all: --require-hashes -r npt/requirements.txt
	touch $@

# The CUDA that the driver can run: 13 from version 580 on.
XLA_CUDA ?= $(shell [ "$$(nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null | head -n 1 | cut -d . -f 1)" -ge 580 ] 2>/dev/null && echo 13 || echo 12)

.PHONY: xla-cuda
xla-cuda: .venv/xla-cuda$(XLA_CUDA)-installed ## XLA for NVIDIA GPUs, with its CUDA libraries (XLA_CUDA=12|13, by default as the driver allows); reproduce-table1 makes it where there is a GPU

# One of them at a time, for NPT takes what it finds.
.venv/xla-cuda%-installed: npt/requirements-cuda%.txt | .venv/bin/python
	.venv/bin/python -m pip uninstall -qq --yes -r npt/requirements-cuda$(if $(filter 12,$*),13,12).txt
	rm -f .venv/xla-cuda*-installed
	.venv/bin/python -m pip install --quiet --disable-pip-version-check --only-binary :all: -r $<
	touch $@

# Environments of single checks, each with the packages of the first file that it depends on.
.venv-check/installed: report/testdata/requirements.txt
.venv-tabnet/installed: baselines/tabnet/testdata/requirements.txt
.venv-estimate/installed: npt/testdata/requirements-estimate.txt npt/requirements-cuda12.txt
.venv-gpytorch/installed: baselines/dkl/testdata/requirements.txt
.venv-%/installed:
	$(PY) -m venv .venv-$*
	.venv-$*/bin/python -m pip install --quiet --disable-pip-version-check --only-binary :all: -r $(firstword $^)
	touch $@

# Makes a target, or says what is left out without it, and why: $(call try,TARGET,LOG,WHAT).
try = mkdir -p out && PIP_RETRIES=1 $(MAKE) --no-print-directory $(1) >out/$(2).log 2>&1 || \
	{ echo "$(3) (see out/$(2).log):"; grep -v '^make' out/$(2).log | tail -n 1 | cut -c 1-200; } >&2

.PHONY: venv-if-possible
venv-if-possible:
	@[ -e .venv/installed ] || echo "installing the boosting libraries into .venv" >&2
	@$(call try,.venv/installed,venv,no Python environment: the boosting libraries are left out)
	@if ! ls /dev/nvidia[0-9]* >/dev/null 2>&1; then :; \
	elif [ "$$(go env CGO_ENABLED)" != 1 ]; then echo "no cgo, for want of a C compiler or by CGO_ENABLED=0, and so no XLA for the GPU: NPT runs on the processor" >&2; \
	else $(call try,xla-cuda,xla-cuda,no XLA for the GPU: NPT runs on the processor); fi

.PHONY: xla-if-possible
xla-if-possible:
	@$(call try,.venv/xla-installed,xla,no XLA for the CPU: it is left out of the tests)

.PHONY: golearn
golearn: bin/golearn ## adds rows for golearn's k-NN and random forest, which are not in the paper; needs a C++ compiler

bin/golearn: FORCE
	@mkdir -p bin
	cd baselines/golearn/worker && CGO_ENABLED=1 go build -o ../../../bin/golearn .

.PHONY: bench
bench: ## benchmarks of the harness: planning, records, reports (one of a million records, a gigabyte in $TMPDIR), splits
	go test -run '^$$' -bench . ./internal/... ./results ./report ./sweeps ./experiments/table1

# Products are exact here: in TF32 they are too coarse for the reference numbers.
.PHONY: test-gpu
test-gpu: ## NPT's tests on the GPU, against the same reference numbers as on the processor
	GOMLX_BACKEND=xla:cuda,tf32=false go test -count=1 -timeout 30m ./npt

KIT_DATA = boston-housing yacht breast-cancer concrete

# Data sets come from where programs look for them, the folder that is searched first last, so that its files stay.
.PHONY: gpu-kit
gpu-kit: bin/data ## out/gpu-kit: binaries, small data sets and a script that checks and runs NPT on a machine with a GPU and without Go
	@rm -rf out/gpu-kit/data out/gpu-kit/testdata && mkdir -p out/gpu-kit/data
	go build -ldflags=-s -o out/gpu-kit/ ./experiments/table1 ./experiments/corruption
	go test -c -ldflags=-s -o out/gpu-kit/npt.test ./npt
	cp -r npt/testdata out/gpu-kit/ && mv out/gpu-kit/testdata/gpu.sh out/gpu-kit/
	if [ -n "$$NPT_DATA_DIR" ]; then set -- data "$$NPT_DATA_DIR"; else set -- ../shared/data data; fi; \
	for dir; do for name in $(KIT_DATA); do [ ! -d "$$dir/$$name" ] || cp -r "$$dir/$$name" out/gpu-kit/data/ || exit; chmod -R u+w out/gpu-kit; done; done
	bin/data -data out/gpu-kit/data $(KIT_DATA)
	@du -sh out/gpu-kit

.PHONY: accuracy-tf32
accuracy-tf32: xla ## what TF32 products, emulated on the processor, do to ten folds of the small NPT; minutes
	NPT_LONG_TESTS=1 go test -count=1 -run TestTF32Accuracy -v -timeout 60m ./npt

.PHONY: check-tabnet
check-tabnet: .venv-tabnet/installed ## TabNet beside pytorch-tabnet itself (2 GB of libraries): steps, errors over 20 seeds, speed; ten minutes to an hour
	NPT_LONG_TESTS=1 NPT_TABNET_PYTHON='$(CURDIR)/.venv-tabnet/bin/python' go test -count=1 -run Library -v -timeout 5h ./baselines/tabnet

.PHONY: bench-npt
bench-npt: ## NPT: seconds per step, FLOP/s, share of the matmul rate, evaluation; NPT_TORCH_PYTHON=python adds PyTorch
	go test -run '^$$' -bench 'Step|Evaluation' -benchtime $(BENCHTIME) -timeout 60m ./npt
	go test -run '^$$' -bench Call -benchtime 1000x ./npt
	@if [ -n "$$NPT_TORCH_PYTHON" ]; then "$$NPT_TORCH_PYTHON" npt/testdata/torch_step.py; fi

.PHONY: estimate-gpu
estimate-gpu: xla .venv-estimate/installed ## what limits NPT's training step on a GPU, from what XLA compiles for one; needs none, but 6 GB of libraries
	@mkdir -p out/steps
	NPT_DUMP_STEP='$(CURDIR)/out/steps' go test -count=1 -timeout 60m -run TestDumpStep ./npt
	.venv-estimate/bin/python npt/testdata/gpu_estimate.py out/steps

.PHONY: check-dkl
check-dkl: .venv-gpytorch/installed ## deep kernel learning's bound, gradient, steps and predictions beside GPyTorch's, at the paper's sizes; installs PyTorch (5 GB)
	NPT_GPYTORCH_PYTHON='$(CURDIR)/.venv-gpytorch/bin/python' go test -count=1 -run GPyTorch -v ./baselines/dkl

.PHONY: bench-baselines
bench-baselines: venv ## k-NN, random forest and MLP beside scikit-learn's, into baselines/BENCHMARKS.md; minutes. BENCH='-long' for more
	go run ./baselines/bench -python "$${NPT_PYTHON:-.venv/bin/python}" -document baselines/BENCHMARKS.md $(BENCH)

.PHONY: bench-scaling
bench-scaling: ## how their time grows with the rows of large tables, up to a million, into the same document
	go run ./baselines/bench -scaling -document baselines/BENCHMARKS.md $(BENCH)

.PHONY: bench-higgs
bench-higgs: venv ## time and memory of parts of fits on tables of Higgs' shape, a 64th to all of 11 million rows, into the same document; two hours of one core, goes on where it was interrupted. BENCH='-largest 16' for less
	go run ./baselines/bench -higgs -document baselines/BENCHMARKS.md $(BENCH)

.PHONY: bench-boosting
bench-boosting: venv ## boosted trees: what a fit costs besides the library's own
	go test -v -run '^$$' -bench Overhead -benchtime 3x -timeout 60m ./baselines/gbdt

.PHONY: bench-methods
bench-methods: ## Go benchmarks of the baselines, finer than bench-baselines
	go test -run '^$$' -bench . ./baselines/...

.PHONY: score
score: bin/score ## score the models that "make reproduce-table1 ARGS=-keep-models" kept, beside their records, without Python
	bin/score -models "$(OUT)/models" -records "$(OUT)/records"

.PHONY: check-import
check-import: bin/data bin/import venv ## scikit-learn's HistGradientBoosting on exported splits, imported: the metrics are scikit-learn's
	rm -rf out/check-import
	bin/data -export-splits out/check-import/splits yacht boston-housing breast-cancer concrete
	.venv/bin/python cmd/import/hist_gradient_boosting.py out/check-import/splits out/check-import/predictions.csv out/check-import/metrics.csv
	bin/import -method hist-gradient-boosting -title HistGradientBoosting -out out/check-import/imported out/check-import/predictions.csv
	NPT_CHECK_IMPORT='$(CURDIR)/out/check-import' go test -count=1 -run EqualsScikitLearn -v ./cmd/import

.PHONY: check-slurm
check-slurm: bin/table1 ## a sweep on a real Slurm of two nodes on this machine, where nodes, tasks, the controller and the watcher die: the tables of a local run; root, minutes
	for program in slurmctld slurmdbd munged mariadbd my_print_defaults; do command -v $$program >/dev/null || exec apt-get install -y --no-install-recommends slurm-wlm slurmdbd munge mariadb-server-core mariadb-client-core; done
	internal/slurm/testdata/check.sh bin/table1 out/check-slurm

.PHONY: check-kill
check-kill: bin/ablation bin/variants bin/corruption bin/deletion bin/attention bin/lookup bin/merge venv-if-possible ## kill -9 each experiment's quick form three times and start it again: the records of results/published, to the bit; half an hour
	internal/experiment/testdata/kill.sh out/check-kill ablation variants corruption deletion attention lookup

.PHONY: clean
clean: ## remove what was built; records, reports, data and the Python environment stay
	rm -rf bin

.PHONY: FORCE
bin/%: FORCE
	@test -n "$(wildcard cmd/$* experiments/$*)" || { echo "there is no program $*: see cmd and experiments" >&2; exit 1; }
	@mkdir -p bin
	go build -buildvcs=auto -o $@ ./$(firstword $(wildcard cmd/$* experiments/$*))
