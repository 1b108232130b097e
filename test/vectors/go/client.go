package main

import (
	"bytes"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/hpke"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"

	"filippo.io/edwards25519"
	"golang.org/x/crypto/chacha20poly1305"
)

func expandWithLabel(secret []byte, label string, context []byte) []byte {
	info := fmt.Sprintf("\x00\x20%cMLS 1.0 %s%c%s", 8+len(label), label, len(context), context)
	return must(hkdf.Expand(sha256.New, secret, info, 32))
}

func envelopeKeys(o object) any {
	keys, empty := object{}, sha256.Sum256(nil)
	for name, label := range map[string]string{"seal_key": "envelope", "hint_key": "envelope hint", "signature_key": "signature"} {
		secret := expandWithLabel(o.hex("exporter_secret"), "mls-relay "+label, nil)
		keys[name] = fmt.Sprintf("%x", expandWithLabel(secret, "exported", empty[:]))
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
	size := max(512, 37+len(content))
	exponent := bits.Len(uint(size)) - 1
	step := 1 << (exponent - bits.Len(uint(exponent)))
	size = min(most, (size+step-1)/step*step)
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
	return fmt.Sprintf("%x", content[:length])
}

func envelopeOpen(o object) any {
	data := o.bytes("envelope")
	demand(len(data) > 17 && bytes.Equal(data[:5], envelopeHead(o, data[5:17])))
	return unpadded(must(must(chacha20poly1305.New(o.hex("seal_key"))).Open(nil, data[5:17], data[17:], data[:5])))
}

func welcomeOpen(o object) any {
	data := o.bytes("sealed")
	demand(len(data) > 0 && data[0] == 2)
	key := must(hpke.DHKEM(ecdh.X25519()).NewPrivateKey(o.hex("init_private_key")))
	// The numbers of the two cipher suites, 1 and 3, are those of their AEADs.
	aead := must(hpke.NewAEAD(uint16(o.number("cipher_suite"))))
	return unpadded(must(hpke.Open(key, hpke.HKDFSHA256(), aead, []byte("mls-relay welcome 1"), data[1:])))
}

func linkingKeys(secret *ecdh.PrivateKey, theirs, sender, recipient []byte) (key []byte, code string) {
	shared := must(secret.ECDH(must(ecdh.X25519().NewPublicKey(theirs))))
	info := "mls-relay device linking 1" + string(sender) + string(recipient)
	material := must(hkdf.Key(sha256.New, shared, nil, info, 37))
	number := binary.BigEndian.Uint64(append([]byte{0, 0, 0}, material[32:]...))
	for shift := 35; shift >= 0; shift -= 5 {
		code += string(crockford[number>>shift&31])
	}
	return material[:32], code[:4] + "-" + code[4:]
}

func linkingSeal(o object) any {
	recipient := must(new(edwards25519.Point).SetBytes(o.hex("ephemeral_public_key"))).BytesMontgomery()
	secret := must(ecdh.X25519().NewPrivateKey(o.hex("sender_secret")))
	sender := secret.PublicKey().Bytes()
	key, code := linkingKeys(secret, recipient, sender, recipient)
	head, aad := append([]byte{1}, sender...), []byte(o.text("provisioning_address"))
	sealed := must(chacha20poly1305.New(key)).Seal(head, make([]byte, 12), o.hex("payload"), aad)
	return object{"ciphertext": base64Text.EncodeToString(sealed), "code": code}
}

func linkingOpen(o object) any {
	data, seed := o.bytes("ciphertext"), sha512.Sum512(o.hex("secret_key"))
	demand(data[0] == 1)
	secret := must(ecdh.X25519().NewPrivateKey(seed[:32]))
	key, code := linkingKeys(secret, data[1:33], data[1:33], secret.PublicKey().Bytes())
	aad := []byte(o.text("provisioning_address"))
	payload := must(must(chacha20poly1305.New(key)).Open(nil, make([]byte, 12), data[33:], aad))
	return object{"payload": fmt.Sprintf("%x", payload), "code": code}
}

func infoPackageOpen(o object) (content any) {
	data := o.bytes("ciphertext")
	fromJSON(must(must(chacha20poly1305.New(o.hex("key"))).Open(nil, data[:12], data[12:], nil)), &content)
	return content
}

func infoLink(o object) any {
	url, key, _ := strings.Cut(o.text("link"), "#")
	return object{"url": match("https://.+", url), "key": fmt.Sprintf("%x", exactly(32, object{"key": key}.hex("key")))}
}

func slotSeedContext(o object) any {
	demand(o.number("attempt") < 1<<32)
	return fmt.Sprintf("%08x%x", o.number("attempt"), o.text("domain"))
}
