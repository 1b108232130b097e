import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../../database/db.js";
import type { Clock } from "../../node/clock.js";
import type { Logger } from "../../platform/logger.js";
import type { Random } from "../../platform/random.js";
import type { Domain } from "../../protocol/address.js";
import { encodeBase64 } from "../../protocol/encodings.js";
import { readRetryAfter } from "../../protocol/retry-after.js";
import { kibibyte } from "../../protocol/units.js";
import type { SettingsService } from "../../settings/service.js";
import type { FederationSettings } from "../model/config.js";
import type { ForwardedReport } from "../model/types.js";
import type { ServerStatuses } from "../peers/server-status.js";
import { readPeer } from "../peers/store.js";
import { type PeerAnswer, type PeerCalls, PeerError } from "../peers/types.js";
import { type BackoffConfig, backoffMillis } from "./backoff.js";

const answerBytes = 64 * kibibyte;
const waitingPerPeer = 100;
const peersAtOnce = 256;

/** Passes spam reports on to the relays of the reported devices. */
export type ForwardReports = ReturnType<typeof createForwardReports>;

/**
 * Reports wait in memory alone, because a table of them would say who reported whom. So a restart loses those of a peer that
 * was away; they have counted here already. Each peer has one request at a time.
 */
export function createForwardReports(deps: {
  db: Database;
  clock: Clock;
  random: Pick<Random, "fraction">;
  logger: Logger;
  /** This server's. */
  domain: string;
  settings: Pick<SettingsService, "current">;
  statuses: Pick<ServerStatuses, "admits">;
  calls: Pick<PeerCalls, "isReady" | "discover" | "ask">;
  config: BackoffConfig & Pick<FederationSettings, "forwardedReportAttempts">;
}) {
  const { clock, logger, settings, statuses, calls, config } = deps;
  const waitingFor = new Map<string, ForwardedReport[]>();
  const stopped = new AbortController();

  /** How long to wait before the next attempt, in seconds by the peer's wish; undefined if the report is done with. */
  const attempt = async (domain: Domain, report: ForwardedReport): Promise<{ asked: number | null } | undefined> => {
    try {
      if (!settings.current().federation.enabled || !calls.isReady() || !statuses.admits(domain)) return undefined;
      const { federationEnabled, offers } = await calls.discover(domain);
      if (!federationEnabled || !offers.takesReports) return undefined;
      const answer = await calls.ask(domain, {
        operation: "forwardSpamReport",
        body: contractReport(report, deps.domain),
        answerBytes,
      });
      if (!isTemporary(answer)) return undefined;
      return { asked: readRetryAfter(answer.headers["retry-after"], clock.nowMillis()) };
    } catch (error) {
      if (!(error instanceof PeerError)) throw error;
      return { asked: null };
    }
  };
  const send = async (host: string, waiting: ForwardedReport[]): Promise<void> => {
    try {
      const domain = (await readPeer(deps.db, host))?.domain as Domain | undefined;
      for (let failures = 0; domain !== undefined && waiting[0] !== undefined && !stopped.signal.aborted; ) {
        const again = await attempt(domain, waiting[0]);
        failures = again === undefined ? 0 : failures + 1;
        const wait = again === undefined ? 0 : backoffMillis(failures, { retryAfterSeconds: again.asked }, deps);
        // The next report has attempts of its own.
        if (failures >= config.forwardedReportAttempts) failures = 0;
        if (failures === 0) waiting.shift();
        if (wait > 0) await sleep(wait, undefined, { ref: false, signal: stopped.signal });
      }
    } catch (error) {
      if (!stopped.signal.aborted) logger.warn({ err: error }, "spam reports for another relay were dropped");
    } finally {
      waitingFor.delete(host);
    }
  };

  return {
    /** Never throws: what cannot be passed on is dropped. */
    forwardReport(host: string, report: ForwardedReport): void {
      const waiting = waitingFor.get(host);
      if (waiting !== undefined) {
        if (waiting.length < waitingPerPeer) waiting.push(report);
      } else if (waitingFor.size < peersAtOnce && !stopped.signal.aborted) {
        const first = [report];
        waitingFor.set(host, first);
        void send(host, first);
      }
    },
    stop: (): void => stopped.abort(),
  };
}

/** Whether the peer may take the report later. */
function isTemporary({ status }: PeerAnswer): boolean {
  return status === 401 || status === 408 || status === 429 || status >= 500;
}

function contractReport({ messageId, sender, prefix, handle, ...report }: ForwardedReport, domain: string) {
  const proof = handle && { report_handle: encodeBase64(handle) };
  const sent = { message_id: messageId, sender_id: sender, recipient_address: `${prefix}@${domain}` };
  return { ...report, ...sent, ...proof };
}
