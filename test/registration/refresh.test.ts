import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AnyRow } from "../support/any-row.js";
import { startRelay } from "./relay.js";
import { type Answer, claimsOf, registered, send } from "./wire.js";

type Relay = Awaited<ReturnType<typeof startRelay>>;

describe("refreshing a device's token", () => {
  let relay: Relay;
  beforeAll(async () => {
    relay = await startRelay();
  });
  afterAll(() => relay.stop());

  const refresh = (token?: string): Promise<Answer> =>
    send(relay, "/v1/auth/refresh", token === undefined ? { method: "POST" } : { method: "POST", token });
  const invalid = { error: "INVALID_TOKEN", code: 4008 };

  it("returns a token of the same session for another 24 hours", async () => {
    const { answer } = await registered(relay);
    const before = claimsOf(answer.body.access_token);
    relay.clock.advance(3600);
    const refreshed = await refresh(answer.body.access_token);
    expect(refreshed.status).toBe(200);
    expect(refreshed.headers.get("cache-control")).toBe("no-store");
    const after = claimsOf(refreshed.body.access_token);
    expect(after).toMatchObject({ sub: before.sub, sid: before.sid, auth_time: before.auth_time });
    expect(after.jti).not.toBe(before.jti);
    expect(refreshed.body.expires_at).toBe(after.exp);
    expect(Math.abs(after.exp - relay.clock.nowSeconds() - 86_400)).toBeLessThanOrEqual(30);
    expect((await refresh(answer.body.access_token)).status).toBe(200);
  });

  it("stops seven days after the announcement", async () => {
    const { answer } = await registered(relay);
    const { auth_time } = claimsOf(answer.body.access_token);
    let token = answer.body.access_token;
    for (let day = 0; day < 7; day++) {
      relay.clock.advance(86_000);
      const refreshed = await refresh(token);
      expect(refreshed.status).toBe(200);
      expect(refreshed.body.expires_at).toBeLessThanOrEqual(auth_time + 7 * 86_400);
      token = refreshed.body.access_token;
    }
    expect(claimsOf(token).exp).toBe(auth_time + 7 * 86_400);
    relay.clock.advance(3600);
    const refused = await refresh(token);
    expect(refused.status).toBe(401);
    expect(refused.body).toMatchObject(invalid);
  });

  it("renews no address", async () => {
    const { keys, answer } = await registered(relay);
    const expiry = async () =>
      (
        await relay.db.one<AnyRow>("select expires_at from addresses where device_id = :deviceId", {
          deviceId: keys.deviceId,
        })
      )?.expires_at;
    const before = await expiry();
    relay.clock.advance(3600);
    await refresh(answer.body.access_token);
    expect(await expiry()).toBe(before);
  });

  it("is refused without a token, with an expired one and with a malformed one", async () => {
    const { answer } = await registered(relay);
    const token: string = answer.body.access_token;
    const answers = [await refresh(), await refresh("nonsense"), await refresh(`${token.slice(0, -4)}AAAA`)];
    relay.clock.advance(86_401);
    for (const refused of [...answers, await refresh(token)]) {
      expect(refused.status).toBe(401);
      expect(refused.body).toMatchObject(invalid);
      expect(refused.headers.get("www-authenticate")).toMatch(/^Bearer/);
    }
  });

  it("is refused after the device was removed", async () => {
    const { keys, answer } = await registered(relay);
    await relay.db.run("delete from devices where device_id = :deviceId", { deviceId: keys.deviceId });
    const refused = await refresh(answer.body.access_token);
    expect(refused.status).toBe(401);
    expect(refused.body).toMatchObject(invalid);
  });

  it("answers GET with 405 and the allowed methods", async () => {
    const answer = await send(relay, "/v1/auth/refresh");
    expect(answer.status).toBe(405);
    expect(answer.body.code).toBe(4026);
    expect(answer.headers.get("allow")).toBe("POST");
  });
});
