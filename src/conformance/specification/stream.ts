import { WebSocket } from "ws";
import { Broken, hold, same } from "../harness/assertions.js";
import { pair, plain } from "./messages.js";
import { demandForm, expectBody, type Form, text, whole } from "./server.js";
import type { SpecificationContext, SpecificationRule } from "./types.js";

const timeoutMillis = 20_000;
const lifecycle = "Stream lifecycle";
const content = {
  message_id: text,
  mls_ciphertext: text,
  sender_signature: text,
  timestamp: whole,
  received_at: whole,
};

export const streamRules: readonly SpecificationRule[] = [
  {
    id: "stream.status",
    title: "a stream that authenticates gets the status connected, and continues after a ping",
    section: lifecycle,
    async check(context) {
      const [alice, bob] = await pair(context);
      await whileStreaming(context, bob.token, async (stream) => {
        stream.send({ type: "ping", timestamp: context.server.nowSeconds() });
        const { message_id } = expectBody<{ message_id: string }>(await alice.send(bob.address), 202);
        const { data } = await stream.next<{ data: { message_id: string } }>("message", { data: content });
        same(plain(data.message_id), plain(message_id), "what was pushed");
      });
    },
  },
  {
    id: "stream.order",
    title: "queued messages are pushed in the order of reception, and acknowledged ones are gone",
    section: lifecycle,
    async check(context) {
      const [alice, bob] = await pair(context);
      for (const _ of [1, 2]) expectBody(await alice.send(bob.address), 202);
      const queue = (await bob.queue()).map(({ message_id }) => message_id);
      await whileStreaming(context, bob.token, async (stream) => {
        for (const id of queue) {
          const { data } = await stream.next<{ data: { message_id: string } }>("message", { data: content });
          same(plain(data.message_id), plain(id), "what was pushed");
        }
        stream.send({ type: "ack", message_id: queue[0] });
        await stream.next("ack_confirmed", { acknowledged: true });
        stream.send({ type: "ack_batch", message_ids: [queue[1], alice.message(bob.address).message_id] });
        await stream.next("ack_batch_confirmed", { acknowledged_count: 1, failed_count: 1 });
      });
      same((await bob.queue()).length, 0, "messages in the queue");
    },
  },
  {
    id: "stream.redelivery",
    title: "what was not acknowledged is pushed again on the next stream",
    section: "Flow control",
    async check(context) {
      const [alice, bob] = await pair(context);
      expectBody(await alice.send(bob.address), 202);
      for (const _ of [1, 2]) {
        await whileStreaming(
          context,
          bob.token,
          async (stream) => void (await stream.next("message", { data: content })),
        );
      }
    },
  },
  {
    id: "stream.window",
    title: "messages beyond the window are pushed in order, as earlier ones are acknowledged",
    section: "Flow control",
    async check(context) {
      const [alice, bob] = await pair(context);
      for (let sent = 0; sent < 12; sent++) expectBody(await alice.send(bob.address), 202);
      const queue = (await bob.queue()).map(({ message_id }) => message_id);
      await whileStreaming(context, bob.token, async (stream) => {
        for (const id of queue) {
          const { data } = await stream.next<{ data: { message_id: string } }>("message", { data: content });
          same(plain(data.message_id), plain(id), "what was pushed");
          stream.send({ type: "ack", message_id: id });
        }
        for (const id of queue) {
          const { message_id } = await stream.next<{ message_id: string }>("ack_confirmed", { acknowledged: true });
          hold(
            queue.some((one) => plain(one) === plain(message_id)),
            `${message_id} was confirmed in place of ${id}`,
          );
        }
      });
      same((await bob.queue()).length, 0, "messages in the queue");
    },
  },
  {
    id: "stream.auth-first",
    title: "a stream whose first frame is not auth gets no messages: an error, or its end",
    section: lifecycle,
    async check(context) {
      const [alice, bob] = await pair(context);
      const { message_id } = expectBody<{ message_id: string }>(await alice.send(bob.address), 202);
      const stream = await openStream(context.server.url);
      try {
        stream.send({ type: "ack", message_id });
        await Promise.any([stream.next("error", { error: text }), stream.closed()]).catch(() => {
          throw new Broken("the stream goes on");
        });
      } finally {
        stream.end();
      }
      same((await bob.queue()).length, 1, "messages in the queue");
    },
  },
  {
    id: "stream.token",
    title: "a stream with a bad token gets INVALID_TOKEN (4008) and is closed",
    section: lifecycle,
    async check({ server }) {
      const stream = await openStream(server.url);
      try {
        stream.send({ type: "auth", access_token: "nonsense" });
        await stream.next("error", { error: "INVALID_TOKEN", code: 4008, message: text });
        await stream.closed();
      } finally {
        stream.end();
      }
    },
  },
];

interface LooseStream {
  send(frame: unknown): void;
  /** The next frame of a type that has these members; frames of other types are left for later. */
  next<T>(type: string, form: Form): Promise<T>;
  closed(): Promise<void>;
  end(): void;
}

async function whileStreaming(
  { server }: SpecificationContext,
  token: string,
  work: (stream: LooseStream) => Promise<void>,
): Promise<void> {
  const stream = await openStream(server.url);
  try {
    stream.send({ type: "auth", access_token: token });
    await stream.next("status", { status: "connected", server_timestamp: whole, next_poll_fallback: whole });
    await work(stream);
  } finally {
    stream.end();
  }
}

async function openStream(url: string): Promise<LooseStream> {
  const socket = new WebSocket(`${url.replace(/^http/, "ws")}/v1/stream`);
  const frames: Record<string, unknown>[] = [];
  const changes = new EventTarget();
  let isClosed = false;
  const change = () => void changes.dispatchEvent(new Event("change"));
  socket.on("message", (data: Buffer) => {
    frames.push(Object(JSON.parse(data.toString())));
    change();
  });
  socket.on("close", () => {
    isClosed = true;
    change();
  });
  await new Promise<void>((resolve, reject) => {
    socket.once("open", resolve);
    socket.on("error", (error) => reject(new Broken(`the stream could not be opened: ${error.message}`)));
  });
  const until = async <T>(find: () => T | undefined, otherwise: string): Promise<T> => {
    const deadline = performance.now() + timeoutMillis;
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      hold(performance.now() < deadline, otherwise);
      await new Promise<void>((resolve) => {
        const done = () => {
          clearTimeout(timer);
          changes.removeEventListener("change", done);
          resolve();
        };
        const timer = setTimeout(done, 500);
        changes.addEventListener("change", done);
      });
    }
  };
  return {
    send: (frame) => socket.send(JSON.stringify(frame)),
    async next<T>(type: string, form: Form) {
      const take = () => {
        const index = frames.findIndex((frame) => frame["type"] === type);
        return index < 0 ? undefined : frames.splice(index, 1)[0];
      };
      const frame = await until(take, `no frame ${type} arrived`);
      demandForm(frame, form, `the frame ${type}`);
      return frame as T;
    },
    closed: async () => void (await until(() => isClosed || undefined, "the stream was not closed")),
    end: () => socket.terminate(),
  };
}
