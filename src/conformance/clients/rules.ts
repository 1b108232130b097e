import { randomBytes } from "node:crypto";
import { type CatalogueEntry, type ErrorId, errorCatalogue } from "../../../generated/errors.js";
import { closeCodes, type ServerFrame } from "../../../generated/frames.js";
import { Broken, hold, NotChecked, same } from "../harness/assertions.js";
import type { ClientProgram, Outcome } from "./program.js";
import { type Behaviour, type ClientRelay, type Members, type Reply, refusal, type SentMessage } from "./relay.js";

/** What rules about clients work with. */
interface ClientContext {
  relay: ClientRelay;
  program: ClientProgram;
}

/** A rule about a client. */
export interface ClientRule {
  id: string;
  title: string;
  source: string;
  /** The section of the specification, or what announces the extension. */
  place: string;
  /** Whether the program is started anew after it, because it may have ended by right. */
  isLast?: boolean;
  check(context: ClientContext): Promise<void>;
}

const flow = "Flow control";
const routing = "Message routing";
/** As many messages as are pushed ahead of their acknowledgements; how often the acknowledgement of each fails. */
const fullWindow = 10;
const failedAttempts = 2;
const repeatedWithinMillis = 20_000;
const lateMillis = 3_000;
const retryAfterSeconds = 1;
const settlingMillis = 500;
const busySpanMillis = 5_000;
/** Timers of another process may be this much early. */
const toleranceMillis = 50;

