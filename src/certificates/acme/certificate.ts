import type { X509Certificate } from "node:crypto";
import { createPeriodic } from "../../platform/concurrency/periodic.js";
import type { ServerConfig } from "../../platform/config/server.js";
import type { Logger } from "../../platform/logger.js";
import { doublingWait } from "../../protocol/doubling-wait.js";
import { createChallenges } from "./challenges.js";
import { AcmeProblem } from "./client.js";
import { acmeDirectoryUrl } from "./directories.js";
import {
  acmeFiles,
  endPause,
  makeFolders,
  readAuthority,
  readCertificate,
  readOrMakeKey,
  readPause,
  withOrderLock,
  writeCertificate,
  writePause,
} from "./files.js";

// A relay without a certificate serves with a temporary one and orders a certificate at once; it renews it after two
// thirds of its lifetime. An order only writes files: the listener and the identity for peers watch them like any other
// certificate (file-watcher.ts), so a renewal breaks no connection. A failed order is repeated after growing pauses,
// because authorities count failures, and not before the time that the authority names, over a restart too.

/** Gets the listener's certificate from an ACME server (RFC 8555) and renews it. */
export type AcmeCertificate = ReturnType<typeof createAcmeCertificate>;

const renewWhenLeft = 1 / 3;
const longestPauseSeconds = 6 * 3600;

/** Orders that have failed since the last one that succeeded. */
interface Failing {
  /** Unix seconds, by this machine's clock. */
  since: number;
  retryAt: number;
  /** How long before `retryAt` the last order failed. */
  waitSeconds: number;
  failures: number;
}

export function createAcmeCertificate(deps: { config: ServerConfig; logger: Logger }) {
  const { config, logger } = deps;
  const files = acmeFiles(config.dataDir);
  const host = new URL(config.baseUrl).hostname;
  const directory = acmeDirectoryUrl(config.acmeDirectory ?? "");
  const challenges = createChallenges({ ...config, port: config.acmeHttpPort, files, logger });
  const stopping = new AbortController();
  let failing: Failing | undefined;

  const failed = async (error: unknown): Promise<void> => {
    const failures = (failing?.failures ?? 0) + 1;
    const pauseSeconds = doublingWait(failures, { first: config.acmeRetrySeconds, longest: longestPauseSeconds });
    const asked = error instanceof AcmeProblem ? (error.retryAfterSeconds ?? 0) : 0;
    const waitSeconds = Math.max(pauseSeconds, asked);
    const now = nowSeconds();
    failing = { since: failing?.since ?? now, retryAt: now + waitSeconds, waitSeconds, failures };
    logger.error(
      {
        err: error,
        host,
        authority: new URL(directory).host,
        retry_at: timeOf(failing.retryAt),
      },
      "no certificate was issued",
    );
    if (asked > pauseSeconds)
      await writePause(files, {
        authority: directory,
        host,
        since: failing.since,
        retryAt: failing.retryAt,
        waitSeconds,
      });
  };
  const order = async (): Promise<void> => {
    try {
      const { orderCertificate } = await import("./order.js");
      const pem = await orderCertificate({ directory, host, files, challenges, config, signal: stopping.signal });
      await writeCertificate(files, pem, directory);
      failing = undefined;
      await endPause(files);
      logger.info({ host, valid_to: (await readCertificate(files, host))?.validTo }, "a certificate was issued");
    } catch (error) {
      if (!stopping.signal.aborted) await failed(error);
    }
  };
  const pauseOfEarlierRun = async (): Promise<Failing | undefined> => {
    const pause = await readPause(files);
    if (pause?.authority !== directory || pause.host !== host) return undefined;
    const { since, retryAt, waitSeconds } = pause;
    const found = { since, retryAt, waitSeconds, failures: 0 };
    if (!waits(found)) return undefined;
    logger.warn({ host, retry_at: timeOf(retryAt) }, "the authority wants no order of a certificate before this time");
    return found;
  };
  const check = async (): Promise<void> => {
    const isFromElsewhere = (await readAuthority(files)) !== directory;
    const due = isFromElsewhere || isDue(await readCertificate(files, host));
    if (!due) failing = undefined;
    else failing ??= await pauseOfEarlierRun();
    if (due && !waits(failing)) await withOrderLock(files, order);
  };
  const periodic = createPeriodic({
    everyMillis: config.acmeCheckSeconds * 1000,
    run: check,
    failed: (error) => logger.error({ err: error }, "the certificate could not be checked"),
  });

  return {
    /** Resolves when the files to serve with exist; orders go on in the background. */
    async start(): Promise<void> {
      await makeFolders(files);
      const key = await readOrMakeKey(files.key);
      if ((await readCertificate(files, host)) === undefined) {
        const { createTemporaryCertificate } = await import("./temporary-certificate.js");
        await writeCertificate(files, await createTemporaryCertificate(host, key, Date.now()));
        logger.warn({ host }, "there is no certificate yet: serving with one that nobody trusts until it is issued");
      }
      await challenges.start();
      void periodic.run();
      periodic.start();
    },
    /** Breaks off an order. */
    async stop(): Promise<void> {
      stopping.abort();
      await periodic.stop();
      await challenges.stop();
    },
    /** Waits for the order or the check in progress. */
    settled: periodic.settled,
    /** The Unix time in seconds since which orders have failed; 0 if the last one succeeded. */
    failingSince: (): number => failing?.since ?? 0,
    /** The Unix time in seconds of the next order after a failed one; 0 if the last one succeeded. */
    retryAt: (): number => failing?.retryAt ?? 0,
  };
}

/** The certificate is for other people's machines, so the database's clock does not apply. */
function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

function timeOf(unixSeconds: number): string {
  return new Date(unixSeconds * 1000).toISOString();
}

/** No longer than was meant, if the clock is set back. */
function waits(failing: Failing | undefined): boolean {
  if (failing === undefined) return false;
  const leftSeconds = failing.retryAt - nowSeconds();
  return leftSeconds > 0 && leftSeconds <= failing.waitSeconds;
}

function isDue(certificate: X509Certificate | undefined): boolean {
  if (certificate === undefined || certificate.issuer === certificate.subject) return true;
  const [from, to] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
  return to - Date.now() < (to - from) * renewWhenLeft;
}
