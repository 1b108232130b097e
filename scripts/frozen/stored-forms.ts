import { privateKeyFromRaw, publicKeyFromRaw, thumbprint } from "../../src/auth/ed25519-keys.js";
import { keyedHash } from "../../src/auth/keyed-hash.js";
import { createMasterKey } from "../../src/auth/master-key.js";
import { createTokens, type TokenKind } from "../../src/auth/tokens.js";
import { type BackupPart, decodeArchive, encodeArchive, formatVersion } from "../../src/backup/archive.js";
import { pack, unpack } from "../../src/backup/encryption.js";
import {
  readCompactInfoQr,
  readInfoLink,
  writeCompactInfoQr,
  writeInfoLink,
} from "../../src/client/infopackages/compact-info-qr.js";
import { openGroupInvite, sealInfoPackage } from "../../src/client/infopackages/info-packages.js";
import { openLinkingPayload, sealLinkingPayload } from "../../src/client/linking/linking-payload.js";
import { readLinkingQr, writeLinkingQr } from "../../src/client/linking/linking-qr.js";
import { readAnswer, signAnswer } from "../../src/federation/peers/challenge-response.js";
import { openBackup, sealBackup } from "../../src/groups/recovery/backup-file.js";
import { readRecoveryKey } from "../../src/groups/recovery/recovery-key.js";
import { encryptContent } from "../../src/infopackages/plain-package.js";
import { keyOf, tagOf, uuidOfKey } from "../../src/messages/ingest/deduplication/message-key.js";
import type { Envelope } from "../../src/messages/model/types.js";
import { decode, encode } from "../../src/messages/presence/packet.js";
import { createPacketSeal } from "../../src/node/sealed-packets.js";
import { joinAttached, splitAttached } from "../../src/platform/attached-bytes.js";
import type { MessageId, Prefix } from "../../src/protocol/identifiers.js";
import { newInviteHandle, parseInviteHandle } from "../../src/protocol/invite-handle.js";
import { publicKeyOf } from "../../src/protocol/signature.js";
import { base64, bytesOf, constantBytes, constantRandom, type Form } from "./form.js";

const domain = "relay.example";
const nowSeconds = 1_795_000_000;
const seed = constantBytes("signing key");
const publicKey = publicKeyOf(seed);
const kid = thumbprint(publicKey);
const plain = Buffer.from("what is stored");

const invite = {
  group_id: "group",
  group_name: "Name",
  welcome_message: "d2VsY29tZQ==",
  invited_by: "user",
  invited_by_name: "User",
  created_at: nowSeconds,
};
const infoKey = constantRandom("info package").bytes(32);
const info = {
  url: "https://relay.example/i/1",
  key: infoKey,
  packageType: "group_invite",
  displayName: "Name",
} as const;

const provisioningAddress = `00112233-4455-4677-8899-aabbccddeeff@${domain}`;
const linkingSeed = constantBytes("new device");
const linkingQr = {
  ephemeralPublicKey: publicKeyOf(linkingSeed),
  provisioningAddress,
  server: "https://relay.example",
  expiresAt: nowSeconds + 60,
};

const recoveryKey = "00000 00001 00002 00003 00004 00005 00006 00007 00008 00009";

const envelope: Envelope = {
  messageId: "019d0000-0000-7000-8000-000000000001" as MessageId,
  recipient: "00112233-4455-6677-8899-aabbccddeeff" as Prefix,
  ciphertext: plain,
  senderSignature: "00".repeat(64),
  timestamp: nowSeconds,
  systemEvent: null,
};
const messageSecret = constantBytes("secret of message keys");

const packet = {
  arrivals: [
    {
      deviceId: "a".repeat(64),
      from: 3,
      head: 4,
      messages: [
        {
          position: 4,
          messageId: envelope.messageId,
          ciphertext: plain,
          senderSignature: envelope.senderSignature,
          timestamp: nowSeconds,
          receivedAt: nowSeconds,
          systemEvent: null,
        },
      ],
    },
  ],
  wake: ["b".repeat(64)],
  replaced: ["stream"],
} as unknown as Parameters<typeof encode>[0];

