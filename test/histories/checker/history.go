package main

import (
	"encoding/json"
	"math"
	"os"

	"github.com/anishathalye/porcupine"
)

// A recorded history: what clients asked of the queues and blobs of a run, and what they were told (test/histories/history.ts).
type history struct {
	Seed     int             `json:"seed"`
	Faults   []string        `json:"faults"`
	Queues   []queueHistory  `json:"queues"`
	Blobs    []blobHistory   `json:"blobs,omitempty"`
	Together []multiplePosts `json:"together"`
}

type queueHistory struct {
	Queue      string   `json:"queue"`
	Relay      string   `json:"relay"`
	Operations []record `json:"operations"`
}

// A message that was sent to several queues in one request, all or nothing.
type multiplePosts struct {
	Message string `json:"message"`
	// The relay to which it was sent.
	Relay  string   `json:"relay"`
	Queues []string `json:"queues"`
}

type record struct {
	Kind     kind     `json:"kind"`
	Client   int      `json:"client"`
	Call     int64    `json:"call"`
	Return   int64    `json:"return"`
	Messages []string `json:"messages"`
	// "ok" or "unknown".
	Outcome string `json:"outcome"`
	Via     string `json:"via,omitempty"`
	Limit   int    `json:"limit,omitempty"`
	After   string `json:"after,omitempty"`
}

func readHistory(file string) (history, error) {
	var found history
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &found)
	}
	return found, err
}

func (r *record) isKnown() bool { return r.Outcome == "ok" }
func (r *record) isRead() bool  { return r.Kind == poll || r.Kind == push }

// Numbers for the names of messages.
type names map[string]uint16

func (n names) of(name string) uint16 {
	if _, ok := n[name]; !ok {
		n[name] = uint16(len(n))
	}
	return n[name]
}

func (n names) operation(r *record) operation {
	op := operation{kind: r.Kind, known: r.isKnown(), viaPeer: r.Via == "peer", limit: r.Limit, source: r}
	for _, name := range r.Messages {
		op.messages = append(op.messages, n.of(name))
	}
	if r.After != "" {
		op.after, op.hasAfter = n.of(r.After), true
	}
	return op
}

// An acknowledgement of several messages is one of each: nobody promises that they go together.
func apart(op operation) []operation {
	if op.kind != ack {
		return []operation{op}
	}
	var parts []operation
	for _, message := range op.messages {
		part := op
		part.messages = []uint16{message}
		parts = append(parts, part)
	}
	return parts
}

// The operations as they were recorded. What has no known outcome may happen at any later time.
func plain(records []record) ([]porcupine.Operation, *order) {
	numbers := names{}
	var operations []porcupine.Operation
	for i := range records {
		r := &records[i]
		end := r.Return
		if !r.isKnown() {
			end = math.MaxInt64
		}
		for _, op := range apart(numbers.operation(r)) {
			operations = append(operations, operationOf(op, r.Call, end))
		}
	}
	return operations, nil
}
