import { mapInSlices } from "../platform/concurrency/map-in-slices.js";
import { replaceUnstorable } from "../protocol/encodings.js";
import { invalidMember, RelayError } from "../protocol/errors.js";
import type { LimitObserver } from "../protocol/rate-limit.js";
import type { SettingsService } from "../settings/service.js";
import { refuseAllIfOne } from "./all-or-nothing.js";
import type { Ingest } from "./ingest/ingest.js";
import { envelopeOf, parseContent, parseMessage, parseRecipient } from "./ingest/parse-message.js";
import type { MessageSettings } from "./model/config.js";
import {
  type Envelope,
  isRefused,
  type MessageRules,
  type Outcome,
  refusalError,
  type Sender,
  type SentContent,
  type SentMessage,
} from "./model/types.js";
import type { Online } from "./online.js";

interface SendResult {
  messageId: string;
  status: "queued" | "federated";
  estimate: "immediate" | "delayed";
}

type ItemResult = { status: "queued" | "federated" } | { error: RelayError };

export type BatchResult = { messageId: string } & ItemResult;

/** A message to many. `allOrNothing` refuses all recipients if one is over the sender's or a queue's limit. */
interface SentToMany extends SentContent {
  recipients: readonly string[];
  allOrNothing: boolean;
}

export type RecipientResult = { address: string } & ItemResult;

/** Messages of one request. `oneMessage` counts them together, as copies of one message for different recipients. */
interface SentBatch {
  messages: readonly SentMessage[];
  oneMessage: boolean;
}

interface ManyResult {
  messageId: string;
  /** In the order of the recipients. */
  recipients: RecipientResult[];
}

export type SendConfig = Pick<MessageSettings, "batchLimit" | "recipientsLimit"> & {
  readonly federationAllowPrivate: boolean;
};

/** Errors that concern the state of the server, not a message. */
const serverErrors: ReadonlySet<string> = new Set(["DATABASE_UNAVAILABLE", "OVERLOADED", "INTERNAL"]);

/** Sends messages of devices. */
export function createSend(deps: {
  ingest: Pick<Ingest, "accept" | "acceptToMany">;
  online: Online;
  settings: Pick<SettingsService, "current">;
  domain: string;
  config: SendConfig;
}) {
  const { ingest, online, config } = deps;
  const rules = (): MessageRules => ({
    domain: deps.domain,
    privateDomainsAllowed: config.federationAllowPrivate,
    maxMessageSize: deps.settings.current().server.max_message_size,
  });

  /** Online-only messages take a way of their own. With `copies`, the others are counted as one message to many. */
  const accept = async (
    deviceId: string,
    envelopes: readonly Envelope[],
    { observer, copies = false }: { observer: LimitObserver | undefined; copies?: boolean },
  ) => {
    const sender: Sender = { kind: "device", deviceId, observer };
    if (!copies && envelopes.every(isStored)) return ingest.accept(sender, envelopes);
    const stored = envelopes.filter(isStored);
    const passed = envelopes.filter((envelope) => envelope.lifetimeSeconds === 0);
    const [ofStored, ofPassed] = await Promise.all([
      copies && stored.length > 0
        ? ingest.acceptToMany(sender, stored, { allOrNothing: false, copies: { longestBytes: longestOf(stored) } })
        : ingest.accept(sender, stored),
      passed.length === 0 ? [] : online.push(deviceId, passed, observer),
    ]);
    const [nextStored, nextPassed] = [ofStored.values(), ofPassed.values()];
    return envelopes.map(
      ({ lifetimeSeconds }) => (lifetimeSeconds === 0 ? nextPassed : nextStored).next().value as Outcome,
    );
  };

  return {
    /** Sends one message of a device. Throws the errors of `sendMessage` in the contract. */
    async send(deviceId: string, message: SentMessage, observer?: LimitObserver): Promise<SendResult> {
      const envelope = parseMessage(message, rules());
      const [outcome] = await accept(deviceId, [envelope], { observer });
      if (outcome === undefined || isRefused(outcome)) throw thrownError(outcome);
      return { messageId: message.messageId, status: statusOf(outcome, envelope), estimate: outcome.estimate };
    },
    /**
     * Sends several messages independently: an error of one message is its result. Throws INVALID_REQUEST if there are
     * too many, and an error of the server if it concerns all of them.
     */
    async sendBatch(
      deviceId: string,
      { messages, oneMessage }: SentBatch,
      observer?: LimitObserver,
    ): Promise<BatchResult[]> {
      refuseTooMany("messages", messages.length, config.batchLimit);
      const current = rules();
      const all = await mapInSlices(messages, bytesOf, (message) => attempt(() => parseMessage(message, current)));
      const parsed = oneMessage ? withoutRepeatedRecipients(all) : all;
      const outcomes = await accept(deviceId, parsed.filter(isEnvelope), { observer, copies: oneMessage });
      if (outcomes.length > 0 && outcomes.every(isServerError)) throw thrownError(outcomes[0]);
      const repeated = (i: number) => replaceUnstorable(messages[i]?.messageId ?? "");
      return resultsOf(parsed, outcomes).map((result, i) => ({ messageId: repeated(i), ...result }));
    },
    /**
     * Sends one message to many recipients and returns the result for each. Throws INVALID_REQUEST, MESSAGE_TOO_LARGE, an
     * error of the server if it concerns all of them, and, if the message is all-or-nothing, RATE_LIMIT_EXCEEDED or
     * QUEUE_FULL.
     */
    async sendToMany(
      deviceId: string,
      { recipients, allOrNothing, ...sent }: SentToMany,
      observer?: LimitObserver,
    ): Promise<ManyResult> {
      refuseTooMany("recipients", recipients.length, config.recipientsLimit);
      const current = rules();
      const content = parseContent(sent, current);
      const parse = (address: string) => attempt(() => envelopeOf(content, parseRecipient(address, current)));
      const parsed = recipients.map(parse);
      const envelopes = parsed.filter(isEnvelope);
      const outcomes =
        content.lifetimeSeconds === 0
          ? await accept(deviceId, envelopes, { observer })
          : await ingest.acceptToMany({ kind: "device", deviceId, observer }, envelopes, { allOrNothing });
      if (outcomes.length > 0 && outcomes.every(isServerError)) throw thrownError(outcomes[0]);
      if (allOrNothing) refuseAllIfOne(outcomesOf(parsed, outcomes));
      const results = resultsOf(parsed, outcomes);
      return {
        messageId: sent.messageId,
        recipients: results.map((result, i) => recipientResult(recipients[i] ?? "", parsed[i], result)),
      };
    },
  };
}

