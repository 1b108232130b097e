import type { History, Operation, QueueHistory } from "./history.js";

// Errors that a relay could make, put into histories that show none. Each gives nothing if the history has no place for it.

type Plant = (history: History, message: string) => History | undefined;

export const plants: Record<string, Plant> = {
  /** A confirmed message never comes. */
  loss: (history, message) =>
    edit(history, message, (queue) => {
      if (!isConfirmed(queue, "send", message)) return undefined;
      return queue.operations.flatMap((operation) => withoutSight(queue, operation, message));
    }),

  /** A message comes twice in one page, or on one stream. */
  duplicate: (history, message) =>
    edit(history, message, ({ operations }) => {
      const sight = operations.find((one) => isSight(one) && one.messages.includes(message));
      if (sight === undefined) return undefined;
      if (sight.kind === "push") return [...operations, { ...sight, call: sight.return, after: message }];
      const limit = (sight.limit ?? 0) + 1;
      return replace(operations, sight, { ...sight, limit, messages: [...sight.messages, message] });
    }),

  /** Two messages of which one was confirmed before the other was sent come the other way round, wherever they come. */
  reorder: (history, message) =>
    edit(history, message, (queue) => {
      const other = laterThan(queue, message);
      if (other === undefined) return undefined;
      const swap = (name: string) => (name === message ? other : name === other ? message : name);
      return queue.operations.map((operation) => {
        if (operation.kind === "send") return operation;
        const { after } = operation;
        return {
          ...operation,
          messages: operation.messages.map(swap),
          ...(after === undefined ? {} : { after: swap(after) }),
        };
      });
    }),

  /** A message comes again after its acknowledgement was confirmed. */
  resurrection: (history, message) =>
    edit(history, message, ({ operations }) => {
      const ack = operations.find(
        (one) => one.kind === "ack" && one.outcome === "ok" && one.messages.includes(message),
      );
      if (ack === undefined) return undefined;
      const page = operations.find(({ kind, call }) => kind === "poll" && call > ack.return);
      if (page === undefined) return undefined;
      const limit = (page.limit ?? 0) + 1;
      return replace(operations, page, { ...page, limit, messages: [message, ...page.messages] });
    }),
};

/** The messages of a history that were seen. */
export function messagesOf({ queues }: History): string[] {
  return [
    ...new Set(queues.flatMap(({ operations }) => operations.filter(isSight).flatMap(({ messages }) => messages))),
  ];
}

function edit(
  history: History,
  message: string,
  change: (queue: QueueHistory) => Operation[] | undefined,
): History | undefined {
  for (const queue of history.queues) {
    if (!queue.operations.some((operation) => isSight(operation) && operation.messages.includes(message))) continue;
    const operations = change(queue);
    if (operations === undefined) continue;
    return { ...history, together: [], queues: [{ ...queue, operations }] };
  }
  return undefined;
}

function isSight({ kind }: Operation): boolean {
  return kind === "poll" || kind === "push";
}

function isConfirmed({ operations }: QueueHistory, kind: Operation["kind"], message: string): boolean {
  return operations.some((one) => one.kind === kind && one.outcome === "ok" && one.messages.includes(message));
}

/** The operation as it would be if the message had not been there. */
function withoutSight({ operations }: QueueHistory, operation: Operation, message: string): Operation[] {
  const { kind, messages, after } = operation;
  if (kind === "send" || kind === "settled") return [operation];
  const left = messages.filter((name) => name !== message);
  if (left.length === 0 && kind !== "poll") return [];
  const changed = { ...operation, messages: left };
  if (after !== message) return [changed];
  const push = operations.find(
    (one) => one.kind === "push" && one.messages[0] === message && one.return <= operation.return,
  );
  const { after: _, ...rest } = changed;
  return [push?.after === undefined ? rest : { ...rest, after: push.after }];
}

/** A message of the same way that was first sent after this one was confirmed, and was seen. */
function laterThan({ operations }: QueueHistory, message: string): string | undefined {
  const sends = operations.filter(({ kind }) => kind === "send");
  const own = sends.filter(({ messages }) => messages[0] === message);
  const confirmed = Math.min(...own.filter(({ outcome }) => outcome === "ok").map((one) => one.return));
  const seen = new Set(operations.filter(isSight).flatMap(({ messages }) => messages));
  const isFirst = (send: Operation) =>
    sends.every((one) => one.messages[0] !== send.messages[0] || one.call >= send.call);
  return sends.find(
    (send) => send.via === own[0]?.via && send.call > confirmed && isFirst(send) && seen.has(send.messages[0] ?? ""),
  )?.messages[0];
}

function replace(operations: readonly Operation[], one: Operation, other: Operation): Operation[] {
  return operations.map((operation) => (operation === one ? other : operation));
}
