// Package terminal gives the tables that programs print one look.
package terminal

import (
	"io"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// A Column is the head of a column; Right aligns what stands in it to the right, for numbers.
type Column struct {
	Head  string
	Right bool
}

// NewTable returns an empty table that its Render method writes to w. Spaces at the ends of cells are kept.
func NewTable(w io.Writer, columns []Column) *tablewriter.Table {
	heads, align := make([]string, len(columns)), make([]tw.Align, len(columns))
	for i, c := range columns {
		heads[i], align[i] = c.Head, tw.AlignLeft
		if c.Right {
			align[i] = tw.AlignRight
		}
	}
	config := tablewriter.NewConfigBuilder().
		WithHeaderAutoFormat(tw.Off).WithHeaderAutoWrap(tw.WrapNone).WithRowAutoWrap(tw.WrapNone).WithTrimSpace(tw.Off)
	config.Header().Alignment().WithPerColumn(align)
	config.Row().Alignment().WithPerColumn(align)
	table := tablewriter.NewTable(w,
		tablewriter.WithConfig(config.Build()),
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Symbols:  tw.NewSymbols(tw.StyleLight),
			Borders:  tw.Border{Left: tw.Off, Right: tw.Off, Top: tw.On, Bottom: tw.On},
			Settings: tw.Settings{Separators: tw.Separators{BetweenColumns: tw.Off}},
		})))
	table.Header(heads)
	return table
}