/** An age identity that nothing else uses. */
const ageIdentity = "AGE-SECRET-KEY-1FVWKKH909W558M5MJKXJ85NF899KN0QQSTVACUG2MZNJTMS0WA7S893E3C";
const ageRecipient = "age1cva4qnzfxz3ac0z8ve74pne9vjgjy5q7ll3agnt2d876c2y355vqjd4n6s";

/** What outlives a restart or leaves the relay: tokens, sealed and hashed values, backups, packets, links. */
export const storedForms: readonly Form[] = [
  ...(["device", "admin", "federation", "invite"] as const).map(tokenForm),
  { name: "id of a signing key", write: () => kid },
  {
    name: "answer to a peer's challenge",
    write: () =>
      signAnswer({ nonce: "nonce", originServer: domain, audience: "peer.example" }, privateKeyFromRaw(seed)),
    read: (sample) => readAnswer(sample, publicKeyFromRaw(publicKey)),
  },
  {
    name: "handle of an invite",
    write: () => newInviteHandle(constantBytes("invite").subarray(0, 19)),
    read: (sample) => parseInviteHandle(sample.toLowerCase().replaceAll("-", " ")),
  },
  {
    name: "value sealed under the master key",
    write: () => base64(masterKey().seal("a purpose", plain)),
    read: (sample) => Buffer.from(masterKey().open("a purpose", bytesOf(sample))).toString(),
  },
  { name: "keyed hash", write: () => base64(keyedHash(constantBytes("secret"), "part", plain, "")) },
  {
    name: "key of a device's message",
    write: () => uuidOfKey(keyOf(messageSecret, { kind: "device", deviceId: "a".repeat(64) }, envelope)),
  },
  {
    name: "dedup_tag of a message for a peer",
    write: () =>
      tagOf(
        keyOf(messageSecret, { kind: "device", deviceId: "a".repeat(64) }, { ...envelope, domain: "peer.example" }),
      ),
  },
  {
    name: "key of a peer's message",
    write: () => uuidOfKey(keyOf(messageSecret, { kind: "peer", domain: "peer.example" }, envelope)),
  },
  {
    name: "key of a peer's message with a dedup_tag",
    write: () => {
      const dedupTag = "5110012c00112233445566778899aabb";
      return uuidOfKey(keyOf(messageSecret, { kind: "peer", domain: "peer.example" }, { ...envelope, dedupTag }));
    },
  },
  {
    name: "backup",
    write: async () => base64(await collect(encodeArchive(each(backupParts)))),
    read: (sample) => partsOf(each([bytesOf(sample)])),
  },
  {
    name: "compressed backup",
    record: async () => base64(await collect(pack(encodeArchive(each(backupParts)), []))),
    read: (sample) => partsOf(unpack(each([bytesOf(sample)]), [])),
  },
  {
    name: "encrypted backup",
    record: async () => base64(await collect(pack(encodeArchive(each(backupParts)), [ageRecipient]))),
    read: (sample) => partsOf(unpack(each([bytesOf(sample)]), [ageIdentity])),
  },
  {
    name: "payload of a linked device",
    write: () => sealLinkingPayload(plain, linkingQr, constantRandom("linking").bytes).ciphertext,
    read: (sample) => {
      const { code, payloadAfterComparison } = openLinkingPayload(sample, {
        secretKey: linkingSeed,
        provisioningAddress,
      });
      return { code, payload: Buffer.from(payloadAfterComparison()).toString() };
    },
  },
  {
    name: "backup of a user",
    write: async () => {
      const { fileKey } = readRecoveryKey(recoveryKey);
      const { bytes: randomBytes } = constantRandom("backup of a user");
      return base64(await collect(sealBackup(each([{ user: "Ada" }, { key: plain }]), { fileKey, randomBytes })));
    },
    read: async (sample) => {
      const records: unknown[] = [];
      const { fileKey } = readRecoveryKey(recoveryKey);
      for await (const one of openBackup(each([bytesOf(sample)]), fileKey)) records.push(one);
      return shown(records);
    },
  },
  {
    name: "QR code of a new device",
    write: () => writeLinkingQr(linkingQr),
    read: (sample) => shown(readLinkingQr(sample, nowSeconds)),
  },
  {
    name: "info package that a client encrypts",
    write: () => sealInfoPackage(invite, constantRandom("info package").bytes).ciphertext,
    read: (sample) => openGroupInvite(sample, infoKey),
  },
  {
    name: "info package that the relay encrypts",
    write: () => base64(encryptContent(invite, constantRandom("info package")).ciphertext),
    read: (sample) => openGroupInvite(sample, infoKey),
  },
  ...(["infopackage", "info_package"] as const).map((form) => ({
    name: `QR code of an info package (${form})`,
    write: () => writeCompactInfoQr(info, form),
    read: (sample: string) => shown(readCompactInfoQr(sample)),
  })),
  {
    name: "link to an info package",
    write: () => writeInfoLink(info),
    read: (sample) => shown(readInfoLink(sample)),
  },
  {
    name: "delivery with attached bytes",
    write: () => base64(joinAttached('{"messages":[]}', plain)),
    read: (sample) => {
      const parts = splitAttached(bytesOf(sample));
      return parts && { json: parts.json.toString(), attached: parts.attached.toString() };
    },
  },
  {
    name: "packet between nodes",
    write: () => base64(encode(packet)),
    read: (sample) => shown(decode(bytesOf(sample))),
  },
  {
    name: "sealed packet on the bus",
    write: () => base64(sealOf("00".repeat(8)).seal(plain, "11".repeat(8))),
    read: (sample) => sealOf("11".repeat(8)).open(bytesOf(sample)).toString(),
  },
];

