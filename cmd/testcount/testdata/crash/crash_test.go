package crash

import (
	"fmt"
	"os"
	"testing"
)

func TestExits(*testing.T) {
	fmt.Println("going down")
	os.Exit(3)
}
