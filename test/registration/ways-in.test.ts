import { sign as signBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { generateRawKeyPair, privateKeyFromRaw, publicJwk } from "../../src/auth/ed25519-keys.js";
import { adminKeys, logIn } from "../support/admin.js";
import type { AnyRow } from "../support/any-row.js";
import { call } from "../support/api.js";
import { demand } from "../support/device.js";
import { openInvites } from "./invites.js";
import { type StrictRelay, startRelay } from "./relay.js";
import { announce, challengeFor, newKeys, newPrefix, newProof, register, registered } from "./wire.js";

const closed = { error: "REGISTRATION_CLOSED", code: 4023 };
const administrator = adminKeys("manage_config");

let relay: StrictRelay;
let opened: Awaited<ReturnType<typeof openInvites>>;
beforeAll(async () => {
  relay = await startRelay({ adminList: administrator.seed });
  opened = await openInvites(relay);
});
afterAll(async () => {
  await opened.stop();
  await relay.stop();
});

/** Changes the configuration of the relay. */
async function configure(registration: Record<string, string | boolean>): Promise<void> {
  const { token } = await logIn(relay, administrator);
  demand(await call(relay, "updateConfig", { token, body: { registration } }));
}

/** For a group of tests: what the relay is to be like, and what it is like otherwise. */
function relayThat(is: Record<string, string | boolean>, usually: Record<string, string | boolean>): void {
  beforeAll(() => configure(is));
  afterAll(() => configure(usually));
}

async function invite(options: { maxUses?: number; lifetimeSeconds?: number; audience?: string } = {}) {
  return opened.invites.create(relay.db, { maxUses: 1, lifetimeSeconds: 3600, createdBy: "admin", ...options });
}

describe("an invite", () => {
  it("takes the place of a proof, in both flows", async () => {
    const { code } = await invite({ maxUses: 2 });
    expect((await register(relay, newKeys(), { invite_code: code })).status).toBe(200);
    expect((await announce(relay, newKeys(), [newPrefix()], { invite_code: code })).status).toBe(200);
    const refused = await register(relay, newKeys(), { invite_code: code });
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({ ...closed, message: "the invite is used up" });
  });

  it("registers exactly as many devices as it has uses, when many come at once", async () => {
    const { code } = await invite({ maxUses: 3 });
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => register(relay, newKeys(), { invite_code: code })),
    );
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(3);
    expect(answers.filter((answer) => answer.body.code === 4023)).toHaveLength(7);
  });

  it("is not used up by a request that fails, nor by a known device", async () => {
    const { code } = await invite();
    const keys = newKeys();
    const forger = { ...newKeys(), deviceId: keys.deviceId, publicKey: keys.publicKey };
    expect((await register(relay, forger, { invite_code: code })).body.code).toBe(4001);
    expect((await register(relay, keys, { invite_code: code, timestamp: 1 })).body.code).toBe(4000);
    const known = await registered(relay);
    expect((await register(relay, known.keys, { invite_code: code })).status).toBe(200);
    expect((await register(relay, keys, { invite_code: code })).status).toBe(200);
  });

  it("is refused once it has expired", async () => {
    const { code } = await invite({ lifetimeSeconds: 60 });
    relay.clock.advance(61);
    expect((await register(relay, newKeys(), { invite_code: code })).body).toMatchObject(closed);
  });

  it("is refused once it has been revoked", async () => {
    const { code, jti } = await invite();
    await relay.db.run("update invites set revoked_at = 1 where jti = :jti", { jti });
    expect((await register(relay, newKeys(), { invite_code: code })).body).toMatchObject(closed);
  });

  it("is refused if it is unknown, meant for another server, altered or not an invite", async () => {
    const unknown = await invite();
    await relay.db.run("delete from invites where jti = :jti", { jti: unknown.jti });
    const elsewhere = await invite({ audience: "other.example" });
    const [head, , tail] = (await invite()).code.split(".");
    const more = Buffer.from(JSON.stringify({ max_uses: 99 })).toString("base64url");
    const { answer } = await registered(relay);
    for (const invite_code of [
      unknown.code,
      elsewhere.code,
      `${head}.${more}.${tail}`,
      answer.body.access_token,
      "a.b.c",
    ]) {
      const refused = await register(relay, newKeys(), { invite_code });
      expect(refused.status).toBe(403);
      expect(refused.body).toMatchObject(closed);
    }
    expect((await register(relay, newKeys(), { invite_code: "no token" })).body.code).toBe(4000);
  });

  it("can be typed: its handle stands for the code, with the same uses", async () => {
    const { code, handle } = await invite({ maxUses: 4 });
    const spellings = [
      handle ?? "",
      handle?.toLowerCase().replaceAll("-", " ") ?? "",
      handle?.replaceAll("-", "") ?? "",
    ];
    for (const invite_code of spellings) {
      expect((await register(relay, newKeys(), { invite_code })).status).toBe(200);
    }
    expect((await announce(relay, newKeys(), [newPrefix()], { invite_code: code })).status).toBe(200);
    const refused = await register(relay, newKeys(), { invite_code: handle ?? "" });
    expect(refused.body).toMatchObject({ ...closed, message: "the invite is used up" });
  });

  it("has a handle that is refused if it is mistyped, unknown, expired or revoked, and none for another server", async () => {
    const { handle, jti } = await invite();
    const typed = handle ?? "";
    const last = typed.endsWith("2") ? "3" : "2";
    const mistyped = await register(relay, newKeys(), { invite_code: typed.slice(0, -1) + last });
    expect(mistyped.status).toBe(400);
    expect(mistyped.body.message).toBe("invite_code is a handle with a typing error");
    await relay.db.run("update invites set revoked_at = 1 where jti = :jti", { jti });
    expect((await register(relay, newKeys(), { invite_code: typed })).body).toMatchObject(closed);
    await relay.db.run("delete from invites where jti = :jti", { jti });
    expect((await register(relay, newKeys(), { invite_code: typed })).body).toMatchObject(closed);
    const short = await invite({ lifetimeSeconds: 60 });
    relay.clock.advance(61);
    expect((await register(relay, newKeys(), { invite_code: short.handle ?? "" })).body).toMatchObject(closed);
    expect((await invite({ audience: "other.example" })).handle).toBeNull();
  });

  it("is stored without its code and its handle", async () => {
    const { code, handle, jti } = await invite();
    const rows = await relay.db.rows<AnyRow>("select * from invites where jti = :jti", { jti });
    const stored = JSON.stringify(rows) + (rows[0].handle_hash as Buffer).toString("latin1");
    expect(stored).not.toContain(code);
    expect(stored).not.toContain(handle);
  });

  it("signed by another server is not accepted while registration is open", async () => {
    const pair = generateRawKeyPair();
    const payload = { iss: "peer.example", aud: relay.config.domain, jti: "1", exp: 4e9, max_uses: 1 };
    const header = { alg: "EdDSA", typ: "svc-invite+jwt", kid: publicJwk(pair.publicKey).kid } as const;
    const invite_code = jwsOf(header, payload, pair.privateKey);
    expect((await register(relay, newKeys(), { invite_code })).body).toMatchObject(closed);
  });
});

