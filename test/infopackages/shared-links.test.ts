import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { routes } from "../../generated/routes.js";
import { newDevice, type TestDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { type Uploaded, upload, variants } from "./fixture.js";

const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8";
const paths = {
  sealed: routes.getInfoPackage.path,
  revocable: routes.getRevocableInfoPackage.path,
  plain: routes.getPlainInfoPackage.path,
};

/** `fetch` would say in `Sec-Fetch-Mode` that it is no navigation. */
async function ask(url: string, headers: Record<string, string>) {
  const [answer] = (await once(get(url, { headers, agent: false }), "response")) as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, text: () => text(answer) };
}

let relay: TestRelay;
let withApp: TestRelay;
let device: TestDevice;

beforeAll(async () => {
  [relay, withApp] = [await startRelay(), await startRelay({ app: "on" })];
  device = await newDevice(relay);
});
afterAll(() => Promise.all([relay.stop(), withApp.stop()]));

describe.each(variants)("the link of an info package (%s)", (variant) => {
  const open = ({ segment }: Uploaded, headers: Record<string, string> = {}, query = "") =>
    ask(`${relay.url}${paths[variant].replace(/:\w+$/, segment)}${query}`, headers);

  it("shows readers a page that says what it is for, and keeps the only use for a client", async () => {
    const kept = await upload(relay, device, variant, { maxUses: 1 });
    const readers: Record<string, string>[] = [
      { accept: browser },
      { accept: "text/html" },
      { "user-agent": "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)" },
      { "user-agent": "WhatsApp/2.23.20.0" },
      { "user-agent": "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)", accept: "*/*" },
      { "sec-purpose": "prefetch;prerender" },
    ];
    for (const headers of readers) {
      const answer = await open(kept, headers);
      expect(answer.status, JSON.stringify(headers)).toBe(406);
      expect(answer.headers["content-type"]).toBe("text/html; charset=utf-8");
      expect(answer.headers["cache-control"]).toBe("no-store");
      expect(await answer.text()).toContain("This link is for an app");
    }
    expect((await open(kept)).status).toBe(200);
    expect((await open(kept)).status).toBe(410);
  });

  it("leads browsers to the application, and nobody else, and keeps the only use for it", async () => {
    const owner = await newDevice(withApp);
    const { segment } = await upload(withApp, owner, variant, { maxUses: 1 });
    const path = paths[variant].replace(/:\w+$/, segment);
    const open = (headers: Record<string, string> = {}) => ask(`${withApp.url}${path}?fbclid=x`, headers);
    for (const headers of [{ accept: browser }, { accept: "*/*", "sec-fetch-mode": "navigate" }]) {
      const answer = await open(headers);
      expect(answer.status).toBe(303);
      expect(answer.headers["cache-control"]).toBe("no-store");
      const to = new URL(answer.headers.location ?? "");
      expect(`${to.origin}${to.pathname}`).toBe(`${withApp.config.baseUrl}/app/`);
      expect([...to.searchParams]).toEqual([["info", withApp.config.baseUrl + path]]);
    }
    expect((await open({ "user-agent": "WhatsApp/2.23.20.0" })).status).toBe(406);
    expect((await open({ accept: browser, "sec-purpose": "prefetch" })).status).toBe(406);
    expect((await open()).status).toBe(200);
    expect((await open()).status).toBe(410);
  });

  it("is answered to clients that name the type that they want, whatever else they accept or call themselves", async () => {
    const kept = await upload(relay, device, variant);
    for (const accept of ["application/json", "application/json, text/html;q=0.5", "application/octet-stream"]) {
      expect((await open(kept, { accept })).status, accept).toBe(200);
    }
    expect((await open(kept, { accept: "application/json", "user-agent": "Mastodon/4.2" })).status).toBe(200);
    const java = "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2";
    expect((await open(kept, { accept: java })).status).toBe(200);
    expect((await open(kept, { accept: browser, "sec-fetch-mode": "cors" })).status).toBe(200);
    expect((await open(kept, { accept: "*/*", "sec-fetch-mode": "navigate" })).status).toBe(406);
  });

  it("is found with parameters that trackers added, and with no others", async () => {
    const kept = await upload(relay, device, variant);
    for (const query of [
      "?utm_source=mail&utm_campaign=a%20b",
      "?fbclid=IwAR0",
      "?gclid=x&utm_medium=",
      "?utm_source",
    ]) {
      expect((await open(kept, {}, query)).status, query).toBe(200);
    }
    for (const query of ["?limit=1", "?utm_source=mail&token=1", "?utm-source=1", "?xutm_source=1"]) {
      expect((await open(kept, {}, query)).status, query).toBe(400);
    }
  });
});

it("other operations are answered to readers as to everybody, and refuse parameters of trackers", async () => {
  const health = (query = "") => fetch(`${relay.url}/healthz${query}`, { headers: { accept: browser } });
  expect((await health()).status).toBe(200);
  expect((await health("?utm_source=mail")).status).toBe(400);
});

it("links lead to the application that the operator names", async () => {
  const relay = await startRelay({ appUrl: "https://app.example/open?from=relay" });
  onTestFinished(() => relay.stop());
  const device = await newDevice(relay);
  const { segment } = await upload(relay, device, "sealed");
  const path = paths.sealed.replace(/:\w+$/, segment);
  const { headers } = await ask(`${relay.url}${path}`, { accept: browser });
  expect(headers.location).toBe(
    `https://app.example/open?from=relay&info=${encodeURIComponent(relay.config.baseUrl + path)}`,
  );
});
