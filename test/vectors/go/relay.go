package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/sha3"
	"crypto/sha512"
	"crypto/x509"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"filippo.io/edwards25519"
	"github.com/go-jose/go-jose/v4"
	"github.com/gowebpki/jcs"
)

const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// templates of the signed texts; an audience follows each.
var templates = map[string]string{
	"announcement":        "$device_id:$timestamp",
	"prefix_announcement": "$device_id.$delivery_address_prefixes.$timestamp",
	"key_packages":        "$device_id.$key_packages.$timestamp",
	"admin_challenge":     "$challenge",
	"block_list":          "$canonical",
	"slot_receipt":        "mls-relay commit slot receipt 1\n$domain\n$slot\n$content_hash",
	"slot_taking":         "mls-relay commit slot taking 1\n$domain\n$slot\n$content_hash",
}

func messageID(o object, name string) string {
	return match(".{14}7.{4}[89ab].*", uuid(o.text(name)))
}

func inviteHandle(o object) any {
	l := strings.ToUpper(match("[0-9A-Za-z]{4}([ -]?[0-9A-Za-z]{4}){4}", o.text("text")))
	l = strings.NewReplacer(" ", "", "-", "", "I", "1", "L", "1", "O", "0").Replace(l)
	sum := 0
	for i, letter := range l {
		value := strings.IndexRune(crockford, letter)
		demand(value >= 0)
		value *= 1 + (i+1)%2
		sum += value/32 + value%32
	}
	demand(sum%32 == 0)
	return strings.Join([]string{l[:4], l[4:8], l[8:12], l[12:16], l[16:]}, "-")
}

func domain(text string) string {
	host, port, hasPort := strings.Cut(strings.ToLower(match("[A-Za-z0-9.:-]+", text)), ":")
	host = match(`([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?`, strings.TrimSuffix(host, "."))
	demand(len(host) < 254 && !regexp.MustCompile(`\.(localhost|[0-9]+|0x[0-9a-f]*)$`).MatchString(host))
	if hasPort {
		demand(must(strconv.Atoi(match("[1-9][0-9]{0,4}", port))) < 65536)
		return host + ":" + port
	}
	return host
}

func signedText(o object) string {
	template := templates[o.text("kind")]
	last, hasLast := o["last_resort_key_package"].(string)
	if o["replace"] != nil || hasLast {
		template += fmt.Sprintf(".%v.%s", o["replace"] == true, last)
	}
	if o["audience"] != nil {
		template += "\n$audience"
	}
	if document := maps.Clone(o.part("document")); document != nil {
		delete(document, "signature")
		o["canonical"] = string(must(jcs.Transform(must(json.Marshal(document)))))
	}
	return os.Expand(template, o.text)
}

func verify(publicKey []byte, text string, signature []byte) bool {
	point := must(new(edwards25519.Point).SetBytes(exactly(32, publicKey)))
	isSmall := new(edwards25519.Point).MultByCofactor(point).Equal(edwards25519.NewIdentityPoint()) == 1
	demand(bytes.Equal(point.Bytes(), publicKey) && !isSmall)
	return demand(ed25519.Verify(publicKey, []byte(text), exactly(64, signature)))
}

func slotText(o object, kind string) string {
	o["kind"], o["content_hash"] = kind, fmt.Sprintf("%x", sha256.Sum256(o.bytes("content")))
	return signedText(o)
}

func slotReceipt(o object) any {
	return verify(o.hex("slot_key"), slotText(o, "slot_receipt"), o.hex("receipt"))
}

func slotTaking(o object) any {
	private := ed25519.NewKeyFromSeed(exactly(32, o.hex("seed")))
	public := private[32:]
	o["slot"] = fmt.Sprintf("%x", sha256.Sum256(public))
	signature := ed25519.Sign(private, []byte(slotText(o, "slot_taking")))
	return object{"slot": o["slot"], "public_key": fmt.Sprintf("%x", []byte(public)), "signature": fmt.Sprintf("%x", signature)}
}

func slotTakingCheck(o object) any {
	key := o.hex("public_key")
	node := hashOf(key)
	for _, beside := range o.list("path") {
		node = nodeAbove(node, exactly(32, must(hex.DecodeString(beside.(string)))))
	}
	demand(fmt.Sprintf("%x", node) == o.text("slot"), "INVALID_REQUEST")
	return verify(key, slotText(o, "slot_taking"), o.hex("signature"))
}

func hashOf(parts ...[]byte) []byte {
	hash := sha256.Sum256(bytes.Join(parts, nil))
	return hash[:]
}

