package main

import (
	"hash/fnv"

	"github.com/anishathalye/porcupine"
)

// The queue of one recipient, as the relay's promises describe it. A message is a number. Strings hold two bytes for each
// message, so that states can be compared.
type state struct {
	// Every message that was ever stored, in order. The highest bit says that it was acknowledged.
	queue string
	// Messages of senders at the other relay that this relay does not have yet, in the order in which they leave.
	outbox string
}

const acknowledged = 0x8000

type kind string

const (
	send    kind = "send"
	poll    kind = "poll"
	push    kind = "push"
	ack     kind = "ack"
	settled kind = "settled"
)

// What a client asked for, and what it was told.
type operation struct {
	kind     kind
	messages []uint16
	// Whether the client was told the outcome. If not, the operation may have happened or not.
	known bool
	// Of a send: the sender is at the other relay.
	viaPeer bool
	// Of a poll: the longest page.
	limit int
	// Of a push: the message that the same stream brought before it, or none.
	after    uint16
	hasAfter bool
	source   *record
}

// The order in which messages must be stored if the history is to be explained at all (see order.go); nil allows every order.
type order struct {
	rank     map[uint16]int
	peerRank map[uint16]int
}

func queueModel(known *order) porcupine.Model {
	model := porcupine.NondeterministicModel{
		Init: func() []interface{} { return []interface{}{state{}} },
		Step: func(s, input, _ interface{}) []interface{} {
			next := known.step(s.(state), input.(operation))
			states := make([]interface{}, len(next))
			for i, one := range next {
				states[i] = one
			}
			return states
		},
		Hash: func(s interface{}) uint64 {
			hash := fnv.New64a()
			_, _ = hash.Write([]byte(s.(state).queue + "|" + s.(state).outbox))
			return hash.Sum64()
		},
	}
	return model.ToModel()
}

// Every state that the operation may lead to; none if the client could not have been told what it was told.
func (known *order) step(s state, op operation) []state {
	switch op.kind {
	case send:
		return known.send(s, op)
	case poll:
		return matching(known.arrivals(s), func(q string) bool { return isPage(q, op.messages, op.limit) })
	case push:
		return matching(known.arrivals(s), func(q string) bool { return isNext(q, op) })
	case ack:
		removed, ok := remove(s.queue, op.messages)
		var next []state
		if ok {
			next = append(next, state{removed, s.outbox})
		}
		if !op.known {
			next = append(next, s)
		}
		return next
	case settled:
		all := known.arrivals(s)
		if last := all[len(all)-1]; last.outbox == "" {
			return []state{last}
		}
	}
	return nil
}

func (known *order) send(s state, op operation) []state {
	message := op.messages[0]
	var next []state
	if position(s.queue, message) >= 0 || position(s.outbox, message) >= 0 {
		// A repeated id is stored once.
		return []state{s}
	}
	if op.viaPeer {
		if known.maySend(s, message) {
			next = append(next, state{s.queue, s.outbox + encode(message)})
		}
	} else {
		for _, arrived := range known.arrivals(s) {
			if known.mayStore(arrived, message) {
				next = append(next, state{arrived.queue + encode(message), arrived.outbox})
			}
		}
	}
	if !op.known {
		next = append(next, s)
	}
	return next
}

// The state, and the states in which one, two, ... messages of the other relay have arrived, which takes any time.
func (known *order) arrivals(s state) []state {
	states := []state{s}
	for s.outbox != "" && known.mayStore(s, decode(s.outbox, 0)) {
		s = state{s.queue + s.outbox[:2], s.outbox[2:]}
		states = append(states, s)
	}
	return states
}

func (known *order) mayStore(s state, message uint16) bool {
	return known == nil || known.rank[message] == count(s.queue)
}

func (known *order) maySend(s state, message uint16) bool {
	if known == nil {
		return true
	}
	sent := count(s.outbox)
	for at := 0; at < count(s.queue); at++ {
		if _, ok := known.peerRank[decode(s.queue, at)&^acknowledged]; ok {
			sent++
		}
	}
	return known.peerRank[message] == sent
}

// A page holds the first messages that are not acknowledged, and all of them if there is room.
func isPage(queue string, page []uint16, limit int) bool {
	seen := 0
	for at := 0; at < count(queue) && seen < limit; at++ {
		message := decode(queue, at)
		if message&acknowledged != 0 {
			continue
		}
		if seen == len(page) || page[seen] != message {
			return false
		}
		seen++
	}
	return seen == len(page)
}

// A stream brings messages in their order and leaves out only what is acknowledged.
func isNext(queue string, op operation) bool {
	at := position(queue, op.messages[0])
	if at < 0 || decode(queue, at)&acknowledged != 0 {
		return false
	}
	first := 0
	if op.hasAfter {
		before := position(queue, op.after)
		if before < 0 || before >= at {
			return false
		}
		first = before + 1
	}
	for between := first; between < at; between++ {
		if decode(queue, between)&acknowledged == 0 {
			return false
		}
	}
	return true
}

func matching(states []state, holds func(queue string) bool) []state {
	var found []state
	for _, s := range states {
		if holds(s.queue) {
			found = append(found, s)
		}
	}
	return found
}

// False if a message was never stored: nobody can acknowledge it.
func remove(queue string, messages []uint16) (string, bool) {
	bytes := []byte(queue)
	for _, message := range messages {
		at := position(queue, message)
		if at < 0 {
			return queue, false
		}
		bytes[2*at] |= acknowledged >> 8
	}
	return string(bytes), true
}

func position(list string, message uint16) int {
	for at := 0; at < count(list); at++ {
		if decode(list, at)&^acknowledged == message {
			return at
		}
	}
	return -1
}

func count(list string) int { return len(list) / 2 }

func decode(list string, at int) uint16 { return uint16(list[2*at])<<8 | uint16(list[2*at+1]) }

func encode(message uint16) string { return string([]byte{byte(message >> 8), byte(message)}) }
