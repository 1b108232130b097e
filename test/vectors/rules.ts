import { createHash, X509Certificate } from "node:crypto";
import { getCiphersuiteFromName, getCiphersuiteImpl, mlsExporter } from "ts-mls";
import { type PublicJwk, publicKeyFromRaw, thumbprint } from "../../src/auth/ed25519-keys.js";
import { verifySignature } from "../../src/auth/signature-check.js";
import { createTokens, type TokenKind } from "../../src/auth/tokens.js";
import { ChunkOpener, type ReadFile, sealChunks } from "../../src/client/blobs/blob-encryption.js";
import { type EpochKeys, epochKeysOf, openEnvelope, sealEnvelope } from "../../src/client/crypto/envelope.js";
import { readInfoLink } from "../../src/client/infopackages/compact-info-qr.js";
import { openGroupInvite } from "../../src/client/infopackages/info-packages.js";
import { openLinkingPayload, sealLinkingPayload } from "../../src/client/linking/linking-payload.js";
import {
  messageReference,
  readContactRequest,
  readSvcMessage,
  readSystemOperation,
} from "../../src/client/messages/svc-messages.js";
import { openWelcome } from "../../src/client/sealing/sealed-welcomes.js";
import { commitSlotKey } from "../../src/client/slots/slot-names.js";
import { isSlotReceipt } from "../../src/client/slots/slot-receipts.js";
import { takenInTurn } from "../../src/client/slots/user-attempts.js";
import { createInboundDelivery } from "../../src/federation/inbound/deliver.js";
import { readReceipt } from "../../src/federation/outbox/receipt.js";
import { readAnswer } from "../../src/federation/peers/challenge-response.js";
import { createDiscoveryClient } from "../../src/federation/peers/discovery.js";
import { PeerError } from "../../src/federation/peers/types.js";
import { doorKeysOf } from "../../src/groups/membership/door-keys.js";
import { readInvitationLink } from "../../src/groups/membership/invitation-links.js";
import { readRequest } from "../../src/groups/membership/request-encoding.js";
import { readJoinerWelcome, withGroupInfo } from "../../src/groups/membership/welcomes.js";
import { isSigned, readIdentity } from "../../src/groups/mls/members.js";
import { areNewer, keysOf } from "../../src/groups/mls/user-keys.js";
import { deviceKey, uuidOfKey } from "../../src/messages/ingest/deduplication/message-key.js";
import { createSystemRandom } from "../../src/platform/random.js";
import { parseAddress, parseDomain } from "../../src/protocol/address.js";
import { computeDelayProof, delayProofInput, segmentsOf } from "../../src/protocol/delay-proof.js";
import { decodeBase64, decodeHex, encodeBase64, encodeHex, utf8 } from "../../src/protocol/encodings.js";
import { bestHashChains } from "../../src/protocol/hash-chain.js";
import { deviceIdOf, parseMessageId, parsePrefix, parsePublicKey } from "../../src/protocol/identifiers.js";
import { parseInviteHandle } from "../../src/protocol/invite-handle.js";
import { canBeReported, newReportableId } from "../../src/protocol/report-handles.js";
import { sign, verifyBytes } from "../../src/protocol/signature.js";
import * as texts from "../../src/protocol/signed-text.js";
import { takingKeyFrom } from "../../src/protocol/taking-key.js";
import { demandHolder } from "../../src/slots/taking-signature.js";

/** The arguments of a rule, as the vectors give them; each rule knows its own. */
// biome-ignore lint/suspicious/noExplicitAny: the schema leaves them to the rule
export type Given = any;

/** What a rule throws in place of a result. */
export class Refused extends Error {
  override readonly name = "Refused";
}

