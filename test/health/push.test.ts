import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { SMTPServer } from "smtp-server";
import { Webhook } from "standardwebhooks";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { loadConfig } from "../../src/composition/config.js";
import { newerMinorOf } from "../../src/database/server-version.js";
import { collectGarbage } from "../support/garbage.js";
import { until } from "../support/until.js";
import { startWatched, type Watched } from "./fixture.js";

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const hour = 3_600;
const patience = { interval: 100 };

interface Notice {
  type: string;
  server: string;
  alert: { id: string; condition: string; severity: string; runbook: string; cleared_at: number | null };
}

/** A receiver of webhooks that checks every signature by the standard's own library; a wrong one gives the type `forged`. */
interface Receiver {
  url: string;
  notices: { id: string; notice: Notice; authorization: string }[];
  answer(request: IncomingMessage, response: ServerResponse): void;
  server: Server;
}

let receiver: Receiver;
let mails: { to: string[]; text: string; isSecure: boolean }[];
let refusals: string[];
let smtp: SMTPServer;
/** What the mail server answers for a mailbox; undefined accepts it. */
let mailboxes: Record<string, string>;
/** Held back after the end of a mail. */
let accepting: Promise<void>;
let watched: Watched;

beforeAll(async () => {
  receiver = await startReceiver();
  [mails, refusals, mailboxes, accepting] = [[], [], {}, Promise.resolve()];
  smtp = new SMTPServer({
    authOptional: true,
    onRcptTo({ address }, _session, done) {
      const answer = mailboxes[address];
      if (answer === undefined) return done();
      refusals.push(address);
      done(Object.assign(new Error(answer.slice(4)), { responseCode: Number(answer.slice(0, 3)) }));
    },
    onData(stream, session, done) {
      let text = "";
      stream.setEncoding("utf8").on("data", (more: string) => {
        text += more;
      });
      stream.on("end", () => {
        const to = session.envelope.rcptTo.map(({ address }) => address);
        mails.push({ to, text, isSecure: session.secure });
        void accepting.then(() => done());
      });
    },
  });
  smtp.listen(0, "127.0.0.1");
  await once(smtp.server, "listening");
  const smtpPort = (smtp.server.address() as AddressInfo).port;
  watched = await startWatched({
    ...{ alertWebhookUrl: receiver.url, alertWebhookSecret: secret },
    ...{ smtpUrl: `smtp://127.0.0.1:${smtpPort}`, alertMailTo: ["ops@example.org", "second@example.org"] },
  });
  // The tests' PostgreSQL need not be the newest, which has then been notified.
  receiver.answer = (_request, response) => void response.writeHead(204).end();
  const server = await watched.db.one<{ number: number }>(
    "select current_setting('server_version_num')::integer as number",
  );
  if (newerMinorOf(server?.number ?? 0) !== null)
    await until(async () => (await watched.alert("database_outdated")) !== undefined, "its alert is raised");
  await forgetNotices();
});
afterAll(async () => {
  await watched.stop();
  receiver.server.closeAllConnections();
  receiver.server.close();
  await new Promise<void>((resolve) => smtp.close(() => resolve()));
});
beforeEach(() => {
  receiver.answer = (_request, response) => void response.writeHead(204).end();
});
async function forgetNotices(): Promise<void> {
  // What is sent late would be counted by the next test.
  await until(async () => (await watched.db.rows("select from alert_pushes")).length === 0, "all notices are sent");
  receiver.notices.length = 0;
  mails.length = 0;
}
afterEach(async () => {
  await forgetNotices();
  refusals.length = 0;
  mailboxes = {};
});

