import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { generateRawKeyPair, privateKeyFromRaw, publicJwk } from "../../src/platform/ed25519-keys.js";
import { signJws } from "../../src/platform/token-format.js";
import { openInvites } from "./inviting.js";
import { changeSetting, type StrictRelay, startRelay } from "./relay.js";
import { announce, challengeFor, newKeys, newPrefix, newProof, register, registered } from "./wire.js";

type Opened = Awaited<ReturnType<typeof openInvites>>;

const closed = { error: "REGISTRATION_CLOSED", code: 4023 };

/** A relay with these settings, and invites made in its name. */
function relayWith(seeds: Record<string, string>) {
  const context = {} as { relay: StrictRelay; opened: Opened };
  beforeAll(async () => {
    context.relay = await startRelay({ seeds });
    context.opened = await openInvites(context.relay);
  });
  afterAll(async () => {
    await context.opened.stop();
    await context.relay.stop();
  });
  const invite = async (options: { maxUses?: number; lifetimeSeconds?: number; audience?: string } = {}) =>
    context.opened.invites.create(context.relay.db, {
      maxUses: 1,
      lifetimeSeconds: 3600,
      createdBy: "admin",
      ...options,
    });
  return { context, invite };
}

describe("an invite", () => {
  const { context, invite } = relayWith({});

  it("takes the place of a proof, in both flows", async () => {
    const { code } = await invite({ maxUses: 2 });
    expect((await register(context.relay, newKeys(), { invite_code: code })).status).toBe(200);
    expect((await announce(context.relay, newKeys(), [newPrefix()], { invite_code: code })).status).toBe(200);
    const refused = await register(context.relay, newKeys(), { invite_code: code });
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({ ...closed, message: "the invite is used up" });
  });

  it("lets exactly as many devices in as it has uses, when many come at once", async () => {
    const { code } = await invite({ maxUses: 3 });
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => register(context.relay, newKeys(), { invite_code: code })),
    );
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(3);
    expect(answers.filter((answer) => answer.body.code === 4023)).toHaveLength(7);
  });

  it("is not used up by a request that fails, nor by a known device", async () => {
    const { code } = await invite();
    const keys = newKeys();
    const forger = { ...newKeys(), deviceId: keys.deviceId, publicKey: keys.publicKey };
    expect((await register(context.relay, forger, { invite_code: code })).body.code).toBe(4001);
    expect((await register(context.relay, keys, { invite_code: code, timestamp: 1 })).body.code).toBe(4000);
    const known = await registered(context.relay);
    expect((await register(context.relay, known.keys, { invite_code: code })).status).toBe(200);
    expect((await register(context.relay, keys, { invite_code: code })).status).toBe(200);
  });

  it("is refused once it has expired", async () => {
    const { code } = await invite({ lifetimeSeconds: 60 });
    context.relay.clock.advance(61);
    expect((await register(context.relay, newKeys(), { invite_code: code })).body).toMatchObject(closed);
  });

  it("is refused once it has been revoked", async () => {
    const { code, jti } = await invite();
    await context.relay.db.raw("update invites set revoked_at = 1 where jti = ?", [jti]);
    expect((await register(context.relay, newKeys(), { invite_code: code })).body).toMatchObject(closed);
  });

  it("is refused if it is unknown here, meant for another server, altered, or no invite at all", async () => {
    const unknown = await invite();
    await context.relay.db.raw("delete from invites where jti = ?", [unknown.jti]);
    const elsewhere = await invite({ audience: "other.example" });
    const [head, , tail] = (await invite()).code.split(".");
    const more = Buffer.from(JSON.stringify({ max_uses: 99 })).toString("base64url");
    const { answer } = await registered(context.relay);
    for (const invite_code of [
      unknown.code,
      elsewhere.code,
      `${head}.${more}.${tail}`,
      answer.body.access_token,
      "a.b.c",
    ]) {
      const refused = await register(context.relay, newKeys(), { invite_code });
      expect(refused.status).toBe(403);
      expect(refused.body).toMatchObject(closed);
    }
    expect((await register(context.relay, newKeys(), { invite_code: "no token" })).body.code).toBe(4000);
  });

  it("signed by another server counts for nothing while registration is open", async () => {
    const pair = generateRawKeyPair();
    const payload = { iss: "peer.example", aud: context.relay.config.domain, jti: "1", exp: 4e9, max_uses: 1 };
    const header = { alg: "EdDSA", typ: "svc-invite+jwt", kid: publicJwk(pair.publicKey).kid } as const;
    const invite_code = signJws(header, payload, privateKeyFromRaw(pair.privateKey));
    expect((await register(context.relay, newKeys(), { invite_code })).body).toMatchObject(closed);
  });
});

