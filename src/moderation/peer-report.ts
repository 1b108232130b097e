import type { Db } from "../database/db.js";
import type { DevicesService } from "../devices/service.js";
import type { Clock } from "../node/clock.js";
import type { Random } from "../platform/random.js";
import { parseMessageId } from "../protocol/identifiers.js";
import { canBeReported } from "../protocol/report-handles.js";
import type { AutoBlock } from "./auto-block.js";
import { readReason } from "./reasons.js";
import type { ForwardedReport, SentMessages } from "./report.js";
import type { ReportHashes } from "./report-hashes.js";
import { findReport, insertReport } from "./store.js";
import type { Recorded } from "./types.js";

/** A report of another server, at an address of which the message arrived. */
export interface ReportOfPeer extends ForwardedReport {
  registrable: string;
  domain: string;
  /** Whether the server is known for long enough, and well enough, for its reports to count. */
  isEstablished: boolean;
}

interface PeerReportDeps {
  clock: Clock;
  random: Pick<Random, "uuid">;
  devices: Pick<DevicesService, "lock" | "countReport">;
  messages: SentMessages;
  hashes: Pick<ReportHashes, "peer" | "report" | "reporter">;
  autoBlock: Pick<AutoBlock, "apply" | "recordUnverifiedOfPeer">;
}

/**
 * Decides on a report of another server. What it cannot prove is not stored: a peer could fill the table. The answer is alike, so
 * that nobody learns by reports who has sent what to whom.
 */
export function createPeerReportDecision({
  clock,
  random,
  devices,
  messages,
  hashes,
  autoBlock,
}: PeerReportDeps): (trx: Db, report: ReportOfPeer) => Promise<Pick<Recorded, "status" | "barred">> {
  return async (trx, { registrable, domain, isEstablished, reporter: pseudonym, ...sent }) => {
    const now = clock.nowSeconds();
    const device = await devices.lock(trx, sent.sender);
    const messageId = parseMessageId(sent.messageId) ?? sent.messageId;
    if (device === undefined) return { status: "unverified", barred: false };
    const reported = device.deviceId;
    const proof = { senderId: reported, messageId, recipient: { domain }, prefixes: [sent.prefix] };
    if (!canBeReported(messageId, sent.handle) || !(await messages.wasSentBy(trx, proof))) {
      await autoBlock.recordUnverifiedOfPeer(trx, { reported, reason: readReason(sent.reason).reason });
      return { status: "unverified", barred: false };
    }
    const reporterId = `${pseudonym} of ${registrable}`;
    const key = hashes.report({ reporterId, reported, messageId });
    if ((await findReport(trx, { reported, key })) !== undefined) return { status: "repeated", barred: false };
    const { reason, details } = readReason(sent.reason);
    await insertReport(trx, {
      reported,
      key,
      reportId: random.uuid(),
      reporter: hashes.reporter(reporterId),
      tier: isEstablished ? "established" : "new",
      status: "verified",
      reason,
      details,
      reportedAt: now,
      peer: hashes.peer(registrable),
    });
    await devices.countReport(trx, { reported, reporter: null });
    return { status: "verified", barred: await autoBlock.apply(trx, { reported: device, reason, now }) };
  };
}
