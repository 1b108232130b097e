import { openConnection, requestText } from "./http-connection.js";
import type { BenchDevice } from "./load-clients.js";

/** The result of emptying queues; rates are messages per second, for each kind of request separately. */
interface DrainResult {
  /** The number of messages. */
  messages: number;
  polledPerSecond: number;
  acknowledgedPerSecond: number;
}

interface Times {
  messages: number;
  polling: number;
  acknowledging: number;
}

/** Every device polls and acknowledges its queue, 100 messages at a time, for at most this many seconds. */
export async function drainQueues(
  port: number,
  devices: readonly BenchDevice[],
  seconds: number,
): Promise<DrainResult> {
  const until = performance.now() + seconds * 1000;
  const spent = await Promise.all(devices.map((device) => drain(port, device, until)));
  const sum = (of: (one: Times) => number): number => spent.reduce((total, one) => total + of(one), 0);
  const messages = sum(({ messages: count }) => count);
  // Devices work concurrently, so their times overlap.
  const rate = (of: (one: Times) => number): number => messages / Math.max(0.001, sum(of) / devices.length / 1000);
  return {
    messages,
    polledPerSecond: rate(({ polling }) => polling),
    acknowledgedPerSecond: rate(({ acknowledging }) => acknowledging),
  };
}

async function drain(port: number, { token }: BenchDevice, until: number): Promise<Times> {
  const connection = await openConnection(port);
  const spent: Times = { messages: 0, polling: 0, acknowledging: 0 };
  while (performance.now() < until) {
    const asked = performance.now();
    const page = JSON.parse((await connection.ask(requestText("GET", "/v1/messages?limit=100", { token }))).body) as {
      messages: { message_id: string }[];
    };
    const polled = performance.now();
    const ids = page.messages.map(({ message_id }) => message_id);
    if (ids.length === 0) break;
    await connection.ask(requestText("POST", "/v1/messages/ack", { token, body: { message_ids: ids } }));
    spent.messages += ids.length;
    spent.polling += polled - asked;
    spent.acknowledging += performance.now() - polled;
  }
  connection.close();
  return spent;
}
