// A client based on what openapi-typescript generates from the contract, with openapi-fetch.
import { readFile } from "node:fs/promises";
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

type Schemas = components["schemas"];
interface Task {
  url: string;
  announcements: Schemas["AnnounceDeviceRequest"][];
  message: Schemas["SendMessageRequest"];
  unknown: Schemas["SendMessageRequest"];
  over: Schemas["SendMessageRequest"];
}

const task = JSON.parse(await readFile(process.argv[2] ?? "", "utf8")) as Task;
const client = createClient<paths>({ baseUrl: task.url });
const tokens: string[] = [];
for (const body of task.announcements) {
  const { data } = await client.POST("/api/v1/device/announce", { body });
  if (data === undefined) throw new Error("the announcement was refused");
  tokens.push(data.access_token);
}
const [sender, recipient] = tokens.map((token) => ({ headers: { authorization: `Bearer ${token}` } }));

const sent = await client.POST("/v1/messages", { ...sender, body: task.message });
if (sent.data?.status !== "queued") throw new Error("the message was not queued");
const polled = await client.GET("/v1/messages", { ...recipient, params: { query: { limit: 10 } } });
const [got] = polled.data?.messages ?? [];
if (got?.mls_ciphertext !== task.message.mls_ciphertext) throw new Error("the message did not arrive");
const body = { message_ids: [got.message_id] };
const acknowledged = await client.POST("/v1/messages/ack", { ...recipient, body });
if (acknowledged.data?.acknowledged_count !== 1) throw new Error("the message was not acknowledged");
const rest = await client.GET("/v1/messages", { ...recipient });
if (rest.data?.messages.length !== 0) throw new Error("something is left in the queue");

const unknown = await client.POST("/v1/messages", { ...sender, body: task.unknown });
if (unknown.error?.error !== "ADDRESS_NOT_FOUND") throw new Error("an unknown address was not refused");
const over = await client.POST("/v1/messages", { ...sender, body: task.over });
if (over.error?.error !== "RATE_LIMIT_EXCEEDED" || over.error.limit !== 1) throw new Error("the limit was not told");
console.log("done");
