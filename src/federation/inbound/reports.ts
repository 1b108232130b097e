import type { Database } from "../../database/db.js";
import type { RateLimiter } from "../../limits/rate-limiter.js";
import type { Clock } from "../../node/clock.js";
import { type Domain, hostOf, parseAddress } from "../../protocol/address.js";
import { RelayError } from "../../protocol/errors.js";
import type { LimitObserver } from "../../protocol/rate-limit.js";
import { daySeconds } from "../../protocol/units.js";
import type { FederationSettings } from "../model/config.js";
import type { ForwardedReport } from "../model/types.js";
import { readPeer } from "../peers/store.js";
import type { Admission } from "./admit.js";
import { reportLimit } from "./limits.js";

/** Age from which a peer's spam reports count. */
const reportingPeerMinAgeSeconds = 7 * daySeconds;

interface ReportRequest extends Omit<ForwardedReport, "prefix"> {
  /** The domain that the token was issued to. */
  caller: string;
  originHeader: string;
  originServer: string;
  recipientAddress: string;
  observer?: LimitObserver;
}

/** A report with what is known about the relay that passed it on. */
export interface PeerReport extends ForwardedReport {
  /** The registrable domain of that relay. */
  registrable: string;
  /** Its domain, as in its addresses. */
  domain: Domain;
  /** Whether it is known for long enough, and well enough, for its reports to count. */
  isEstablished: boolean;
}

/** Takes spam reports of peers about devices of this server. */
export function createInboundReports(deps: {
  db: Database;
  clock: Clock;
  admission: Pick<Admission, "admitRequest" | "nameOf">;
  rateLimiter: Pick<RateLimiter, "count">;
  reportOfPeer(report: PeerReport): Promise<void>;
  peerCalled(domain: Domain): void;
  config: FederationSettings;
}) {
  const { db, clock, admission, config } = deps;
  return {
    /** The answer does not tell what came of the report. Errors as in the contract. */
    async takeReport({ recipientAddress, observer, ...request }: ReportRequest): Promise<void> {
      const origin = await admission.admitRequest(request);
      await deps.rateLimiter.count(db, [reportLimit(origin, config)], observer);
      const domain = admission.nameOf(request.originServer);
      deps.peerCalled(domain);
      const address = parseAddress(recipientAddress, { privateAllowed: config.federationAllowPrivate });
      if (address?.domain !== domain)
        throw new RelayError("INVALID_ADDRESS", "the message was not sent to an address of your relay");
      const peer = await readPeer(db, hostOf(domain));
      const isOld = peer !== undefined && peer.firstContact <= clock.nowSeconds() - reportingPeerMinAgeSeconds;
      const { reporter, messageId, sender, handle, reason } = request;
      const report = { reporter, messageId, sender, handle, reason, prefix: address.prefix };
      const { registrable, divisor } = origin;
      await deps.reportOfPeer({ ...report, registrable, domain, isEstablished: isOld && divisor === 1 });
    },
  };
}
