import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CommittedMessages, Outcome, StreamSink } from "../../src/messages/model/types.js";
import { createMessagesFixture, type FixtureDevice, type MessagesFixture, type MessagesNode } from "./fixture.js";

let fixture: MessagesFixture;
let near: MessagesNode;
let far: MessagesNode;

beforeAll(async () => {
  fixture = await createMessagesFixture({ rate_limiting: { enabled: false } });
  const config = { replacementsPerMinute: 1000 };
  [near, far] = [await fixture.node({ config }), await fixture.node({ config })];
});

afterAll(() => fixture.stop());

/** A sink that records its calls. */
interface RecordingSink extends StreamSink {
  streamId: string;
  arrivals: CommittedMessages[];
  wakes: number;
  ended: boolean;
}

function recordingSink(): RecordingSink {
  const sink: RecordingSink = {
    streamId: randomUUID(),
    arrivals: [],
    wakes: 0,
    ended: false,
    arrived: (event) => void sink.arrivals.push(event),
    online: () => undefined,
    wake: () => {
      sink.wakes += 1;
    },
    replaced: () => {
      sink.ended = true;
    },
  };
  return sink;
}

async function open(node: MessagesNode, device: FixtureDevice): Promise<RecordingSink> {
  const sink = recordingSink();
  await node.messages.attach(device.deviceId, sink.streamId, sink);
  return sink;
}
const from = (device: FixtureDevice) => ({ kind: "device", deviceId: device.deviceId }) as const;
const estimateOf = ([outcome]: Outcome[]) => (outcome && "estimate" in outcome ? outcome.estimate : "refused");

describe("a message for an open stream", () => {
  it("is pushed from memory on the node that accepted it, after it is stored", async () => {
    const [sender, to] = [await fixture.device(), await fixture.device()];
    const sink = await open(near, to);
    const sent = [fixture.envelope(to), fixture.envelope(to)];
    expect(estimateOf(await near.messages.accept(from(sender), sent))).toBe("immediate");
    expect(sink.arrivals).toHaveLength(1);
    const [arrival] = sink.arrivals;
    expect([arrival?.from, arrival?.head]).toEqual([0, 2]);
    expect(arrival?.messages.map((one) => one.messageId)).toEqual(sent.map((one) => one.messageId));
    const slice = await near.messages.readAfter(to.deviceId, 0, { limit: 10, bytes: 100_000 });
    const bare = arrival?.messages.map(({ acceptedAtMillis: _, ...message }) => message);
    expect(bare).toEqual(slice.messages);
    expect(slice.head).toBe(2);
  });

  it("is handed to the node that has the stream", async () => {
    const [sender, to] = [await fixture.device(), await fixture.device()];
    const sink = await open(far, to);
    const event = { event: "epoch_change", extensionType: null } as const;
    // The first message opens the link; the stream is woken for those before.
    await expect
      .poll(async () => {
        await near.messages.accept(from(sender), [
          fixture.envelope(to, { systemEvent: event, ciphertext: Buffer.alloc(70_000) }),
          fixture.envelope(to, { systemEvent: event }),
        ]);
        await near.messages.accept(from(sender), [fixture.envelope(to)]);
        return sink.arrivals.length;
      })
      .toBeGreaterThan(0);
    const [arrival] = sink.arrivals;
    const bounds = { limit: arrival?.messages.length ?? 0, bytes: 100_000_000 };
    const { messages } = await near.messages.readAfter(to.deviceId, arrival?.from ?? 0, bounds);
    expect(arrival?.messages.map(({ acceptedAtMillis: _, ...message }) => message)).toEqual(messages);
    expect(arrival?.head).toBe(messages.at(-1)?.position);
  });

  it("wakes the stream on a node that is not linked, or if it is too large to be handed over", async () => {
    const [sender, to] = [await fixture.device(), await fixture.device()];
    const apart = await fixture.node({ config: { nodeSockets: false } });
    const [sink, linked] = [await open(apart, to), await fixture.device()];
    const large = await open(far, linked);
    const send = async () => estimateOf(await near.messages.accept(from(sender), [fixture.envelope(to)]));
    await send();
    await near.messages.accept(from(sender), [fixture.envelope(linked, { ciphertext: Buffer.alloc(100_000) })]);
    await expect.poll(() => sink.wakes).toBeGreaterThan(0);
    await expect.poll(() => large.wakes).toBeGreaterThan(0);
    expect([...sink.arrivals, ...large.arrivals]).toEqual([]);
    // A node that has just started is known to the others after its next heartbeats.
    await expect.poll(send, { interval: 200 }).toBe("immediate");
  });

  it("is not estimated as immediate if the recipient hides its presence", async () => {
    const [sender, to] = [await fixture.device(), await fixture.device({ hide_presence: true })];
    const sink = await open(near, to);
    expect(estimateOf(await near.messages.accept(from(sender), [fixture.envelope(to)]))).toBe("delayed");
    expect(sink.arrivals).toHaveLength(1);
  });

  it("is not estimated as immediate after the stream has ended, nor if its node is dead", async () => {
    const [sender, to] = [await fixture.device(), await fixture.device()];
    const sink = await open(near, to);
    await near.messages.detach(to.deviceId, sink.streamId);
    expect(estimateOf(await near.messages.accept(from(sender), [fixture.envelope(to)]))).toBe("delayed");
    await fixture.db.run("update queues set stream_node = 'dead', stream_id = 'x' where device_id = :id", {
      id: to.deviceId,
    });
    expect(estimateOf(await near.messages.accept(from(sender), [fixture.envelope(to)]))).toBe("delayed");
    expect(sink.arrivals).toEqual([]);
  });

  it("is found by the reconciliation poll if the wake-up was lost", async () => {
    const [sender, to] = [await fixture.device(), await fixture.device()];
    const watchful = await fixture.node({ config: { streamSafetyPollSeconds: 1 } });
    const sink = await open(watchful, to);
    await near.messages.accept(from(sender), [fixture.envelope(to)]);
    await expect.poll(() => sink.wakes).toBeGreaterThan(0);
    const woken = sink.wakes;
    await fixture.db.run("update queues set last_position = last_position + 1 where device_id = :id", {
      id: to.deviceId,
    });
    await expect.poll(() => sink.wakes).toBeGreaterThan(woken);
  });
});

