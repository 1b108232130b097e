// Tells this device's relay of a message that another device has sent. It checks the report by the message's id and its handle (protocol/report-handles.ts), and
// gets neither the text nor the group. It imports no code, so that applications load it when somebody reports, and it alone.

import type { DeviceClient, Schemas } from "../../client/index.js";
import type { Message } from "../store/events.js";
import type { Reportable } from "../store/records.js";

/** What to tell the operators of a relay. */
export interface ReportOptions {
  /** The default is `spam`. */
  reason?: "spam" | "harassment" | "impersonation" | "malware" | "illegal_content" | "other" | undefined;
  /** Up to 1,000 characters in the user's words, such as a quotation. The operators of the user's relay read them. */
  details?: string | undefined;
}

const maxDetailsLength = 1_000;

export async function reportMessage(
  { device, closing: signal }: { device: DeviceClient; closing: AbortSignal },
  { isMine, from }: Message,
  { messageId, handle, reason = "spam", details }: Reportable & ReportOptions,
): Promise<void> {
  if (isMine) throw new TypeError("a user cannot report their own message");
  if (typeof reason !== "string") throw new TypeError("options.reason must be a string");
  const isText = details === undefined || (typeof details === "string" && details.length <= maxDetailsLength);
  if (!isText) throw new TypeError(`options.details must be a string of at most ${maxDetailsLength} characters`);
  if (messageId === undefined || from.device === "")
    throw new Error("this device did not get the message from its sender: report it on the device that did");
  const body: Schemas["SpamReportRequest"] = {
    message_id: messageId,
    sender_id: from.device,
    reason,
    ...(handle && { report_handle: btoa(String.fromCharCode(...handle)) }),
    ...(details !== undefined && { details }),
  };
  await device.call("reportSpam", { body, signal });
}
