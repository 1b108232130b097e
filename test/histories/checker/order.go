package main

import (
	"math"
	"sort"

	"github.com/anishathalye/porcupine"
)

// Finding an explanation of a long history takes too long if every order of concurrent sends is tried. Each queue of a run has one
// reader, which reads one thing after the other, and the following holds in every explanation, so nothing is lost by trying
// no other one. `-plain` does without; a test compares the verdicts.
//
//   - Messages are stored in the order in which the reader first sees them. Had the one that is seen later been stored earlier, it
//     would have been waiting, unacknowledged, before the other one: no page and no stream may leave it out.
//   - Of all attempts to send a message, the first one may store it, from its call on; the others repeat it. It is stored
//     before one of them is confirmed and before it is seen. What was neither confirmed nor seen need not have happened.
//   - Of all attempts to acknowledge a message, the first one may remove it, from its call on, but not before the message was
//     read once more. It is removed before one of them is confirmed, and before a read that leaves it out. No read in between can
//     tell when, so it may as well be the first moment; what goes at one moment goes together.
func condensed(records []record) ([]porcupine.Operation, *order) {
	numbers := names{}
	known := &order{rank: map[uint16]int{}, peerRank: map[uint16]int{}}
	reads := readsOf(records)
	for _, read := range reads {
		for _, name := range seenWith(read) {
			known.add(numbers.of(name))
		}
	}
	sends, acks := map[string]*attempts{}, map[string]*attempts{}
	var operations []porcupine.Operation
	for i := range records {
		r := &records[i]
		switch r.Kind {
		case send:
			note(sends, r.Messages[0], r)
		case ack:
			for _, name := range r.Messages {
				note(acks, name, r)
			}
		default:
			operations = append(operations, operationOf(numbers.operation(r), r.Call, r.Return))
		}
	}
	for _, name := range sorted(sends) {
		tries := sends[name]
		end := tries.confirmed
		if seen := firstSight(reads, name); seen < end {
			end = seen
		}
		if end == math.MaxInt64 {
			continue
		}
		known.add(numbers.of(name))
		op := numbers.operation(tries.first)
		op.known = true
		operations = append(operations, operationOf(op, tries.first.Call, end))
	}
	known.rankPeers(sends, numbers)
	removals := map[int64]*operation{}
	for _, name := range sorted(acks) {
		tries := acks[name]
		at, isRemoved := known.removal(numbers, reads, name, tries)
		if !isRemoved {
			continue
		}
		if removals[at] == nil {
			removals[at] = &operation{kind: ack, known: true, source: tries.first}
		}
		removals[at].messages = append(removals[at].messages, numbers.of(name))
	}
	for at, op := range removals {
		operations = append(operations, operationOf(*op, at, at))
	}
	return operations, known
}

// All attempts to do one thing.
type attempts struct {
	first *record
	// When the first of them that is confirmed was confirmed.
	confirmed int64
}

func note(all map[string]*attempts, name string, r *record) {
	tries, ok := all[name]
	if !ok {
		tries = &attempts{first: r, confirmed: math.MaxInt64}
		all[name] = tries
	}
	if r.Call < tries.first.Call {
		tries.first = r
	}
	if r.isKnown() && r.Return < tries.confirmed {
		tries.confirmed = r.Return
	}
}

func (known *order) add(message uint16) {
	if _, ok := known.rank[message]; !ok {
		known.rank[message] = len(known.rank)
	}
}

func (known *order) rankPeers(sends map[string]*attempts, numbers names) {
	var peers []uint16
	for name, tries := range sends {
		message := numbers.of(name)
		if _, ok := known.rank[message]; ok && tries.first.Via == "peer" {
			peers = append(peers, message)
		}
	}
	sort.Slice(peers, func(i, j int) bool { return known.rank[peers[i]] < known.rank[peers[j]] })
	for at, message := range peers {
		known.peerRank[message] = at
	}
}

// The first moment at which a message can have been removed; false if it need not have been.
func (known *order) removal(numbers names, reads []*record, name string, tries *attempts) (int64, bool) {
	end := tries.confirmed
	for _, read := range reads {
		if read.Call >= tries.first.Call && read.Call < end && known.leavesOut(numbers, read, name) {
			end = read.Call
		}
	}
	start := tries.first.Call
	for _, read := range reads {
		if contains(read.Messages, name) && read.Return > start && read.Return <= end {
			start = read.Return
		}
	}
	return start, end < math.MaxInt64
}

// Whether a message that is stored must have been removed if this was read.
func (known *order) leavesOut(numbers names, read *record, name string) bool {
	if contains(read.Messages, name) {
		return false
	}
	if read.Kind == poll && len(read.Messages) < read.Limit {
		return true
	}
	if len(read.Messages) == 0 {
		return false
	}
	rank := func(name string) int { return known.rank[numbers.of(name)] }
	last := read.Messages[len(read.Messages)-1]
	isBehind := read.Kind == push && read.After != "" && rank(read.After) >= rank(name)
	return rank(last) > rank(name) && !isBehind
}

func readsOf(records []record) []*record {
	var reads []*record
	for i := range records {
		if records[i].isRead() {
			reads = append(reads, &records[i])
		}
	}
	sort.SliceStable(reads, func(i, j int) bool { return reads[i].Return < reads[j].Return })
	return reads
}

func firstSight(reads []*record, name string) int64 {
	for _, read := range reads {
		if contains(seenWith(read), name) {
			return read.Return
		}
	}
	return math.MaxInt64
}

// A stream that brings a message has brought the one before it.
func seenWith(read *record) []string {
	if read.After == "" {
		return read.Messages
	}
	return append([]string{read.After}, read.Messages...)
}

func sorted(all map[string]*attempts) []string {
	var found []string
	for name := range all {
		found = append(found, name)
	}
	sort.Slice(found, func(i, j int) bool { return all[found[i]].first.Call < all[found[j]].first.Call })
	return found
}

func contains(list []string, name string) bool {
	for _, one := range list {
		if one == name {
			return true
		}
	}
	return false
}

func operationOf(op operation, start, end int64) porcupine.Operation {
	return porcupine.Operation{ClientId: op.source.Client, Input: op, Call: start, Return: end}
}