describe("a server that accepts no invites", () => {
  relayThat({ accept_invites: false }, { accept_invites: true });

  it("refuses one, and takes a proof", async () => {
    const { code } = await invite();
    expect((await register(relay, newKeys(), { invite_code: code })).body).toMatchObject(closed);
    expect((await registered(relay)).answer.status).toBe(200);
  });
});

describe("a server in the mode invite_only", () => {
  relayThat({ mode: "invite_only" }, { mode: "open" });

  it("registers new devices by invite only", async () => {
    const keys = newKeys();
    const refused = await register(relay, keys, { vdf_proof: await newProof(relay, keys) });
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({ ...closed, message: "an invite is required" });
    expect((await announce(relay, newKeys(), [newPrefix()])).body).toMatchObject(closed);
    const { code } = await invite();
    expect((await register(relay, keys, { invite_code: code })).status).toBe(200);
    expect((await register(relay, keys)).status).toBe(200);
  });
});

describe("a server that requires no proof", () => {
  relayThat({ require_proof_of_work: false }, { require_proof_of_work: true });

  it("registers a new device without proof or invite", async () => {
    expect((await register(relay, newKeys())).status).toBe(200);
    expect((await announce(relay, newKeys(), [newPrefix()])).status).toBe(200);
  });

  it("does not use up an invite that a device sends anyway", async () => {
    const { code, jti } = await invite();
    expect((await register(relay, newKeys(), { invite_code: code })).status).toBe(200);
    const rows = await relay.db.rows<AnyRow>("select 1 from invite_uses where jti = :jti", { jti });
    expect(rows).toHaveLength(0);
  });
});

describe("a server that is closed to new devices", () => {
  afterAll(() => configure({ enabled: true }));

  it("refuses them and still serves known devices", async () => {
    const { keys } = await registered(relay);
    const candidate = newKeys();
    const proof = await newProof(relay, candidate);
    await configure({ enabled: false });
    expect((await register(relay, newKeys())).body.code).toBe(4023);
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
  relayThat({ allow_time_delay: true }, { allow_time_delay: false });

  it("is accepted once the challenge is 120 seconds old, and once only", async () => {
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
    const keys = newKeys();
    const { challenge } = (await challengeFor(relay, keys)).body;
    relay.clock.advance(121);
    expect((await announce(relay, keys, [newPrefix()], { challenge })).status).toBe(200);
  });

  it("is refused with an expired or unknown challenge", async () => {
    const keys = newKeys();
    const { challenge } = (await challengeFor(relay, keys)).body;
    relay.clock.advance(301);
    expect((await register(relay, keys, { challenge })).body.code).toBe(4011);
    expect((await register(relay, keys, { challenge: "0".repeat(64) })).body.code).toBe(4011);
  });
});

describe("waiting on a server that does not allow it", () => {
  it("does not register a device", async () => {
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
  const pair = generateRawKeyPair();
  const jwk = publicJwk(pair.publicKey);
  let peers: typeof opened;
  beforeAll(async () => {
    peers = await openInvites(relay, async (domain) => (domain === "peer.example" ? [jwk] : []));
  });
  afterAll(() => peers.stop());

  function sign(claims: Record<string, unknown> = {}, header: Record<string, unknown> = {}): string {
    const now = relay.clock.nowSeconds();
    const { domain } = relay.config;
    const payload = { iss: "peer.example", aud: domain, jti: "invite-1", exp: now + 60, max_uses: 2, ...claims };
    const head = { alg: "EdDSA" as const, typ: "svc-invite+jwt", kid: jwk.kid, ...header };
    return jwsOf(head, payload, pair.privateKey);
  }
  const admit = (code: string, trustPeers = true) =>
    peers.invites.admit(code, { trustPeers, now: relay.clock.nowSeconds() });

  it("are counted per issuer and id, up to the uses that they name", async () => {
    const admission = await admit(sign());
    const { db } = relay;
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

/** Also what no library signs, such as a header without an algorithm. */
function jwsOf(header: object, payload: object, privateKey: Uint8Array): string {
  const [head, body] = [header, payload].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"));
  const text = `${head}.${body}`;
  return `${text}.${signBytes(null, Buffer.from(text), privateKeyFromRaw(privateKey)).toString("base64url")}`;
}
