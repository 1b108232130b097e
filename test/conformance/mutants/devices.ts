import { answers, becomes, frames, type Mutant, onAnswer, refuses, remembering, requests } from "./kinds.js";

const none = "00".repeat(64);
const nobody = "00000000-0000-4000-8000-000000000000";
const foreign = "ab".repeat(32);
const unixNow = () => Math.floor(Date.now() / 1000);
const ids = () => new Set<string>();

/** Mutants of what devices ask for. */
export const deviceMutants: Readonly<Record<string, Mutant>> = {
  "discovery.document": answers("getDiscovery", ({ body }) => {
    body["server"] = "elsewhere.example";
  }),
  "discovery.documents": () => ({
    answer(passing) {
      if (passing.path === "/asyncapi.json") passing.status = 404;
    },
  }),
  "discovery.keys": answers("getSigningKeys", ({ body }) => {
    for (const key of body["keys"]) key.kid = "another";
  }),
  "discovery.up": onAnswer("getReadyz", ({ passing, body }) => becomes(passing, body, "DATABASE_UNAVAILABLE")),

  "registration.challenge": answers("createRegistrationChallenge", ({ body }) => {
    body["expires_at"] += 1_000;
  }),
  "registration.address": answers("announceWithProof", ({ body }) => {
    body["expires_at"] = unixNow() + 1_800;
  }),
  "registration.device-id": refuses(
    "announceWithProof",
    "INVALID_REQUEST",
    "INVALID_ADDRESS",
    ({ sent }) => sent["device_id"] === foreign,
  ),
  "registration.signature": refuses(
    "announceWithProof",
    "INVALID_SIGNATURE",
    "INVALID_REQUEST",
    ({ sent }) => sent["signature"] === none,
  ),
  "registration.timestamp": onAnswer("announceWithProof", ({ body }) => {
    delete body["server_timestamp"];
  }),
  "registration.audience": refuses(
    "announceWithProof",
    "INVALID_REQUEST",
    "CONFLICT",
    ({ sent }) => sent["audience"] === "elsewhere.example",
  ),
  "registration.prefixes": answers("announceDevice", ({ body }) => {
    body["announced_addresses"].push(`${nobody}@relay.test`);
  }),
  "registration.taken": refuses("announceDevice", "ADDRESS_TAKEN", "CONFLICT"),
  "registration.malformed-prefix": onAnswer("announceDevice", ({ passing, body, sent }) => {
    if (sent["delivery_address_prefixes"]?.[0] === "abc") becomes(passing, body, "CONFLICT");
  }),
  "registration.refresh": answers("refreshDeviceToken", ({ body }) => {
    body["expires_at"] = 1;
  }),
  "registration.revoke-others": answers("announceWithProof", ({ body, sent }) => {
    if (sent["revoke_others"] === true) body["access_token"] += "x";
  }),

  "registration.end-address": answers("endAddress", ({ body }) => {
    body["full_address"] = `${nobody}@relay.test`;
  }),

  "general.unknown-route": () => ({
    answer(passing) {
      if (passing.path === "/v1/conformance/nowhere") passing.status = 200;
    },
  }),
  "general.unknown-query": requests("pollMessages", (_, passing) => {
    passing.path = passing.path.replace("?colour=red", "");
  }),

  "messages.queued": answers("pollMessages", ({ body }) => {
    for (const message of body["messages"]) message.timestamp += 1;
  }),
  "messages.spelling": answers("sendMessage", ({ body }) => {
    body["message_id"] = body["message_id"].toLowerCase();
  }),
  "messages.duplicate": remembering(ids, (seen) =>
    requests("sendMessage", (sent) => {
      const key = `${sent["message_id"]} ${sent["recipient_address"]}`;
      if (seen.has(key)) sent["message_id"] = sent["message_id"].slice(0, -4) + seen.size.toString(16).padStart(4, "0");
      seen.add(seen.has(key) ? `${key} ${seen.size}` : key);
    }),
  ),
  "messages.fan-out": remembering(
    () => new Map<string, string>(),
    (first) =>
      requests("sendMessage", (sent) => {
        const recipient = first.get(sent["message_id"]);
        if (recipient === undefined) first.set(sent["message_id"], sent["recipient_address"]);
        else sent["recipient_address"] = recipient;
      }),
  ),
  "messages.unknown-recipient": refuses("sendMessage", "ADDRESS_NOT_FOUND", "INVALID_ADDRESS"),
  "messages.malformed.id": malformed(({ message_id }) => message_id === nobody),
  "messages.malformed.empty": malformed(({ mls_ciphertext }) => mls_ciphertext === ""),
  "messages.malformed.base64": malformed(({ mls_ciphertext }) => mls_ciphertext === "AB=="),
  "messages.malformed.base64url": malformed(({ mls_ciphertext }) => mls_ciphertext === "-_-_"),
  "messages.malformed.signature": malformed(({ sender_signature }) => sender_signature === ""),
  "messages.malformed.timestamp": malformed(({ timestamp }) => timestamp === "now"),
  "messages.malformed.unknown": malformed(({ sender }) => sender === "alice"),
  "messages.malformed.missing": malformed(({ timestamp }) => timestamp === undefined),
  "messages.malformed.event": malformed(({ system_event }) => system_event?.event === "party"),
  "messages.malformed.address": refuses(
    "sendMessage",
    "INVALID_ADDRESS",
    "INVALID_REQUEST",
    ({ sent }) => sent["recipient_address"] === "somewhere",
  ),
  "messages.malformed.host": refuses("sendMessage", "INVALID_ADDRESS", "INVALID_REQUEST", ({ sent }) =>
    sent["recipient_address"].endsWith("@10.0.0.1"),
  ),
  "messages.batch": answers("sendMessageBatch", ({ body }) => {
    body["accepted_count"] += 1;
  }),
  "messages.batch-size": refuses("sendMessageBatch", "INVALID_REQUEST", "MESSAGE_TOO_LARGE"),
  "messages.copies": answers("sendMessageBatch", ({ sent, body }) => {
    if (sent["one_message"] === true) body["message_statuses"][2] = { ...body["message_statuses"][0] };
  }),
  "messages.many": answers("sendMessageToMany", ({ body }) => {
    if (body["recipient_statuses"].length === 4) body["accepted_count"] += 1;
  }),
  "messages.many-size": refuses("sendMessageToMany", "INVALID_REQUEST", "MESSAGE_TOO_LARGE"),
  "messages.all-or-nothing": refuses("sendMessageToMany", "RATE_LIMIT_EXCEEDED", "QUEUE_FULL"),
  "messages.size": refuses("sendMessage", "MESSAGE_TOO_LARGE", "INVALID_REQUEST"),
  "messages.rate-limit": onAnswer("sendMessage", ({ passing }) => {
    if (passing.status === 429) delete passing.headers["retry-after"];
  }),

  "queue.redelivery": acknowledging((isFirst) => !isFirst),
  "queue.batch": answers("acknowledgeMessages", ({ body }) => {
    if (body["failed_count"] === 2) body["failed_count"] = 1;
  }),
  "queue.tenancy": acknowledging((isFirst) => isFirst),
  "queue.pages": answers("pollMessages", ({ body, passing }) => {
    if (passing.path.includes("limit=2")) body["has_more"] = false;
  }),
  "queue.since": requests("pollMessages", (_, passing) => {
    passing.path = passing.path.replace(/\?since=\d+/, "");
  }),
  "queue.bounds": requests("pollMessages", (_, passing) => {
    passing.path = passing.path.replace("limit=1001", "limit=1000");
  }),
  "queue.system-event": answers("pollMessages", ({ body }) => {
    for (const message of body["messages"]) delete message.system_event;
  }),

  "stream.auth-first": frames((frame, { sent }) =>
    frame["type"] === "error" && sent[0]?.["type"] === "ping"
      ? { ...frame, error: "INVALID_REQUEST", code: 4000 }
      : frame,
  ),
  "stream.bad-token": frames((frame, { sent }) =>
    frame["type"] === "error" && sent[0]?.["access_token"] === "nonsense" ? { ...frame, code: 4000 } : frame,
  ),
  "stream.status": frames((frame, { sent }) =>
    frame["type"] === "status" && sent.at(-1)?.["type"] === "ping" ? { ...frame, status: "reconnecting" } : frame,
  ),
  "stream.delivery": frames((frame, { sent }) => {
    const acks = sent.filter(({ type, message_id }) => type === "ack" && message_id === frame["message_id"]);
    return frame["type"] === "ack_confirmed" && acks.length > 1 ? { ...frame, acknowledged: true } : frame;
  }),
  "stream.redelivery": remembering(
    () => ({ pushed: new Map<string, object>(), kept: "" }),
    (state) =>
      frames((frame, stream) => {
        if (frame["type"] !== "message") return frame;
        const id = frame["data"].message_id;
        const isNew = (state.pushed.get(id) ?? stream) === stream;
        if (isNew) state.pushed.set(id, stream);
        // The first message alone: what comes on the stream that the broken rule left open would be kept back as well.
        else if (state.kept === "") state.kept = id;
        return state.kept === id ? undefined : frame;
      }),
  ),
  "stream.batch": frames((frame) => (frame["type"] === "ack_batch_confirmed" ? { ...frame, failed_count: 0 } : frame)),
  "stream.system": frames((frame) => (frame["type"] === "system" ? { ...frame, event: "member_added" } : frame)),
  "stream.outside": frames((frame, { received }) => {
    const errors = received.filter(({ type }) => type === "error").length;
    return frame["type"] === "error" && errors === 3 ? { ...frame, error: "INVALID_TOKEN", code: 4008 } : frame;
  }),
  "stream.large-frame": () => ({ close: (code) => (code === 1009 ? 1008 : code) }),
  "stream.renewal": frames((frame, { sent }) => {
    const auths = sent.filter(({ type }) => type === "auth").length;
    return frame["type"] === "error" && auths > 1 ? { ...frame, error: "INVALID_REQUEST", code: 4000 } : frame;
  }),
  "stream.upgrade": () => ({
    answer(passing) {
      if (passing.path === "/v1/stream") passing.status = 200;
    },
  }),
  "stream.window": frames((frame, { received }) => {
    const messages = received.filter(({ type }) => type === "message").length;
    return frame["type"] === "message" && messages === 11 ? undefined : frame;
  }),
  "stream.sends": frames((frame, { received }) => {
    const results = received.filter(
      ({ type, message_id }) => type === "send_result" && message_id === frame["message_id"],
    );
    return frame["type"] === "send_result" && results.length > 1 ? { ...frame, status: "federated" } : frame;
  }),
  "stream.online-only": frames((frame) =>
    frame["type"] === "message" ? { ...frame, data: { ...(frame["data"] as object), online: false } } : frame,
  ),
  "federation.online-only": frames((frame) => (frame["type"] === "message" ? undefined : frame)),
  "stream.replaced": frames((frame) =>
    frame["type"] === "status" && frame["status"] === "disconnected" ? { ...frame, status: "reconnecting" } : frame,
  ),
  "stream.pause": frames((frame, { sent, received }) => {
    const messages = received.filter(({ type }) => type === "message").length;
    const isLetGo = sent.length === 2 && sent[1]?.["type"] === "ack" && messages === 2;
    return frame["type"] === "message" && isLetGo ? undefined : frame;
  }),

  "keypackages.once": answers("fetchKeyPackage", ({ body }) => {
    body["remaining"] += 1;
  }),
  "keypackages.at-once": remembering(
    () => ({ open: 0, first: "" }),
    (state) => () => ({
      request: (passing) => {
        if (passing.path.startsWith("/api/v1/keypackage/fetch")) state.open++;
      },
      answer(passing) {
        if (!passing.path.startsWith("/api/v1/keypackage/fetch")) return;
        const isAtOnce = state.open > 1;
        state.open--;
        const given = /"key_package":"[^"]+"/.exec(passing.body)?.[0] ?? "";
        if (isAtOnce && state.first !== "") passing.body = passing.body.replace(given, state.first);
        if (isAtOnce && state.first === "") state.first = given;
      },
    }),
  ),
  "keypackages.last-resort": answers("fetchKeyPackage", ({ body }) => {
    delete body["last_resort"];
  }),
  "keypackages.repeated": answers("uploadKeyPackages", ({ body }) => {
    if (body["uploaded_count"] === 0) body["uploaded_count"] = 1;
  }),
  "keypackages.signature": refuses(
    "uploadKeyPackages",
    "INVALID_SIGNATURE",
    "INVALID_REQUEST",
    ({ sent }) => sent["signature"] === none,
  ),
  "keypackages.unknown": refuses("fetchKeyPackage", "DEVICE_NOT_FOUND", "NO_KEY_PACKAGES"),
  "keypackages.claim": answers("claimKeyPackages", ({ body }) => {
    body["claims"].reverse();
  }),
  "keypackages.claim-by-server": answers("claimKeyPackagesForPeer", ({ body }) => {
    for (const claim of body["claims"]) claim.address = `${nobody}@relay.test`;
  }),
  "keypackages.bounds": refuses(
    "uploadKeyPackages",
    "INVALID_REQUEST",
    "CONFLICT",
    ({ sent }) => sent["key_packages"].length === 101,
  ),

  "infopackages.uses": refuses("getInfoPackage", "INFOPACKAGE_EXHAUSTED", "NOT_FOUND"),
  "infopackages.revoke": refuses("revokeInfoPackage", "UNAUTHORIZED", "NOT_FOUND"),
  "infopackages.bounds": refuses("uploadInfoPackage", "INVALID_CONFIG", "INVALID_REQUEST"),
  "infopackages.token": refuses("revokeRevocableInfoPackage", "UNAUTHORIZED", "NOT_FOUND"),
  "infopackages.plain": answers("uploadPlainInfoPackage", ({ body }) => {
    body["decryption_key"] = "00".repeat(32);
  }),
  "infopackages.apart": remembering(ids, (seen) =>
    onAnswer("getPlainInfoPackage", ({ passing, body }) => {
      if (passing.status === 200) seen.add(passing.path);
      else if (!seen.has(passing.path)) becomes(passing, body, "UNAUTHORIZED");
    }),
  ),

  "blobs.bytes": onAnswer("downloadBlob", ({ passing }) => {
    const aboveSmall = 1_000;
    if (passing.body.length > aboveSmall) passing.body = `x${passing.body.slice(1)}`;
  }),
  "blobs.range": refuses("downloadBlob", "RANGE_NOT_SATISFIABLE", "INVALID_REQUEST"),
  "blobs.digest": refuses("uploadBlobPart", "DIGEST_MISMATCH", "INVALID_REQUEST"),
  "blobs.final": refuses("uploadBlobPart", "CONFLICT", "INVALID_REQUEST"),
  "blobs.deletion": refuses("deleteBlob", "UNAUTHORIZED", "NOT_FOUND"),
  "blobs.downloads": onAnswer("downloadBlob", ({ passing, body }) => {
    if (passing.asked["range"] !== "bytes=10-" || passing.asked["x-download-id"] === undefined) return;
    becomes(passing, body, "NOT_FOUND");
    passing.body = JSON.stringify(body);
  }),
  "blobs.lifetime": answers(
    "createBlob",
    ({ body }) => {
      body["expires_at"] += 1_000;
    },
    ({ sent }) => sent["lifetime_seconds"] === 60,
  ),
  "blobs.administrator": refuses("removeBlob", "NOT_FOUND", "BLOBS_DISABLED"),

  "slots.first": answers("getSlot", ({ body }) => {
    body["content"] = Buffer.from("what nobody sent").toString("base64");
  }),
  "slots.repetition": refuses("takeSlot", "SLOTS_RESTARTED", "CONFLICT"),
  "slots.signature": refuses("takeSlot", "INVALID_SIGNATURE", "CONFLICT"),
  "slots.many": answers("readSlots", ({ body }) => {
    body["slots"].reverse();
  }),
  "slots.elsewhere": refuses("getSlot", "INVALID_TOKEN", "CONFLICT"),
  "slots.federation": refuses("askSlot", "SLOTS_RESTARTED", "CONFLICT"),

  "push.key": answers("getDiscovery", ({ body }) => {
    if (body["push"] !== undefined) body["push"].vapid_key = Buffer.alloc(65, 5).toString("base64url");
  }),
  "push.endpoints": refuses("subscribeToPush", "PUSH_ENDPOINT_REFUSED", "INVALID_REQUEST"),

  "provisioning.once": refuses("putProvisioningBlob", "CONFLICT", "NOT_FOUND"),
  "provisioning.token": refuses("pollProvisioningBlob", "UNAUTHORIZED", "NOT_FOUND"),
  "provisioning.code": refuses("getLinkingCode", "NOT_FOUND", "CONFLICT"),
  "provisioning.wait": requests("pollProvisioningBlob", (_, passing) => {
    passing.path = passing.path.replace("?wait=20", "");
  }),
  "provisioning.unknown": refuses("createProvisioning", "INVALID_REQUEST", "CONFLICT"),

  "moderation.report": remembering(ids, (seen) =>
    answers("reportSpam", ({ body }) => {
      if (seen.has(body["report_id"])) body["report_id"] = nobody;
      seen.add(body["report_id"]);
    }),
  ),
  "moderation.one-report": remembering(
    () => ({ reports: 0 }),
    (state) => () => ({
      answer(passing) {
        if (passing.path === "/v1/spam/report" && passing.status === 200) state.reports++;
        if (passing.path !== "/v1/messages" || passing.method !== "POST" || state.reports < 2) return;
        const body = {};
        becomes(passing, body, "INVALID_ADDRESS");
        passing.body = JSON.stringify(body);
      },
    }),
  ),
  "moderation.unknown": refuses("reportSpam", "DEVICE_NOT_FOUND", "NOT_FOUND"),
};

/** A malformed message is refused as if its address were wrong. */
// biome-ignore lint/suspicious/noExplicitAny: the members of a request, right or wrong
function malformed(isMeant: (sent: any) => boolean): Mutant {
  return refuses("sendMessage", "INVALID_REQUEST", "INVALID_ADDRESS", ({ sent }) => isMeant(sent));
}

/** Says that something was removed although nothing was: at the first call for an id, or at later ones. */
function acknowledging(lies: (isFirst: boolean) => boolean): Mutant {
  return remembering(ids, (seen) =>
    answers("acknowledgeMessage", ({ body, passing }) => {
      if (lies(!seen.has(passing.path))) body["acknowledged"] = true;
      seen.add(passing.path);
    }),
  );
}
