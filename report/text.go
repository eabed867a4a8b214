package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// sentence has a text begin with a capital.
func sentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// none stands in a table where there is no number.
const none = "–"

// Numbers from huge on have an exponent, and so have those that are shown with so many decimals as only tiny ones are.
const (
	huge         = 1e9
	tinyDecimals = 10
)

// Decimal writes a number with a fixed number of digits after the point, a huge or tiny one with an exponent, or none for NaN. One that
// rounds to zero has no sign.
func Decimal(x float64, digits int) string {
	if math.IsNaN(x) {
		return none
	}
	if math.Abs(x) >= huge || digits >= tinyDecimals && x != 0 {
		return strconv.FormatFloat(x, 'g', 4, 64)
	}
	s := strconv.FormatFloat(x, 'f', digits, 64)
	if strings.Trim(s, "-0.") == "" {
		return strings.TrimPrefix(s, "-")
	}
	return s
}

// plusMinus writes a mean and its spread, leaving out a spread that is not there.
func plusMinus(mean, spread float64, digits int) string {
	if math.Abs(mean) >= huge && spread < huge {
		return Decimal(mean, digits) + " ± " + strconv.FormatFloat(spread, 'g', 4, 64)
	}
	return withSpread(Decimal(mean, digits), spread, digits)
}

func withSpread(mean string, spread float64, digits int) string {
	if math.IsNaN(spread) {
		return mean
	}
	return mean + " ± " + Decimal(spread, digits)
}

// longest is how many characters a footnote has of a message.
const longest = 160

// bothEnds makes a message fit for a footnote: without control characters that a terminal would obey, and of a long one the beginning and the
// end, since a traceback ends with what went wrong.
func bothEnds(message string) string {
	text := []rune(printable(message))
	if len(text) <= longest {
		return string(text)
	}
	first, last := string(text[:longest/3]), string(text[len(text)-longest*2/3:])
	if i := strings.LastIndex(first, " "); i > 0 { // at words, where there are any
		first = first[:i]
	}
	if i := strings.Index(last, " "); i >= 0 {
		last = last[i+1:]
	}
	return first + " … " + last
}

// printable leaves out control characters.
func printable(message string) string {
	text := strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, message)
	return strings.Join(strings.Fields(text), " ")
}

// bytesText writes a number of bytes in MiB.
func bytesText(n int64) string { return fmt.Sprintf("%.0f MiB", float64(n)/(1<<20)) }

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// Signed writes a difference with its sign. One that rounds to zero has none.
func Signed(x float64, digits int) string {
	s := Decimal(x, digits)
	if x > 0 && strings.Trim(s, "0.") != "" {
		return "+" + s
	}
	return s
}

// noteNumbers writes the numbers of footnotes: "1,4".
func noteNumbers(notes []int) string {
	text := make([]string, len(notes))
	for i, n := range notes {
		text[i] = strconv.Itoa(n)
	}
	return strings.Join(text, ",")
}
