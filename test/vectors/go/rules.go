package main

import (
	"crypto/ed25519"
	"fmt"
	"strings"

	"lukechampine.com/blake3"
)

var rules = map[string]rule{
	"hex":                 {func(o object) any { return fmt.Sprintf("%x", o.hex("text")) }, "INVALID_REQUEST"},
	"base64":              {func(o object) any { return fmt.Sprintf("%x", o.bytes("text")) }, "INVALID_REQUEST"},
	"device_id":           {func(o object) any { return fmt.Sprintf("%x", blake3.Sum256(exactly(32, o.hex("public_key")))) }, "INVALID_REQUEST"},
	"message_id":          {func(o object) any { return messageID(o, "text") }, "INVALID_REQUEST"},
	"address_prefix":      {func(o object) any { return uuid(o.text("text")) }, "INVALID_ADDRESS"},
	"invite_handle":       {inviteHandle, "INVALID_REQUEST"},
	"domain":              {func(o object) any { return domain(o.text("text")) }, "INVALID_ADDRESS"},
	"address":             {address, "INVALID_ADDRESS"},
	"signed_text":         {func(o object) any { return signedText(o) }, ""},
	"signed_request":      {func(o object) any { return verify(o.hex("public_key"), signedText(o), o.hex("signature")) }, "INVALID_SIGNATURE"},
	"sign":                {sign, "REFUSED"},
	"verify":              {func(o object) any { return verify(o.hex("public_key"), o.text("text"), o.hex("signature")) }, "INVALID_SIGNATURE"},
	"timestamp":           {timestamp, "INVALID_REQUEST"},
	"delay_proof":         {delayProof, "REFUSED"},
	"delay_proof_check":   {delayProofCheck, "INVALID_PROOF"},
	"key_id":              {keyID, "INVALID_REQUEST"},
	"token":               {token, "INVALID_TOKEN"},
	"sent_proof":          {sentProof, "INVALID_REQUEST"},
	"sent_proof_check":    {func(o object) any { return demand(sentProof(o) == o["kept"]) }, "REFUSED"},
	"reportable_id":       {func(o object) any { return reportableID(o.number("millis"), o.hex("handle")) }, "REFUSED"},
	"reportable_id_check": {reportCheck, "REFUSED"},
	"challenge_answer":    {challengeAnswer, "INVALID_CERTIFICATE"},
	"receipt":             {receipt, "UNREADABLE"},

	"federation_transcript": {federationTranscript, ""},

	"slot_seed_context": {slotSeedContext, "REFUSED"},
	"slot_taking":       {slotTaking, "REFUSED"},
	"slot_taking_check": {slotTakingCheck, "INVALID_SIGNATURE"},
	"slot_of_takers":    {slotOfTakers, "REFUSED"},
	"slot_receipt":      {slotReceipt, "INVALID_SIGNATURE"},
	"envelope_keys":     {envelopeKeys, ""},
	"envelope_seal":     {envelopeSeal, "REFUSED"},
	"envelope_open":     {envelopeOpen, "REFUSED"},
	"door_keys":         {doorKeys, ""},
	"invitation_link":   {invitationLink, "REFUSED"},
	"join_request":      {joinRequest, "REFUSED"},
	"user_keys_newer":   {userKeysNewer, ""},
	"joiner_welcome":    {joinerWelcome, "REFUSED"},
	"blob_seal":         {blobSeal, ""},
	"blob_open":         {blobOpen, "REFUSED"},
	"welcome_open":      {welcomeOpen, "REFUSED"},
	"linking_seal":      {linkingSeal, "REFUSED"},
	"linking_open":      {linkingOpen, "REFUSED"},
	"info_package_open": {infoPackageOpen, "REFUSED"},
	"info_link":         {infoLink, "REFUSED"},
	"message_reference": {messageReference, ""},
}

func init() {
	// isAddress, which they use, looks up another rule.
	rules["svc_message"] = rule{svcMessage, "REFUSED"}
	rules["leaf_identity"] = rule{leafIdentity, "REFUSED"}
	rules["system_operation"] = rule{systemOperation, "REFUSED"}
	rules["contact_request"] = rule{contactRequest, "REFUSED"}
}

func address(o object) any {
	prefix, name, _ := strings.Cut(o.text("text"), "@")
	return object{"prefix": uuid(prefix), "domain": domain(name)}
}

func sign(o object) any {
	key := ed25519.NewKeyFromSeed(exactly(32, o.hex("secret_key")))
	return fmt.Sprintf("%x", ed25519.Sign(key, []byte(o.text("text"))))
}

func timestamp(o object) any {
	return demand(o.number("timestamp") >= o.number("now")-300 && o.number("timestamp") <= o.number("now")+60)
}