func nodeAbove(one, other []byte) []byte {
	if bytes.Compare(one, other) < 0 {
		return hashOf(one, other)
	}
	return hashOf(other, one)
}

func blindedKey(publicKey, secret []byte) []byte {
	digest := sha512.Sum512(bytes.Join([][]byte{[]byte("mls-relay blinded key 1\n"), secret, publicKey}, nil))
	scalar := must(new(edwards25519.Scalar).SetUniformBytes(digest[:]))
	point := must(new(edwards25519.Point).SetBytes(publicKey))
	return point.Add(point, new(edwards25519.Point).ScalarBaseMult(scalar)).Bytes()
}

func slotOfTakers(o object) any {
	secret, taken := exactly(32, o.hex("secret")), o.list("taken")
	var nodes [][]byte
	for user, keys := range o.list("users") {
		if slices.ContainsFunc(taken, func(one any) bool { return fmt.Sprint(one) == fmt.Sprint(user) }) {
			continue
		}
		for _, key := range keys.([]any) {
			nodes = append(nodes, hashOf(blindedKey(exactly(32, must(hex.DecodeString(key.(string)))), secret)))
		}
	}
	demand(len(nodes) > 0)
	for level := range 16 {
		if len(nodes)%2 == 1 {
			nodes = append(nodes, hashOf(secret, fmt.Appendf(nil, "%d %d", 2+len(taken), level)))
		}
		for at := range len(nodes) / 2 {
			nodes[at] = nodeAbove(nodes[2*at], nodes[2*at+1])
		}
		nodes = nodes[:len(nodes)/2]
	}
	return fmt.Sprintf("%x", nodes[0])
}

func delayProof(o object) any {
	input := append(exactly(32, o.hex("challenge")), exactly(32, o.hex("public_key"))...)
	iterations, states := o.number("iterations"), [][32]byte{sha256.Sum256(input)}
	for done := range iterations {
		states = append(states, sha256.Sum256(states[done][:]))
	}
	checkpoints := []any{}
	for i := 1; i < 64; i++ {
		checkpoints = append(checkpoints, fmt.Sprintf("%x", states[i*iterations/64]))
	}
	return object{"input": hex.EncodeToString(input), "output": fmt.Sprintf("%x", states[iterations]), "checkpoints": checkpoints}
}

func delayProofCheck(o object) any {
	for name, value := range delayProof(o).(object) {
		demand(o[name] == nil || fmt.Sprint(o[name]) == fmt.Sprint(value))
	}
	return true
}

func keyID(o object) any {
	x := base64URL.EncodeToString(exactly(32, o.hex("public_key")))
	digest := sha256.Sum256([]byte(`{"crv":"Ed25519","kty":"OKP","x":"` + x + `"}`))
	return base64URL.EncodeToString(digest[:])
}

func token(o object) any {
	for _, part := range strings.Split(o.text("token"), ".") {
		must(base64URL.DecodeString(part))
	}
	signed := must(jose.ParseSigned(o.text("token"), []jose.SignatureAlgorithm{jose.EdDSA}))
	header, claims := signed.Signatures[0].Protected, object{}
	demand(header.ExtraHeaders["typ"] == "svc-"+o.text("kind")+"+jwt" && len(header.ExtraHeaders) == 1)
	for _, one := range o["keys"].([]any) {
		if key := object(one.(map[string]any)); key["kid"] == header.KeyID {
			x := ed25519.PublicKey(must(base64URL.DecodeString(key.text("x"))))
			fromJSON(must(signed.Verify(x)), &claims)
		}
	}
	for _, name := range []string{"iss", "aud", "sub", "sid", "jti"} {
		_, isText := claims[name].(string)
		demand(isText)
	}
	audience := map[bool]string{true: o.text("domain"), false: o.text("kind")}[o["kind"] == "invite"]
	demand(claims["iss"] == o["domain"] && claims["aud"] == audience)
	demand(claims.number("iat") > 0 && claims.number("auth_time") > 0 && o.number("now") < claims.number("exp"))
	return claims["sub"]
}

func sentProof(o object) any {
	id := messageID(o, "message_id")
	minutes := must(strconv.ParseInt(strings.ReplaceAll(id, "-", "")[:12], 16, 64)) / 60_000
	input := exactly(32, o.hex("secret"))
	for _, text := range []string{"device", o.text("sender_id"), id, uuid(o.text("recipient_prefix")), ""} {
		input = append(binary.BigEndian.AppendUint32(input, uint32(len(text))), text...)
	}
	return fmt.Sprintf("%04x%04x%.11x", minutes/1440, minutes%1440, sha3.Sum256(input))
}

