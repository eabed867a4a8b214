package broken

import "testing"

func TestNothing(*testing.T) { undefined() }
