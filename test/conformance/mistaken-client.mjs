// A client without a library that makes the mistake named in MISTAKE, or none. It works, apart from that.
import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { createInterface } from "node:readline";
import { blake3 } from "@noble/hashes/blake3.js";
import { WebSocket } from "ws";

const { RELAY_URL: url, MISTAKE: mistake = "" } = process.env;
const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const rawKey = publicKey.export({ format: "der", type: "spki" }).subarray(-32);
const deviceId = Buffer.from(blake3(rawKey)).toString("hex");
const handled = new Set();
let token = "";
let lastWait = 0;
let isReplaced = false;
let isStreamLost = false;

const pause = (millis) => new Promise((resolve) => setTimeout(resolve, millis));

async function call(method, path, body, headers = {}) {
  const init = {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
  };
  const signal = AbortSignal.timeout(mistake === "loses patience" && path === "/v1/messages" ? 1000 : 60_000);
  const response = await fetch(url + path, { ...init, signal, ...(body && { body: JSON.stringify(body) }) });
  const answer = await response.json();
  if (mistake === "refuses additions" && answer.of_later !== undefined) throw new Error("an unknown member");
  return { status: response.status, headers: response.headers, body: answer };
}

async function announce() {
  const { body: challenge } = await call("POST", "/api/v1/announce/challenge", { public_key: rawKey.toString("hex") });
  const input = Buffer.concat([Buffer.from(challenge.challenge, "hex"), rawKey]);
  let state = createHash("sha256").update(input).digest();
  for (let i = 0; i < challenge.iterations; i++) state = createHash("sha256").update(state).digest();
  const vdf_proof = { input: input.toString("hex"), iterations: challenge.iterations, output: state.toString("hex") };
  const timestamp = Math.floor(Date.now() / 1000);
  const text = mistake === "signs another text" ? deviceId : `${deviceId}:${timestamp}`;
  const signature = sign(null, Buffer.from(text), privateKey).toString("hex");
  const body = { device_id: deviceId, public_key: rawKey.toString("hex"), signature, timestamp, vdf_proof };
  const answer = await call("POST", "/api/v1/announce", body);
  if (answer.status !== 200) process.exit(1);
  token = answer.body.access_token;
}

function handle({ message_id }) {
  if (handled.has(message_id) && mistake !== "handles repetitions") return;
  handled.add(message_id);
  console.log(`handled ${message_id}`);
}

function acknowledges(id) {
  if (mistake === "acknowledges only once" && handled.has(id)) return [];
  return mistake === "acknowledges what it never got" ? [uuid7(), id] : [id];
}

/** Repeats a failed acknowledgement, as a batch. */
async function repeat(socket, { message_id, message_ids = [message_id], retry_after }) {
  if (mistake === "forgets a failed batch" && message_id === undefined) return;
  if (mistake !== "repeats an acknowledgement at once") await pause(1000 * retry_after);
  if (mistake === "handles again what it could not acknowledge")
    for (const id of message_ids) console.log(`handled ${id}`);
  socket.send(JSON.stringify({ type: "ack_batch", message_ids }));
}

function stream() {
  const socket = new WebSocket(`${url.replace("http", "ws")}/v1/stream`);
  let waiting = 0;
  let buffered = [];
  const receive = (data) => {
    const ids = acknowledges(data.message_id);
    handle(data);
    for (const message_id of ids) socket.send(JSON.stringify({ type: "ack", message_id }));
    waiting = data.message_id;
  };
  socket.on("open", () => {
    isStreamLost = false;
    socket.send(
      JSON.stringify({ type: "auth", access_token: token, ...(mistake === "adds members" && { colour: "red" }) }),
    );
  });
  socket.on("message", (text) => {
    const frame = JSON.parse(text);
    const hasFailed = frame.message_id !== undefined || frame.message_ids !== undefined;
    if (frame.type === "error" && hasFailed && mistake !== "forgets failed acknowledgements") repeat(socket, frame);
    if (frame.type === "status" && frame.status === "reconnecting") lastWait = 1000 * (frame.retry_after ?? 0);
    if (frame.type === "status" && frame.status === "disconnected") isReplaced = true;
    if (frame.type === "ack_confirmed" && mistake === "expects confirmations in order" && frame.message_id !== waiting)
      process.exit(1);
    if (!["status", "message", "ack_confirmed", "error"].includes(frame.type) && mistake === "closes at unknown frames")
      socket.close();
    if (mistake === "refuses additions" && frame.of_later !== undefined) process.exit(1);
    if (frame.type !== "message") return;
    if (mistake !== "handles out of order") return receive(frame.data);
    buffered.push(frame.data);
    setTimeout(() => {
      for (const data of buffered.reverse()) receive(data);
      buffered = [];
    }, 200);
  });
  socket.on("error", () => {});
  socket.on("close", async () => {
    isStreamLost = true;
    if (isReplaced && mistake !== "fights for the stream") return;
    const least = mistake === "comes back too early" ? 0 : lastWait;
    lastWait = 0;
    const wait = mistake === "hammers" || mistake === "fights for the stream" ? 20 : 1000;
    await pause(mistake === "comes back too early" ? 100 : least + wait);
    stream();
  });
}

/** Polls while it has no stream. Otherwise a poll could take the messages with which the stream makes its mistake. */
async function poll() {
  for (;;) {
    await pause(1000);
    if (!isStreamLost) continue;
    const { body } = await call("GET", "/v1/messages").catch(() => ({ body: {} }));
    for (const message of body.messages ?? []) {
      handle(message);
      await call("POST", "/v1/messages/ack", { message_ids: [message.message_id] });
    }
  }
}

function uuid7() {
  const hex = Date.now().toString(16).padStart(12, "0") + randomBytes(10).toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

async function send(to, ciphertext) {
  const message = {
    message_id: uuid7(),
    recipient_address: to,
    mls_ciphertext: ciphertext,
    sender_signature: randomBytes(64).toString("hex"),
    timestamp: Math.floor(Date.now() / 1000),
  };
  for (let tries = 0; tries < 4; tries++) {
    if (tries > 0 && ["takes a new id", "loses patience"].includes(mistake)) message.message_id = uuid7();
    const answer = await call("POST", "/v1/messages", message).catch(() => undefined);
    if (answer === undefined) continue;
    const { status, body, headers } = answer;
    if (status === 202) return console.log(`sent ${body.message_id}`);
    if (body.error === "INVALID_TOKEN" && mistake !== "keeps a refused token") await announce();
    else if (body.error === "SOMETHING_OF_LATER" && mistake === "stops at unknown errors") process.exit(1);
    else if (status < 500 && status !== 429 && body.error !== "INVALID_TOKEN" && mistake !== "repeats what was refused")
      return console.log(`refused ${body.error}`);
    else if (mistake !== "ignores Retry-After") await pause(1000 * Number(headers.get("retry-after") ?? 0));
  }
  console.log("refused no-answer");
}

await announce();
poll();
stream();
console.log("ready");
for await (const line of createInterface({ input: process.stdin })) {
  const [, to, ciphertext] = line.split(" ");
  await send(to, ciphertext);
}
process.exit(0);
