import type { X509Certificate } from "node:crypto";
import { createPeriodic } from "../../platform/concurrency/periodic.js";
import type { ServerConfig } from "../../platform/config/server.js";
import type { Logger } from "../../platform/logger.js";
import { createChallenges } from "./challenges.js";
import { acmeFiles, makeFolders, readCertificate, readOrMakeKey, withOrderLock, writeCertificate } from "./files.js";

// A relay without a certificate serves with a temporary one and orders a certificate at once; it renews it after two
// thirds of its lifetime. An order only writes files: the listener and the identity for peers watch them like any other
// certificate (file-watcher.ts), so a renewal breaks no connection. A failed order is retried after growing pauses,
// because authorities count failures.

/** Gets the listener's certificate from an ACME server (RFC 8555) and renews it. */
export type AcmeCertificate = ReturnType<typeof createAcmeCertificate>;

const renewWhenLeft = 1 / 3;
const longestPauseSeconds = 6 * 3600;

export function createAcmeCertificate(deps: { config: ServerConfig; logger: Logger }) {
  const { config, logger } = deps;
  const files = acmeFiles(config.dataDir);
  const host = new URL(config.baseUrl).hostname;
  const challenges = createChallenges({ ...config, port: config.acmeHttpPort, files, logger });
  let failure: { since: number; pauseSeconds: number; notBefore: number } | undefined;

  const order = async (): Promise<void> => {
    const startedAt = nowSeconds();
    try {
      const { orderCertificate } = await import("./order.js");
      const pem = await orderCertificate({ directory: config.acmeDirectory ?? "", host, files, challenges });
      await writeCertificate(files, pem);
      failure = undefined;
      logger.info({ host, valid_to: (await readCertificate(files, host))?.validTo }, "a certificate was issued");
    } catch (error) {
      const pauseSeconds = Math.min(
        failure === undefined ? config.acmeRetrySeconds : 2 * failure.pauseSeconds,
        longestPauseSeconds,
      );
      failure = { since: failure?.since ?? startedAt, pauseSeconds, notBefore: nowSeconds() + pauseSeconds };
      logger.error({ err: error, host, retry_after_seconds: pauseSeconds }, "no certificate was issued");
    }
  };
  const check = async (): Promise<void> => {
    const due = isDue(await readCertificate(files, host));
    if (!due) failure = undefined;
    if (due && nowSeconds() >= (failure?.notBefore ?? 0)) await withOrderLock(files, order);
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
    async stop(): Promise<void> {
      await periodic.stop();
      await challenges.stop();
    },
    /** The Unix time in seconds since which orders have failed; 0 if the last one succeeded. */
    failingSince: (): number => failure?.since ?? 0,
  };
}

/** The certificate is for other people's machines, so the database's clock does not apply. */
function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

function isDue(certificate: X509Certificate | undefined): boolean {
  if (certificate === undefined || certificate.issuer === certificate.subject) return true;
  const [from, to] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
  return to - Date.now() < (to - from) * renewWhenLeft;
}
