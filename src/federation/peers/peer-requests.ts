import { watchPace } from "../../platform/net/pace.js";
import type { Domain } from "../../protocol/address.js";
import { RelayError } from "../../protocol/errors.js";
import { mebibyte } from "../../protocol/units.js";
import type { SettingsService } from "../../settings/service.js";
import type { FederationSettings } from "../model/config.js";
import type { KeyPackageQuestion, PeerResponse, SlotQuestion } from "../model/types.js";
import { readPeerDomain } from "./hosts.js";
import { paceOf } from "./http-client.js";
import type { ServerStatuses } from "./server-status.js";
import { type PeerCalls, PeerError, type PeerOffers, type PeerQuestion } from "./types.js";

/** Holds the largest content of a slot in base64. */
const slotBytes = 2 * mebibyte;
/** Holds the largest key packages for 100 addresses in base64. */
const keyPackagesBytes = 5 * mebibyte;
const retrySeconds = 2;

/** Asks peers for what they keep: commit slots and key packages. */
export function createPeerRequests(deps: {
  domain: string;
  settings: Pick<SettingsService, "current">;
  statuses: Pick<ServerStatuses, "admits">;
  calls: PeerCalls;
  config: FederationSettings;
}) {
  const { settings, statuses, calls, config } = deps;

  const discoverAndAsk = async (
    domain: Domain,
    question: PeerQuestion,
    { offer, lacking }: { offer: keyof PeerOffers; lacking: string },
  ): Promise<PeerResponse> => {
    const { federationEnabled, offers } = await calls.discover(domain);
    if (!federationEnabled || offers[offer] !== true)
      throw new RelayError("FEDERATION_FAILED", `the other relay has no ${lacking} for other relays`);
    return calls.ask(domain, question);
  };
  const ask = async (
    text: string,
    question: PeerQuestion,
    required: { offer: keyof PeerOffers; lacking: string },
  ): Promise<PeerResponse> => {
    if (!settings.current().federation.enabled || !calls.isReady())
      throw new RelayError("FEDERATION_DISABLED", "this server does not call other ones");
    const domain = readPeerDomain(text, { ownDomain: deps.domain, privateAllowed: config.federationAllowPrivate });
    if (!statuses.admits(domain))
      throw new RelayError("FEDERATION_FAILED", "the other relay is blocked here or not on the allowlist");
    let moved = 0;
    const progressed = (bytes: number): void => {
      moved = bytes;
    };
    const asking = discoverAndAsk(domain, { ...question, progressed }, required).catch((cause: unknown) => {
      throw cause instanceof PeerError ? unavailable(cause) : cause;
    });
    const rules = {
      silenceSeconds: config.federationSlotTimeoutSeconds,
      leastBytesPerSecond: config.federationLeastBytesPerSecond,
    };
    return new Promise((resolve, reject) => {
      const stopWatching = watchPace(
        paceOf(JSON.stringify(question.body).length, rules),
        () => moved,
        () => reject(unavailable()),
      );
      asking.finally(stopWatching).then(resolve, reject);
    });
  };

  return {
    /**
     * The answer of a peer, with any status. Throws INVALID_ADDRESS, FEDERATION_DISABLED and FEDERATION_FAILED before the peer is
     * asked, and PEER_UNAVAILABLE if it is silent or too slow: it may have done what was asked.
     */
    askForSlot: (domain: string, body: SlotQuestion): Promise<PeerResponse> =>
      ask(
        domain,
        { operation: "askSlot", body, answerBytes: slotBytes },
        { offer: "answersSlots", lacking: "commit slots" },
      ),
    /** Likewise. */
    askForKeyPackages: (domain: string, body: KeyPackageQuestion): Promise<PeerResponse> =>
      ask(
        domain,
        { operation: "claimKeyPackagesForPeer", body, answerBytes: keyPackagesBytes },
        { offer: "givesKeyPackages", lacking: "key packages" },
      ),
  };
}

function unavailable(cause?: PeerError): RelayError {
  return new RelayError("PEER_UNAVAILABLE", "the other relay does not answer; repeat the same request", {
    cause,
    headers: { "Retry-After": String(retrySeconds) },
  });
}
