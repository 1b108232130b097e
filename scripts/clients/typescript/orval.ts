// A client based on what orval generates from the contract: calls by fetch, and checks of bodies by zod.
import { readFile } from "node:fs/promises";
import { acknowledgeMessages, announceDevice, pollMessages, sendMessage } from "./made/relay.js";
import type { AnnounceDeviceRequest, SendMessageRequest } from "./made/relay.schemas.js";
import { announceDeviceResponse, pollMessagesResponse, sendMessageBody } from "./made/zod.js";

interface Task {
  announcements: AnnounceDeviceRequest[];
  message: SendMessageRequest;
  unknown: SendMessageRequest;
  over: SendMessageRequest;
}

const task = JSON.parse(await readFile(process.argv[2] ?? "", "utf8")) as Task;
const tokens: string[] = [];
for (const body of task.announcements) {
  const answer = await announceDevice(body);
  if (answer.status !== 200) throw new Error(answer.data.message);
  tokens.push(announceDeviceResponse.parse(answer.data).access_token);
}
const [sender, recipient] = tokens.map((token) => ({ headers: { authorization: `Bearer ${token}` } }));

sendMessageBody.parse(task.message);
const sent = await sendMessage(task.message, sender);
if (sent.status !== 202 || sent.data.status !== "queued") throw new Error("the message was not queued");
const polled = await pollMessages({ limit: 10 }, recipient);
if (polled.status !== 200) throw new Error(polled.data.message);
const [got] = pollMessagesResponse.parse(polled.data).messages;
if (got?.mls_ciphertext !== task.message.mls_ciphertext) throw new Error("the message did not arrive");
const acknowledged = await acknowledgeMessages({ message_ids: [got.message_id] }, recipient);
if (acknowledged.status !== 200 || acknowledged.data.acknowledged_count !== 1) throw new Error("not acknowledged");
const rest = await pollMessages(undefined, recipient);
if (rest.status !== 200 || rest.data.messages.length !== 0) throw new Error("something is left in the queue");

const unknown = await sendMessage(task.unknown, sender);
if (unknown.status !== 404 || unknown.data.error !== "ADDRESS_NOT_FOUND") throw new Error("not refused as unknown");
const over = await sendMessage(task.over, sender);
if (over.status !== 429 || over.data.error !== "RATE_LIMIT_EXCEEDED" || over.data.limit !== 1)
  throw new Error("the limit was not told");
console.log("done");