const minute = 60_000

func reportableID(millis int, handle []byte) string {
	time := binary.BigEndian.AppendUint64(nil, uint64(millis/minute*minute))[2:]
	hash := sha256.Sum256(append(append([]byte("mls-relay report handle 1"), time...), handle...))
	commitment := hash[:8]
	commitment[0] &= 0x3f
	id := append(append(append([]byte{}, time...), markOf(time, commitment)...), commitment...)
	id[6] = id[6]&0x0f | 0x70
	id[8] |= 0x80
	return uuid(fmt.Sprintf("%x", id))
}

func markOf(time, commitment []byte) []byte {
	hash := sha256.Sum256(append(append([]byte("mls-relay reportable id 1"), time...), commitment...))
	return hash[:2]
}

func reportCheck(o object) any {
	sent := messageID(o, "message_id")
	id := must(hex.DecodeString(strings.ReplaceAll(sent, "-", "")))
	millis := int(binary.BigEndian.Uint64(append([]byte{0, 0}, id[:6]...)))
	commitment := append([]byte{id[8] & 0x3f}, id[9:]...)
	mark := markOf(id[:6], commitment)
	commits := millis%minute == 0 && id[6]&0x0f == mark[0]&0x0f && id[7] == mark[1]
	if _, known := o["handle"]; !known {
		return demand(!commits)
	}
	handle := o.hex("handle")
	return demand(!commits || len(handle) == 16 && reportableID(millis, handle) == sent)
}

func challengeAnswer(o object) any {
	var claims object
	certificate := must(x509.ParseCertificate(o.bytes("server_certificate")))
	answer := must(jose.ParseSigned(o.text("challenge_response"), []jose.SignatureAlgorithm{jose.EdDSA, jose.ES256, jose.PS256}))
	fromJSON(must(answer.Verify(certificate.PublicKey)), &claims)
	demand(answer.Signatures[0].Protected.ExtraHeaders["typ"] == "svc-federation-answer+jwt")
	return demand(claims["nonce"] == o["nonce"] && claims["origin_server"] == o["origin_server"] && claims["aud"] == o["domain"])
}

func receipt(o object) any {
	body, accepted, rejected := o.part("body"), []any{}, []any{}
	demand(body != nil && body["error"] == nil)
	demand(body["transaction_id"] == nil || uuid(body.text("transaction_id")) == uuid(o.text("transaction_id")))
	for _, one := range body["rejected_messages"].([]any) {
		message := object(one.(map[string]any))
		rejected = append(rejected, object{"message_id": uuid(message.text("message_id")), "error": message["error"]})
	}
	ids, isList := body["accepted_messages"].([]any)
	if !isList {
		demand(body.number("accepted_messages")+len(rejected) == o.number("count"))
		return object{"accepted": "others", "rejected": rejected}
	}
	for _, id := range ids {
		accepted = append(accepted, uuid(id.(string)))
	}
	return object{"accepted": accepted, "rejected": rejected}
}

func federationTranscript(o object) any {
	discovery, proof, delivery := o.part("discovery"), o.part("authentication"), o.part("delivery")
	server, isNamed := discovery["server"]
	versions := discovery.part("versions")
	speaksV1 := versions["federation"] == nil || strings.Contains(","+versions.text("federation")+",", ",v1,")
	demand((!isNamed || server == o["domain"]) && speaksV1, "UNREADABLE")
	proof["nonce"], proof["domain"] = o.part("challenge")["nonce"], o["domain"]
	within("INVALID_CERTIFICATE", challengeAnswer, proof)
	body, path := delivery.part("body"), delivery.text("path")
	demand(delivery.part("headers")["x-origin-server"] == body["origin_server"], "INVALID_REQUEST")
	demand(body["origin_server"] == o["origin_server"], "INVALID_TOKEN")
	demand(uuid(path[strings.LastIndex(path, "/")+1:]) == uuid(body.text("transaction_id")), "INVALID_REQUEST")
	given := object{"body": o["receipt"], "transaction_id": body["transaction_id"], "count": len(body["messages"].([]any))}
	said := within("UNREADABLE", receipt, given).(map[string]any)
	said["url"] = "https://" + o.text("domain") + path
	if base, isText := discovery["federation_url"].(string); isText {
		said["url"] = base + path
	}
	return said
}
