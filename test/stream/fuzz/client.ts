import { WebSocket } from "ws";
import { errorCatalogue } from "../../../generated/errors.js";
import { validateClientFrame, validateServerFrame } from "../../../generated/frame-validators.js";
import { closeCodes, type ServerFrame, streamPath } from "../../../generated/frames.js";
import type { Journal } from "./journal.js";

type Asked = { kind: "ack"; id: string; spelled: string } | { kind: "batch"; ids: string[] };

/** Codes of the WebSocket protocol itself: regular, none given, broken off, no UTF-8, too large. */
const protocolCodes = [1000, 1005, 1006, 1007, 1009];
const allowedCodes: readonly number[] = [...protocolCodes, ...Object.values(closeCodes).map(({ code }) => code)];
const catalogue: readonly { error: string; code: number }[] = Object.values(errorCatalogue);

/** A client's end of a stream that checks every frame and keeps the device's journal. */
export class FuzzedStream {
  /** Message ids in the order in which they were pushed. */
  readonly pushed: string[] = [];
  authenticated = false;
  reading = true;
  readonly closed: Promise<void>;
  private readonly socket: WebSocket;
  /** Of the device whose token was sent first; until then, of the device that opened the stream. */
  journal: Journal;
  private openedAt: number;
  private claimed = false;
  /** Ids that were acknowledged on this stream. */
  private readonly own = new Set<string>();
  private asked: Asked[] = [];
  private lastReceivedAt = 0;
  private over = false;

  constructor(url: string, journal: Journal) {
    this.journal = journal;
    this.openedAt = journal.now();
    this.socket = new WebSocket(`${url.replace(/^http/, "ws")}${streamPath}`);
    this.socket.on("error", () => this.socket.terminate());
    this.socket.on("message", (data: Buffer, isBinary) => this.heard(data, isBinary));
    this.closed = new Promise((resolve) => {
      this.socket.once("close", (code) => {
        this.ended(code);
        resolve();
      });
    });
  }

  get isOpen(): boolean {
    return this.socket.readyState === WebSocket.OPEN;
  }

  /** Whether every acknowledgement so far has been answered. */
  get settled(): boolean {
    return this.asked.length === 0 || this.over;
  }

  opened(): Promise<void> {
    if (this.socket.readyState !== WebSocket.CONNECTING) return Promise.resolve();
    return Promise.race([new Promise<void>((resolve) => this.socket.once("open", resolve)), this.closed]);
  }

  send(frame: unknown): void {
    this.write(JSON.stringify(frame), false);
  }

  authenticate({ token, journal }: { token: string; journal: Journal }): void {
    if (!this.claimed) {
      this.claimed = true;
      this.journal = journal;
      this.openedAt = journal.now();
    }
    this.send({ type: "auth", access_token: token });
  }

  write(data: string | Buffer, binary: boolean): void {
    if (!this.isOpen) return;
    this.noteRequest(data, binary);
    this.socket.send(data, { binary });
  }

  stopReading(): void {
    if (!this.isOpen) return;
    this.reading = false;
    this.socket.pause();
  }

  readOn(): void {
    this.reading = true;
    if (this.isOpen) this.socket.resume();
  }

  leave(): void {
    this.readOn();
    if (this.isOpen) this.socket.close();
  }

  vanish(): void {
    this.socket.terminate();
  }

  /** Any sent data may turn out to be an acknowledgement, even if it was drawn at random. */
  private noteRequest(data: string | Buffer, binary: boolean): void {
    if (binary) return;
    const frame = parse(data.toString());
    if (!validateClientFrame(frame)) return;
    if (frame.type === "ack")
      this.asked.push({ kind: "ack", id: canonical(frame.message_id), spelled: frame.message_id });
    if (frame.type === "ack_batch") this.asked.push({ kind: "batch", ids: frame.message_ids.map(canonical) });
  }

  private heard(data: Buffer, isBinary: boolean): void {
    const frame = isBinary ? undefined : parse(data.toString());
    if (!validateServerFrame(frame)) {
      this.journal.fault(`outside the contract: ${data.toString().slice(0, 300)}`);
      return;
    }
    this.check(frame);
  }

  private check(frame: ServerFrame): void {
    if (frame.type === "message" || frame.type === "system") this.delivered(frame.data);
    else if (frame.type === "ack_confirmed") this.confirmed(frame);
    else if (frame.type === "ack_batch_confirmed") this.batchConfirmed(frame);
    else if (frame.type === "error") this.refused(frame);
    else this.authenticated ||= frame.status === "connected";
  }

  private delivered(data: { message_id: string; received_at: number }): void {
    if (!this.authenticated) this.journal.fault("a message came before the first status frame");
    if (data.received_at < this.lastReceivedAt) this.journal.fault("a message came out of the queue's order");
    if (this.pushed.includes(data.message_id)) this.journal.fault(`${data.message_id} was pushed twice on one stream`);
    this.lastReceivedAt = data.received_at;
    this.pushed.push(data.message_id);
    // A message that was acknowledged elsewhere while this stream was open may already have been on its way.
    this.journal.delivered(data.message_id, this.own.has(data.message_id) ? this.journal.now() : this.openedAt);
  }

  private confirmed({ message_id: spelled, acknowledged }: { message_id: string; acknowledged: boolean }): void {
    const asked = this.asked.shift();
    const id = canonical(spelled);
    if (asked?.kind !== "ack" || asked.spelled !== spelled) {
      this.journal.fault(`${spelled} was confirmed where ${JSON.stringify(asked)?.slice(0, 200)} was asked`);
      return;
    }
    if (acknowledged) this.own.add(id);
    this.journal.confirmed(id, acknowledged);
  }

  private batchConfirmed(frame: { acknowledged_count: number; failed_count: number }): void {
    const asked = this.asked.shift();
    if (asked?.kind !== "batch") {
      this.journal.fault(`a batch was confirmed where ${JSON.stringify(asked)?.slice(0, 200)} was asked`);
      return;
    }
    const before = new Set(this.journal.gone.keys());
    this.journal.batchConfirmed(asked.ids, { removed: frame.acknowledged_count, failed: frame.failed_count });
    for (const id of asked.ids) if (this.journal.gone.has(id) && !before.has(id)) this.own.add(id);
  }

  private refused(frame: { error: string; code: number; message_id?: string }): void {
    if (!catalogue.some(({ error, code }) => error === frame.error && code === frame.code)) {
      this.journal.fault(`${frame.error} with code ${frame.code} is not in the catalogue`);
    }
    if (frame.error === "INTERNAL") this.journal.fault("the stream failed: INTERNAL");
    if (frame.message_id !== undefined) this.doubt(this.asked.shift());
  }

  private ended(code: number): void {
    this.over = true;
    if (!allowedCodes.includes(code)) this.journal.fault(`the stream was closed with ${code}`);
    for (const asked of this.asked.splice(0)) this.doubt(asked);
  }

  private doubt(asked: Asked | undefined): void {
    if (asked === undefined) return;
    for (const id of asked.kind === "ack" ? [asked.id] : asked.ids) {
      if (!this.journal.gone.has(id)) this.journal.doubtful.add(id);
    }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The spelling of message ids in queues. */
function canonical(id: string): string {
  return id
    .toLowerCase()
    .replaceAll("-", "")
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