function tokenForm(kind: TokenKind): Form {
  const tokens = () =>
    createTokens({
      signingKeys: {
        signer: async () => ({ kid, privateKey: privateKeyFromRaw(seed) }),
        verifier: (id) => (id === kid ? publicKeyFromRaw(publicKey) : undefined),
      },
      clock: { nowMillis: () => 1_000 * nowSeconds, nowSeconds: () => nowSeconds },
      random: constantRandom(`token: ${kind}`),
      domain,
      config: { tokenCacheEntries: 1, retiredKeySeconds: 1_000 },
    });
  const extra = kind === "invite" ? { max_uses: 3 } : {};
  return {
    name: `token: ${kind}`,
    write: async () => (await tokens().issue(kind, { sub: "subject", lifetimeSeconds: 600, extra })).token,
    read: (sample) => tokens().verify(kind, sample),
  };
}

function masterKey() {
  return createMasterKey(constantBytes("master key"), constantRandom("nonce"));
}

function sealOf(nodeId: string) {
  return createPacketSeal({ nodeId, secret: constantBytes("secret of packets") });
}

const backupParts: readonly BackupPart[] = [
  {
    kind: "header",
    header: {
      format: formatVersion,
      softwareVersion: "0.0.0",
      domain,
      takenAt: nowSeconds,
      postgres: "18.0",
      migrations: ["0001-baseline"],
      sealed: { purpose: "a purpose", base64: "AQ==" },
    },
  },
  { kind: "table", table: { name: "settings", columns: ["name", "value"], partitions: null } },
  { kind: "data", data: Buffer.from("a\t1\n") },
  { kind: "tableEnd", end: { name: "settings", rows: 1 } },
  { kind: "end", end: { tables: 1, rows: 1, sequences: [{ name: "s", value: 7 }] } },
];

async function partsOf(bytes: AsyncIterable<Uint8Array>): Promise<unknown> {
  const parts: unknown[] = [];
  for await (const part of decodeArchive(bytes)) parts.push(part.kind === "data" ? part.data.toString() : part);
  return parts;
}

async function* each<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values;
}

async function collect(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** A value with its bytes as base64, so that it can be written as JSON. */
function shown(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, function (this: Record<string, unknown>, name, shownAlready) {
      const own = this[name];
      return own instanceof Uint8Array ? base64(own) : shownAlready;
    }) ?? "null",
  );
}
