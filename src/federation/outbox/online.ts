import type { Accepted, Envelope, ForwardOnline, Refused } from "../../messages/model/types.js";
import type { Clock } from "../../node/clock.js";
import type { Logger } from "../../platform/logger.js";
import { createLruCache } from "../../platform/lru-cache.js";
import type { Domain } from "../../protocol/address.js";
import { encodeBase64 } from "../../protocol/encodings.js";
import { kibibyte } from "../../protocol/units.js";
import type { SettingsService } from "../../settings/service.js";
import type { ServerStatuses } from "../peers/server-status.js";
import { type PeerCalls, PeerError } from "../peers/types.js";

const messagesPerRequest = 100;
const bytesPerRequest = 512 * kibibyte;
/** What waits for one peer, while a request to it is on its way. */
const waitingPerPeer = 300;
const peersAtOnce = 256;
/** A peer that failed is left alone for this long. */
const pauseSeconds = 30;
const peersRemembered = 10_000;
const answerBytes = 64 * kibibyte;

/**
 * Sends online-only messages to peers, one request to each at a time. Nothing is repeated: what does not fit, or meets
 * a peer that fails, is dropped.
 */
export function createForwardOnline(deps: {
  clock: Clock;
  logger: Logger;
  settings: Pick<SettingsService, "current">;
  statuses: Pick<ServerStatuses, "admits">;
  calls: Pick<PeerCalls, "isReady" | "discover" | "ask">;
}): ForwardOnline {
  const { clock, logger, settings, statuses, calls } = deps;
  const waitingFor = new Map<Domain, Envelope[]>();
  const pausedUntil = createLruCache<Domain, number>(peersRemembered);

  const send = async (domain: Domain, waiting: Envelope[]): Promise<void> => {
    try {
      const { federationEnabled, offers } = await calls.discover(domain);
      if (!federationEnabled || !offers.takesLifetimes) return;
      while (waiting.length > 0) {
        const messages = takeFirst(waiting).map((envelope) => contractMessage(envelope, domain));
        await calls.ask(domain, { operation: "pushOnlineMessages", body: { messages }, answerBytes });
      }
    } catch (error) {
      pausedUntil.set(domain, clock.nowSeconds() + pauseSeconds);
      if (!(error instanceof PeerError)) logger.warn({ err: error }, "online-only messages were dropped");
    } finally {
      waitingFor.delete(domain);
    }
  };
  const add = (domain: Domain, envelope: Envelope): void => {
    const waiting = waitingFor.get(domain);
    if (waiting !== undefined) {
      if (waiting.length < waitingPerPeer) waiting.push(envelope);
    } else if (waitingFor.size < peersAtOnce && (pausedUntil.get(domain) ?? 0) <= clock.nowSeconds()) {
      const first = [envelope];
      waitingFor.set(domain, first);
      void send(domain, first);
    }
  };

  return (envelopes) => {
    const isOff = !settings.current().federation.enabled || !calls.isReady();
    return envelopes.map((envelope) => {
      if (isOff) return disabled;
      const domain = envelope.domain as Domain;
      if (!statuses.admits(domain)) return notAdmitted;
      add(domain, envelope);
      return federated;
    });
  };
}

/** Removes what fits into a request: always one message. */
function takeFirst(waiting: Envelope[]): Envelope[] {
  let bytes = 0;
  const end = waiting.findIndex(({ ciphertext }, i) => {
    bytes += ciphertext.length;
    return i === messagesPerRequest || (i > 0 && bytes > bytesPerRequest);
  });
  return waiting.splice(0, end < 0 ? waiting.length : end);
}

function contractMessage({ systemEvent, ...envelope }: Envelope, domain: Domain) {
  return {
    message_id: envelope.messageId,
    recipient_address: `${envelope.recipient}@${domain}`,
    mls_ciphertext: encodeBase64(envelope.ciphertext),
    sender_signature: envelope.senderSignature,
    timestamp: envelope.timestamp,
    ...(systemEvent && { system_event: { event: systemEvent.event, extension_type: systemEvent.extensionType } }),
  };
}

const federated: Accepted = { status: "federated", estimate: "delayed" };
const disabled: Refused = {
  error: "FEDERATION_DISABLED",
  message: "this server does not take part in federation, or has no certificate for it",
};
const notAdmitted: Refused = {
  error: "FEDERATION_FAILED",
  message: "this server exchanges no messages with the recipient's server",
};
