package sweeps

import "regexp"

// MethodName is what the name of a method of one's own may be.
var MethodName = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

// Title is what its title and the name of a variant may be: they stand in tables, and in CSV files, where a spreadsheet takes what
// begins with =, +, - or @ for a formula.
var Title = regexp.MustCompile(`^[\pL\pN][` + titleSigns + `\pL\pN ]*$`)

const titleSigns = "-_.,:;()<>=≤≥%*/+&"