/** The project's own code for each rule of the vectors. */
export const rules: Readonly<Record<string, (given: Given) => unknown>> = {
  hex: ({ text }) => found(decodeHex(text) && encodeHex(bytesOf(text)), "INVALID_REQUEST"),
  base64: ({ text }) => encodeHex(found(decodeBase64(text), "INVALID_REQUEST")),

  device_id: ({ public_key }) => deviceIdOf(found(parsePublicKey(public_key), "INVALID_REQUEST")),
  message_id: ({ text }) => found(parseMessageId(text), "INVALID_REQUEST"),
  address_prefix: ({ text }) => found(parsePrefix(text), "INVALID_ADDRESS"),
  invite_handle: ({ text }) => found(parseInviteHandle(text), "INVALID_REQUEST"),

  domain: ({ text }) => found(parseDomain(text), "INVALID_ADDRESS"),
  address({ text }) {
    const { prefix, domain } = found(parseAddress(text), "INVALID_ADDRESS");
    return { prefix, domain };
  },

  signed_text: (given) => signedTexts[given.kind]?.(given),
  signed_request: ({ public_key, signature, ...given }) =>
    rules["verify"]?.({ public_key, signature, text: signedTexts[given.kind]?.(given) }),
  sign: ({ secret_key, text }) => refusing(() => sign(bytesOf(secret_key), text)),
  verify({ public_key, text, signature }) {
    const byServer = verifySignature(bytesOf(public_key), text, signature);
    const byClient = verifyBytes(bytesOf(public_key), utf8(text), signature);
    return demand(byServer && byClient, "INVALID_SIGNATURE");
  },
  timestamp: ({ timestamp, now }) =>
    demand(texts.isTimely({ timestamp, nowSeconds: now, pastSeconds: 300, futureSeconds: 60 }), "INVALID_REQUEST"),

  async delay_proof({ challenge, public_key, iterations }) {
    const input = refusing(() => delayProofInput(bytesOf(challenge), bytesOf(public_key)));
    const { output, checkpoints = [] } = await computeDelayProof({ input, iterations, checkpoints: true });
    return { input: encodeHex(input), output: encodeHex(output), checkpoints: checkpoints.map(encodeHex) };
  },
  async delay_proof_check(given) {
    const { challenge, public_key, iterations, input, output, checkpoints } = given;
    const isInput = input === encodeHex(delayProofInput(bytesOf(challenge), bytesOf(public_key)));
    const proof = {
      input: bytesOf(input),
      iterations,
      output: bytesOf(output),
      checkpoints: checkpoints?.map(bytesOf),
    };
    const chains = await bestHashChains();
    const areRight = segmentsOf(proof).every(({ start, steps, end }) => {
      const [reached] = chains.advance([start], steps);
      return encodeHex(found(reached, "INVALID_PROOF")) === encodeHex(end);
    });
    return demand(isInput && areRight, "INVALID_PROOF");
  },

  key_id: ({ public_key }) => thumbprint(found(parsePublicKey(public_key), "INVALID_REQUEST")),
  async token({ token, kind, domain, now, keys }) {
    const known = (keys as PublicJwk[]).map(
      ({ kid, x }) => [kid, publicKeyFromRaw(Buffer.from(x, "base64url"))] as const,
    );
    const byId = new Map(known);
    const tokens = createTokens({
      signingKeys: { signer: () => Promise.reject(new Error("signs nothing")), verifier: (kid) => byId.get(kid) },
      clock: { nowSeconds: () => now } as never,
      random: createSystemRandom(),
      domain,
      config: { tokenCacheEntries: 10, retiredKeySeconds: 1 },
    });
    return (await tokens.verify(kind as TokenKind, token)).subject;
  },

  sent_proof({ secret, sender_id, message_id, recipient_prefix }) {
    const messageId = found(parseMessageId(message_id), "INVALID_REQUEST");
    const prefix = found(parsePrefix(recipient_prefix), "INVALID_ADDRESS");
    const key = deviceKey(bytesOf(secret), { senderId: sender_id, messageId, prefix });
    return uuidOfKey(key).slice(0, -2);
  },
  sent_proof_check: ({ kept, ...given }) => demand(rules["sent_proof"]?.(given) === kept, "REFUSED"),

  reportable_id: ({ millis, handle }) => newReportableId(millis, bytesOf(handle)),
  reportable_id_check: ({ message_id, handle }) =>
    demand(canBeReported(message_id, handle && bytesOf(handle)), "REFUSED"),

  async slot_seed_context({ attempt, domain }) {
    let exported = new Uint8Array();
    const exporter = (_label: string, context: Uint8Array, length: number) => {
      exported = new Uint8Array(context);
      return new Uint8Array(length);
    };
    await commitSlotKey({ domain }, { exporter, attempt }).catch(refuse);
    return encodeHex(exported);
  },
  slot_taking({ seed, domain, content }) {
    const { slot, sign } = refusing(() => takingKeyFrom(bytesOf(seed), domain));
    return { slot, ...sign(base64Of(content)) };
  },
  async slot_of_takers({ secret, users, taken }) {
    const takers = { users: () => users.map((keys: string[]) => keys.map(bytesOf)), secretKey: new Uint8Array(32) };
    const inTurn = await takenInTurn({ domain: "relay.example" }, async () => bytesOf(secret), takers);
    const { slot } = inTurn.attempt(2 + taken.length, taken) ?? refuse();
    return slot;
  },
  slot_taking_check({ slot, domain, content, public_key, signature, path }) {
    const [name, publicKey] = [Buffer.from(slot, "hex"), Buffer.from(public_key, "hex")];
    const taking = {
      slot: name,
      content: Buffer.from(content, "base64"),
      slotKey: publicKey,
      publicKey,
      signature,
      path: path?.map((node: string) => Buffer.from(node, "hex")),
    };
    demandHolder(taking, domain);
    return true;
  },
  slot_receipt({ slot_key, domain, slot, content, receipt }) {
    const bytes = Buffer.from(content, "base64");
    const relay = { domain, slotKey: bytesOf(slot_key) };
    const content_sha256 = createHash("sha256").update(bytes).digest("hex");
    const shown = { domain, slot, slot_key, content_sha256, signature: receipt };
    return demand(isSlotReceipt(shown, { relay, slot, content: bytes }), "INVALID_SIGNATURE");
  },

  async envelope_keys({ exporter_secret }) {
    const suite = await getCiphersuiteImpl(
      getCiphersuiteFromName("MLS_128_DHKEMX25519_CHACHA20POLY1305_SHA256_Ed25519"),
    );
    const { sealKey, hintKey, signatureKey } = await epochKeysOf((label, context, length) =>
      mlsExporter(bytesOf(exporter_secret), label, context, length, suite),
    );
    return { seal_key: encodeHex(sealKey), hint_key: encodeHex(hintKey), signature_key: encodeHex(signatureKey) };
  },
  envelope_seal: ({ content, nonce, max_bytes, ...keys }) =>
    refusing(() =>
      encodeBase64(
        sealEnvelope(epochKeys(keys), bytesOf(content), { maxBytes: max_bytes, randomBytes: () => bytesOf(nonce) }),
      ),
    ),
  envelope_open: ({ envelope, ...keys }) =>
    encodeHex(found(openEnvelope(epochKeys(keys), base64Of(envelope)), "REFUSED")),
  async door_keys({ secret }) {
    const { sealKey, hintKey, signatureKey } = await doorKeysOf(bytesOf(secret));
    return { seal_key: encodeHex(sealKey), hint_key: encodeHex(hintKey), signature_key: encodeHex(signatureKey) };
  },
  invitation_link({ link }) {
    const { group, name, invitation, secret, to, expiresAtSeconds } = refusing(() => readInvitationLink(link));
    return { group, name, invitation, to: to.sort(), secret: encodeBase64(secret), expires_at: expiresAtSeconds };
  },
  join_request: ({ content }) => encodeBase64(found(readRequest(bytesOf(content)), "REFUSED").keyPackage),
  joiner_welcome({ content, relay, group_info }) {
    const { welcome = new Uint8Array(), reference } = refusing(() => readJoinerWelcome(bytesOf(content), relay));
    if (reference === undefined) return { welcome: encodeBase64(welcome) };
    const whole = refusing(() => withGroupInfo(welcome, base64Of(group_info)));
    return { welcome: encodeBase64(whole), url: reference.url };
  },
  leaf_identity({ identity, signature_key }) {
    const read = found(readIdentity(utf8(identity)), "REFUSED");
    demand(isSigned(read, bytesOf(signature_key)), "REFUSED");
    const { device, address, recovery } = read;
    return { keys: keysOf(read), device, address, ...(recovery && { recovery }) };
  },
  user_keys_newer: ({ keys, than }) => areNewer(keys, than),
  async blob_seal(given) {
    const { blob, hash } = await sealedFile(given);
    const sealed_sha256 = createHash("sha256").update(blob).digest("hex");
    return { sealed_bytes: blob.length, sealed_sha256, plaintext_hash: hash };
  },
  async blob_open({ key, file_bytes, plaintext_hash, blob: { chunks, flipped, cut = 0, ...other } }) {
    const { blob } = await sealedFile(other);
    const chunkBytes = 65_536 + 16;
    const pieces = chunks.map((at: number) => blob.subarray(at * chunkBytes, (at + 1) * chunkBytes));
    const data = Buffer.concat(pieces);
    if (flipped !== undefined) data[flipped] = (data[flipped] as number) ^ 1;
    const whole = data.subarray(0, data.length - cut);
    const wanted = { key: bytesOf(key), fileSize: file_bytes, plaintextHash: plaintext_hash };
    const opener = new ChunkOpener(wanted, () => new Refused("REFUSED"));
    const file = createHash("sha256");
    let at = 0;
    for (; opener.nextBytes > 0; ) {
      const { nextBytes } = opener;
      file.update(opener.open(Uint8Array.from(whole.subarray(at, at + nextBytes))));
      at += nextBytes;
    }
    demand(at === whole.length, "REFUSED");
    opener.finish();
    return file.digest("hex");
  },
  async welcome_open({ cipher_suite, init_private_key, sealed }) {
    const keyPackage = { cipherSuite: cipher_suite, initPrivateKey: bytesOf(init_private_key) };
    return encodeHex(found(await openWelcome([keyPackage], base64Of(sealed)), "REFUSED").welcome);
  },

  linking_seal({ payload, ephemeral_public_key, provisioning_address, sender_secret }) {
    const qr = { ephemeralPublicKey: bytesOf(ephemeral_public_key), provisioningAddress: provisioning_address };
    return refusing(() => sealLinkingPayload(bytesOf(payload), qr, () => bytesOf(sender_secret)));
  },
  linking_open({ ciphertext, secret_key, provisioning_address }) {
    const keys = { secretKey: bytesOf(secret_key), provisioningAddress: provisioning_address };
    const { code, payloadAfterComparison } = refusing(() => openLinkingPayload(ciphertext, keys));
    return { payload: encodeHex(payloadAfterComparison()), code };
  },

  info_package_open: ({ ciphertext, key }) => refusing(() => openGroupInvite(ciphertext, bytesOf(key))),
  info_link({ link }) {
    const { url, key } = refusing(() => readInfoLink(link));
    return { url, key: encodeHex(key) };
  },

  svc_message: ({ content }) => refusing(() => readSvcMessage(utf8(content))),
  message_reference: ({ sender, message_id }) => messageReference(sender, message_id),
  system_operation: ({ content }) => refusing(() => readSystemOperation(utf8(content))),
  contact_request({ content }) {
    const { key_package, ...request } = refusing(() => readContactRequest(utf8(content)));
    return { ...request, ...(key_package && { key_package: encodeBase64(key_package) }) };
  },

  async federation_transcript({ domain, origin_server, discovery, challenge, authentication, delivery, receipt }) {
    const { federationUrl } = await discover(domain, discovery);
    await rules["challenge_answer"]?.({ nonce: challenge.nonce, domain, ...authentication });
    demand(authentication.origin_server === origin_server, "INVALID_CERTIFICATE");
    await checkDelivery(authentication.origin_server, delivery);
    const { transaction_id, messages } = delivery.body;
    const said = rules["receipt"]?.({ body: receipt, transaction_id, count: messages.length }) as Given;
    const isLeft = ({ message_id }: Given) => !said.rejected.some((one: Given) => one.message_id === message_id);
    const accepted =
      said.accepted === "others" ? messages.filter(isLeft).map((one: Given) => one.message_id) : said.accepted;
    return { url: federationUrl + delivery.path, accepted, rejected: said.rejected };
  },
  async challenge_answer({ nonce, origin_server, domain, server_certificate, challenge_response }) {
    const { publicKey } = new X509Certificate(Buffer.from(server_certificate, "base64"));
    const answer = await readAnswer(challenge_response, publicKey);
    const isExpected = answer?.nonce === nonce && answer?.originServer === origin_server && answer?.audience === domain;
    return demand(isExpected, "INVALID_CERTIFICATE");
  },
  receipt({ body, transaction_id, count }) {
    const receipt = readReceipt(body, { id: transaction_id, count });
    if (receipt.kind !== "listed") throw new Refused("UNREADABLE");
    const { accepted, rejected } = receipt;
    return {
      accepted: accepted === "others" ? accepted : [...accepted].map(parseMessageId),
      rejected: rejected.map(({ messageId, error }) => ({ message_id: parseMessageId(messageId), error })),
    };
  },
};

