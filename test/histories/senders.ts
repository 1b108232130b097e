import { setTimeout as sleep } from "node:timers/promises";
import { type LiveStream, openLiveStream } from "../crash/live-stream.js";
import type { Target } from "../crash/sending.js";
import { type Answer, call } from "../support/api.js";
import { message, type TestDevice } from "../support/device.js";
import type { TestRelay } from "../support/relay.js";
import { countAnswer, withinPatience } from "./answers.js";
import type { Recorder } from "./history.js";
import type { Random } from "./random.js";

/** A device with a queue: a recipient. */
export interface Recipient {
  /** The name of its queue. */
  name: string;
  /** The name of its relay. */
  relay: string;
  device: TestDevice;
}

interface SenderDeps {
  /** The number of the client. */
  client: number;
  device: TestDevice;
  relay: string;
  target: Target;
  recipients: readonly Recipient[];
  recorder: Recorder;
  random: Random;
}

type Body = ReturnType<typeof message>;
type Way = "single" | "batch" | "stream" | "many";

/** A message for a recipient that was not confirmed yet. */
interface Letter {
  body: Body;
  recipient: Recipient;
}

const ways: readonly Way[] = ["single", "batch", "stream", "many"];
const mostAtOnce = 5;
const pauseMillis = 60;
const lookMillis = 10;
const streamMillis = 3_000;
const repeatShare = 0.1;
const maxBytes = 4_096;
const attemptsAtEnd = 40;
const retryMillis = 150;
/** A history of a queue that is longer is no better, and takes longer to judge. */
const messagesPerQueue = 250;

/**
 * Until the signal comes, sends in every way, to devices of both relays, and repeats what was not confirmed, with the same ids. A
 * tenth of what was confirmed is repeated as well.
 */
export async function keepSending(deps: SenderDeps, signal: AbortSignal): Promise<void> {
  const sender = new Sender(deps);
  while (!signal.aborted) {
    await sender.turn(signal);
    await sleep(pauseMillis);
  }
  sender.close();
}

class Sender {
  private readonly deps: SenderDeps;
  private open: LiveStream | undefined;

  constructor(deps: SenderDeps) {
    this.deps = deps;
  }

  close(): void {
    this.open?.close();
  }

  /** Sends something new until it is confirmed, also after the signal, but then not for ever. */
  async turn(signal: AbortSignal): Promise<void> {
    const { random } = this.deps;
    const way = random.oneOf(ways);
    const letters = this.draft(way);
    let open = letters;
    let wasPart = false;
    for (let left = attemptsAtEnd; open.length > 0 && left > 0; left -= signal.aborted ? 1 : 0) {
      open = await this.attempt(way, open);
      wasPart ||= open.length > 0 && open.length < letters.length;
      if (open.length > 0) await sleep(retryMillis);
    }
    if (way === "many" && letters.length > 0 && open.length === 0 && !wasPart) this.noteTogether(letters);
    if (letters.length > 0 && random.share() < repeatShare && !signal.aborted) await this.attempt(way, letters);
  }

  private noteTogether(letters: readonly Letter[]): void {
    const { recorder, relay } = this.deps;
    const [{ body }] = letters as [Letter];
    const queues = letters.map(({ recipient }) => recipient.name);
    recorder.noteTogether({ message: recorder.nameOf(body.message_id), relay, queues });
  }

  private draft(way: Way): Letter[] {
    const { random, recipients, recorder, target } = this.deps;
    const open = recipients.filter(({ name }) => recorder.sentTo(name) < messagesPerQueue);
    if (open.length === 0) return [];
    const write = (recipient: Recipient): Letter => {
      const ciphertext = new Uint8Array(random.between(32, maxBytes)).fill(random.between(0, 255));
      return { recipient, body: message(target as TestRelay, recipient.device.address, { ciphertext }) };
    };
    if (way !== "many") {
      const count = way === "single" ? 1 : random.between(1, mostAtOnce);
      return Array.from({ length: count }, () => write(random.oneOf(open)));
    }
    const first = write(open[0] as Recipient);
    return open.map((recipient) => ({ recipient, body: first.body }));
  }

