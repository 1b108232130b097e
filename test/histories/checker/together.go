package main

import "fmt"

// Messages that were sent to several queues at once reach all of them or none, and two of them that were sent at one relay stand in
// the same order in all its queues.
func judgeTogether(found history) []problem {
	var problems []problem
	positions := map[string]map[string]int{}
	relays := map[string]string{}
	for _, queue := range found.Queues {
		positions[queue.Queue] = positionsOf(queue)
		relays[queue.Queue] = queue.Relay
	}
	for _, post := range found.Together {
		came := 0
		for _, queue := range post.Queues {
			if _, ok := positions[queue][post.Message]; ok {
				came++
			}
		}
		if came > 0 && came < len(post.Queues) {
			what := fmt.Sprintf("%s came to %d of %d queues to which it was sent together", post.Message, came, len(post.Queues))
			problems = append(problems, problem{Queue: post.Queues[0], What: what})
		}
	}
	for i, one := range found.Together {
		for _, other := range found.Together[i+1:] {
			if queue, ok := orderDiffers(positions, relays, one, other); ok {
				what := fmt.Sprintf("%s and %s stand in another order than in another queue", one.Message, other.Message)
				problems = append(problems, problem{Queue: queue, What: what})
			}
		}
	}
	return problems
}

// The queue that has the two messages in another order than an earlier one.
func orderDiffers(positions map[string]map[string]int, relays map[string]string, one, other multiplePosts) (string, bool) {
	var orders []bool
	for _, queue := range one.Queues {
		first, hasOne := positions[queue][one.Message]
		second, hasOther := positions[queue][other.Message]
		if !hasOne || !hasOther || relays[queue] != one.Relay || relays[queue] != other.Relay {
			continue
		}
		orders = append(orders, first < second)
		if orders[0] != (first < second) {
			return queue, true
		}
	}
	return "", false
}

// The order in which the reader of a queue saw messages first, which is their order in the queue.
func positionsOf(queue queueHistory) map[string]int {
	found := map[string]int{}
	for _, read := range readsOf(queue.Operations) {
		for _, name := range read.Messages {
			if _, ok := found[name]; !ok {
				found[name] = len(found)
			}
		}
	}
	return found
}