/** The relay's client of discovery, with the document in place of the network. */
async function discover(domain: string, document: object) {
  const body = Buffer.from(JSON.stringify(document));
  const client = createDiscoveryClient({
    http: { send: async () => ({ status: 200, headers: {}, body }) } as never,
    counts: { counted: (_: unknown, ask: () => Promise<unknown>) => ask() } as never,
    clock: { nowSeconds: () => 0 } as never,
    config: { federationPorts: [443], federationAllowAnyPort: false } as never,
  });
  try {
    return await client.discover(domain as never);
  } catch (error) {
    throw error instanceof PeerError ? new Refused("UNREADABLE") : error;
  }
}

/** The relay's checks of a delivery's names, which come before everything that needs a database. */
async function checkDelivery(caller: string, { path, headers, body }: Given): Promise<void> {
  const passed = new Error("the names agree");
  const admission = {
    nameOf() {
      throw passed;
    },
  };
  const names = {
    ...{ caller, originHeader: headers["x-origin-server"], originServer: body.origin_server },
    ...{ transactionId: body.transaction_id, pathTransactionId: path.split("/").at(-1) },
  };
  const delivering = createInboundDelivery({ admission } as never).deliver({ ...names, messages: [] } as never);
  await delivering.catch((error: unknown) => {
    if (error !== passed) throw error;
  });
}

