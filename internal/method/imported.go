package method

import "errors"

// Imported is a method whose predictions were made elsewhere, of which there are records and nothing to run. Its one parameter,
// of that name, has the title.
func Imported(name, title, param string) *Method {
	return &Method{
		Name: name, Title: title, Doc: "predictions made elsewhere", Extra: true,
		Params: []Param{{Name: param, Type: Choice, Default: title, Choices: []string{title}, Doc: "the title"}},
		Available: func() error {
			return errors.New("its predictions are imported, and there are none for these folds, this seed and the data that are here (import -h)")
		},
	}
}
