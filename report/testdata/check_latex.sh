#!/bin/sh
# Compiles the LaTeX of reports, and fails where a line is wider than the page or a number of a table is another one in the PDF.
#
#     report/testdata/check_latex.sh FOLDER OUT/report/REPORT.tex...
#
# PDFs and logs come into FOLDER, by OUT's name. Needs pdflatex with siunitx, and pdftotext.
set -eu
for program in pdflatex pdftotext; do
	command -v "$program" >/dev/null || { echo "check_latex.sh: no $program on the PATH" >&2; exit 1; }
done
mkdir -p "$1"
folder=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
shift
failed=
for tex; do
	report=$(realpath "$(dirname "$tex")")
	name=$(basename "$(dirname "$report")")
	cd "$report"
	for run in 1 2 3; do # widths settle by the third
		pdflatex -interaction=batchmode -halt-on-error -jobname="$name" -output-directory="$folder" "$(basename "$tex")" >"$folder/$name.out" ||
			{ tail -20 "$folder/$name.log" >&2; exit 1; }
	done
	if grep '^Overfull' "$folder/$name.log" >&2; then
		echo "$folder/$name.pdf: lines are wider than the page" >&2
		failed=yes
	fi
	pdftotext -layout "$folder/$name.pdf" - | python3 "$here/check_numbers.py" "$(basename "$tex" .tex).md" || failed=yes
	cd "$OLDPWD"
done
test -z "$failed"