export const clientRules: readonly ClientRule[] = [
  {
    id: "client.receives",
    title: "a delivered message is handled and then acknowledged",
    source: "asyncapi: Life of a stream; openapi: pollMessages",
    place: routing,
    async check(context) {
      await receive(context);
      hold(context.relay.announcements() > 0, "it announced nothing that could be checked");
    },
  },
  {
    id: "client.duplicate",
    title: "a message that is delivered again is acknowledged again and handled once",
    source: "asyncapi: Life of a stream; openapi: pollMessages",
    place: flow,
    async check(context) {
      const { relay, program } = context;
      const message = await receive(context);
      relay.deliver(message);
      await relay.until(() => timesOf(relay.acknowledged, message) > 1, "the repetition was not acknowledged");
      await receive(context);
      same(timesOf(program.handled, message), 1, "how often it was handled");
    },
  },
  {
    id: "client.order",
    title: "messages are handled in the order in which they were delivered",
    source: "asyncapi: Life of a stream",
    place: flow,
    async check({ relay, program }) {
      const before = program.handled.length;
      const ids = [1, 2, 3, 4].map(() => relay.deliver().message_id);
      await relay.until(() => program.handled.length >= before + ids.length, "not all messages were handled");
      same(program.handled.slice(before), ids, "what was handled");
    },
  },
  {
    id: "client.reordered-confirmations",
    title: "confirmations of acknowledgements may come late and in another order",
    source: "asyncapi: acknowledge",
    place: flow,
    async check(context) {
      const { relay } = context;
      const held: [ServerFrame, (frame: ServerFrame) => void][] = [];
      await behaving(relay, { onConfirmation: (frame, send) => void held.push([frame, send]) }, async () => {
        const ids = [1, 2, 3].map(() => relay.deliver().message_id);
        const areAcknowledged = () => ids.every((message_id) => timesOf(relay.acknowledged, { message_id }) > 0);
        await relay.until(areAcknowledged, "not all messages were acknowledged");
        for (const [frame, send] of held.reverse()) send(frame);
      });
      await receive(context);
    },
  },
  {
    id: "client.failed-acknowledgements",
    title: "acknowledgements that failed, single or in a batch, are repeated after retry_after, and not handled again",
    source: "asyncapi: Flow control; acknowledge; acknowledgeBatch",
    place: flow,
    async check(context) {
      const { relay, program } = context;
      await demandStream(relay);
      const attempts = new Map<string, number[]>();
      const onAcknowledge = (ids: readonly string[]) => {
        const now = performance.now();
        const before = ids.map((id) => (attempts.get(id) ?? attempts.set(id, []).get(id) ?? []).push(now));
        return Math.min(...before) > failedAttempts ? undefined : unavailable;
      };
      await behaving(relay, { onAcknowledge }, async () => {
        const messages = Array.from({ length: fullWindow }, () => relay.deliver());
        const areAcknowledged = () => messages.every((message) => timesOf(relay.acknowledged, message) > 0);
        await relay.until(areAcknowledged, "an acknowledgement that failed was not repeated", repeatedWithinMillis);
        for (const message of messages) same(timesOf(program.handled, message), 1, "how often a message was handled");
      });
      for (const times of attempts.values()) {
        const waits = times.slice(1).map((at, index) => at - (times[index] ?? 0));
        const shortest = Math.min(...waits);
        hold(
          shortest >= 1000 * retryAfterSeconds - toleranceMillis,
          `it repeated one after ${Math.round(shortest)} ms`,
        );
      }
      await receive(context);
    },
  },
  {
    id: "client.late-answer",
    title: "a message whose answer is late is sent once, or again with the same id and content",
    source: "openapi: sendMessage",
    place: routing,
    async check(context) {
      const accepted = { status: "queued", delivery_estimate: "delayed" };
      const onSend = ({ body }: SentMessage): Reply => {
        return { status: 202, body: { message_id: body["message_id"], ...accepted }, afterMillis: lateMillis };
      };
      const { outcome } = await send(context, { onSend });
      hold(outcome.sent, "it gave up a message that was accepted");
    },
  },
  {
    id: "client.lost-answer",
    title: "a message whose answer was lost is sent again with the same id and content, or its loss is reported",
    source: "openapi: sendMessage",
    place: routing,
    async check(context) {
      await send(context, { onSend: (_, count) => (count === 1 ? { status: 0, body: {} } : undefined) });
    },
  },
  ...(Object.keys(errorCatalogue) as ErrorId[]).map(errorRule),
  {
    id: "client.unknown-error",
    title: "an error of unknown name and code is a refusal, and the client continues",
    source: "openapi: ErrorBody",
    place: "Errors",
    async check(context) {
      const { outcome, requests } = await send(context, { onSend: once(refusal(400, "SOMETHING_OF_LATER", 4999)) });
      hold(!outcome.sent && requests.length === 1, "it sent the refused message again");
      await goesOn(context);
    },
  },
  {
    id: "client.added-members",
    title: "unknown members of answers and frames are ignored",
    source: "asyncapi: sendServerFrame; openapi: description",
    place: "Versioning",
    async check(context) {
      await behaving(context.relay, { decorate: withAddition }, () => goesOn(context));
    },
  },
  {
    id: "client.unknown-frame",
    title: "unknown kinds of frames are ignored",
    source: "asyncapi: sendServerFrame",
    place: "Versioning",
    async check(context) {
      await demandStream(context.relay);
      context.relay.push({ type: "of_later", data: { message_id: "none" } });
      const attempts = context.relay.streamAttempts.length;
      await receive(context);
      await pause(settlingMillis);
      hold(context.relay.isStreaming(), "it closed the stream");
      same(context.relay.streamAttempts.length, attempts, "how many streams it opened");
    },
  },
  {
    id: "client.reconnects",
    title: "a client that is told to reconnect does so in time, and receives what has waited",
    source: "asyncapi: Coming back",
    place: flow,
    async check(context) {
      const { relay, program } = context;
      await demandStream(relay);
      const attempts = relay.streamAttempts.length;
      const status = { type: "status", status: "reconnecting", retry_after: retryAfterSeconds };
      relay.push({ ...status, server_timestamp: Math.floor(relay.nowMillis() / 1000), next_poll_fallback: 1 });
      const closed = performance.now();
      relay.closeStream(closeCodes.goingAway.code, closeCodes.goingAway.reason);
      await relay.until(() => !relay.isStreaming(), "it kept the stream");
      const message = relay.deliver();
      await relay.until(() => timesOf(program.handled, message) > 0, "what waited was not handled");
      await demandStream(relay);
      const waited = (relay.streamAttempts[attempts] ?? Number.POSITIVE_INFINITY) - closed;
      hold(waited >= 1000 * retryAfterSeconds - toleranceMillis, `it came back after ${Math.round(waited)} ms`);
    },
  },
  {
    id: "client.backoff",
    title: "while streams are refused the client asks for at most ten in five seconds, and polls at last",
    source: "asyncapi: Coming back; openapi: pollMessages",
    place: flow,
    async check(context) {
      const { relay } = context;
      await demandStream(relay);
      await behaving(relay, { refusesStreams: true }, async () => {
        const attempts = relay.streamAttempts.length;
        relay.closeStream(closeCodes.unavailable.code, closeCodes.unavailable.reason);
        await relay.until(() => !relay.isStreaming(), "it kept the stream");
        const message = relay.deliver();
        await pause(busySpanMillis);
        await relay.until(() => timesOf(relay.acknowledged, message) > 0, "it did not poll");
        const times = relay.streamAttempts.slice(attempts);
        const withinSpan = (from: number) => times.filter((at) => at >= from && at < from + busySpanMillis).length;
        const busiest = Math.max(0, ...times.map(withinSpan));
        hold(busiest <= 10, `it asked for ${busiest} streams within five seconds`);
      });
      await demandStream(relay);
    },
  },
  {
    id: "client.replaced",
    title: "a client replaced by another one of its device does not come back by itself",
    source: "asyncapi: Coming back; Close codes",
    place: flow,
    isLast: true,
    async check({ relay }) {
      await demandStream(relay);
      const attempts = relay.streamAttempts.length;
      const times = { server_timestamp: Math.floor(relay.nowMillis() / 1000), next_poll_fallback: 1 };
      relay.push({ type: "status", status: "disconnected", ...times });
      relay.closeStream(closeCodes.replaced.code, closeCodes.replaced.reason);
      await pause(busySpanMillis);
      same(relay.streamAttempts.length - attempts, 0, "how many streams it opened");
    },
  },
];

