import type { TestDevice } from "../../support/device.js";
import { until } from "../../support/until.js";
import { FuzzedStream } from "./client.js";
import { Journal } from "./journal.js";
import type { Step } from "./steps.js";

/** What the runs of a test share. */
export interface Fixture {
  /** Nodes of one relay. */
  nodes: readonly { url: string }[];
  sender: TestDevice;
  newDevice(): Promise<TestDevice>;
  passTime(seconds: number): void;
}

interface Party {
  device: TestDevice;
  journal: Journal;
  streams: FuzzedStream[];
}

/** Does what the steps say and gives everything that was wrong: while it went on, and with what is found in the end. */
export async function play(fixture: Fixture, steps: readonly Step[], devices: number): Promise<string[]> {
  const parties = await Promise.all(
    Array.from(
      { length: devices },
      async (): Promise<Party> => ({ device: await fixture.newDevice(), journal: new Journal(), streams: [] }),
    ),
  );
  const run = new Run(fixture, parties);
  for (const step of steps) await run.take(step);
  await run.conclude();
  return parties.flatMap(({ journal }) => journal.faults);
}

class Run {
  private readonly fixture: Fixture;
  private readonly parties: readonly Party[];
  private readonly underWay: Promise<unknown>[] = [];

  constructor(fixture: Fixture, parties: readonly Party[]) {
    this.fixture = fixture;
    this.parties = parties;
  }

  async take(step: Step): Promise<void> {
    switch (step.do) {
      case "open":
        return this.open(step);
      case "authenticate":
        return this.stream(step.stream)?.authenticate(credentialsOf(this.party(step.device)));
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
        return this.poll(this.party(step.device));
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

  /** Lets everything come to its end, then looks whether the queues hold what they must. */
  async conclude(): Promise<void> {
    await Promise.all(this.underWay);
    await Promise.all(this.parties.map((party) => this.settle(party)));
    await Promise.all(this.parties.map((party) => this.drain(party)));
  }

  private async open(step: { device: number; node: number; authenticate: boolean }): Promise<void> {
    const party = this.party(step.device);
    const stream = new FuzzedStream(this.url(step.node), party.journal);
    party.streams.push(stream);
    await stream.opened();
    if (step.authenticate) stream.authenticate(credentialsOf(party));
  }

  private acknowledge(step: { stream: number; picks: number[]; batch: boolean }): void {
    const stream = this.stream(step.stream);
    // Mostly what this stream has pushed; where it has pushed nothing, whatever may be in the queue.
    const known = stream?.pushed.length ? stream.pushed : (stream?.journal.left() ?? []);
    const ids = step.picks.map((pick) => known[pick % known.length]).filter((id) => id !== undefined);
    if (ids.length === 0) return;
    if (step.batch) stream?.send({ type: "ack_batch", message_ids: ids });
    else for (const id of ids) stream?.send({ type: "ack", message_id: id.replaceAll("-", "").toUpperCase() });
  }

  private async acknowledgeByHttp(step: { device: number; pick: number }): Promise<void> {
    const { device, journal } = this.party(step.device);
    const known = journal.left();
    const id = known[step.pick % known.length];
    if (id === undefined) return;
    const { body } = await device.ack([id]);
    if (body.acknowledged_count === 1) journal.confirmed(id, true);
  }

  private async send(step: { device: number; node: number; bytes: number; await: boolean }): Promise<void> {
    const { device, journal } = this.party(step.device);
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

  /** An id of the test's own making, so that a message that comes before its 202 is known. */
  private named(journal: Journal): { messageId: string } {
    const messageId = crypto.randomUUID().replace(/^(.{14})4/, "$17");
    journal.offered.add(messageId);
    return { messageId };
  }

  private async poll(party: Party): Promise<void> {
    const beganAt = party.journal.now();
    const { body } = await party.device.poll({ limit: 1000 });
    for (const { message_id: id } of body.messages) party.journal.delivered(id, beganAt);
  }

  /** Streams that are still up answer what they were asked; then they are cut off. */
  private async settle({ streams, journal }: Party): Promise<void> {
    const alive = streams.filter((stream) => stream.isOpen && stream.authenticated);
    for (const stream of alive) stream.readOn();
    const answered = async () => alive.every((stream) => stream.settled);
    await until(answered, "every acknowledgement is answered").catch((error) => journal.fault(String(error)));
    for (const stream of streams) stream.vanish();
    await Promise.all(streams.map((stream) => stream.closed));
  }

  /** First by a poll, then by a new stream that acknowledges everything. What is in doubt may go at any moment. */
  private async drain(party: Party): Promise<void> {
    const { device, journal } = party;
    const { body } = await device.poll({ limit: 1000 });
    journal.found(
      body.messages.map(({ message_id }) => message_id),
      "queue",
    );
    const owed = journal.owed();
    const stream = new FuzzedStream(this.url(0), journal);
    await stream.opened();
    stream.authenticate(credentialsOf(party));
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

  private party(index: number): Party {
    return this.parties[index % this.parties.length] as Party;
  }

  private stream(index: number): FuzzedStream | undefined {
    const open = this.parties.flatMap(({ streams }) => streams).filter((stream) => stream.isOpen);
    return open[index % open.length];
  }
}

function credentialsOf({ device, journal }: Party): { token: string; journal: Journal } {
  return { token: device.token, journal };
}

function pause(millis: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, millis));
}