describe("a server that accepts no invites", () => {
  const { context, invite } = relayWith({ SEED_REGISTRATION_ACCEPT_INVITES: "false" });

  it("refuses one, and takes a proof", async () => {
    const { code } = await invite();
    expect((await register(context.relay, newKeys(), { invite_code: code })).body).toMatchObject(closed);
    expect((await registered(context.relay)).answer.status).toBe(200);
  });
});

describe("a server in the mode invite_only", () => {
  const { context, invite } = relayWith({ SEED_REGISTRATION_MODE: "invite_only" });

  it("takes new devices by invite alone", async () => {
    const keys = newKeys();
    const refused = await register(context.relay, keys, { vdf_proof: await newProof(context.relay, keys) });
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({ ...closed, message: "an invite is required" });
    expect((await announce(context.relay, newKeys(), [newPrefix()])).body).toMatchObject(closed);
    const { code } = await invite();
    expect((await register(context.relay, keys, { invite_code: code })).status).toBe(200);
    expect((await register(context.relay, keys)).status).toBe(200);
  });
});

describe("a server that asks for no proof", () => {
  const { context, invite } = relayWith({ SEED_REGISTRATION_REQUIRE_PROOF_OF_WORK: "false" });

  it("takes a new device that brings nothing", async () => {
    expect((await register(context.relay, newKeys())).status).toBe(200);
    expect((await announce(context.relay, newKeys(), [newPrefix()])).status).toBe(200);
  });

  it("uses up no invite that a device brings all the same", async () => {
    const { code, jti } = await invite();
    expect((await register(context.relay, newKeys(), { invite_code: code })).status).toBe(200);
    const { rows } = await context.relay.db.raw("select 1 from invite_uses where jti = ?", [jti]);
    expect(rows).toHaveLength(0);
  });
});

describe("a server that is closed to new devices", () => {
  const { context } = relayWith({});

  it("refuses them and goes on with those that it knows", async () => {
    const { relay } = context;
    const { keys } = await registered(relay);
    const candidate = newKeys();
    const proof = await newProof(relay, candidate);
    await changeSetting(relay, "registration.enabled", false);
    await expect
      .poll(async () => (await register(relay, newKeys())).body.code, { timeout: 3000, interval: 100 })
      .toBe(4023);
    for (const answer of [
      await register(relay, candidate, { vdf_proof: proof }),
      await announce(relay, candidate, [newPrefix()], { vdf_proof: proof }),
      await challengeFor(relay, candidate),
    ]) {
      expect(answer.status).toBe(403);
      expect(answer.body).toMatchObject(closed);
    }
    expect((await register(relay, keys)).status).toBe(200);
  });
});

