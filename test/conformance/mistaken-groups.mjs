// groups-program.mjs with the mistake named in MISTAKE: it stands between the library and its platform.
import { createPrivateKey, createPublicKey, randomBytes, sign } from "node:crypto";

const { MISTAKE: mistake } = process.env;
const { fetch: send, crypto, console } = globalThis;
const secrets = [];
let addresses = [];
let deviceKey;
let isLost = false;
let isFounded = false;

const mistakes = {
  async "keeps its key packages"(asked, go) {
    const answer = { uploaded_count: 50, available_count: 50, expires_at: Math.ceil(Date.now() / 1000) + 86_400 };
    return asked.path.endsWith("/upload") ? Response.json({ device_id: asked.body.device_id, ...answer }) : go();
  },
  async "welcomes early"(asked, go) {
    if (asked.path.endsWith("/claim")) addresses = asked.body.addresses;
    if (asked.path.startsWith("/v1/slots/") && asked.method === "PUT")
      for (const to of addresses.splice(0)) await post(asked, { to, ciphertext: [2, ...randomBytes(511)] });
    return go();
  },
  async "gives up a change that has lost"(asked, go) {
    const answer = await go();
    if (asked.method !== "PUT" || (await answer.clone().json()).won !== false) return answer;
    process.exit(3);
  },
  async "takes no second slot"(asked, go) {
    if (asked.method !== "PUT" || !asked.path.startsWith("/v1/slots/")) return go();
    if (isFounded) return new Promise(() => {});
    isFounded = true;
    return go();
  },
  async "takes new ids"(asked, go) {
    if (!asked.path.endsWith("/batch")) return go();
    if (isLost) for (const one of asked.body.messages) one.message_id = `${one.message_id.slice(0, -4)}ffff`;
    isLost = true;
    const answer = await go();
    isLost = false;
    return answer;
  },
  async "sends bare messages"(asked, go) {
    if (asked.path.endsWith("/batch"))
      await post(asked, { to: asked.body.messages[0].recipient_address, ciphertext: [0, ...randomBytes(511)] });
    return go();
  },
  async "pads to other sizes"(asked, go) {
    if (asked.path.endsWith("/batch"))
      await post(asked, { to: asked.body.messages[0].recipient_address, ciphertext: [1, ...randomBytes(512)] });
    return go();
  },
  async "signs all copies alike"(asked, go) {
    const { messages = [] } = asked.body;
    for (const one of messages) one.sender_signature = messages[0].sender_signature;
    return go();
  },
  async "tells the second"(asked, go) {
    for (const one of asked.body.messages ?? []) one.timestamp = 60 * Math.floor(one.timestamp / 60) + 1;
    return go();
  },
  async "signs as the device"(asked, go) {
    const { public_key: publicKey, messages = [] } = asked.body;
    deviceKey ??= secrets.map(keyOf).find((key) => hexOf(key) === publicKey);
    for (const one of messages)
      one.sender_signature = sign(null, Buffer.from(one.mls_ciphertext, "base64"), deviceKey).toString("hex");
    return go();
  },
};

crypto.getRandomValues = (array) => {
  Object.getPrototypeOf(crypto).getRandomValues.call(crypto, array);
  if (array.length === 32) secrets.push(Buffer.from(array));
  return array;
};

globalThis.fetch = (url, init = {}) => {
  const body = init.body === undefined ? {} : JSON.parse(init.body);
  const asked = {
    path: new URL(url).pathname,
    origin: new URL(url).origin,
    method: init.method,
    headers: init.headers,
    body,
  };
  const go = () => send(url, { ...init, ...(init.body !== undefined && { body: JSON.stringify(body) }) });
  return mistakes[mistake]?.(asked, go) ?? go();
};

if (mistake === "writes another version") {
  // It reads its own form.
  const { parse, stringify } = JSON;
  const withVersion = (value, version) => (value?.type === "text" ? { ...value, version } : value);
  JSON.stringify = (value, ...rest) => stringify(withVersion(value, 2), ...rest);
  JSON.parse = (...given) => withVersion(parse(...given), 1);
}
if (mistake === "tells a text twice") {
  const { log } = console;
  console.log = (line) => log(line.startsWith("received ") ? `${line}\n${line}` : line);
}

/** Sends a message that the library knows nothing of. */
function post({ origin, headers }, { to, ciphertext }) {
  const timestamp = 60 * Math.floor(Date.now() / 60_000);
  const time = (1000 * timestamp).toString(16).padStart(12, "0");
  const random = randomBytes(9).toString("hex");
  const message = {
    message_id: `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-8${random.slice(3, 6)}-${random.slice(6)}`,
    recipient_address: to,
    mls_ciphertext: Buffer.from(ciphertext).toString("base64"),
    sender_signature: randomBytes(64).toString("hex"),
    timestamp,
  };
  return send(`${origin}/v1/messages`, { method: "POST", headers, body: JSON.stringify(message) });
}

function keyOf(secret) {
  const der = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), secret]);
  return createPrivateKey({ key: der, format: "der", type: "pkcs8" });
}

function hexOf(key) {
  return createPublicKey(key).export({ format: "der", type: "spki" }).subarray(-32).toString("hex");
}

await import("./groups-program.mjs");
