package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

type shape map[string]func(any) bool

func isText(least, most int) func(any) bool {
	return func(value any) bool {
		text, ok := value.(string)
		return ok && utf8.RuneCountInString(text) >= least && utf8.RuneCountInString(text) <= most
	}
}

func isCount(value any) bool {
	number, ok := value.(json.Number)
	return ok && strings.Trim(number.String(), "0123456789") == ""
}

func isMillis(value any) bool {
	number, _ := value.(json.Number)
	millis, err := number.Int64()
	return isCount(value) && err == nil && millis < 253402300800000
}

func isAddress(value any) bool {
	_, failure := outcome(rules["address"], object{"text": value})
	return failure == ""
}

func isFile(value any) bool {
	file, ok := value.(map[string]any)
	demand(ok && isCount(file["file_size"]))
	match("[0-9a-f]{64}:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", object(file).text("file_id"))
	return len(exactly(32, object(file).hex("plaintext_hash"))) == 32
}

func isBase64(value any) bool {
	text, ok := value.(string)
	return ok && fromBase64(text) != nil
}

func isIDs(value any) bool {
	ids, ok := value.([]any)
	for _, id := range ids {
		ok = ok && isID(id)
	}
	return ok && len(ids) > 0 && len(ids) <= 1000
}

func areEmojis(value any) bool {
	emojis, ok := value.([]any)
	for _, emoji := range emojis {
		ok = ok && isText(1, 100)(emoji)
	}
	return ok && len(emojis) <= 6
}

func areMentions(value any) bool {
	mentions, ok := value.([]any)
	var end int64
	for _, one := range mentions {
		mention, isObject := one.(map[string]any)
		demand(isObject && isCount(mention["start"]) && isCount(mention["length"]))
		match("[0-9a-f]{64}", object(mention).text("user"))
		start, _ := mention["start"].(json.Number).Int64()
		length, _ := mention["length"].(json.Number).Int64()
		ok = ok && start >= end && length > 0
		end = start + length
	}
	return ok && len(mentions) <= 100
}

func isContentType(value any) bool {
	text, ok := value.(string)
	demand(ok)
	match("[a-z0-9][a-z0-9.+/-]{0,99}", text)
	return true
}

func isContentVersion(value any) bool {
	number, _ := value.(json.Number)
	version, err := number.Int64()
	return isCount(value) && err == nil && version >= 1 && version <= 1000000
}

func isObject(value any) bool { _, ok := value.(map[string]any); return ok }
func isStatus(value any) bool { return value == "delivered" || value == "read" }
func isBool(value any) bool   { _, ok := value.(bool); return ok }

var isID, isBody, isName = isText(1, 100), isText(0, 1000000), isText(0, 200)

// The members of each kind of message; those that end with a question mark may be missing.
var messages = map[string]shape{
	"text":     {"text": isBody, "mentions?": areMentions, "reply_to?": isID},
	"reaction": {"target": isID, "emoji": isText(0, 100), "emojis?": areEmojis},
	"edit":     {"target": isID, "text": isBody, "mentions?": areMentions},
	"custom": {
		"content_type": isContentType, "content_version": isContentVersion, "content": isObject,
		"text?": isBody, "reply_to?": isID,
	},
	"attachment":     {"file": isFile, "name": isName, "media_type": isName, "text?": isBody, "reply_to?": isID},
	"persona_update": {"name": isName},
	"receipt":        {"targets": isIDs, "status": isStatus},
	"typing":         {"is_typing": isBool},
}

func knownMembers(o object, shapeOf func(value object) (shape, bool)) any {
	value, found := object{}, object{}
	fromJSON([]byte(o.text("content")), &value)
	members, known := shapeOf(value)
	demand(known && value.text("version") == "1")
	for name, holds := range members {
		plain := strings.TrimSuffix(name, "?")
		member, has := value[plain]
		demand(has && holds(member) || !has && plain != name)
		if has {
			found[plain] = member
		}
	}
	return found
}

func svcMessage(o object) any {
	return knownMembers(o, func(value object) (shape, bool) {
		members, known := messages[value.text("type")]
		all := shape{"type": isID, "message_id": isID, "sent_at_millis": isMillis, "delivered?": isIDs, "read?": isIDs}
		for name, holds := range members {
			all[name] = holds
		}
		return all, known
	})
}

func messageReference(o object) any {
	named := sha256.Sum256([]byte("mls-relay message\n" + o.text("sender") + "\n" + o.text("message_id")))
	return fmt.Sprintf("%x", named[:16])
}

func systemOperation(o object) any {
	return knownMembers(o, func(value object) (shape, bool) {
		switch value.text("operation") {
		case "leave":
			return shape{"operation": isID}, true
		case "address_rotation":
			return shape{"operation": isID, "address": isAddress}, true
		}
		return nil, false
	})
}

func contactRequest(o object) any {
	return knownMembers(o, func(object) (shape, bool) {
		return shape{"name": isName, "address": isAddress, "key_package?": isBase64, "text?": isBody}, true
	})
}
