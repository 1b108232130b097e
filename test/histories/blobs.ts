import { setTimeout as sleep } from "node:timers/promises";
import {
  type Created,
  complete,
  createBlob,
  deleteBlob,
  download,
  partsOf,
  putPart,
  uploadState,
} from "../blobs/uploading.js";
import type { Target } from "../crash/sending.js";
import type { TestDevice } from "../support/device.js";
import { countAnswer, withinPatience } from "./answers.js";
import type { BlobHistory, BlobOperation, Recorder } from "./history.js";
import type { Random } from "./random.js";

interface Deps {
  /** The number of the client. */
  client: number;
  relay: string;
  target: Target;
  recorder: Recorder;
  random: Random;
}

/** A blob and the bytes that its uploader has sent, or will send. */
export interface SentBlob {
  history: BlobHistory;
  target: Target;
  blob: Created;
  bytes: Uint8Array;
}

type Attempt = Pick<BlobOperation, "outcome"> & Partial<BlobOperation>;

const pauseMillis = 100;
const retryMillis = 150;
const mostAttempts = 100;
/** More blobs than this are no better, and fill the small disk. */
const mostBlobs = 60;
const smallBytes = 20_000;
/** Has two parts. */
const largeBytes = 1024 * 1024 + smallBytes;
const lifetimeSeconds = 86_400;

/** Until the signal comes, uploads blobs, repeats what was not confirmed, reads some of them and deletes some. */
export async function keepUploading(
  deps: Deps & { device: TestDevice; sent: SentBlob[] },
  signal: AbortSignal,
): Promise<void> {
  for (let made = 0; made < mostBlobs && !signal.aborted; made++) {
    const one = await begin(deps);
    if (one !== undefined) {
      deps.sent.push(one);
      await finish(new BlobClient(deps), one);
    }
    await sleep(pauseMillis);
  }
}

/** Until the signal comes, reads blobs that others upload, whole or in part. */
export async function keepDownloading(deps: Deps & { sent: readonly SentBlob[] }, signal: AbortSignal): Promise<void> {
  const client = new BlobClient(deps);
  while (!signal.aborted) {
    if (deps.sent.length > 0) await client.read(deps.random.oneOf(deps.sent));
    await sleep(pauseMillis);
  }
}

/** Reads each blob until the relay says whether it is there, and deletes it. False if it does not answer within many attempts. */
export async function readAndDelete(deps: Deps, sent: readonly SentBlob[]): Promise<boolean> {
  const client = new BlobClient(deps);
  for (const one of sent) {
    if (!(await insist(() => client.read(one))) || !(await insist(() => client.delete(one)))) return false;
    await client.read(one);
  }
  return true;
}

async function begin(deps: Deps & { device: TestDevice }): Promise<SentBlob | undefined> {
  const { target, device, random, recorder, relay } = deps;
  const size = random.share() < 0.2 ? largeBytes : random.between(1, smallBytes);
  const bytes = new Uint8Array(size).map((_, at) => at + size);
  const blob = await withinPatience(createBlob(target, device, { size, lifetime_seconds: lifetimeSeconds }));
  countAnswer(recorder, `blob ${blob === undefined ? "none" : "created"}`);
  return blob && { history: recorder.openBlob(relay), target, blob, bytes };
}

async function finish(client: BlobClient, one: SentBlob): Promise<void> {
  const { random } = client.deps;
  if (random.share() < 0.2) await client.complete(one);
  for (let part = 0; part < one.blob.parts; part++) {
    if (!(await insist(() => client.putPart(one, part)))) return;
    if (random.share() < 0.3) await client.stored(one);
  }
  if (!(await insist(() => client.complete(one)))) return;
  await client.read(one);
  if (random.share() < 0.4) await insist(() => client.delete(one));
}

/** Tries until there is an answer, but not for ever: a relay takes a part only so many times. */
async function insist(attempt: () => Promise<boolean>): Promise<boolean> {
  for (let left = mostAttempts; left > 0; left--) {
    if (await attempt()) return true;
    await sleep(retryMillis);
  }
  return false;
}

/** Does one thing after the other, and writes it down. Each method says whether there was an answer. */
class BlobClient {
  readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  putPart({ history, target, blob, bytes }: SentBlob, part: number): Promise<boolean> {
    return this.note(history, "part", [part], async () => {
      const content = partsOf(bytes, blob)[part] as Uint8Array;
      return outcomeOf(await withinPatience(putPart(target, blob, part, content)));
    });
  }

  stored({ history, target, blob }: SentBlob): Promise<boolean> {
    return this.note(history, "stored", [], async () => {
      const answer = await withinPatience(uploadState(target, blob));
      const outcome = outcomeOf(answer);
      if (answer === undefined || outcome.outcome !== "ok") return outcome;
      return answer.body.complete ? { outcome: "unknown" } : { ...outcome, parts: answer.body.stored_parts };
    });
  }

  complete({ history, target, blob }: SentBlob): Promise<boolean> {
    return this.note(history, "complete", [blob.parts], async () => {
      const answer = await withinPatience(complete(target, blob));
      return answer?.status === 409 ? { outcome: "missing" } : outcomeOf(answer);
    });
  }

  delete({ history, target, blob }: SentBlob): Promise<boolean> {
    return this.note(history, "delete", [], async () => outcomeOf(await withinPatience(deleteBlob(target, blob))));
  }

  read({ history, target, blob, bytes }: SentBlob): Promise<boolean> {
    const from = this.deps.random.share() < 0.3 ? this.deps.random.between(0, bytes.length - 1) : 0;
    return this.note(history, "read", [], async () => {
      const headers: Record<string, string> = from === 0 ? {} : { range: `bytes=${from}-` };
      const answer = await withinPatience(download(target, blob, { headers }));
      const outcome = outcomeOf(answer);
      if (answer === undefined || outcome.outcome !== "ok") return outcome;
      return answer.bytes.equals(bytes.subarray(from)) ? outcome : { outcome: "wrong" };
    });
  }

  private async note(
    history: BlobHistory,
    kind: BlobOperation["kind"],
    parts: number[],
    ask: () => Promise<Attempt>,
  ): Promise<boolean> {
    const { client, recorder } = this.deps;
    const began = recorder.now();
    const answer = await ask();
    const operation: BlobOperation = { kind, client, call: began, return: recorder.now(), parts, ...answer };
    recorder.noteBlob(history, operation);
    countAnswer(recorder, `${kind} ${operation.outcome}`);
    return operation.outcome !== "unknown";
  }
}

function outcomeOf(answer: { status: number } | undefined): Attempt {
  if (answer !== undefined && answer.status >= 200 && answer.status < 300) return { outcome: "ok" };
  return { outcome: answer?.status === 404 ? "absent" : "unknown" };
}
