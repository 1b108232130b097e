// Checks the test vectors of a folder, with other libraries than the relay's: go run . ../../../spec/vectors
package main

import (
	"bytes"
	"crypto"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"math/bits"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"filippo.io/edwards25519"
	"github.com/gowebpki/jcs"
	"golang.org/x/crypto/chacha20poly1305"
	"golang.org/x/crypto/curve25519"
	"golang.org/x/crypto/hkdf"
	"lukechampine.com/blake3"
)

const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

var base64Text, base64URL = base64.StdEncoding.Strict(), base64.RawURLEncoding.Strict()

// refused is what a rule panics with if it refuses what it was given.
type refused struct{}

// refusedAs is what a rule panics with if the error is not the usual one of the rule.
type refusedAs string

// object is a JSON object; its methods give members of a type that the rule relies on.
type object map[string]any

func (o object) text(name string) string  { return fmt.Sprint(o[name]) }
func (o object) hex(name string) []byte   { return must(hex.DecodeString(o.text(name))) }
func (o object) bytes(name string) []byte { return fromBase64(o.text(name)) }
func (o object) number(name string) int   { return must(strconv.Atoi(o.text(name))) }
func (o object) list(name string) string {
	return strings.Join(strings.Fields(strings.Trim(fmt.Sprint(o[name]), "[]")), ",")
}

func demand(holds bool) bool {
	if !holds {
		panic(refused{})
	}
	return true
}

func must[T any](value T, err error) T {
	demand(err == nil)
	return value
}

