// Judges recorded histories with porcupine: histories [-plain] [-shrink <new file>] <file>...
//
// Prints a verdict for each file, one JSON object a line. `-shrink` writes the smallest part of the first history that still cannot be
// explained.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/anishathalye/porcupine"
)

type verdict struct {
	File       string    `json:"file"`
	Operations int       `json:"operations"`
	Problems   []problem `json:"problems"`
}

// Something that the promises do not allow.
type problem struct {
	// The queue or the blob.
	Queue string `json:"queue"`
	What  string `json:"what"`
	// The first operation that nothing explains, if it is one operation.
	Operation interface{} `json:"operation,omitempty"`
}

const (
	undecided    = "not decided: the search takes too long"
	inexplicable = "no order of these operations explains what clients were told"
)

// A history of a run takes less than a second.
const patience = 2 * time.Minute

type prepare func([]record) ([]porcupine.Operation, *order)

func main() {
	isPlain := flag.Bool("plain", false, "take the operations as they are")
	smaller := flag.String("shrink", "", "where to write the smallest part that cannot be explained")
	flag.Parse()
	form := condensed
	if *isPlain {
		form = plain
	}
	for _, file := range flag.Args() {
		found, err := readHistory(file)
		if err != nil {
			fail(err)
		}
		print(judge(file, found, form))
	}
	if *smaller != "" {
		found, err := readHistory(flag.Arg(0))
		if err != nil {
			fail(err)
		}
		text, _ := json.Marshal(shrink(found))
		if err := os.WriteFile(*smaller, append(text, '\n'), 0o644); err != nil {
			fail(err)
		}
	}
}

func judge(file string, found history, form prepare) verdict {
	result := verdict{File: file, Problems: []problem{}}
	for _, queue := range found.Queues {
		result.Operations += len(queue.Operations)
		if one := judgeQueue(queue, form); one != nil {
			result.Problems = append(result.Problems, *one)
		}
	}
	for _, blob := range found.Blobs {
		result.Operations += len(blob.Operations)
		if one := judgeBlob(blob); one != nil {
			result.Problems = append(result.Problems, *one)
		}
	}
	result.Problems = append(result.Problems, judgeTogether(found)...)
	return result
}

func judgeQueue(queue queueHistory, form prepare) *problem {
	operations, known := form(queue.Operations)
	outcome, info := porcupine.CheckOperationsVerbose(queueModel(known), operations, patience)
	switch outcome {
	case porcupine.Ok:
		return nil
	case porcupine.Unknown:
		return &problem{queue.Queue, undecided, nil}
	}
	found := &problem{Queue: queue.Queue, What: inexplicable}
	if first := unexplained(operations, info); first != nil {
		found.Operation = first.Input.(operation).source
	}
	return found
}

// The operation that ends first of those that the longest explanation does not contain.
func unexplained(operations []porcupine.Operation, info porcupine.LinearizationInfo) *porcupine.Operation {
	var longest []int
	for _, partial := range info.PartialLinearizations()[0] {
		if len(partial) > len(longest) {
			longest = partial
		}
	}
	isExplained := map[int]bool{}
	for _, at := range longest {
		isExplained[at] = true
	}
	var first *porcupine.Operation
	for at := range operations {
		if !isExplained[at] && (first == nil || operations[at].Return < first.Return) {
			first = &operations[at]
		}
	}
	return first
}

func print(result verdict) {
	text, err := json.Marshal(result)
	if err != nil {
		fail(err)
	}
	fmt.Println(string(text))
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