describe("waiting in place of a proof", () => {
  const { context } = relayWith({ SEED_REGISTRATION_ALLOW_TIME_DELAY: "true" });

  it("is accepted once the challenge is 120 seconds old, and once only", async () => {
    const { relay } = context;
    const keys = newKeys();
    const { challenge } = (await challengeFor(relay, keys)).body;
    const early = await register(relay, keys, { challenge });
    expect(early.status).toBe(403);
    expect(early.body).toMatchObject({ error: "INVALID_PROOF", code: 4019 });
    relay.clock.advance(121);
    const forger = { ...newKeys(), deviceId: keys.deviceId, publicKey: keys.publicKey };
    const other = newKeys();
    expect((await register(relay, other, { challenge })).body.message).toBe("challenge issued to a different device");
    expect((await register(relay, keys, { challenge })).status).toBe(200);
    expect((await register(relay, forger, { challenge })).body.code).toBe(4001);
  });

  it("works in the prefix flow too", async () => {
    const { relay } = context;
    const keys = newKeys();
    const { challenge } = (await challengeFor(relay, keys)).body;
    relay.clock.advance(121);
    expect((await announce(relay, keys, [newPrefix()], { challenge })).status).toBe(200);
  });

  it("is refused with a challenge that has expired or never was", async () => {
    const { relay } = context;
    const keys = newKeys();
    const { challenge } = (await challengeFor(relay, keys)).body;
    relay.clock.advance(301);
    expect((await register(relay, keys, { challenge })).body.code).toBe(4011);
    expect((await register(relay, keys, { challenge: "0".repeat(64) })).body.code).toBe(4011);
  });
});

describe("waiting where the server does not allow it", () => {
  const { context } = relayWith({});

  it("is no way in", async () => {
    const { relay } = context;
    const keys = newKeys();
    const { challenge } = (await challengeFor(relay, keys)).body;
    relay.clock.advance(200);
    expect((await register(relay, keys, { challenge })).body).toMatchObject({
      code: 4019,
      message: "VDF proof required",
    });
  });
});

describe("invites of servers on the federation allowlist", () => {
  const { context } = relayWith({});
  const pair = generateRawKeyPair();
  const jwk = publicJwk(pair.publicKey);
  let peers: Opened;
  beforeAll(async () => {
    peers = await openInvites(context.relay, async (domain) => (domain === "peer.example" ? [jwk] : []));
  });
  afterAll(() => peers.stop());

  function sign(claims: Record<string, unknown> = {}, header: Record<string, unknown> = {}): string {
    const now = context.relay.clock.nowSeconds();
    const { domain } = context.relay.config;
    const payload = { iss: "peer.example", aud: domain, jti: "invite-1", exp: now + 60, max_uses: 2, ...claims };
    const head = { alg: "EdDSA" as const, typ: "svc-invite+jwt", kid: jwk.kid, ...header };
    return signJws(head, payload, privateKeyFromRaw(pair.privateKey));
  }
  const admit = (code: string, trustPeers = true) =>
    peers.invites.admit(code, { trustPeers, now: context.relay.clock.nowSeconds() });

  it("are counted per issuer and id, up to the uses that they name", async () => {
    const admission = await admit(sign());
    const { db } = context.relay;
    await admission.use(db);
    await (await admit(sign())).use(db);
    await expect(admission.use(db)).rejects.toMatchObject({ id: "REGISTRATION_CLOSED" });
    await (await admit(sign({ jti: "invite-2" }))).use(db);
  });

  it("are trusted in the mode federation_allowlist only", async () => {
    await expect(admit(sign(), false)).rejects.toMatchObject({ id: "REGISTRATION_CLOSED" });
  });

  it.each([
    ["another server", { iss: "stranger.example" }, {}],
    ["a server under another spelling of its name", { iss: "PEER.example" }, {}],
    ["a server that claims to be this one", { iss: "relay.test" }, {}],
    ["another audience", { aud: "other.example" }, {}],
    ["the past", { exp: 1000 }, {}],
    ["no number of uses", { max_uses: undefined }, {}],
    ["no use", { max_uses: 0 }, {}],
    ["more uses than can be counted", { max_uses: 2 ** 40 }, {}],
    ["an endless id", { jti: "x".repeat(1000) }, {}],
    ["an unknown key", {}, { kid: "other" }],
    ["another kind of token", {}, { typ: "svc-device+jwt" }],
    ["an unsigned header", {}, { alg: "none" }],
  ])("are refused from or with %s", async (_what, claims, header) => {
    await expect(admit(sign(claims, header))).rejects.toMatchObject({ id: "REGISTRATION_CLOSED" });
  });
});