describe("a second stream of a device", () => {
  it("replaces the first one on the same node", async () => {
    const to = await fixture.device();
    const [first, second] = [await open(near, to), await open(near, to)];
    expect([first.ended, second.ended]).toEqual([true, false]);
    await near.messages.detach(to.deviceId, first.streamId);
    expect(estimateOf(await near.messages.accept(from(to), [fixture.envelope(to)]))).toBe("immediate");
    expect(second.arrivals).toHaveLength(1);
  });

  it("replaces the first one on another node", async () => {
    const to = await fixture.device();
    const first = await open(far, to);
    const second = await open(near, to);
    await expect.poll(() => first.ended).toBe(true);
    expect(second.ended).toBe(false);
    expect(estimateOf(await near.messages.accept(from(to), [fixture.envelope(to)]))).toBe("immediate");
    expect(second.arrivals).toHaveLength(1);
  });

  it("leaves exactly one open if many come at once on two nodes", async () => {
    const to = await fixture.device();
    const sinks = await Promise.all(Array.from({ length: 12 }, (_, i) => open(i % 2 === 0 ? near : far, to)));
    await expect.poll(() => sinks.filter(({ ended }) => !ended)).toHaveLength(1);
    const row = await fixture.db.one<{ stream_id: string }>("select stream_id from queues where device_id = :id", {
      id: to.deviceId,
    });
    expect(sinks.find(({ ended }) => !ended)?.streamId).toBe(row?.stream_id);
  });
});

describe("an attachment", () => {
  it("returns the queue's head, and nothing committed around it is missed", async () => {
    const [sender, to] = [await fixture.device(), await fixture.device()];
    for (let round = 0; round < 10; round++) {
      const sink = recordingSink();
      const sending = Promise.all(
        Array.from({ length: 5 }, () => near.messages.accept(from(sender), [fixture.envelope(to)])),
      );
      const { headPosition } = await near.messages.attach(to.deviceId, sink.streamId, sink);
      await sending;
      const heads = sink.arrivals.map(({ head }) => head);
      const notified = sink.wakes > 0 || Math.max(headPosition, ...heads) === (round + 1) * 5;
      expect(notified).toBe(true);
    }
  });

  it("of a device that is not registered fails", async () => {
    const nobody = { deviceId: "0".repeat(64), prefix: (await fixture.device()).prefix };
    await expect(open(near, nobody)).rejects.toMatchObject({ id: "DEVICE_NOT_ANNOUNCED" });
  });
});

