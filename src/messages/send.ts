import { mapInSlices } from "../platform/concurrency/map-in-slices.js";
import type { Config } from "../platform/config/config.js";
import { carriable } from "../protocol/encodings.js";
import { RelayError } from "../protocol/errors.js";
import { parseMessageId } from "../protocol/identifiers.js";
import type { LimitObserver } from "../protocol/rate-limit.js";
import type { SettingsService } from "../settings/service.js";
import type { Ingest } from "./ingest/ingest.js";
import { parseMessage } from "./ingest/parse-message.js";
import { type Envelope, isRefused, type MessageRules, type Outcome, type SentMessage } from "./types.js";

export interface SendResult {
  messageId: string;
  status: "queued" | "federated";
  estimate: "immediate" | "delayed";
}

export type BatchResult = { messageId: string } & ({ status: "queued" | "federated" } | { error: RelayError });

export type SendConfig = Pick<Config, "batchLimit" | "federationAllowPrivate">;

/** Sends messages of devices. */
export interface Send {
  send(deviceId: string, message: SentMessage, observer?: LimitObserver): Promise<SendResult>;
  sendBatch(deviceId: string, messages: readonly SentMessage[], observer?: LimitObserver): Promise<BatchResult[]>;
}

/** Errors that concern the state of the server, not a message. */
const serverErrors: ReadonlySet<string> = new Set(["DATABASE_UNAVAILABLE", "OVERLOADED", "INTERNAL"]);

export function createSend(deps: {
  ingest: Pick<Ingest, "accept">;
  settings: Pick<SettingsService, "current">;
  domain: string;
  config: SendConfig;
}): Send {
  const { ingest, config } = deps;
  const rules = (): MessageRules => ({
    domain: deps.domain,
    privateDomainsAllowed: config.federationAllowPrivate,
    maxMessageSize: deps.settings.current().server.max_message_size,
  });

  return {
    async send(deviceId, message, observer) {
      const envelope = parseMessage(message, rules());
      const [outcome] = await ingest.accept({ kind: "device", deviceId, observer }, [envelope]);
      if (outcome === undefined || isRefused(outcome)) throw thrownError(outcome);
      return { messageId: envelope.messageId, status: statusOf(outcome, envelope), estimate: outcome.estimate };
    },
    async sendBatch(deviceId, messages, observer) {
      refuseTooMany("messages", messages.length, config.batchLimit);
      const current = rules();
      const parsed = await mapInSlices(messages, bytesOf, (message) => tryParse(message, current));
      const envelopes = parsed.filter((one): one is Envelope => !(one instanceof RelayError));
      const outcomes = await ingest.accept({ kind: "device", deviceId, observer }, envelopes);
      if (outcomes.length > 0 && outcomes.every(isServerError)) throw thrownError(outcomes[0]);
      let next = 0;
      return parsed.map((one, i) => {
        if (one instanceof RelayError) return { messageId: idOf(messages[i]), error: one };
        const outcome = outcomes[next++];
        const { messageId } = one;
        if (outcome === undefined || isRefused(outcome)) return { messageId, error: errorOf(outcome) };
        return { messageId, status: statusOf(outcome, one) };
      });
    },
  };
}

/** Throws INVALID_REQUEST where a list of the body is too long. */
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

function tryParse(message: SentMessage, rules: MessageRules): Envelope | RelayError {
  try {
    return parseMessage(message, rules);
  } catch (error) {
    if (error instanceof RelayError) return error;
    throw error;
  }
}

/** The id for the answer: in canonical form, or as it was sent if it is malformed. */
function idOf(message: SentMessage | undefined): string {
  return parseMessageId(message?.messageId ?? "") ?? carriable(message?.messageId ?? "");
}

function isServerError(outcome: Outcome): boolean {
  return isRefused(outcome) && serverErrors.has(outcome.error);
}

/** INTERNAL is thrown as a plain error: the HTTP layer adds the request's id to it. */
function thrownError(outcome: Outcome | undefined): Error {
  const error = errorOf(outcome);
  return error.id === "INTERNAL" ? new Error(error.message) : error;
}

function errorOf(outcome: Outcome | undefined): RelayError {
  if (outcome === undefined || !isRefused(outcome)) return new RelayError("INTERNAL", "a message has no outcome");
  return new RelayError(outcome.error, outcome.message, outcome.extras === undefined ? {} : { extras: outcome.extras });
}
