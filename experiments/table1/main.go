// Table1 reproduces the paper's Tables 1 and 8 to 12: NPT against the baselines on ten tables.
//
// It reads a sweep, runs the cells that have no record yet, and writes the tables, each number beside the paper's.
package main

import "nptbench/internal/experiment"

var table1 = experiment.Spec{
	Name:  "table1",
	About: "reproduces the paper's Tables 1 and 8 to 12, each number beside the paper's",
	Sweep: "table1-quick",
	Title: "Table 1",
}

func main() { experiment.Main(table1) }
