package main

// A smaller history with the same fault: without blobs and queues that can be explained, without messages, then without reads that the
// fault does not need. A history without one of its changes would have another fault.
func shrink(found history) history {
	for _, blob := range found.Blobs {
		if judgeBlob(blob) != nil {
			found.Blobs = []blobHistory{smallerBlob(blob)}
			found.Queues, found.Together = []queueHistory{}, []multiplePosts{}
			return found
		}
	}
	if len(judgeTogether(found)) > 0 && !hasUnexplained(found.Queues) {
		return found
	}
	for _, queue := range found.Queues {
		if judgeQueue(queue, condensed) == nil {
			continue
		}
		for _, name := range messagesOf(queue) {
			queue = smaller(queue, without(queue, name))
		}
		for at := len(queue.Operations) - 1; at >= 0; at-- {
			if !queue.Operations[at].isRead() {
				continue
			}
			fewer := append(append([]record{}, queue.Operations[:at]...), queue.Operations[at+1:]...)
			queue = smaller(queue, queueHistory{queue.Queue, queue.Relay, fewer})
		}
		return history{Seed: found.Seed, Faults: found.Faults, Queues: []queueHistory{queue}, Together: []multiplePosts{}}
	}
	return found
}

// The blob without reads that the fault does not need.
func smallerBlob(blob blobHistory) blobHistory {
	for at := len(blob.Operations) - 1; at >= 0; at-- {
		if blob.Operations[at].changes() {
			continue
		}
		fewer := blob
		fewer.Operations = append(append([]blobRecord{}, blob.Operations[:at]...), blob.Operations[at+1:]...)
		if judgeBlob(fewer) != nil {
			blob = fewer
		}
	}
	return blob
}

func hasUnexplained(queues []queueHistory) bool {
	for _, queue := range queues {
		if judgeQueue(queue, condensed) != nil {
			return true
		}
	}
	return false
}

func smaller(queue, candidate queueHistory) queueHistory {
	if judgeQueue(candidate, condensed) == nil {
		return queue
	}
	return candidate
}

func messagesOf(queue queueHistory) []string {
	var found []string
	for _, r := range queue.Operations {
		for _, name := range r.Messages {
			if !contains(found, name) {
				found = append(found, name)
			}
		}
	}
	return found
}

// The history as it would be if the message had never been sent.
func without(queue queueHistory, name string) queueHistory {
	result := queueHistory{Queue: queue.Queue, Relay: queue.Relay}
	previous := map[string]string{}
	for _, r := range queue.Operations {
		if r.Kind == push && r.Messages[0] == name && r.After != name {
			previous[name] = r.After
		}
	}
	for _, r := range queue.Operations {
		kept := []string{}
		for _, one := range r.Messages {
			if one != name {
				kept = append(kept, one)
			}
		}
		if len(r.Messages) > 0 && len(kept) == 0 && r.Kind != poll {
			continue
		}
		if r.After == name {
			r.After = previous[name]
		}
		// A page that was full may have been longer.
		if r.Kind == poll && len(r.Messages) == r.Limit {
			r.Limit = len(kept)
		}
		r.Messages = kept
		result.Operations = append(result.Operations, r)
	}
	return result
}
