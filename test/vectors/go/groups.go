package main

import (
	"bytes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/bits"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/crypto/chacha20poly1305"
	"lukechampine.com/blake3"
)

func doorKeys(o object) any {
	keys := object{}
	for name, label := range map[string]string{"seal_key": "envelope", "hint_key": "envelope hint", "signature_key": "signature"} {
		info := "mls-relay groups door mls-relay " + label
		keys[name] = fmt.Sprintf("%x", must(hkdf.Key(sha256.New, o.hex("secret"), nil, info, 32)))
	}
	return keys
}

var invitationInLink = regexp.MustCompile(`[#&?]mls-relay-group=([A-Za-z0-9_-]*)`)

func invitationLink(o object) any {
	found := invitationInLink.FindStringSubmatch(o.text("link"))
	demand(found != nil)
	value, shown := object{}, object{}
	fromJSON(must(base64URL.DecodeString(found[1])), &value)
	for _, name := range []string{"group", "name", "invitation", "secret"} {
		_, isText := value[name].(string)
		demand(isText)
	}
	asked, _ := value["to"].(map[string]any)
	to := []string{}
	for domain := range asked {
		prefixes := object(asked).bytes(domain)
		demand(prefixes != nil && len(prefixes)%16 == 0)
		for ; len(prefixes) > 0; prefixes = prefixes[16:] {
			p := prefixes[:16]
			to = append(to, fmt.Sprintf("%x-%x-%x-%x-%x@%s", p[:4], p[4:6], p[6:8], p[8:10], p[10:], domain))
		}
	}
	demand(len(to) > 0 && len(to) <= 32)
	slices.Sort(to)
	demand(isCount(value["expires_at"]) && value.number("expires_at") < 253402300800)
	exactly(32, value.bytes("secret"))
	for _, name := range []string{"group", "name", "invitation", "secret", "expires_at"} {
		shown[name] = value[name]
	}
	shown["to"] = to
	return shown
}

func joinRequest(o object) any {
	value := object{}
	fromJSON(o.hex("content"), &value)
	text, isText := value["key_package"].(string)
	demand(isText && value.text("type") == "join" && value.bytes("key_package") != nil)
	return text
}

// mlsVector gives the content of a vector (RFC 9420, section 2.1.2), and where it ends.
func mlsVector(data []byte, at int) ([]byte, int) {
	demand(at < len(data))
	size := 1 << (data[at] >> 6)
	demand(size <= 4 && at+size <= len(data))
	length := int(data[at] & 63)
	for _, one := range data[at+1 : at+size] {
		length = length<<8 | int(one)
	}
	end := at + size + length
	demand(end <= len(data))
	return data[at+size : end], end
}

func toMLSVector(content []byte) []byte {
	length := len(content)
	if length < 1<<6 {
		return append([]byte{byte(length)}, content...)
	}
	if length < 1<<14 {
		return append([]byte{byte(1<<6 | length>>8), byte(length)}, content...)
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(1<<31|length)), content...)
}

func joinerWelcome(o object) any {
	framing, content := []byte{0, 1, 0, 3}, o.hex("content")
	if bytes.HasPrefix(content, framing) {
		return object{"welcome": base64Text.EncodeToString(content)}
	}
	value := object{}
	fromJSON(content, &value)
	demand(value.text("version") == "1")
	welcome := value.bytes("welcome")
	if value["group_info"] == nil {
		return object{"welcome": base64Text.EncodeToString(welcome)}
	}
	blob := value.part("group_info")
	for _, name := range []string{"blob", "key", "plaintext_hash"} {
		match("[0-9a-f]{64}", blob.text(name))
	}
	demand(isCount(blob["file_size"]) && blob.number("file_size") <= 4*1024*1024)
	demand(bytes.HasPrefix(welcome, framing))
	secrets, end := mlsVector(welcome, 6)
	_, end = mlsVector(welcome, end)
	demand(end == len(welcome))
	whole := bytes.Join([][]byte{welcome[:6], toMLSVector(secrets), toMLSVector(o.bytes("group_info"))}, nil)
	return object{"welcome": base64Text.EncodeToString(whole), "url": o.text("relay") + "/v1/blobs/" + blob.text("blob")}
}

type sealedFile struct {
	file   []byte
	chunks [][]byte
	nonces [][]byte
	cipher cipher.AEAD
}

const chunkBytes = 65536

