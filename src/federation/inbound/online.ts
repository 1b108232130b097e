import type { Database } from "../../database/db.js";
import type { RateLimiter } from "../../limits/rate-limiter.js";
import type { Envelope, MessageRules, SentMessage } from "../../messages/model/types.js";
import { type MessagesService, maxOnlineBytes, parseMessage } from "../../messages/service.js";
import type { Domain } from "../../protocol/address.js";
import { RelayError } from "../../protocol/errors.js";
import type { LimitObserver } from "../../protocol/rate-limit.js";
import type { SettingsService } from "../../settings/service.js";
import type { FederationSettings } from "../model/config.js";
import type { Admission } from "./admit.js";
import { onlineLimit } from "./limits.js";

interface OnlineRequest {
  /** The domain that the token was issued to. */
  caller: string;
  originHeader: string;
  originServer: string;
  messages: readonly SentMessage[];
  observer?: LimitObserver;
}

/** Takes online-only messages of peers. */
export function createInboundOnline(deps: {
  db: Database;
  domain: string;
  settings: Pick<SettingsService, "current">;
  admission: Pick<Admission, "admitRequest" | "nameOf">;
  rateLimiter: Pick<RateLimiter, "count">;
  messages: Pick<MessagesService, "pushFromPeer">;
  peerCalled(domain: Domain): void;
  config: Pick<FederationSettings, "federationAllowPrivate" | "federationOnlineMessagesPerMinute">;
}) {
  const { db, admission, config } = deps;
  return {
    /** Pushes the messages that can be pushed, and drops the others. Errors as in the contract. */
    async pushOnline({ messages, observer, ...request }: OnlineRequest): Promise<void> {
      const origin = await admission.admitRequest(request);
      await deps.rateLimiter.count(db, [onlineLimit(origin, messages.length, config)], observer);
      deps.peerCalled(admission.nameOf(request.originServer));
      const rules: MessageRules = {
        domain: deps.domain,
        privateDomainsAllowed: config.federationAllowPrivate,
        maxMessageSize: Math.min(maxOnlineBytes, deps.settings.current().server.max_message_size),
      };
      const envelopes = messages.flatMap((message) => parseOrDrop(message, rules));
      if (envelopes.length > 0) await deps.messages.pushFromPeer(envelopes);
    },
  };
}

function parseOrDrop(message: SentMessage, rules: MessageRules): Envelope[] {
  try {
    const envelope = parseMessage(message, rules);
    return envelope.domain === undefined ? [envelope] : [];
  } catch (error) {
    if (error instanceof RelayError) return [];
    throw error;
  }
}