const signedTexts: Readonly<Record<string, (given: Given) => string>> = {
  announcement: (given) => texts.announcementText({ ...given, deviceId: given.device_id }),
  prefix_announcement: (given) =>
    texts.prefixAnnouncementText({ ...given, deviceId: given.device_id, prefixes: given.delivery_address_prefixes }),
  key_packages: (given) =>
    texts.keyPackagesText({
      ...given,
      deviceId: given.device_id,
      keyPackages: given.key_packages,
      lastResortKeyPackage: given.last_resort_key_package,
    }),
  admin_challenge: (given) => texts.adminChallengeText(given),
  block_list: ({ document }) => texts.blocklistText(document),
  slot_receipt: (given) => texts.slotReceiptText({ ...given, contentHash: given.content_hash }),
  slot_taking: (given) => texts.slotTakingText({ ...given, contentHash: given.content_hash }),
};

/** Of a file whose bytes are their numbers, modulo 251. */
async function sealedFile({ key, file_bytes: fileSize }: Given): Promise<{ blob: Uint8Array; hash: string }> {
  const file = Uint8Array.from({ length: fileSize }, (_, at) => at % 251);
  async function* source() {
    yield file;
  }
  let read: ReadFile | undefined;
  const onRead = (now: ReadFile) => {
    read = now;
  };
  const chunks: Uint8Array[] = [];
  for await (const chunk of sealChunks(source(), { key: bytesOf(key), fileSize, onRead })) chunks.push(chunk);
  return { blob: Buffer.concat(chunks), hash: found(read, "REFUSED").hash() };
}

function epochKeys({ seal_key, hint_key }: Given): EpochKeys {
  return { sealKey: bytesOf(seal_key), hintKey: bytesOf(hint_key), signatureKey: new Uint8Array(32) };
}

function base64Of(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, "base64"));
}

function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex, "hex"));
}

function found<T>(value: T | undefined, error: string): T {
  if (value === undefined) throw new Refused(error);
  return value;
}

function demand(is: boolean, error: string): true {
  if (!is) throw new Refused(error);
  return true;
}

/** The client's refusals have texts for people. */
function refusing<T>(act: () => T): T {
  try {
    return act();
  } catch {
    return refuse();
  }
}

function refuse(): never {
  throw new Refused("REFUSED");
}