func sealFile(key []byte, fileBytes int) (made sealedFile) {
	size := max(512, fileBytes)
	exponent := bits.Len(uint(size)) - 1
	step := 1 << (exponent - bits.Len(uint(exponent)))
	padded := make([]byte, (size+step-1)/step*step)
	for at := range fileBytes {
		padded[at] = byte(at % 251)
	}
	made.file, made.cipher = padded[:fileBytes], must(chacha20poly1305.New(key))
	for at := 0; at < len(padded); at += chunkBytes {
		end, nonce := min(len(padded), at+chunkBytes), make([]byte, 12)
		binary.BigEndian.PutUint32(nonce[7:], uint32(at/chunkBytes))
		if end == len(padded) {
			nonce[11] = 1
		}
		made.nonces = append(made.nonces, nonce)
		made.chunks = append(made.chunks, made.cipher.Seal(nil, nonce, padded[at:end], nil))
	}
	return made
}

func blobSeal(o object) any {
	made := sealFile(o.hex("key"), o.number("file_bytes"))
	blob := bytes.Join(made.chunks, nil)
	return object{
		"sealed_bytes":   len(blob),
		"sealed_sha256":  fmt.Sprintf("%x", sha256.Sum256(blob)),
		"plaintext_hash": fmt.Sprintf("%x", blake3.Sum256(made.file)),
	}
}

func blobOpen(o object) any {
	given, size := o.part("blob"), o.number("file_bytes")
	other := sealFile(object(given).hex("key"), object(given).number("file_bytes"))
	data := []byte{}
	chunks, _ := given["chunks"].([]any)
	for _, one := range chunks {
		data = append(data, other.chunks[object{"at": one}.number("at")]...)
	}
	if given["flipped"] != nil {
		data[object(given).number("flipped")] ^= 1
	}
	if given["cut"] != nil {
		data = data[:len(data)-object(given).number("cut")]
	}
	wanted := sealFile(o.hex("key"), size)
	demand(len(data) == len(bytes.Join(wanted.chunks, nil)))
	opened := []byte{}
	for at, nonce := range wanted.nonces {
		begin := at * (chunkBytes + 16)
		opened = append(opened, must(wanted.cipher.Open(nil, nonce, data[begin:min(len(data), begin+chunkBytes+16)], nil))...)
	}
	demand(len(bytes.Trim(opened[size:], "\x00")) == 0)
	demand(fmt.Sprintf("%x", blake3.Sum256(opened[:size])) == o.text("plaintext_hash"))
	return fmt.Sprintf("%x", sha256.Sum256(opened[:size]))
}

const keyInHex = "[0-9a-f]{64}"

func leafIdentity(o object) any {
	value := object{}
	fromJSON([]byte(o.text("identity")), &value)
	successors, isList := value["successors"].([]any)
	demand((isList || value["successors"] == nil) && len(successors) <= 32)
	_, isText := value["name"].(string)
	demand(isText && isAddress(value["address"]))
	device, deviceKey := match(keyInHex, value.text("device")), match(keyInHex, value.text("device_key"))
	demand(fmt.Sprintf("%x", blake3.Sum256(value.hex("device_key"))) == device)
	keys := []string{match(keyInHex, value.text("user"))}
	isSigned := func(key, text, signature string) {
		verify(must(hex.DecodeString(key)), text, must(hex.DecodeString(match("[0-9a-f]{128}", signature))))
	}
	for _, one := range successors {
		next, _ := one.(map[string]any)
		last := keys[len(keys)-1]
		keys = append(keys, match(keyInHex, object(next).text("key")))
		isSigned(last, "mls-relay user successor\n"+strings.Join(keys, "\n"), object(next).text("signature"))
	}
	signed := fmt.Sprintf("mls-relay user device\n%s\n%s\n%s", strings.Join(keys, " "), device, o.text("signature_key"))
	isSigned(keys[len(keys)-1], signed, value.text("user_signature"))
	isSigned(deviceKey, signed, value.text("device_signature"))
	shown := object{"keys": keys, "device": device, "address": value["address"]}
	recovery, _ := value["recovery"].(string)
	if regexp.MustCompile("^" + keyInHex + "$").MatchString(recovery) {
		shown["recovery"] = recovery
	}
	return shown
}

func userKeysNewer(o object) any {
	keys, than := strings.Split(o.text("keys"), ","), strings.Split(o.text("than"), ",")
	length := min(len(keys), len(than))
	if slices.Equal(keys[:length], than[:length]) {
		return len(keys) > len(than)
	}
	return slices.Compare(keys, than) < 0
}
