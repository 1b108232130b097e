package main

import (
	"fmt"
	"math"

	"github.com/anishathalye/porcupine"
)

// What clients asked about one blob, and what they were told.
type blobHistory struct {
	Blob       string       `json:"blob"`
	Relay      string       `json:"relay"`
	Operations []blobRecord `json:"operations"`
}

type blobRecord struct {
	// "part", "stored", "complete", "read" or "delete".
	Kind   string `json:"kind"`
	Client int    `json:"client"`
	Call   int64  `json:"call"`
	Return int64  `json:"return"`
	// "ok"; "absent": there is no such blob; "missing": the blob lacks parts; "wrong": other bytes than those that were sent; "unknown".
	Outcome string `json:"outcome"`
	// Of a part: its number. Of stored: those that the relay says it has. Of complete: how many there must be.
	Parts []int `json:"parts,omitempty"`
}

func (r *blobRecord) changes() bool {
	return r.Kind == "part" || r.Kind == "complete" || r.Kind == "delete"
}

// A blob, as the relay's promises describe it.
type blobState struct {
	// A bit for each part that is stored.
	parts    uint64
	complete bool
	deleted  bool
}

var blobModel = (&porcupine.NondeterministicModel{
	Init: func() []interface{} { return []interface{}{blobState{}} },
	Step: func(s, input, _ interface{}) []interface{} {
		var next []interface{}
		for _, one := range s.(blobState).step(input.(*blobRecord)) {
			next = append(next, one)
		}
		return next
	},
}).ToModel()

// Every state that the operation may lead to; none if the client could not have been told what it was told.
func (s blobState) step(r *blobRecord) []blobState {
	switch {
	case r.Outcome == "unknown":
		if done := s.done(r); done != s {
			return []blobState{s, done}
		}
		return []blobState{s}
	case r.Outcome == "absent":
		return s.only(s.deleted || r.Kind == "read" && !s.complete)
	case r.Outcome == "missing":
		return s.only(!s.deleted && !s.complete && s.parts != all(r.Parts[0]))
	case r.Outcome != "ok" || s.deleted:
		return nil
	case r.Kind == "read":
		return s.only(s.complete)
	case r.Kind == "stored":
		return s.only(!s.complete && s.parts&^bits(r.Parts) == 0)
	}
	done := s.done(r)
	if r.Kind == "complete" && !done.complete {
		return nil
	}
	return []blobState{done}
}

func (s blobState) only(holds bool) []blobState {
	if holds {
		return []blobState{s}
	}
	return nil
}

// The state after a change that has happened.
func (s blobState) done(r *blobRecord) blobState {
	if s.deleted {
		return s
	}
	switch r.Kind {
	case "part":
		s.parts |= bits(r.Parts)
	case "complete":
		s.complete = s.complete || s.parts == all(r.Parts[0])
	case "delete":
		return blobState{deleted: true}
	}
	return s
}

func bits(parts []int) uint64 {
	var found uint64
	for _, part := range parts {
		found |= 1 << part
	}
	return found
}

func all(parts int) uint64 { return 1<<parts - 1 }

// Reads without an answer say nothing. A change without an answer may happen at any later time, and doing it again changes nothing, so
// the first of equal ones stands for all.
func blobOperations(records []blobRecord) []porcupine.Operation {
	var operations []porcupine.Operation
	seen := map[string]bool{}
	for i := range records {
		r := &records[i]
		end := r.Return
		if r.Outcome == "unknown" {
			change := fmt.Sprint(r.Kind, r.Parts)
			if !r.changes() || seen[change] {
				continue
			}
			seen[change] = true
			end = math.MaxInt64
		}
		operations = append(operations, porcupine.Operation{ClientId: r.Client, Input: r, Call: r.Call, Return: end})
	}
	return operations
}

func judgeBlob(blob blobHistory) *problem {
	operations := blobOperations(blob.Operations)
	outcome, info := porcupine.CheckOperationsVerbose(blobModel, operations, patience)
	switch outcome {
	case porcupine.Ok:
		return nil
	case porcupine.Unknown:
		return &problem{blob.Blob, undecided, nil}
	}
	found := &problem{Queue: blob.Blob, What: inexplicable}
	if first := unexplained(operations, info); first != nil {
		found.Operation = first.Input
	}
	return found
}
