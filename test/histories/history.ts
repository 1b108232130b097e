/** What a client asked of one queue, and what it was told. Times are microseconds since the history began. */
export interface Operation {
  /** `settled`: everything that senders at the other relay were promised has left that relay. */
  kind: "send" | "poll" | "push" | "ack" | "settled";
  /** The number of the client, which does one thing after the other. */
  client: number;
  call: number;
  return: number;
  /** The messages that were sent, seen or acknowledged, by their names in this history. */
  messages: string[];
  /** `unknown`: no answer, or one that does not say that it was done. It may have been done, or be done later. */
  outcome: "ok" | "unknown";
  /** Of a send: whether the sender is at the other relay. */
  via?: "peer";
  /** Of a poll: the most messages in the page. */
  limit?: number;
  /** Of a push: the message that the same stream brought before. */
  after?: string;
}

/** The operations on the queue of one recipient, which one reader reads. */
export interface QueueHistory {
  queue: string;
  relay: string;
  operations: Operation[];
}

/** What a client asked about one blob, and what it was told. Times as above. */
export interface BlobOperation {
  /** `stored`: which parts the relay has. */
  kind: "part" | "stored" | "complete" | "read" | "delete";
  client: number;
  call: number;
  return: number;
  /**
   * `absent`: there is no such blob; `missing`: it lacks parts; `wrong`: the bytes are not those that were sent; `unknown`: as above.
   */
  outcome: "ok" | "absent" | "missing" | "wrong" | "unknown";
  /** The number of the part; for `stored`, those that the relay has; for `complete`, how many there must be. */
  parts?: number[];
}

/** The operations on one blob since its relay has promised to take it. */
export interface BlobHistory {
  blob: string;
  relay: string;
  operations: BlobOperation[];
}

/** A message that was sent to several queues at once, all or nothing. */
interface Together {
  message: string;
  relay: string;
  queues: string[];
}

/** A history as it is stored. `checker/` reads it. */
export interface History {
  seed: number;
  faults: string[];
  queues: QueueHistory[];
  /** None in histories that are older than blobs. */
  blobs?: BlobHistory[];
  together: Together[];
}

/** Writes down what clients do, as it happens. */
export interface Recorder {
  /** Microseconds since the history began. */
  now(): number;
  /** The name of a message in this history, which is shorter than its id. */
  nameOf(messageId: string): string;
  /** Begins the history of a queue. */
  open(queue: string, relay: string): void;
  note(queue: string, operation: Operation): void;
  noteTogether(together: Together): void;
  /** Begins the history of a blob. */
  openBlob(relay: string): BlobHistory;
  noteBlob(blob: BlobHistory, operation: BlobOperation): void;
  /** How many messages were sent to a queue so far. */
  sentTo(queue: string): number;
  /** How many operations on queues have a known outcome so far. */
  known(): number;
  /** How often each status or reason was answered. */
  answers: Map<string, number>;
  history(seed: number, faults: string[]): History;
}

export function createRecorder(): Recorder {
  const startedAt = performance.now();
  const names = new Map<string, string>();
  const queues = new Map<string, QueueHistory>();
  const sent = new Map<string, Set<string>>();
  const blobs: BlobHistory[] = [];
  const together: Together[] = [];
  let known = 0;
  return {
    answers: new Map(),
    now: () => Math.round((performance.now() - startedAt) * 1_000),
    nameOf(messageId) {
      const name = names.get(messageId) ?? `m${names.size + 1}`;
      names.set(messageId, name);
      return name;
    },
    open(queue, relay) {
      queues.set(queue, { queue, relay, operations: [] });
      sent.set(queue, new Set());
    },
    note(queue, operation) {
      queues.get(queue)?.operations.push(operation);
      if (operation.outcome === "ok") known++;
      if (operation.kind === "send") for (const message of operation.messages) sent.get(queue)?.add(message);
    },
    noteTogether: (one) => void together.push(one),
    openBlob(relay) {
      const blob = { blob: `b${blobs.length + 1}`, relay, operations: [] };
      blobs.push(blob);
      return blob;
    },
    noteBlob: ({ operations }, operation) => void operations.push(operation),
    sentTo: (queue) => sent.get(queue)?.size ?? 0,
    known: () => known,
    history: (seed, faults) => ({ seed, faults, queues: [...queues.values()], blobs, together }),
  };
}
