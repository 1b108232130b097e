package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

var base64Text, base64URL = base64.StdEncoding.Strict(), base64.RawURLEncoding.Strict()

// refused is what a rule panics with if it refuses what it was given; it names the error if that is not the usual one of the rule.
type refused string

func demand(holds bool, failure ...string) bool {
	if !holds {
		panic(refused(strings.Join(failure, "")))
	}
	return true
}

func must[T any](value T, err error) T {
	demand(err == nil)
	return value
}

// within applies a rule as part of another one, with the error that it has there.
func within(failure string, apply func(object) any, given object) any {
	result, ended := outcome(rule{apply, failure}, given)
	demand(ended == "", ended)
	return result
}

// object is a JSON object; its methods give members of a type that the rule relies on.
type object map[string]any

// text joins lists by commas.
func (o object) text(name string) string {
	list, isList := o[name].([]any)
	if !isList {
		return fmt.Sprint(o[name])
	}
	return strings.Join(strings.Fields(strings.Trim(fmt.Sprint(list), "[]")), ",")
}
func (o object) hex(name string) []byte   { return must(hex.DecodeString(o.text(name))) }
func (o object) bytes(name string) []byte { return fromBase64(o.text(name)) }
func (o object) number(name string) int   { return must(strconv.Atoi(o.text(name))) }
func (o object) part(name string) object  { one, _ := o[name].(map[string]any); return one }
func (o object) list(name string) []any   { some, _ := o[name].([]any); return some }

func match(pattern, text string) string {
	demand(regexp.MustCompile("^(?:" + pattern + ")$").MatchString(text))
	return text
}

func uuid(text string) string {
	digits := match("[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{32}", strings.ToLower(text))
	digits = strings.ReplaceAll(digits, "-", "")
	return strings.Join([]string{digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]}, "-")
}

func exactly(length int, data []byte) []byte {
	demand(len(data) == length)
	return data
}

func fromBase64(text string) []byte {
	return must(base64Text.DecodeString(match("[A-Za-z0-9+/=]*", text)))
}

func fromJSON(data []byte, into any) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	demand(decoder.Decode(into) == nil)
}