type Parsed = Envelope | RelayError;

/** Whether the message waits in a queue or in the outbox; online-only ones do not. */
function isStored({ lifetimeSeconds }: Envelope): boolean {
  return lifetimeSeconds !== 0;
}

/** One message has one copy for each recipient: a second one is another message, which would count nothing. */
function withoutRepeatedRecipients(parsed: readonly Parsed[]): Parsed[] {
  const seen = new Set<string>();
  return parsed.map((one) => {
    if (!isEnvelope(one)) return one;
    const address = `${one.recipient}@${one.domain ?? ""}`;
    if (seen.has(address)) return invalidMember("recipient_address", "must differ from that of an earlier copy");
    seen.add(address);
    return one;
  });
}

function longestOf(envelopes: readonly Envelope[]): number {
  return Math.max(...envelopes.map(({ ciphertext }) => ciphertext.length));
}

/** Echo recipients exactly as they were sent; there may be a thousand. */
function recipientResult(address: string, parsed: Parsed | undefined, result: ItemResult): RecipientResult {
  const repeated = isEnvelope(parsed) ? address : replaceUnstorable(address);
  return "error" in result ? { address: repeated, error: result.error } : { address: repeated, status: result.status };
}

/** The result for each item. `outcomes` belong to the envelopes among `parsed`. */
function resultsOf(parsed: readonly Parsed[], outcomes: readonly Outcome[]): ItemResult[] {
  const ofItems = outcomesOf(parsed, outcomes);
  return parsed.map((one, i) => {
    if (!isEnvelope(one)) return { error: one };
    const outcome = ofItems[i];
    if (outcome === undefined || isRefused(outcome)) return { error: errorOf(outcome) };
    return { status: statusOf(outcome, one) };
  });
}

/** The outcome of each item; undefined for those that are no envelopes. */
function outcomesOf(parsed: readonly Parsed[], outcomes: readonly Outcome[]): (Outcome | undefined)[] {
  let next = 0;
  return parsed.map((one) => (isEnvelope(one) ? outcomes[next++] : undefined));
}

/** Throws INVALID_REQUEST if a list of the body is too long. */
export function refuseTooMany(member: string, count: number, limit: number): void {
  if (count <= limit) return;
  const problem = `must not have more than ${limit} items`;
  throw new RelayError("INVALID_REQUEST", `${member} ${problem}`, {
    extras: { details: [{ path: `body/${member}`, message: problem }] },
  });
}

/** A repetition is answered like the first time. */
function statusOf(outcome: Extract<Outcome, { status: string }>, { domain }: Envelope): "queued" | "federated" {
  if (outcome.status !== "duplicate") return outcome.status;
  return domain === undefined ? "queued" : "federated";
}

function bytesOf({ mlsCiphertext }: SentMessage): number {
  return mlsCiphertext.length;
}

function attempt(parse: () => Envelope): Parsed {
  try {
    return parse();
  } catch (error) {
    if (error instanceof RelayError) return error;
    throw error;
  }
}

function isEnvelope(parsed: Parsed | undefined): parsed is Envelope {
  return parsed !== undefined && !(parsed instanceof RelayError);
}

function isServerError(outcome: Outcome): boolean {
  return isRefused(outcome) && serverErrors.has(outcome.error);
}

/** INTERNAL is thrown as a plain error, because the HTTP layer adds the request's id. */
function thrownError(outcome: Outcome | undefined): Error {
  const error = errorOf(outcome);
  return error.id === "INTERNAL" ? new Error(error.message) : error;
}

function errorOf(outcome: Outcome | undefined): RelayError {
  if (outcome === undefined || !isRefused(outcome)) return new RelayError("INTERNAL", "a message has no outcome");
  return refusalError(outcome);
}