func match(pattern, text string) string {
	demand(regexp.MustCompile("^(?:" + pattern + ")$").MatchString(text))
	return text
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

func uuid(text string) string {
	h := match("[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{32}", strings.ToLower(text))
	h = strings.ReplaceAll(h, "-", "")
	return strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-")
}

func inviteHandle(text string) string {
	l := strings.ToUpper(match("[0-9A-Za-z]{4}([ -]?[0-9A-Za-z]{4}){4}", text))
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
	host = strings.TrimSuffix(host, ".")
	match(`([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?`, host)
	last := host[strings.LastIndex(host, ".")+1:]
	demand(len(host) < 254 && last != "localhost" && !regexp.MustCompile("^([0-9]+|0x[0-9a-f]*)$").MatchString(last))
	if hasPort {
		demand(must(strconv.Atoi(match("[1-9][0-9]{0,4}", port))) < 65536)
		return host + ":" + port
	}
	return host
}

func signedText(o object) string {
	var text string
	switch o["kind"] {
	case "announcement":
		text = o.text("device_id") + ":" + o.text("timestamp")
	case "prefix_announcement":
		text = o.text("device_id") + "." + o.list("delivery_address_prefixes") + "." + o.text("timestamp")
	case "key_packages":
		text = o.text("device_id") + "." + o.list("key_packages") + "." + o.text("timestamp")
		last, hasLast := o["last_resort_key_package"].(string)
		if o["replace"] != nil || hasLast {
			text += fmt.Sprintf(".%v.%s", o["replace"] == true, last)
		}
	case "admin_challenge":
		text = o.text("challenge")
	case "block_list":
		document := o["document"].(map[string]any)
		delete(document, "signature")
		text = string(must(jcs.Transform(must(json.Marshal(document)))))
	case "slot_receipt":
		text = "mls-relay commit slot receipt 1\n" + o.text("domain") + "\n" + o.text("slot") + "\n" + o.text("content_hash")
	}
	if audience, ok := o["audience"].(string); ok {
		text += "\n" + audience
	}
	return text
}

func verify(publicKey []byte, text string, signature []byte) bool {
	point := must(new(edwards25519.Point).SetBytes(exactly(32, publicKey)))
	isSmall := new(edwards25519.Point).MultByCofactor(point).Equal(edwards25519.NewIdentityPoint()) == 1
	demand(bytes.Equal(point.Bytes(), publicKey) && !isSmall)
	return demand(ed25519.Verify(publicKey, []byte(text), exactly(64, signature)))
}

func delayProof(o object) any {
	input := append(o.hex("challenge"), o.hex("public_key")...)
	iterations, state, checkpoints := o.number("iterations"), sha256.Sum256(input), []any{}
	for done, i := 0, 1; ; done++ {
		for ; i < 64 && done == i*iterations/64; i++ {
			checkpoints = append(checkpoints, hex.EncodeToString(state[:]))
		}
		if done == iterations {
			output := hex.EncodeToString(state[:])
			return map[string]any{"input": hex.EncodeToString(input), "output": output, "checkpoints": checkpoints}
		}
		state = sha256.Sum256(state[:])
	}
}

func delayProofCheck(o object) any {
	for name, value := range delayProof(o).(map[string]any) {
		demand(o[name] == nil || reflect.DeepEqual(o[name], value))
	}
	return true
}

func jws(compact string) (header, claims object, signed string, signature []byte) {
	parts := strings.Split(compact, ".")
	demand(len(parts) == 3)
	fromJSON(must(base64URL.DecodeString(parts[0])), &header)
	fromJSON(must(base64URL.DecodeString(parts[1])), &claims)
	return header, claims, parts[0] + "." + parts[1], must(base64URL.DecodeString(parts[2]))
}

func token(o object) any {
	header, claims, signed, signature := jws(o.text("token"))
	demand(len(header) == 3 && header["alg"] == "EdDSA" && header["typ"] == "svc-"+o.text("kind")+"+jwt")
	var key []byte
	for _, one := range o["keys"].([]any) {
		if known := object(one.(map[string]any)); known["kid"] == header["kid"] {
			key = must(base64URL.DecodeString(known.text("x")))
		}
	}
	verify(key, signed, signature)
	for _, name := range []string{"iss", "aud", "sub", "sid", "jti"} {
		_, isText := claims[name].(string)
		demand(isText)
	}
	audience := map[bool]string{true: o.text("domain"), false: o.text("kind")}[o["kind"] == "invite"]
	demand(claims["iss"] == o["domain"] && claims["aud"] == audience)
	demand(claims.number("iat") > 0 && claims.number("auth_time") > 0 && o.number("now") < claims.number("exp"))
	return claims["sub"]
}

func expandWithLabel(secret []byte, label string, context []byte) []byte {
	info := fmt.Sprintf("\x00\x20%cMLS 1.0 %s%c%s", 8+len(label), label, len(context), context)
	return expanded(secret, info, 32)
}

func envelopeKeys(o object) any {
	keys, empty := map[string]any{}, sha256.Sum256(nil)
	for name, label := range map[string]string{"seal_key": "envelope", "hint_key": "envelope hint", "signature_key": "signature"} {
		secret := expandWithLabel(o.hex("exporter_secret"), "mls-relay "+label, nil)
		keys[name] = hex.EncodeToString(expandWithLabel(secret, "exported", empty[:]))
	}
	return keys
}

func envelopeHead(o object, nonce []byte) []byte {
	mac := hmac.New(sha256.New, o.hex("hint_key"))
	mac.Write(nonce)
	return append([]byte{1}, mac.Sum(nil)[:4]...)
}

func envelopeSeal(o object) any {
	content, nonce, most := o.hex("content"), o.hex("nonce"), o.number("max_bytes")
	demand(37+len(content) <= most)
	size := 37 + len(content)
	if size < 512 {
		size = 512
	}
	exponent := bits.Len(uint(size)) - 1
	step := 1 << (exponent - bits.Len(uint(exponent)))
	if size = (size + step - 1) / step * step; size > most {
		size = most
	}
	padded := make([]byte, size-33)
	binary.BigEndian.PutUint32(padded, uint32(len(content)))
	copy(padded[4:], content)
	head := envelopeHead(o, nonce)
	sealed := must(chacha20poly1305.New(o.hex("seal_key"))).Seal(nil, nonce, padded, head)
	return base64Text.EncodeToString(bytes.Join([][]byte{head, nonce, sealed}, nil))
}

func unpadded(padded []byte) any {
	demand(len(padded) >= 4)
	content, length := padded[4:], int(binary.BigEndian.Uint32(padded))
	demand(length <= len(content) && len(bytes.Trim(content[length:], "\x00")) == 0)
	return hex.EncodeToString(content[:length])
}

func envelopeOpen(o object) any {
	data := o.bytes("envelope")
	demand(len(data) > 17 && bytes.Equal(data[:5], envelopeHead(o, data[5:17])))
	return unpadded(must(must(chacha20poly1305.New(o.hex("seal_key"))).Open(nil, data[5:17], data[17:], data[:5])))
}

// hpkeSteps are LabeledExtract and LabeledExpand of RFC 9180, for one suite.
func hpkeSteps(suite string) (func(salt []byte, label string, ikm []byte) []byte, func(secret []byte, label string, info []byte, length int) []byte) {
	extract := func(salt []byte, label string, ikm []byte) []byte {
		return hkdf.Extract(sha256.New, append([]byte("HPKE-v1"+suite+label), ikm...), salt)
	}
	expand := func(secret []byte, label string, info []byte, length int) []byte {
		return expanded(secret, string([]byte{0, byte(length)})+"HPKE-v1"+suite+label+string(info), length)
	}
	return extract, expand
}

func expanded(secret []byte, info string, length int) []byte {
	material := make([]byte, length)
	must(io.ReadFull(hkdf.Expand(sha256.New, secret, []byte(info)), material))
	return material
}

func welcomeOpen(o object) any {
	data, private := o.bytes("sealed"), o.hex("init_private_key")
	demand(len(data) > 33 && data[0] == 2)
	ephemeral, public := data[1:33], must(curve25519.X25519(private, curve25519.Basepoint))
	extract, expand := hpkeSteps("KEM\x00\x20")
	shared := extract(nil, "eae_prk", must(curve25519.X25519(private, ephemeral)))
	shared = expand(shared, "shared_secret", append(append([]byte{}, ephemeral...), public...), 32)
	// The numbers of the two cipher suites, 1 and 3, are those of their AEADs.
	suite := byte(o.number("cipher_suite"))
	extract, expand = hpkeSteps("HPKE\x00\x20\x00\x01\x00" + string([]byte{suite}))
	context := append([]byte{0}, extract(nil, "psk_id_hash", nil)...)
	context = append(context, extract(nil, "info_hash", []byte("mls-relay welcome 1"))...)
	secret, keyBytes := extract(shared, "secret", nil), 16
	if suite == 3 {
		keyBytes = 32
	}
	key, nonce := expand(secret, "key", context, keyBytes), expand(secret, "base_nonce", context, 12)
	aead := must(cipher.NewGCM(must(aes.NewCipher(key))))
	if suite == 3 {
		aead = must(chacha20poly1305.New(key))
	}
	return unpadded(must(aead.Open(nil, nonce, data[33:], nil)))
}

func linkingKeys(secret, theirs, sender, recipient []byte) (key []byte, code string) {
	shared := must(curve25519.X25519(secret, theirs))
	info := "mls-relay device linking 1" + string(sender) + string(recipient)
	material := expanded(hkdf.Extract(sha256.New, shared, nil), info, 37)
	number := new(big.Int).SetBytes(material[32:]).Uint64()
	for shift := 35; shift >= 0; shift -= 5 {
		code += string(crockford[number>>shift&31])
	}
	return material[:32], code[:4] + "-" + code[4:]
}

func linkingSeal(o object) any {
	recipient := must(new(edwards25519.Point).SetBytes(o.hex("ephemeral_public_key"))).BytesMontgomery()
	secret := o.hex("sender_secret")
	sender := must(curve25519.X25519(secret, curve25519.Basepoint))
	key, code := linkingKeys(secret, recipient, sender, recipient)
	head := append([]byte{1}, sender...)
	aad := []byte(o.text("provisioning_address"))
	sealed := must(chacha20poly1305.New(key)).Seal(head, make([]byte, 12), o.hex("payload"), aad)
	return map[string]any{"ciphertext": base64Text.EncodeToString(sealed), "code": code}
}

func linkingOpen(o object) any {
	data, seed := o.bytes("ciphertext"), sha512.Sum512(o.hex("secret_key"))
	demand(data[0] == 1)
	recipient := must(curve25519.X25519(seed[:32], curve25519.Basepoint))
	key, code := linkingKeys(seed[:32], data[1:33], data[1:33], recipient)
	aad := []byte(o.text("provisioning_address"))
	payload := must(must(chacha20poly1305.New(key)).Open(nil, make([]byte, 12), data[33:], aad))
	return map[string]any{"payload": hex.EncodeToString(payload), "code": code}
}

func infoPackageOpen(o object) (content any) {
	data := o.bytes("ciphertext")
	fromJSON(must(must(chacha20poly1305.New(o.hex("key"))).Open(nil, data[:12], data[12:], nil)), &content)
	return content
}

func challengeAnswer(o object) any {
	header, claims, signed, signature := jws(o.text("challenge_response"))
	certificate, digest := must(x509.ParseCertificate(o.bytes("server_certificate"))), sha256.Sum256([]byte(signed))
	switch key := certificate.PublicKey.(type) {
	case ed25519.PublicKey:
		verify(key, signed, signature)
	case *rsa.PublicKey:
		demand(header["alg"] == "PS256" && rsa.VerifyPSS(key, crypto.SHA256, digest[:], signature, nil) == nil)
	case *ecdsa.PublicKey:
		r, s := new(big.Int).SetBytes(exactly(64, signature)[:32]), new(big.Int).SetBytes(signature[32:])
		demand(header["alg"] == "ES256" && ecdsa.Verify(key, digest[:], r, s))
	}
	demand(header["typ"] == "svc-federation-answer+jwt")
	return demand(claims["nonce"] == o["nonce"] && claims["origin_server"] == o["origin_server"] && claims["aud"] == o["domain"])
}

func receipt(o object) any {
	body, isObject := o["body"].(map[string]any)
	demand(isObject && body["error"] == nil)
	demand(body["transaction_id"] == nil || uuid(object(body).text("transaction_id")) == uuid(o.text("transaction_id")))
	accepted, rejected := []any{}, []any{}
	for _, one := range body["rejected_messages"].([]any) {
		message := object(one.(map[string]any))
		rejected = append(rejected, map[string]any{"message_id": uuid(message.text("message_id")), "error": message["error"]})
	}
	ids, isList := body["accepted_messages"].([]any)
	if !isList {
		demand(object(body).number("accepted_messages")+len(rejected) == o.number("count"))
		return map[string]any{"accepted": "others", "rejected": rejected}
	}
	for _, id := range ids {
		accepted = append(accepted, uuid(id.(string)))
	}
	return map[string]any{"accepted": accepted, "rejected": rejected}
}

func endingWith(failure string, rule func(object) any, given object) any {
	defer func() {
		if problem := recover(); problem == (any)(refused{}) {
			panic(refusedAs(failure))
		} else if problem != nil {
			panic(problem)
		}
	}()
	return rule(given)
}

func demandAs(holds bool, failure string) {
	if !holds {
		panic(refusedAs(failure))
	}
}

func federationTranscript(o object) any {
	part := func(from object, name string) object {
		one, _ := from[name].(map[string]any)
		return one
	}
	discovery, proof, delivery := part(o, "discovery"), part(o, "authentication"), part(o, "delivery")
	server, isNamed := discovery["server"]
	versions := part(discovery, "versions")
	speaksV1 := versions["federation"] == nil || strings.Contains(","+versions.list("federation")+",", ",v1,")
	demandAs((!isNamed || server == o["domain"]) && speaksV1, "UNREADABLE")
	proof["nonce"], proof["domain"] = part(o, "challenge")["nonce"], o["domain"]
	endingWith("INVALID_CERTIFICATE", challengeAnswer, proof)
	body, path := part(delivery, "body"), delivery.text("path")
	demandAs(part(delivery, "headers")["x-origin-server"] == body["origin_server"], "INVALID_REQUEST")
	demandAs(body["origin_server"] == o["origin_server"], "INVALID_TOKEN")
	id := path[strings.LastIndex(path, "/")+1:]
	demandAs(uuid(id) == uuid(body.text("transaction_id")), "INVALID_REQUEST")
	count := json.Number(strconv.Itoa(len(body["messages"].([]any))))
	given := object{"body": o["receipt"], "transaction_id": body["transaction_id"], "count": count}
	said := endingWith("UNREADABLE", receipt, given).(map[string]any)
	base, isText := discovery["federation_url"].(string)
	if !isText {
		base = "https://" + o.text("domain")
	}
	said["url"] = base + path
	return said
}

// A rule, and the error that it ends with for whatever it refuses.
type rule struct {
	apply func(object) any
	error string
}

var rules = map[string]rule{
	"hex":            {func(o object) any { return hex.EncodeToString(o.hex("text")) }, "INVALID_REQUEST"},
	"base64":         {func(o object) any { return hex.EncodeToString(o.bytes("text")) }, "INVALID_REQUEST"},
	"device_id":      {func(o object) any { return fmt.Sprintf("%x", blake3.Sum256(exactly(32, o.hex("public_key")))) }, "INVALID_REQUEST"},
	"message_id":     {func(o object) any { return match(".{14}7.{4}[89ab].*", uuid(o.text("text"))) }, "INVALID_REQUEST"},
	"address_prefix": {func(o object) any { return uuid(o.text("text")) }, "INVALID_ADDRESS"},
	"invite_handle":  {func(o object) any { return inviteHandle(o.text("text")) }, "INVALID_REQUEST"},
	"domain":         {func(o object) any { return domain(o.text("text")) }, "INVALID_ADDRESS"},
	"address": {func(o object) any {
		prefix, name, _ := strings.Cut(o.text("text"), "@")
		return map[string]any{"prefix": uuid(prefix), "domain": domain(name)}
	}, "INVALID_ADDRESS"},
	"signed_text": {func(o object) any { return signedText(o) }, ""},
	"sign": {func(o object) any {
		return hex.EncodeToString(ed25519.Sign(ed25519.NewKeyFromSeed(o.hex("secret_key")), []byte(o.text("text"))))
	}, ""},
	"verify": {func(o object) any { return verify(o.hex("public_key"), o.text("text"), o.hex("signature")) }, "INVALID_SIGNATURE"},
	"timestamp": {func(o object) any {
		return demand(o.number("timestamp") >= o.number("now")-300 && o.number("timestamp") <= o.number("now")+60)
	}, "INVALID_REQUEST"},
	"delay_proof":       {delayProof, ""},
	"delay_proof_check": {delayProofCheck, "INVALID_PROOF"},
	"key_id": {func(o object) any {
		x := base64URL.EncodeToString(o.hex("public_key"))
		digest := sha256.Sum256([]byte(`{"crv":"Ed25519","kty":"OKP","x":"` + x + `"}`))
		return base64URL.EncodeToString(digest[:])
	}, ""},
	"token":             {token, "INVALID_TOKEN"},
	"slot_name_context": {func(o object) any { return fmt.Sprintf("%08x%x", o.number("attempt"), o.text("domain")) }, ""},
	"slot_receipt": {func(o object) any {
		o["kind"], o["content_hash"] = "slot_receipt", fmt.Sprintf("%x", sha256.Sum256(o.bytes("content")))
		return verify(o.hex("slot_key"), signedText(o), o.hex("receipt"))
	}, "INVALID_SIGNATURE"},
	"envelope_keys":     {envelopeKeys, ""},
	"envelope_seal":     {envelopeSeal, "REFUSED"},
	"envelope_open":     {envelopeOpen, "REFUSED"},
	"welcome_open":      {welcomeOpen, "REFUSED"},
	"linking_seal":      {linkingSeal, ""},
	"linking_open":      {linkingOpen, "REFUSED"},
	"info_package_open": {infoPackageOpen, "REFUSED"},
	"info_link": {func(o object) any {
		url, key, _ := strings.Cut(o.text("link"), "#")
		return map[string]any{"url": match("https://.+", url), "key": hex.EncodeToString(exactly(32, must(hex.DecodeString(key))))}
	}, "REFUSED"},
	"challenge_answer":      {challengeAnswer, "INVALID_CERTIFICATE"},
	"receipt":               {receipt, "UNREADABLE"},
	"federation_transcript": {federationTranscript, ""},
}

func outcome(name string, given object) (result any, failure string) {
	defer func() {
		if problem := recover(); problem == (any)(refused{}) {
			result, failure = nil, rules[name].error
		} else if as, is := problem.(refusedAs); is {
			result, failure = nil, string(as)
		} else if problem != nil {
			panic(problem)
		}
	}()
	return rules[name].apply(given), ""
}

func main() {
	count, expected := 0, 0
	for _, file := range must(filepath.Glob(filepath.Join(os.Args[1], "*.json"))) {
		var vectors struct {
			Cases []struct {
				Name, Rule, Error string
				Given             object
				Result            any
			}
		}
		fromJSON(must(os.ReadFile(file)), &vectors)
		for _, one := range vectors.Cases {
			count++
			result, failure := outcome(one.Rule, one.Given)
			if failure == one.Error && reflect.DeepEqual(result, one.Result) {
				expected++
			} else {
				fmt.Printf("%s: %s: %v %s\n", one.Rule, one.Name, result, failure)
			}
		}
	}
	fmt.Printf("%d of %d cases as expected\n", expected, count)
}
