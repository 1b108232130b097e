import type { Clock } from "../platform/cluster/clock.js";
import type { Config } from "../platform/config/config.js";
import { carriable } from "../protocol/encodings.js";
import { invalidMember, RelayError } from "../protocol/errors.js";
import { parseMessageId } from "../protocol/identifiers.js";
import type { SettingsService } from "../settings/service.js";
import {
  type Envelope,
  isRefused,
  type MailboxService,
  type MessageRules,
  type Outcome,
  parseMessage,
  type QueuedMessage,
  type SentMessage,
} from "./mailbox.js";

export type { SentMessage } from "./mailbox.js";

/** The routing of messages: what comes in is parsed and handed to the queues, what is queued is handed out. */
export interface MessagesService {
  /** Sends one message of a device. Throws what the catalogue has for it; see `sendMessage` in the contract. */
  send(deviceId: string, message: SentMessage): Promise<SendResult>;
  /**
   * Sends several, each for itself; a failure of one is its own result. Throws INVALID_REQUEST where there are too many,
   * and what befalls the server rather than a message, where it befell them all.
   */
  sendBatch(deviceId: string, messages: readonly SentMessage[]): Promise<BatchResult[]>;
  /** The device's next poll waits until this one's answer has `left`. */
  poll(
    deviceId: string,
    query: { since?: number | undefined; limit?: number | undefined },
    left?: Promise<unknown>,
  ): Promise<PollResult>;
  /** Removes one message per id; false where there is none. Throws INVALID_REQUEST where there are too many ids. */
  acknowledge(deviceId: string, messageIds: readonly string[]): Promise<boolean[]>;
}

export interface SendResult {
  messageId: string;
  status: "queued" | "federated";
  estimate: "immediate" | "delayed";
}

export type BatchResult = { messageId: string } & ({ status: "queued" | "federated" } | { error: RelayError });

export interface PollResult {
  messages: QueuedMessage[];
  hasMore: boolean;
  nextPollSeconds: number;
  now: number;
}

export type MessagesConfig = Pick<
  Config,
  | "batchLimit"
  | "ackListLimit"
  | "pollDefaultLimit"
  | "pollMaxLimit"
  | "nextPollPendingSeconds"
  | "nextPollIdleSeconds"
  | "federationAllowPrivate"
>;

export interface MessagesDeps {
  mailbox: Pick<MailboxService, "accept" | "page" | "acknowledge">;
  settings: Pick<SettingsService, "current">;
  clock: Clock;
  domain: string;
  config: MessagesConfig;
}

type Parsed = Envelope | RelayError;

/** Errors that say something of the server's state, not of a message. */
const serverErrors: ReadonlySet<string> = new Set(["DATABASE_UNAVAILABLE", "OVERLOADED", "INTERNAL"]);

export function createMessagesService(deps: MessagesDeps): MessagesService {
  const { mailbox, clock, config } = deps;
  const rules = (): MessageRules => ({
    domain: deps.domain,
    privateDomainsAllowed: config.federationAllowPrivate,
    maxMessageSize: deps.settings.current().server.max_message_size,
  });

  return {
    async send(deviceId, message) {
      const envelope = parseMessage(message, rules());
      const [outcome] = await mailbox.accept({ kind: "device", deviceId }, [envelope]);
      if (outcome === undefined || isRefused(outcome)) throw refusalError(outcome);
      return { messageId: envelope.messageId, status: statusOf(outcome, envelope), estimate: outcome.estimate };
    },
    async sendBatch(deviceId, messages) {
      refuseMore("messages", messages.length, config.batchLimit);
      const bounds = rules();
      const parsed = messages.map((message) => tryParse(message, bounds));
      const envelopes = parsed.filter((one): one is Envelope => !(one instanceof RelayError));
      const outcomes = await mailbox.accept({ kind: "device", deviceId }, envelopes);
      if (outcomes.length > 0 && outcomes.every(isServerError)) throw refusalError(outcomes[0]);
      let next = 0;
      return parsed.map((one, i) => {
        if (one instanceof RelayError) return { messageId: spell(messages[i]), error: one };
        const outcome = outcomes[next++];
        const { messageId } = one;
        if (outcome === undefined || isRefused(outcome)) return { messageId, error: catalogued(outcome) };
        return { messageId, status: statusOf(outcome, one) };
      });
    },
    async poll(deviceId, { since, limit = config.pollDefaultLimit }, left) {
      const page = await mailbox.page(deviceId, { since, limit: Math.min(limit, config.pollMaxLimit) }, left);
      const pending = page.messages.length > 0;
      const nextPollSeconds = pending ? config.nextPollPendingSeconds : config.nextPollIdleSeconds;
      return { ...page, nextPollSeconds, now: clock.nowSeconds() };
    },
    async acknowledge(deviceId, messageIds) {
      refuseMore("message_ids", messageIds.length, config.ackListLimit);
      const items = messageIds.map((text) => ({ messageId: parseMessageId(text) ?? text }));
      const removed = await mailbox.acknowledge(deviceId, items);
      return removed.map((position) => position !== undefined);
    },
  };
}

/** A repetition is answered like the first time. */
function statusOf(outcome: Extract<Outcome, { status: string }>, { domain }: Envelope): "queued" | "federated" {
  if (outcome.status !== "duplicate") return outcome.status;
  return domain === undefined ? "queued" : "federated";
}

function tryParse(message: SentMessage, rules: MessageRules): Parsed {
  try {
    return parseMessage(message, rules);
  } catch (error) {
    if (error instanceof RelayError) return error;
    throw error;
  }
}

/** The id as it is given back: in canonical form, or as it was sent where it is none. */
function spell(message: SentMessage | undefined): string {
  return parseMessageId(message?.messageId ?? "") ?? carriable(message?.messageId ?? "");
}

function isServerError(outcome: Outcome): boolean {
  return isRefused(outcome) && serverErrors.has(outcome.error);
}

/** INTERNAL is thrown as a plain error: the front door gives it the request's id. */
function refusalError(outcome: Outcome | undefined): Error {
  const error = catalogued(outcome);
  return error.id === "INTERNAL" ? new Error(error.message) : error;
}

function catalogued(outcome: Outcome | undefined): RelayError {
  if (outcome === undefined || !isRefused(outcome)) return new RelayError("INTERNAL", "a message has no outcome");
  return new RelayError(outcome.error, outcome.message, outcome.extras === undefined ? {} : { extras: outcome.extras });
}

function refuseMore(member: string, count: number, limit: number): void {
  if (count <= limit) return;
  throw invalidMember(member, `must not have more than ${limit} items`);
}
