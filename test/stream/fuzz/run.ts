import type { TestDevice } from "../../support/device.js";
import { until } from "../../support/until.js";
import { FuzzedStream } from "./client.js";
import { Journal } from "./journal.js";
import type { Step } from "./steps.js";

/** State that the runs of a test share. */
export interface Fixture {
  /** Nodes of one relay. */
  nodes: readonly { url: string }[];
  sender: TestDevice;
  newDevice(): Promise<TestDevice>;
  passTime(seconds: number): void;
}

interface FuzzedDevice {
  device: TestDevice;
  journal: Journal;
  streams: FuzzedStream[];
}

/** Runs the steps and returns every fault, during the run and in the final state of the queues. */
export async function play(fixture: Fixture, steps: readonly Step[], deviceCount: number): Promise<string[]> {
  const devices = await Promise.all(
    Array.from(
      { length: deviceCount },
      async (): Promise<FuzzedDevice> => ({ device: await fixture.newDevice(), journal: new Journal(), streams: [] }),
    ),
  );
  const run = new Run(fixture, devices);
  for (const step of steps) await run.take(step);
  await run.conclude();
  return devices.flatMap(({ journal }) => journal.faults);
}

class Run {
  private readonly fixture: Fixture;
  private readonly devices: readonly FuzzedDevice[];
  private readonly underWay: Promise<unknown>[] = [];

  constructor(fixture: Fixture, devices: readonly FuzzedDevice[]) {
    this.fixture = fixture;
    this.devices = devices;
  }

  async take(step: Step): Promise<void> {
    switch (step.do) {
      case "open":
        return this.open(step);
      case "authenticate":
        return this.stream(step.stream)?.authenticate(credentialsOf(this.fuzzed(step.device)));
      case "frame":
        return this.stream(step.stream)?.send(step.frame);
      case "break":
        return this.stream(step.stream)?.write(step.junk.data, step.junk.binary);
      case "acknowledge":
        return this.acknowledge(step);
      case "acknowledgeByHttp":
        return this.acknowledgeByHttp(step);
      case "send":
        return this.send(step);
      case "poll":
        return this.poll(this.fuzzed(step.device));
      case "stopReading":
      case "readOn":
      case "leave":
      case "vanish":
        return this.stream(step.stream)?.[step.do]();
      case "rest":
        return pause(step.millis);
      case "passTime":
        return this.fixture.passTime(step.seconds);
    }
  }

  /** Waits for everything under way, then checks whether the queues hold what they must. */
  async conclude(): Promise<void> {
    await Promise.all(this.underWay);
    await Promise.all(this.devices.map((fuzzed) => this.settle(fuzzed)));
    await Promise.all(this.devices.map((fuzzed) => this.drain(fuzzed)));
  }

  private async open(step: { device: number; node: number; authenticate: boolean }): Promise<void> {
    const fuzzed = this.fuzzed(step.device);
    const stream = new FuzzedStream(this.url(step.node), fuzzed.journal);
    fuzzed.streams.push(stream);
    await stream.opened();
    if (step.authenticate) stream.authenticate(credentialsOf(fuzzed));
  }

  private acknowledge(step: { stream: number; picks: number[]; batch: boolean }): void {
    const stream = this.stream(step.stream);
    // Messages that this stream has pushed; if it has pushed none, those that may be in the queue.
    const known = stream?.pushed.length ? stream.pushed : (stream?.journal.left() ?? []);
    const ids = step.picks.map((pick) => known[pick % known.length]).filter((id) => id !== undefined);
    if (ids.length === 0) return;
    if (step.batch) stream?.send({ type: "ack_batch", message_ids: ids });
    else for (const id of ids) stream?.send({ type: "ack", message_id: id.replaceAll("-", "").toUpperCase() });
  }

  private async acknowledgeByHttp(step: { device: number; pick: number }): Promise<void> {
    const { device, journal } = this.fuzzed(step.device);
    const known = journal.left();
    const id = known[step.pick % known.length];
    if (id === undefined) return;
    const { body } = await device.ack([id]);
    if (body.acknowledged_count === 1) journal.confirmed(id, true);
  }

  private async send(step: { device: number; node: number; bytes: number; await: boolean }): Promise<void> {
    const { device, journal } = this.fuzzed(step.device);
    const sending = this.fixture.sender.send(device.address, {
      ciphertext: new Uint8Array(step.bytes),
      ...this.named(journal),
    });
    const noted = sending.then(({ status, body }) => {
      if (status === 202) journal.promised.add(body.message_id);
      else journal.fault(`sending was answered with ${status}`);
    });
    this.underWay.push(noted);
    if (step.await) await noted;
  }

  /** An id chosen by the test, so that a message that comes before its 202 is known. */
  private named(journal: Journal): { messageId: string } {
    const messageId = crypto.randomUUID().replace(/^(.{14})4/, "$17");
    journal.offered.add(messageId);
    return { messageId };
  }

  private async poll(fuzzed: FuzzedDevice): Promise<void> {
    const beganAt = fuzzed.journal.now();
    const { body } = await fuzzed.device.poll({ limit: 1000 });
    for (const { message_id: id } of body.messages) fuzzed.journal.delivered(id, beganAt);
  }

  /** Waits until open streams have answered every acknowledgement; then cuts them off. */
  private async settle({ streams, journal }: FuzzedDevice): Promise<void> {
    const alive = streams.filter((stream) => stream.isOpen && stream.authenticated);
    for (const stream of alive) stream.readOn();
    const answered = async () => alive.every((stream) => stream.settled);
    await until(answered, "every acknowledgement is answered").catch((error) => journal.fault(String(error)));
    for (const stream of streams) stream.vanish();
    await Promise.all(streams.map((stream) => stream.closed));
  }

  /** Checks the queue by a poll, then by a new stream that acknowledges everything. Doubtful messages may vanish at any time. */
  private async drain(fuzzed: FuzzedDevice): Promise<void> {
    const { device, journal } = fuzzed;
    const { body } = await device.poll({ limit: 1000 });
    journal.found(
      body.messages.map(({ message_id }) => message_id),
      "queue",
    );
    const owed = journal.owed();
    const stream = new FuzzedStream(this.url(0), journal);
    await stream.opened();
    stream.authenticate(credentialsOf(fuzzed));
    let acknowledged = 0;
    const empty = async () => {
      while (acknowledged < stream.pushed.length)
        stream.send({ type: "ack", message_id: stream.pushed[acknowledged++] });
      return stream.authenticated && stream.settled && (await device.poll()).body.messages.length === 0;
    };
    await until(empty, "the last stream has emptied the queue").catch((error) => journal.fault(String(error)));
    stream.vanish();
    await stream.closed;
    for (const id of owed) if (!stream.pushed.includes(id)) journal.fault(`${id} was not pushed in the end`);
  }

  private url(node: number): string {
    return this.fixture.nodes[node % this.fixture.nodes.length]?.url ?? "";
  }

  private fuzzed(index: number): FuzzedDevice {
    return this.devices[index % this.devices.length] as FuzzedDevice;
  }

  private stream(index: number): FuzzedStream | undefined {
    const open = this.devices.flatMap(({ streams }) => streams).filter((stream) => stream.isOpen);
    return open[index % open.length];
  }
}

function credentialsOf({ device, journal }: FuzzedDevice): { token: string; journal: Journal } {
  return { token: device.token, journal };
}

function pause(millis: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, millis));
}
