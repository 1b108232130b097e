// Checks the test vectors of a folder, with other libraries than the relay's: go run . ../../../spec/vectors
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
)

// A rule, and the error that it ends with for whatever it refuses.
type rule struct {
	apply func(object) any
	error string
}

type vector struct {
	Name, Rule, Error string
	Given             object
	Result            any
}

func main() {
	count, expected := 0, 0
	for _, file := range must(filepath.Glob(filepath.Join(os.Args[1], "*.json"))) {
		var vectors struct{ Cases []vector }
		fromJSON(must(os.ReadFile(file)), &vectors)
		for _, one := range vectors.Cases {
			result, failure := outcome(rules[one.Rule], one.Given)
			if count++; failure == one.Error && reflect.DeepEqual(result, one.Result) {
				expected++
			} else {
				fmt.Printf("%s: %s: %v %s\n", one.Rule, one.Name, result, failure)
			}
		}
	}
	fmt.Printf("%d of %d cases as expected\n", expected, count)
}

func outcome(rule rule, given object) (result any, failure string) {
	defer func() {
		switch problem := recover().(type) {
		case nil:
		case refused:
			result, failure = nil, string(problem)
			if problem == "" {
				failure = rule.error
			}
		default:
			panic(problem)
		}
	}()
	return asJSON(rule.apply(given)), ""
}

// asJSON gives a result the types that expected results have.
func asJSON(result any) (value any) {
	fromJSON(must(json.Marshal(result)), &value)
	return value
}
