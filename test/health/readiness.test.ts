import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startWatched, type Watched } from "./fixture.js";

let watched: Watched;

beforeAll(async () => {
  // Nothing but the probe's own bound would end a wait for a silent database here.
  watched = await startWatched({ databaseStatementTimeoutSeconds: 3_600 });
});
afterAll(() => watched.stop());

const readyz = async () => (await fetch(`${watched.relay.url}/readyz`)).status;
const reason = async () => ((await (await fetch(`${watched.relay.url}/readyz`)).json()) as { reason?: string }).reason;

describe("readiness", () => {
  it("is answered while the database is frozen, however often it is asked, and comes back with it", async () => {
    expect(await readyz()).toBe(200);
    watched.proxy.answers = "hold";
    try {
      expect(await Promise.all([readyz(), readyz(), readyz()])).toEqual([503, 503, 503]);
      for (let i = 0; i < 20; i++) expect(await readyz()).toBe(503);
      expect(await reason()).toBe("database");
      expect((await fetch(`${watched.relay.url}/healthz`)).status).toBe(200);
    } finally {
      watched.proxy.answers = "pass";
    }
    await expect.poll(readyz).toBe(200);
  });
});
