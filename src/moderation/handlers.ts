import type { Call, ModerationHandlers } from "../../generated/handlers.js";
import { isReason, type Reason } from "./report.js";
import type { ModerationService } from "./service.js";

/** Spam reports on the wire. */
export function createModerationHandlers({ moderation }: { moderation: ModerationService }): ModerationHandlers {
  return {
    async reportSpam(call) {
      const { message_id: messageId, sender_id: sender } = call.body;
      const report = { messageId, sender, ...readReason(call.body) };
      const { reportId, reportedAt } = await moderation.report(call.principal.deviceId, report, call);
      const body = { report_id: reportId, reported_at: reportedAt, action_taken: "recorded" } as const;
      return call.reply({ status: 200, body });
    },
  };
}

/** An unknown reason is recorded as `other`, before the details. */
function readReason(body: Call<"reportSpam">["body"]): { reason: Reason; details: string | null } {
  const { reason: written, details = "" } = body;
  const reason = written.trim().toLowerCase();
  if (isReason(reason)) return { reason, details: body.details ?? null };
  return { reason: "other", details: details === "" ? written : `${written}\n${details}` };
}
