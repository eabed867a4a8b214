package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nptbench/internal/experiment"
	"nptbench/internal/program"
	"nptbench/internal/program/programtest"
)

func TestMain(m *testing.M) {
	experiment.ServeProcess()
	os.Exit(m.Run())
}
