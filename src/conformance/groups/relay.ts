// The relay under which a groups program runs: a real one, behind a proxy that notes what the program sends.

import { errorCatalogue } from "../../../generated/errors.js";
import { validateClientFrame } from "../../../generated/frame-validators.js";
import { streamPath } from "../../../generated/frames.js";
import type { OperationId } from "../../../generated/handlers.js";
import { decodeBase64 } from "../../protocol/encodings.js";
import { type Changes, createChanges } from "../clients/changes.js";
import { readContract } from "../harness/contract.js";
import { type Members, type Passing, startDeviatingProxy } from "../harness/deviating-proxy.js";

/** A request of the program, or a message that it has sent on its stream. */
export interface Asked {
  operation: OperationId;
  path: string;
  body: Members;
  /** When it came and when it was answered: the counter goes up with each request and each answer. */
  came: number;
  answered: number;
  /** Empty until then. */
  answer: Members;
  isLost?: true;
}

/** A copy of a message for one recipient. A retry counts as another one. */
export interface Copy {
  id: string;
  to: string;
  ciphertext: Uint8Array;
  signature: string;
  timestamp: number;
  came: number;
}

export interface WatchedRelay extends Changes {
  url: string;
  domain: string;
  /** Its requests for these operations, in order. */
  asked(...operations: readonly OperationId[]): Asked[];
  copies(): Copy[];
  /** The next answer to one of these operations does not reach the program. */
  lose(...operations: readonly OperationId[]): void;
  /** Holds back the next request for this operation until it is released. After that, none is held. */
  hold(operation: OperationId): { hasCome(): boolean; release(): void };
  /** A limit of the relay that the program has met. */
  limit(): string | undefined;
  fault(text: string): void;
  hasFaults(): boolean;
  takeFaults(): string[];
  stop(): Promise<void>;
}

export const sending: readonly OperationId[] = ["sendMessage", "sendMessageBatch", "sendMessageToMany"];

export async function watchRelay(target: { url: string; domain: string }): Promise<WatchedRelay> {
  const contract = await readContract();
  const changes = createChanges();
  const asked: Asked[] = [];
  const under = new WeakMap<object, Asked>();
  const lost: (readonly OperationId[])[] = [];
  const held = new Map<OperationId, (release: () => void) => void>();
  const faults: string[] = [];
  let now = 0;
  let limit: string | undefined;

  const note = (operation: OperationId, path: string, body: Members): Asked => {
    const one = { operation, path, body, came: ++now, answered: Number.POSITIVE_INFINITY, answer: {} };
    asked.push(one);
    changes.changed();
    return one;
  };
  const proxy = await startDeviatingProxy(target.url);
  proxy.deviation = {
    async request({ method, path: whole, asked: headers, body }) {
      const [path = ""] = whole.split("?");
      const operation = contract.operationAt(method, path) as OperationId | undefined;
      if (operation === undefined) return void faults.push(`${method} ${path} is not in the contract`);
      // The proxy keeps bodies byte by byte.
      const text = Buffer.from(body, "latin1").toString();
      for (const problem of contract.requestFaults(operation, text)) faults.push(`${operation}: ${problem}`);
      under.set(headers, note(operation, path, parse(text)));
      const hold = held.get(operation);
      held.delete(operation);
      if (hold !== undefined) await new Promise<void>(hold);
    },
    answer(passing) {
      const one = under.get(passing.asked);
      if (one === undefined) return;
      one.answered = ++now;
      one.answer = parse(passing.body);
      if (passing.body.includes(errorCatalogue.RATE_LIMIT_EXCEEDED.error)) limit ??= one.operation;
      if (one.operation === "getDiscovery") redirect(passing, proxy.url);
      const at = lost.findIndex((operations) => operations.includes(one.operation));
      if (at >= 0 && passing.status < 300) {
        lost.splice(at, 1);
        one.isLost = true;
        passing.status = 0;
      }
      changes.changed();
    },
    sent(frame) {
      if (!validateClientFrame(frame)) faults.push(`a frame outside the contract: ${JSON.stringify(frame)}`);
      if (frame["type"] === "send") note("sendMessage", "", Object(frame["message"]));
    },
  };

  return {
    ...changes,
    url: proxy.url,
    domain: target.domain,
    asked: (...operations) => asked.filter(({ operation }) => operations.includes(operation)),
    copies: () => asked.filter(({ operation }) => sending.includes(operation)).flatMap(copiesIn),
    lose: (...operations) => void lost.push(operations),
    hold(operation) {
      let release: (() => void) | undefined;
      held.set(operation, (go) => {
        release = go;
      });
      return {
        hasCome: () => release !== undefined,
        release() {
          // Otherwise a request that comes only during a later rule would be held for ever.
          held.delete(operation);
          release?.();
        },
      };
    },
    limit: () => limit,
    fault: (text) => {
      faults.push(text);
      changes.changed();
    },
    hasFaults: () => faults.length > 0,
    takeFaults: () => [...new Set(faults.splice(0))],
    stop: () => proxy.stop(),
  };
}

export function copiesIn({ body, came }: Asked): Copy[] {
  const messages: Members[] = body["messages"] ?? [body];
  return messages.flatMap((message) => {
    const recipients: string[] = message["recipients"] ?? [message["recipient_address"]];
    const ciphertext = decodeBase64(message["mls_ciphertext"]) ?? new Uint8Array();
    const { message_id: id, sender_signature: signature, timestamp } = message;
    return recipients.map((to) => ({ id, to, ciphertext, signature, timestamp, came }));
  });
}

/** Keeps the program's requests coming through this proxy. */
function redirect(passing: Passing, to: string): void {
  const document = parse(passing.body);
  const stream = { ...document["stream"], url: to.replace(/^http/, "ws") + streamPath };
  passing.body = JSON.stringify({ ...document, base_url: to, stream });
}

function parse(body: string): Members {
  try {
    return Object(JSON.parse(body));
  } catch {
    return {};
  }
}