const unavailable = {
  error: errorCatalogue.DATABASE_UNAVAILABLE.error,
  code: errorCatalogue.DATABASE_UNAVAILABLE.code,
  message: "the conformance suite refuses this",
  retry_after: retryAfterSeconds,
};

/** The first request of a message is answered with this error of the catalogue, and its repetitions are accepted. */
function errorRule(id: ErrorId): ClientRule {
  const { error, code, status, headers }: CatalogueEntry = errorCatalogue[id];
  const isTransient = status === 408 || status === 429 || status >= 500;
  const isToken = id === "INVALID_TOKEN";
  const consequence = isToken
    ? "is followed by a new token"
    : isTransient
      ? "is not followed by the same message before Retry-After"
      : "is a refusal, and the message is not sent again";
  return {
    id: `client.error.${id}`,
    title: `${error} (${code}, ${status}) ${consequence}`,
    source: `errors.yaml: ${id}`,
    place: "Errors",
    async check(context) {
      const told = new Map([["retry-after", String(retryAfterSeconds)]]);
      const sent = Object.fromEntries(headers.map((name) => [name, told.get(name.toLowerCase()) ?? "Bearer"]));
      const reply = { ...refusal(status, error, code), headers: sent };
      const { outcome, requests } = await send(context, { onSend: once(reply) });
      if (isToken) {
        hold(outcome.sent, "it did not send the message with a new token");
        hold(requests[1]?.token !== requests[0]?.token, "it sent the message with the refused token");
      } else if (isTransient) {
        const [first, second] = requests.map(({ atMillis }) => atMillis);
        const wait = (second ?? Number.POSITIVE_INFINITY) - (first ?? 0);
        const least = headers.includes("Retry-After") ? 1000 * retryAfterSeconds - toleranceMillis : 0;
        hold(wait >= least, `it sent the message again after ${Math.round(wait)} ms`);
      } else {
        same(requests.length, 1, "how often it sent the refused message");
        hold(!outcome.sent, "it says that the refused message was sent");
      }
      await goesOn(context);
    },
  };
}

/** Sends a message and returns what became of it, and every request for it; they must be equal. */
async function send({ relay, program }: ClientContext, behaviour: Behaviour) {
  const ciphertext = randomBytes(40).toString("base64");
  const before = relay.sent.length;
  const address = `00000000-0000-4000-8000-000000000000@${relay.domain}`;
  const outcome: Outcome = await behaving(relay, behaviour, () => program.send(address, ciphertext));
  const requests = relay.sent.slice(before);
  hold(requests.length > 0, "it sent nothing");
  for (const { body } of requests) {
    same([body["recipient_address"], body["mls_ciphertext"]], [address, ciphertext], "the message");
    same(body["message_id"], requests[0]?.body["message_id"], "the id of the repetition");
    same(body["sender_signature"], requests[0]?.body["sender_signature"], "the signature of the repetition");
  }
  return { outcome, requests };
}

/** After whatever happened, a message is sent and one is received. */
async function goesOn(context: ClientContext): Promise<void> {
  const { outcome } = await send(context, context.relay.behaviour);
  hold(outcome.sent, "it sends no more");
  await receive(context);
}

async function receive({ relay, program }: ClientContext): Promise<Members & { message_id: string }> {
  const message = relay.deliver();
  const isGone = () => program.hasEnded() || timesOf(relay.acknowledged, message) > 0;
  await relay.until(isGone, "a delivered message was not acknowledged");
  if (program.hasEnded()) throw new Broken("the program is gone");
  await relay.until(() => timesOf(program.handled, message) > 0, "a message was acknowledged and not handled");
  return message;
}

/** A client may receive by polls alone; rules about streams say nothing about it. */
async function demandStream(relay: ClientRelay): Promise<void> {
  for (let tries = 0; relay.streamAttempts.length === 0; tries++) {
    if (tries === 50) throw new NotChecked("the client opens no streams");
    await pause(100);
  }
  await relay.until(() => relay.isStreaming(), "it has no stream");
}

async function behaving<T>(relay: ClientRelay, behaviour: Behaviour, work: () => Promise<T>): Promise<T> {
  const before = relay.behaviour;
  relay.behaviour = behaviour;
  try {
    return await work();
  } finally {
    relay.behaviour = before;
  }
}

/** Answers the first request of a message, and accepts its repetitions. */
function once(reply: Reply): NonNullable<Behaviour["onSend"]> {
  return (_, count) => (count === 1 ? reply : undefined);
}

function withAddition(body: Members): Members {
  const added = { of_later: { list: [1, null, {}], text: "unknown" } };
  const { data } = body;
  return { ...body, ...added, ...(typeof data === "object" && data !== null && { data: { ...data, ...added } }) };
}

function pause(millis: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, millis));
}

function timesOf(ids: readonly string[], { message_id }: { message_id: string }): number {
  return ids.filter((id) => id === message_id).length;
}
