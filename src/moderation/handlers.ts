import type { ModerationHandlers } from "../../generated/handlers.js";
import { readHandle } from "../protocol/report-handles.js";
import { readReason } from "./reasons.js";
import type { ModerationService } from "./service.js";

/** Spam reports on the wire. */
export function createModerationHandlers({ moderation }: { moderation: ModerationService }): ModerationHandlers {
  return {
    async reportSpam(call) {
      const { message_id: messageId, sender_id: sender } = call.body;
      const handle = readHandle(call.body.report_handle);
      const report = { messageId, sender, handle, ...readReason(call.body.reason, call.body.details) };
      const { reportId, reportedAt } = await moderation.report(call.principal.deviceId, report, call);
      const body = { report_id: reportId, reported_at: reportedAt, action_taken: "recorded" } as const;
      return call.reply({ status: 200, body });
    },
  };
}
