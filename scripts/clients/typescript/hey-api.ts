// A client based on what @hey-api/openapi-ts generates from the contract.
import { readFile } from "node:fs/promises";
import { createClient, createConfig } from "./made/client/index.js";
import type { AnnounceDeviceRequest, SendMessageRequest } from "./made/index.js";
import { acknowledgeMessages, announceDevice, pollMessages, sendMessage } from "./made/index.js";

interface Task {
  url: string;
  announcements: AnnounceDeviceRequest[];
  message: SendMessageRequest;
  unknown: SendMessageRequest;
  over: SendMessageRequest;
}

const task = JSON.parse(await readFile(process.argv[2] ?? "", "utf8")) as Task;
const client = createClient(createConfig({ baseUrl: task.url }));
const tokens: string[] = [];
for (const body of task.announcements) {
  const { data } = await announceDevice({ client, body });
  if (data === undefined) throw new Error("the announcement was refused");
  tokens.push(data.access_token);
}
const [sender = "", recipient = ""] = tokens;
const asSender = { client, auth: sender };
const asRecipient = { client, auth: recipient };

const sent = await sendMessage({ ...asSender, body: task.message });
if (sent.data?.status !== "queued") throw new Error("the message was not queued");
const polled = await pollMessages({ ...asRecipient, query: { limit: 10 as never } });
const [got] = polled.data?.messages ?? [];
if (got?.mls_ciphertext !== task.message.mls_ciphertext) throw new Error("the message did not arrive");
const acknowledged = await acknowledgeMessages({ ...asRecipient, body: { message_ids: [got.message_id] } });
if (Number(acknowledged.data?.acknowledged_count) !== 1) throw new Error("the message was not acknowledged");
const rest = await pollMessages(asRecipient);
if (rest.data?.messages.length !== 0) throw new Error("something is left in the queue");

const unknown = await sendMessage({ ...asSender, body: task.unknown });
if (unknown.error?.error !== "ADDRESS_NOT_FOUND") throw new Error("an unknown address was not refused");
const over = await sendMessage({ ...asSender, body: task.over });
if (over.error?.error !== "RATE_LIMIT_EXCEEDED" || Number(over.error.limit) !== 1)
  throw new Error("the limit was not told");
console.log("done");
