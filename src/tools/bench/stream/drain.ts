import { type BenchDevice, newText } from "../load-clients.js";
import { framed, openRawStream } from "../raw-stream.js";
import { openWire, requestText, type Wire } from "../wire.js";

/** How a queue is emptied: by polls, or by the stream with a window, acknowledged one by one or a window at a time. */
export type DrainWay = "poll" | { window: number; batches: boolean };

const pageSize = 1_000;
const batchSize = 100;

/** Sends so many messages to a device. */
export async function fillQueue(
  port: number,
  { from, to, messages }: { from: BenchDevice; to: BenchDevice; messages: number },
): Promise<void> {
  const wire = await openWire(port);
  for (let sent = 0; sent < messages; sent += batchSize) {
    const texts = Array.from({ length: Math.min(batchSize, messages - sent) }, () => newText(to).text);
    const json = `{"messages":[${texts.join(",")}]}`;
    await demand(wire, requestText("POST", "/v1/messages/batch", { token: from.token, json }), 202);
  }
  wire.close();
}

/** Empties a queue of so many messages, until every acknowledgement is confirmed; gives the milliseconds. */
export async function drainQueue(
  port: number,
  { device, messages, way }: { device: BenchDevice; messages: number; way: DrainWay },
): Promise<number> {
  const begun = performance.now();
  if (way === "poll") await drainByPolls(port, device, messages);
  else await drainByStream(port, { device, messages, ...way });
  return performance.now() - begun;
}

async function drainByPolls(port: number, { token }: BenchDevice, messages: number): Promise<void> {
  const wire = await openWire(port);
  for (let left = messages; left > 0; ) {
    const page = await demand(wire, requestText("GET", `/v1/messages?limit=${pageSize}`, { token }), 200);
    const ids = (JSON.parse(page) as { messages: { message_id: string }[] }).messages.map((one) => one.message_id);
    if (ids.length === 0) throw new Error(`${left} messages are missing`);
    await demand(wire, requestText("POST", "/v1/messages/ack", { token, body: { message_ids: ids } }), 200);
    left -= ids.length;
  }
  wire.close();
}

/** A client that acknowledges by the window waits for no confirmation, as one that stores what has come. */
function drainByStream(
  port: number,
  { device, messages, window, batches }: { device: BenchDevice; messages: number; window: number; batches: boolean },
): Promise<void> {
  let [received, confirmed] = [0, 0];
  let ids: string[] = [];
  return new Promise((settle, fail) => {
    openRawStream(
      { port },
      { access_token: device.token, ...(window !== usualWindow && { window }) },
      (payload, stream) => {
        if (payload.includes('"ack_')) {
          confirmed += Number(/"acknowledged_count":(\d+)/.exec(payload.toString())?.[1] ?? 1);
          if (confirmed < messages) return;
          stream.close();
          settle();
        } else if (payload.includes('"type":"message"')) {
          received++;
          ids.push((JSON.parse(payload.toString()) as { data: { message_id: string } }).data.message_id);
          if (batches && ids.length < window && received < messages) return;
          const frame = batches ? { type: "ack_batch", message_ids: ids } : { type: "ack", message_id: ids[0] };
          ids = [];
          stream.send(framed(JSON.stringify(frame)));
        }
      },
    ).catch(fail);
  });
}

const usualWindow = 10;

async function demand(wire: Wire, request: string, status: number): Promise<string> {
  const answer = await wire.ask(request);
  if (answer.status === status) return answer.body;
  throw new Error(`the relay answered ${answer.status}: ${answer.body}`);
}