describe("the end of a node", () => {
  it("removes its streams from the rows of the queues", async () => {
    const stopping = await fixture.node();
    const to = await fixture.device();
    await open(stopping, to);
    await stopping.messages.stop();
    const found = await fixture.db.rows("select 1 from queues where device_id = :id and stream_id is not null", {
      id: to.deviceId,
    });
    expect(found).toEqual([]);
  });
});

describe("an acknowledgement by position", () => {
  it("removes exactly that message if two have the same id", async () => {
    const [first, second, to] = [await fixture.device(), await fixture.device(), await fixture.device()];
    const envelope = fixture.envelope(to);
    for (const sender of [first, second]) await near.messages.accept(from(sender), [envelope]);
    const { messageId } = envelope;
    expect(await near.messages.acknowledge(to.deviceId, [{ messageId, position: 2 }])).toEqual([2]);
    expect(await near.messages.acknowledge(to.deviceId, [{ messageId, position: 2 }])).toEqual([undefined]);
    const { messages } = await near.messages.poll(to.deviceId, { limit: 10 });
    expect(messages.map(({ position }) => position)).toEqual([1]);
  });
});

describe("the delivery cursor", () => {
  const cursorOf = async (device: FixtureDevice) => {
    const row = await fixture.db.one<{ delivery_cursor: number }>(
      "select delivery_cursor from queues where device_id = :id",
      { id: device.deviceId },
    );
    return row?.delivery_cursor;
  };

  it("is written about once a second, however often messages are delivered", async () => {
    const [sender, to] = [await fixture.device(), await fixture.device()];
    const seen = new Set<number | undefined>();
    const begunAt = performance.now();
    while (performance.now() - begunAt < 2_500 || seen.size < 2) {
      const envelope = fixture.envelope(to);
      await near.messages.accept(from(sender), [envelope]);
      await near.messages.poll(to.deviceId, { limit: 1 });
      await near.messages.acknowledge(to.deviceId, [envelope]);
      seen.add(await cursorOf(to));
    }
    const seconds = (performance.now() - begunAt) / 1000;
    expect(seen.size).toBeLessThanOrEqual(seconds + 2);
  });

  it("follows polls, and skips no message that since left out", async () => {
    const [sender, to] = [await fixture.device(), await fixture.device()];
    await near.messages.accept(from(sender), [fixture.envelope(to)]);
    fixture.clock.advance(10);
    const since = fixture.clock.nowSeconds();
    await near.messages.accept(from(sender), [fixture.envelope(to), fixture.envelope(to)]);
    await near.messages.poll(to.deviceId, { since, limit: 10 });
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(await cursorOf(to)).toBe(0);
    await near.messages.poll(to.deviceId, { limit: 2 });
    await expect.poll(() => cursorOf(to)).toBe(2);
    await near.messages.poll(to.deviceId, { since, limit: 10 });
    await expect.poll(() => cursorOf(to)).toBe(3);
  });

  it("follows the pushes of a stream, and the latency of a message is counted once", async () => {
    const [sender, to] = [await fixture.device(), await fixture.device()];
    const node = await fixture.node();
    const sink = await open(node, to);
    await node.messages.accept(from(sender), [fixture.envelope(to), fixture.envelope(to)]);
    const messages = sink.arrivals[0]?.messages ?? [];
    node.messages.delivered(to.deviceId, sink.streamId, messages);
    node.messages.delivered(to.deviceId, sink.streamId, messages);
    await expect.poll(() => cursorOf(to)).toBe(2);
    await node.messages.poll(to.deviceId, { limit: 10 });
    await node.metrics.flush();
    const counted = await fixture.db.one<{ count: number }>(
      "select sum(count) as count from metric_histograms where node_id = :node and resolution = 300",
      { node: node.nodeId },
    );
    expect(counted?.count).toBe(2);
  });
});
