import { setTimeout as sleep } from "node:timers/promises";
import type { ServerFrame } from "../../generated/frames.js";
import { type LiveStream, openLiveStream } from "../crash/live-stream.js";
import type { Target } from "../crash/sending.js";
import { call } from "../support/api.js";
import { countAnswer, withinPatience } from "./answers.js";
import type { Recorder } from "./history.js";
import type { Random } from "./random.js";
import type { Recipient } from "./senders.js";

interface ReaderDeps {
  client: number;
  target: Target;
  recipient: Recipient;
  recorder: Recorder;
  random: Random;
}

const pageSizes = [3, 20, 100] as const;
const wholePage = 100;
const pauseMillis = 60;
const lookMillis = 10;
const longestStreamMillis = 3_000;
const drainMillis = 180_000;

/** The only reader of a queue: one thing after the other, of which some is left unacknowledged and comes again. */
export class Reader {
  private readonly deps: ReaderDeps;
  /** Names of messages and their ids: an acknowledgement needs the id. */
  private readonly ids = new Map<string, string>();

  constructor(deps: ReaderDeps) {
    this.deps = deps;
  }

  async keepReading(signal: AbortSignal): Promise<void> {
    const { random } = this.deps;
    while (!signal.aborted) {
      if (random.share() < 0.5) await this.poll(random.oneOf(pageSizes));
      else await this.readStream(signal);
      await sleep(pauseMillis);
    }
  }

  /** Reads and acknowledges until nothing is left. False if the queue cannot be read within minutes. */
  async drain(): Promise<boolean> {
    const deadline = performance.now() + drainMillis;
    while (performance.now() < deadline) {
      const seen = await this.readPage(wholePage);
      if (seen?.length === 0) return true;
      if (seen !== undefined) await this.acknowledge(seen);
      else await sleep(pauseMillis);
    }
    return false;
  }

  private async poll(limit: number): Promise<void> {
    const { random } = this.deps;
    const seen = await this.readPage(limit);
    if (seen === undefined || seen.length === 0) return;
    const share = random.share();
    if (share < 0.7) await this.acknowledge(seen);
    else if (share < 0.9) await this.acknowledge(seen.slice(0, Math.ceil(seen.length / 2)));
  }

  /** The names of the messages, or undefined without an answer. */
  private async readPage(limit: number): Promise<string[] | undefined> {
    const { client, target, recipient, recorder } = this.deps;
    const began = recorder.now();
    const page = await withinPatience(
      call(target, "pollMessages", { token: recipient.device.token, query: { limit } }),
    );
    countAnswer(recorder, String(page?.status ?? "none"));
    if (page?.status !== 200) return undefined;
    const seen = page.body.messages.map(({ message_id }) => this.name(message_id));
    const operation = { kind: "poll", client, call: began, return: recorder.now(), outcome: "ok", limit } as const;
    recorder.note(recipient.name, { ...operation, messages: seen });
    return seen;
  }

  private async acknowledge(names: readonly string[]): Promise<void> {
    const { client, target, recipient, recorder } = this.deps;
    const { token } = recipient.device;
    const ids = names.map((name) => this.ids.get(name) ?? "");
    const began = recorder.now();
    const [only] = ids;
    const asked =
      ids.length === 1 && only !== undefined
        ? call(target, "acknowledgeMessage", { token, params: { message_id: only } })
        : call(target, "acknowledgeMessages", { token, body: { message_ids: ids } });
    const answer = await withinPatience<{ status: number }>(asked);
    countAnswer(recorder, String(answer?.status ?? "none"));
    recorder.note(recipient.name, {
      ...{ kind: "ack", client, call: began, return: recorder.now(), messages: [...names] },
      outcome: answer?.status === 200 ? "ok" : "unknown",
    });
  }

  private async readStream(signal: AbortSignal): Promise<void> {
    const { target, recipient, recorder, random } = this.deps;
    const began = recorder.now();
    const opened = openLiveStream(target.url, recipient.device.token);
    const stream = await withinPatience(opened, (late) => late?.cut());
    if (stream === undefined) return;
    const session = new Session(this.deps, stream, began, (messageId) => this.name(messageId));
    const until = performance.now() + random.share() * longestStreamMillis;
    while (!stream.isOver() && !signal.aborted && performance.now() < until && session.take()) await sleep(lookMillis);
    if (random.share() < 0.5) stream.close();
    else stream.cut();
    session.end();
  }

  private name(messageId: string): string {
    const name = this.deps.recorder.nameOf(messageId);
    this.ids.set(name, messageId);
    return name;
  }
}

/** A stream of the reader. */
class Session {
  private readonly deps: ReaderDeps;
  private readonly stream: LiveStream;
  private readonly nameOf: (messageId: string) => string;
  /** When the stream was asked for, or brought its last message. */
  private since: number;
  private last: string | undefined;
  /** Acknowledgements without an answer, in their order, which is that of the answers. */
  private readonly waiting: { names: string[]; call: number }[] = [];

  constructor(deps: ReaderDeps, stream: LiveStream, since: number, nameOf: (messageId: string) => string) {
    this.deps = deps;
    this.stream = stream;
    this.since = since;
    this.nameOf = nameOf;
  }

  /** Takes what has come. False if the relay has reported an error: then nobody knows which acknowledgement it means. */
  take(): boolean {
    for (const frame of this.stream.take()) {
      if (frame.type === "message" || frame.type === "system") this.push(frame.data.message_id);
      else if (frame.type === "ack_confirmed" || frame.type === "ack_batch_confirmed") this.confirm(frame);
      else if (frame.type === "error") return false;
    }
    return true;
  }

  /** What was not confirmed may have been done. */
  end(): void {
    for (const { names, call: began } of this.waiting) this.noteAck(names, began, "unknown");
  }

  private push(messageId: string): void {
    const { client, recipient, recorder, random } = this.deps;
    const name = this.nameOf(messageId);
    const now = recorder.now();
    recorder.note(recipient.name, {
      ...{ kind: "push", client, call: this.since, return: now, messages: [name], outcome: "ok" },
      ...(this.last === undefined ? {} : { after: this.last }),
    });
    this.since = now;
    this.last = name;
    const share = random.share();
    if (share > 0.9) return;
    if (share < 0.6) this.stream.send({ type: "ack", message_id: messageId });
    else this.stream.send({ type: "ack_batch", message_ids: [messageId] });
    this.waiting.push({ names: [name], call: now });
  }

  private confirm(frame: ServerFrame): void {
    const done = this.waiting.shift();
    if (done === undefined) throw new Error(`nobody asked for ${JSON.stringify(frame)}`);
    this.noteAck(done.names, done.call, "ok");
  }

  private noteAck(names: string[], began: number, outcome: "ok" | "unknown"): void {
    const { client, recipient, recorder } = this.deps;
    recorder.note(recipient.name, {
      kind: "ack",
      client,
      call: began,
      return: recorder.now(),
      messages: names,
      outcome,
    });
  }
}
