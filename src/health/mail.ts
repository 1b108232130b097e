import { isLoopbackName } from "../platform/config/checks.js";
import { openConnection } from "../platform/net/outgoing.js";
import type { HealthSettings } from "./config.js";

/** One mail to one mailbox. */
export interface AlertMail {
  to: string;
  subject: string;
  messageId: string;
  text: string;
}

type MailServer = Pick<HealthSettings, "alertMailTo" | "alertMailFrom"> & { smtpUrl: string; host: string };

/** Timeouts of RFC 5321, section 4.5.3.2: 5 minutes for its greeting, 10 after the end of the mail. */
const greetingMillis = 5 * 60_000;
const silenceMillis = 10 * 60_000;

/**
 * Sends a mail over a separate connection, so that the answer is about this mailbox only. It names all mailboxes as
 * recipients, as if it were one mail to all. Rejects with what the server answered.
 */
export async function sendMail(server: MailServer, mail: AlertMail, signal: AbortSignal): Promise<void> {
  // Loaded only when it is used.
  const { createTransport } = await import("nodemailer");
  const { host, port, security } = readSmtpUrl(server.smtpUrl);
  const transport = createTransport({
    url: server.smtpUrl,
    ...security,
    // Many servers refuse a name without a dot, like a container's.
    name: server.host,
    connectionTimeout: 2 * greetingMillis,
    greetingTimeout: greetingMillis,
    socketTimeout: silenceMillis,
    getSocket(_options, opened) {
      openConnection({ host, port }, signal).then(
        (connection) => opened(null, { connection }),
        (error: Error) => opened(error, false),
      );
    },
  });
  const from = server.alertMailFrom ?? `mls-relay@${server.host}`;
  try {
    await transport.sendMail({
      from,
      to: [...server.alertMailTo],
      envelope: { from, to: mail.to },
      subject: mail.subject,
      messageId: mail.messageId,
      headers: { "Auto-Submitted": "auto-generated" },
      text: mail.text,
      signal,
    });
  } finally {
    transport.close();
  }
}

/**
 * A certificate is checked with `smtps:`, and if a password is at stake on the network. Otherwise the mail would travel without TLS
 * if the server had none, so a certificate that nobody trusts, as mail servers often have, is better than that (RFC 7435). Parameters of
 * the URL, like `tls.rejectUnauthorized`, decide first.
 */
function readSmtpUrl(smtpUrl: string) {
  const url = new URL(smtpUrl);
  const isTls = url.protocol === "smtps:";
  const hasAccount = url.username !== "";
  const isTrusting = !isTls && (!hasAccount || isLoopbackName(url.hostname));
  const isChosen = url.searchParams.has("tls.rejectUnauthorized");
  const usualPort = isTls ? 465 : hasAccount ? 587 : 25;
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port || usualPort),
    security: {
      ...(isTrusting && !isChosen && { tls: { rejectUnauthorized: false } }),
      ...(!isTls && !hasAccount && !url.searchParams.has("requireTLS") && { opportunisticTLS: true }),
    },
  };
}