  /** Gives what was not confirmed. */
  private async attempt(way: Way, letters: readonly Letter[]): Promise<Letter[]> {
    const { recorder, client, relay } = this.deps;
    const began = recorder.now();
    const confirmed = await this.send(way, letters);
    const ended = recorder.now();
    for (const letter of letters) {
      recorder.note(letter.recipient.name, {
        ...{ kind: "send", client, call: began, return: ended },
        messages: [recorder.nameOf(letter.body.message_id)],
        outcome: confirmed.has(letter) ? "ok" : "unknown",
        ...(letter.recipient.relay === relay ? {} : { via: "peer" }),
      });
    }
    return letters.filter((letter) => !confirmed.has(letter));
  }

  /** Like the next four, gives the messages that the relay says it has. */
  private send(way: Way, letters: readonly Letter[]): Promise<Set<Letter>> {
    if (way === "single") return this.single(letters);
    if (way === "batch") return this.batch(letters);
    return way === "many" ? this.many(letters) : this.onStream(letters);
  }

  private async single(letters: readonly Letter[]): Promise<Set<Letter>> {
    const [letter] = letters as [Letter];
    const answer = await this.ask(
      call(this.deps.target, "sendMessage", { token: this.deps.device.token, body: letter.body }),
    );
    return new Set(answer?.status === 202 ? [letter] : []);
  }

  private async batch(letters: readonly Letter[]): Promise<Set<Letter>> {
    const body = { messages: letters.map((letter) => letter.body) };
    const answer = await this.ask(call(this.deps.target, "sendMessageBatch", { token: this.deps.device.token, body }));
    if (answer?.status !== 202) return new Set();
    return this.stored(letters, answer.body.message_statuses);
  }

  private async many(letters: readonly Letter[]): Promise<Set<Letter>> {
    const { recipient_address: _, ...content } = (letters[0] as Letter).body;
    const recipients = letters.map(({ recipient }) => recipient.device.address);
    const body = { ...content, recipients, all_or_nothing: true };
    const answer = await this.ask(call(this.deps.target, "sendMessageToMany", { token: this.deps.device.token, body }));
    if (answer?.status !== 202) return new Set();
    return this.stored(letters, answer.body.recipient_statuses);
  }

  private async onStream(letters: readonly Letter[]): Promise<Set<Letter>> {
    this.open ??= await withinPatience(openLiveStream(this.deps.target.url, this.deps.device.token), (late) =>
      late?.cut(),
    );
    const stream = this.open;
    if (stream === undefined) return new Set();
    for (const { body } of letters) stream.send({ type: "send", message: body });
    const confirmed = new Set<Letter>();
    let answered = 0;
    const deadline = performance.now() + streamMillis;
    while (answered < letters.length && !stream.isOver() && performance.now() < deadline) {
      await sleep(lookMillis);
      for (const frame of stream.take()) {
        if (frame.type !== "send_result") continue;
        answered++;
        const letter = letters.find(({ body }) => body.message_id === frame.message_id);
        if (letter !== undefined && isStored(frame.status)) confirmed.add(letter);
        else countAnswer(this.deps.recorder, `${frame.status} ${"error" in frame ? frame.error : ""}`);
      }
    }
    if (answered < letters.length) {
      // What is still under way must not meet its repetition on the same stream.
      stream.cut();
      this.open = undefined;
    }
    return confirmed;
  }

  private stored(letters: readonly Letter[], statuses: readonly { status: string; error?: string }[]): Set<Letter> {
    for (const { status, error } of statuses)
      if (!isStored(status)) countAnswer(this.deps.recorder, `${status} ${error}`);
    return new Set(letters.filter((_, at) => isStored(statuses[at]?.status)));
  }

  private async ask<B>(asked: Promise<Answer<B>>): Promise<Answer<B> | undefined> {
    const answer = await withinPatience(asked);
    countAnswer(this.deps.recorder, String(answer?.status ?? "none"));
    return answer;
  }
}

function isStored(status: string | undefined): boolean {
  return status === "queued" || status === "federated";
}
