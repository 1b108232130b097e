import { withinTime } from "../../platform/concurrency/within-time.js";
import type { Domain } from "../../protocol/address.js";
import { RelayError } from "../../protocol/errors.js";
import { mebibyte } from "../../protocol/units.js";
import type { SettingsService } from "../../settings/service.js";
import type { FederationSettings } from "../model/config.js";
import type { PeerResponse, SlotQuestion } from "../model/types.js";
import { readPeerDomain } from "./hosts.js";
import type { ServerStatuses } from "./server-status.js";
import { type PeerCalls, PeerError } from "./types.js";

/** Asks peers for their commit slots. */
export interface SlotRequests {
  /**
   * The answer of a peer, with any status. Throws INVALID_ADDRESS, FEDERATION_DISABLED and FEDERATION_FAILED before the peer is
   * asked, and PEER_UNAVAILABLE if it does not answer in time: it may have done what was asked.
   */
  askForSlot(domain: string, question: SlotQuestion): Promise<PeerResponse>;
}

/** Holds the largest content of a slot in base64. */
const answerBytes = 2 * mebibyte;
const retrySeconds = 2;

export function createSlotRequests(deps: {
  domain: string;
  settings: Pick<SettingsService, "current">;
  statuses: Pick<ServerStatuses, "admits">;
  calls: PeerCalls;
  config: Pick<FederationSettings, "federationAllowPrivate" | "federationSlotTimeoutSeconds">;
}): SlotRequests {
  const { settings, statuses, calls, config } = deps;

  const ask = async (domain: Domain, question: SlotQuestion): Promise<PeerResponse> => {
    const { federationEnabled, offers } = await calls.discover(domain);
    if (!federationEnabled || !offers.answersSlots)
      throw new RelayError("FEDERATION_FAILED", "the other relay has no commit slots for other relays");
    return calls.askSlot(domain, { body: question, answerBytes });
  };

  return {
    async askForSlot(text, question) {
      if (!settings.current().federation.enabled || !calls.isReady())
        throw new RelayError("FEDERATION_DISABLED", "this server does not call other ones");
      const domain = readPeerDomain(text, { ownDomain: deps.domain, privateAllowed: config.federationAllowPrivate });
      if (!statuses.admits(domain))
        throw new RelayError("FEDERATION_FAILED", "the other relay is blocked here or not on the allowlist");
      const asking = ask(domain, question).catch((cause: unknown) => {
        throw cause instanceof PeerError ? unavailable(cause) : cause;
      });
      return withinTime(asking, config.federationSlotTimeoutSeconds * 1000, () => {
        throw unavailable();
      });
    },
  };
}

function unavailable(cause?: PeerError): RelayError {
  return new RelayError("PEER_UNAVAILABLE", "the other relay does not answer; repeat the same request", {
    cause,
    headers: { "Retry-After": String(retrySeconds) },
  });
}