async function startReceiver(): Promise<Receiver> {
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (more: string) => {
      body += more;
    });
    request.on("end", () => {
      const header = (name: string) => String(request.headers[`webhook-${name}`]);
      // Not `verify`, which goes by this machine's clock: the relay's is advanced.
      const signed = new Webhook(secret).sign(header("id"), new Date(Number(header("timestamp")) * 1000), body);
      const notice = (header("signature") === signed ? JSON.parse(body) : { type: "forged" }) as Notice;
      const authorization = String(request.headers.authorization);
      made.notices.push({ id: String(request.headers["webhook-id"]), notice, authorization });
      made.answer(request, response);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://ops:p%40ss%3A@127.0.0.1:${(server.address() as AddressInfo).port}/alerts?room=1`;
  const made: Receiver = { url, server, notices: [], answer: () => undefined };
  return made;
}

/** Makes the relay see a proxy that is not trusted, for an hour. */
async function raise(): Promise<string> {
  for (const client of ["203.0.113.1", "203.0.113.2"]) {
    await fetch(`${watched.relay.url}/healthz`, { headers: { "X-Forwarded-For": client } });
  }
  return (await watched.raised("untrusted_proxy")).id;
}

async function clear(): Promise<void> {
  await watched.advance(hour);
  await watched.cleared("untrusted_proxy");
}

/** Of a busy machine there may be other alerts. */
const aboutProxy = () => mails.filter(({ text }) => text.includes(": untrusted_proxy"));
const mailed = () =>
  aboutProxy()
    .flatMap(({ to }) => to)
    .toSorted();
const received = () => receiver.notices.map(({ notice }) => notice.type);

describe("an alert", () => {
  it("is posted and mailed once when it is raised, and when it is cleared", async () => {
    const id = await raise();
    await expect.poll(received, patience).toEqual(["alert.raised"]);
    expect(receiver.notices[0]).toMatchObject({
      id: `${id}.raised`,
      notice: {
        server: "relay.test",
        alert: { id, condition: "untrusted_proxy", severity: "warning", cleared_at: null },
      },
    });
    expect(receiver.notices[0]?.authorization).toBe(`Basic ${Buffer.from("ops:p@ss:").toString("base64")}`);
    expect(receiver.notices[0]?.notice.alert.runbook).toBe("docs/how-to/alerts.md#untrusted_proxy");
    await expect.poll(mailed, patience).toEqual(["ops@example.org", "second@example.org"]);
    expect(mails[0]?.text).toContain("To: ops@example.org, second@example.org");
    // The server's certificate is self-signed, as on a machine of one's own.
    expect(mails.every(({ isSecure }) => isSecure)).toBe(true);
    expect(mails[0]?.text).toContain("Subject: [relay.test] warning: untrusted_proxy");
    expect(mails[0]?.text).toContain("From: mls-relay@relay.test");
    await watched.looked();
    expect([receiver.notices.length, mails.length]).toEqual([1, 2]);

    await clear();
    await expect.poll(received, patience).toEqual(["alert.raised", "alert.cleared"]);
    expect(receiver.notices[1]?.notice.alert.cleared_at).toBeGreaterThan(0);
    await expect.poll(() => mails.length, patience).toBe(4);
    expect(mails[3]?.text).toContain("Subject: [relay.test] cleared: untrusted_proxy");
  });

  it("is posted again, after a pause, where the receiver failed, and is then the same notice", async () => {
    receiver.answer = (_request, response) => void response.writeHead(500).end();
    const id = await raise();
    await expect.poll(() => receiver.notices.length, patience).toBe(1);
    await watched.looked();
    expect(receiver.notices).toHaveLength(1);
    receiver.answer = (_request, response) => void response.writeHead(200).end("ok");
    await watched.advance(60);
    await expect
      .poll(() => receiver.notices.map((each) => each.id), patience)
      .toEqual([`${id}.raised`, `${id}.raised`]);
    await watched.advance(60);
    await watched.looked();
    expect(receiver.notices).toHaveLength(2);
    // The mail did not wait for the webhook.
    expect(mails).toHaveLength(2);
    await clear();
    await expect.poll(() => receiver.notices.at(-1)?.notice.type, patience).toBe("alert.cleared");
  });

  it("is posted again where the receiver never answers, however often garbage is collected", async () => {
    const { timeout } = AbortSignal;
    AbortSignal.timeout = (millis) => timeout(millis / 2);
    onTestFinished(() => {
      AbortSignal.timeout = timeout;
    });
    let isGivenUp = false;
    receiver.answer = (_request, response) => {
      response.on("close", () => {
        isGivenUp = true;
      });
    };
    await raise();
    await expect.poll(received, patience).toEqual(["alert.raised"]);
    collectGarbage();
    await expect.poll(() => isGivenUp, patience).toBe(true);
    receiver.answer = (_request, response) => void response.writeHead(204).end();
    await watched.advance(60);
    await expect.poll(received, patience).toEqual(["alert.raised", "alert.raised"]);
    await clear();
    await expect.poll(() => receiver.notices.at(-1)?.notice.type, patience).toBe("alert.cleared");
  });

  it("is not sent to where a receiver redirects", async () => {
    const visited: string[] = [];
    receiver.answer = (request, response) => {
      visited.push(String(request.url));
      response.writeHead(307, { Location: "/elsewhere" }).end();
    };
    await raise();
    await expect.poll(() => visited.length, patience).toBeGreaterThan(0);
    await watched.looked();
    expect(new Set(visited)).toEqual(new Set(["/alerts?room=1"]));
    receiver.answer = (_request, response) => void response.writeHead(204).end();
    await clear();
    await expect.poll(() => receiver.notices.at(-1)?.notice.type, patience).toBe("alert.cleared");
  });

  it("is mailed again only to the mailbox that the server refused", async () => {
    mailboxes = { "second@example.org": "550 no such user" };
    await raise();
    await expect.poll(mailed, patience).toEqual(["ops@example.org"]);
    await expect.poll(() => refusals, patience).toEqual(["second@example.org"]);
    mailboxes = {};
    await watched.advance(60);
    await expect.poll(mailed, patience).toEqual(["ops@example.org", "second@example.org"]);
    await watched.looked();
    expect(aboutProxy()).toHaveLength(2);
    await clear();
    await expect.poll(() => aboutProxy().length, patience).toBe(4);
  });

  it("is mailed once by a server that takes its time to accept it, and the webhook does not wait", async () => {
    let accept = () => {};
    accepting = new Promise((resolve) => {
      accept = resolve;
    });
    await raise();
    await expect.poll(() => aboutProxy().length, patience).toBe(2);
    await clear();
    await expect.poll(received, patience).toEqual(["alert.raised", "alert.cleared"]);
    expect(aboutProxy()).toHaveLength(2);
    // Longer than many programs wait, and much less than the ten minutes of RFC 5321.
    await sleep(11_000);
    await watched.advance(hour);
    accept();
    // One notice of the end for each mailbox, and no repetition of the first.
    await expect.poll(() => aboutProxy().length, patience).toBe(4);
    await watched.looked();
    expect(aboutProxy().filter(({ text }) => text.includes("cleared: untrusted_proxy"))).toHaveLength(2);
    expect(aboutProxy()).toHaveLength(4);
  });

  it("about the database is sent while the database is away", async () => {
    await watched.health();
    watched.proxy.open = false;
    watched.proxy.cut();
    const gone = () => receiver.notices.filter(({ notice }) => notice.alert.condition === "database_gone");
    await expect.poll(() => gone().length, patience).toBe(1);
    expect(gone()[0]?.notice).toMatchObject({ type: "alert.raised", alert: { severity: "critical" } });
    await expect.poll(() => mails.some(({ text }) => text.includes("critical: database_gone")), patience).toBe(true);
    await watched.looked();
    expect(gone()).toHaveLength(1);
    watched.proxy.open = true;
    await expect.poll(async () => (await watched.health()).status, patience).toBe("healthy");
    const kept = () =>
      watched.db.rows("select id from alerts where condition = 'database_gone' and cleared_at is null");
    await expect.poll(kept, patience).toHaveLength(1);
    // What follows from the database is the same notice again, and then the end of it.
    await watched.advance(61);
    await watched.cleared("database_gone");
    const cleared = () => gone().filter(({ notice }) => notice.type === "alert.cleared");
    await expect.poll(() => cleared().length, patience).toBe(1);
    const raised = gone().filter(({ notice }) => notice.type === "alert.raised");
    expect(new Set(raised.map(({ id }) => id)).size).toBe(1);
  });
});

describe("the settings of pushed alerts", () => {
  it("belong together", () => {
    expect(() => loadConfig({ ALERT_WEBHOOK_URL: "https://a.example/x" })).toThrow("ALERT_WEBHOOK_SECRET is missing");
    expect(() => loadConfig({ ALERT_WEBHOOK_URL: "ftp://a.example", ALERT_WEBHOOK_SECRET: secret })).toThrow("http");
    const unreadable = { ALERT_WEBHOOK_URL: "https://ops:50%off@a.example", ALERT_WEBHOOK_SECRET: secret };
    expect(() => loadConfig(unreadable)).toThrow("%25");
    expect(() => loadConfig({ SMTP_URL: "smtp://ops:50%off@a.example" })).toThrow("%25");
    expect(() => loadConfig({ ALERT_WEBHOOK_SECRET: "whsec_AAAA" })).toThrow("24 to 64 bytes");
    expect(() => loadConfig({ ALERT_MAIL_TO: "ops@example.org" })).toThrow("SMTP_URL is missing");
    expect(() => loadConfig({ ALERT_MAIL_TO: "nobody", SMTP_URL: "smtp://a" })).toThrow("ALERT_MAIL_TO");
  });
});
