package sweeps

import (
	"encoding/json"
	"slices"

	"nptbench/internal/method"
	"nptbench/internal/split"
)

// object is a JSON object. Its keys are written in order.
type object = map[string]any

// Schema returns a JSON Schema of sweep files with the catalogue's methods, parameters and data sets, for editors. It
// says less than Parse: what depends on the data set, or on several values together, is left to Parse.
func Schema(c Catalogue) []byte {
	defs := object{}
	var methods, datasets []string
	var rules []object
	for _, m := range c.Methods {
		methods = append(methods, m.Name)
		defineMethod(defs, m)
		rules = append(rules, object{
			"if":   object{"required": []string{"method"}, "properties": object{"method": object{"const": m.Name}}},
			"then": entrySchema(m.Name),
		})
	}
	for _, info := range c.Datasets {
		datasets = append(datasets, info.Name)
	}
	defs["datasets"] = listOf(object{"enum": datasets})
	b, err := json.MarshalIndent(object{
		"$schema":              "http://json-schema.org/draft-07/schema#",
		"title":                "A sweep of nptbench",
		"type":                 "object",
		"required":             []string{"datasets", "methods"},
		"additionalProperties": false,
		"properties": object{
			"name":        object{"type": "string", "description": "default: the file's name"},
			"description": object{"type": "string"},
			"seed":        object{"type": "integer", "minimum": 0, "default": defaultSeed, "description": "all randomness is derived from it"},
			"protocols": describedAs("how rows are split: as the paper's code did it, or true cross-validation",
				listOf(object{"enum": split.Protocols})),
			"datasets": ref("datasets"),
			"folds":    foldsSchema,
			"select": describedAs("validation metric that chooses a method's configuration", closed(object{
				"regression":     object{"enum": regressionMetrics, "default": regressionMetrics[0]},
				"classification": object{"enum": classificationMetrics, "default": classificationMetrics[0]},
			})),
			"budget": describedAs("limits of one cell; none where left out", closed(object{
				"time":   object{"type": "string", "examples": []string{"90s", "10m", "2h30m"}},
				"memory": object{"type": "string", "pattern": `^[0-9.]+ ?([KMGT]i?)?B$`, "examples": []string{"512MiB", "4GiB"}},
			})),
			"methods": object{"type": "array", "minItems": 1, "items": object{
				"type": "object", "required": []string{"method"},
				"properties": object{"method": object{"enum": methods}}, "allOf": rules,
			}},
		},
		"definitions": defs,
	}, "", "  ")
	if err != nil {
		panic(err) // maps, strings and numbers
	}
	return append(b, '\n')
}

var foldsSchema = describedAs("which folds to run: all that the paper runs, the first few, or those listed", object{
	"default": "all",
	"oneOf": []object{
		{"const": "all"},
		{"type": "integer", "minimum": 1},
		listOf(object{"type": "integer", "minimum": 0}),
	},
})

// defineMethod adds the method's parameters, once as single values and once as lists of values.
func defineMethod(defs object, m *method.Method) {
	values, lists := object{}, object{}
	for i := range m.Params {
		p := &m.Params[i]
		name := m.Name + "." + p.Name
		defs[name] = paramSchema(p)
		values[p.Name] = ref(name)
		lists[p.Name] = listOf(ref(name))
	}
	defs[m.Name] = closed(values)
	grid := closed(lists)
	grid["minProperties"] = 1
	defs[m.Name+".grid"] = grid
}

// entrySchema is what an entry of the method may have.
func entrySchema(name string) object {
	return closed(object{
		"method":   object{},
		"datasets": describedAs("default: all of the sweep", ref("datasets")),
		"params":   describedAs("the same in all settings", ref(name)),
		"variants": object{"description": "settings with names", "type": "object", "minProperties": 1, "additionalProperties": ref(name)},
		"list":     object{"description": "one setting a line", "type": "array", "minItems": 1, "items": ref(name)},
		"grid":     describedAs("every combination of these values", ref(name+".grid")),
	})
}

func paramSchema(p *method.Param) object {
	s := object{"description": p.Doc, "default": p.Default}
	number := s
	switch p.Type {
	case method.Int:
		s["type"] = "integer"
	case method.Float:
		s["type"] = "number"
	case method.Bool:
		s["type"] = "boolean"
		return s
	case method.Choice:
		s["enum"] = choices(p)
		return s
	case method.Ints:
		number = object{"type": "integer"}
		s["type"], s["minItems"], s["items"] = "array", 1, number
	}
	number["minimum"] = p.Min
	if p.Max != 0 {
		number["maximum"] = p.Max
	}
	return s
}

// choices are those of classification and of regression.
func choices(p *method.Param) []string {
	all := slices.Concat(p.Choices, p.RegressionChoices)
	slices.Sort(all)
	return slices.Compact(all)
}

func ref(name string) object { return object{"$ref": "#/definitions/" + name} }

// describedAs wraps a schema, because what stands beside a $ref is ignored.
func describedAs(text string, schema object) object {
	return object{"description": text, "allOf": []object{schema}}
}

func listOf(item object) object {
	return object{"type": "array", "minItems": 1, "uniqueItems": true, "items": item}
}

// closed is an object with no other keys than these.
func closed(properties object) object {
	return object{"type": "object", "additionalProperties": false, "properties": properties}
}
