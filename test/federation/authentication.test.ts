import "reflect-metadata";
import { KeyUsageFlags } from "@peculiar/x509";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestAuthority, type TestKeyKind } from "../../scripts/test-ca/authority.js";
import { type Certificate, readCertificate } from "../../src/certificates/certificate.js";
import { findPath } from "../../src/certificates/certificate-path.js";
import { call } from "../support/api.js";
import { demand, newDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { ec, type Issued, isAuthority, nameOf, write } from "./certificate-writer.js";
import {
  algorithms,
  authenticate,
  challengeFor,
  createOriginFixture,
  deliver,
  derOf,
  messagesFor,
  type Origin,
  type OriginFixture,
  outcomeOf,
  proofOf,
  tokenFor,
} from "./origin-fixture.js";

const refused = "403 INVALID_CERTIFICATE";
const dayMillis = 86_400_000;
const authority = { extensions: [isAuthority()] };

let fixture: OriginFixture;
let relay: TestRelay;
let origin: Origin;

beforeAll(async () => {
  fixture = await createOriginFixture();
  relay = await startRelay(fixture.config);
  origin = await fixture.origin("peer.example");
});
afterAll(async () => {
  await relay.stop();
  await fixture.stop();
});

describe("a server with a valid certificate", () => {
  it("gets a token for an hour and the rate limits", async () => {
    const answer = await authenticate(relay, origin);
    expect(answer.status).toBe(200);
    const now = relay.clock.nowSeconds();
    expect(answer.body.expires_at).toBeGreaterThan(now + 3590);
    expect(answer.body.expires_at).toBeLessThanOrEqual(now + 3600);
    expect(answer.body.rate_limits).toEqual({ messages_per_minute: 1000, transactions_per_minute: 100 });
  });

  it.each(Object.keys(algorithms) as TestKeyKind[])("may have a key of the kind %s", async (key) => {
    const credential = await fixture.authority.issue({ hosts: [origin.domain], key });
    const header = { alg: algorithms[key] };
    expect(outcomeOf(await authenticate(relay, { ...origin, credential }, { header }))).toBe("200");
  });

  it("may sign RS256 with an RSA key", async () => {
    const credential = await fixture.authority.issue({ hosts: [origin.domain], key: "rsa2048" });
    expect(outcomeOf(await authenticate(relay, { ...origin, credential }, { header: { alg: "RS256" } }))).toBe("200");
  });

  it("may have a certificate from an intermediate it sends along, or a wildcard certificate", async () => {
    const intermediate = await fixture.authority.intermediate();
    const credential = await intermediate.issue({ hosts: ["*.example"] });
    expect(outcomeOf(await authenticate(relay, { domain: "peer.example", credential }))).toBe(refused);
    const wild = await intermediate.issue({ hosts: ["*.peer.example"] });
    expect(outcomeOf(await authenticate(relay, { domain: "relay.peer.example", credential: wild }))).toBe("200");
    expect(outcomeOf(await authenticate(relay, { domain: "peer.example", credential: wild }))).toBe(refused);
    expect(outcomeOf(await authenticate(relay, { domain: "a.b.peer.example", credential: wild }))).toBe(refused);
  });

  it("may use its own port, and may send unknown members", async () => {
    const domain = "peer.example:8443";
    expect(outcomeOf(await authenticate(relay, { ...origin, domain }, { body: { more: { of: "it" } } }))).toBe("200");
  });
});

describe("a certificate", () => {
  const options = {
    "of another domain": { hosts: ["other.example"] },
    "whose name is only in the subject": { hosts: ["other.example", "peer.example.org"] },
    "that has expired": { notBefore: new Date(Date.now() - 9 * dayMillis), notAfter: new Date(Date.now() - 1000) },
    "that is not yet valid": { notBefore: new Date(Date.now() + dayMillis) },
    "that is self-signed": { selfSigned: true },
    "for clients": { extendedUsages: ["1.3.6.1.5.5.7.3.2"] },
    "whose key is for encryption": { keyUsages: KeyUsageFlags.keyEncipherment },
  };

  it.each(Object.entries(options))("%s is refused", async (_, wish) => {
    const credential = await fixture.authority.issue({ hosts: [origin.domain], ...wish });
    expect(outcomeOf(await authenticate(relay, { ...origin, credential }))).toBe(refused);
  });

  it("of an authority that is not trusted is refused", async () => {
    const other = await createTestAuthority(new Date());
    const credential = await other.issue({ hosts: [origin.domain] });
    expect(outcomeOf(await authenticate(relay, { ...origin, credential }))).toBe(refused);
  });

  it("issued by a certificate that is not an authority is refused", async () => {
    const pretender = await fixture.authority.intermediate({ isAuthority: false });
    const credential = await pretender.issue({ hosts: [origin.domain] });
    expect(outcomeOf(await authenticate(relay, { ...origin, credential }))).toBe(refused);
  });

  it("with more intermediates than one of them allows is refused", async () => {
    const short = await fixture.authority.intermediate({ pathLength: 0 });
    const direct = await short.issue({ hosts: [origin.domain] });
    expect(outcomeOf(await authenticate(relay, { ...origin, credential: direct }))).toBe("200");
    const further = await (await short.intermediate()).issue({ hosts: [origin.domain] });
    expect(outcomeOf(await authenticate(relay, { ...origin, credential: further }))).toBe(refused);
  });

  it("with more than five intermediates, or with rubbish, is refused", async () => {
    const { cert } = await fixture.authority.issue({ hosts: [origin.domain] });
    const long = { ...origin.credential, cert: origin.credential.cert + cert.repeat(6) };
    expect(outcomeOf(await authenticate(relay, { ...origin, credential: long }))).toBe(refused);
    for (const certificate of ["AAAA", derOf(cert).slice(0, 400), Buffer.alloc(40_000, 48).toString("base64")]) {
      const body = { server_certificate: certificate };
      expect(outcomeOf(await authenticate(relay, origin, { body }))).toBe(refused);
    }
  });

  it("that is revoked is refused, and every certificate where the list is out of date", async () => {
    const fresh = await startRelay(fixture.config);
    const revoked = await fixture.origin("revoked.example");
    try {
      expect(outcomeOf(await authenticate(fresh, revoked))).toBe("200");
      await fixture.revoke([revoked.credential.serial]);
      await expect.poll(async () => outcomeOf(await authenticate(fresh, revoked))).toBe(refused);
      expect(outcomeOf(await authenticate(fresh, origin))).toBe("200");
      const [thisUpdate, nextUpdate] = [new Date(Date.now() - 9 * dayMillis), new Date(Date.now() - dayMillis)];
      await fixture.revoke([], { thisUpdate, nextUpdate });
      await expect.poll(async () => outcomeOf(await authenticate(fresh, origin))).toBe(refused);
    } finally {
      await fixture.revoke([]);
      await fresh.stop();
      // The relay of the other tests may have read the list while it was out of date.
      await expect.poll(async () => outcomeOf(await authenticate(relay, origin))).toBe("200");
    }
  });

  it("needs no trusted authority while validation is off, but its name, dates and usage are checked", async () => {
    const seeds = { SEED_FEDERATION_CERTIFICATE_VALIDATION: "false" };
    const trusting = await startRelay({ ...fixture.config, seeds });
    const issue = (wish: object) => fixture.authority.issue({ hosts: [origin.domain], selfSigned: true, ...wish });
    try {
      const outcomes = [];
      for (const wish of [{}, { hosts: ["other.example"] }, { notAfter: new Date(Date.now() - 1000) }]) {
        outcomes.push(outcomeOf(await authenticate(trusting, { ...origin, credential: await issue(wish) })));
      }
      expect(outcomes).toEqual(["200", refused, refused]);
    } finally {
      await trusting.stop();
    }
  });
});

describe("an answer to the nonce", () => {
  it("by another key is refused", async () => {
    const { key } = await fixture.authority.issue({ hosts: [origin.domain] });
    expect(outcomeOf(await authenticate(relay, origin, { key }))).toBe(refused);
  });

  it.each([
    ["for another server", { payload: { aud: "elsewhere.example" } }],
    ["for several servers", { payload: { aud: ["relay.test", "elsewhere.example"] } }],
    ["that names another origin", { payload: { origin_server: "other.example" } }],
    ["without a nonce", { payload: { nonce: null } }],
    ["of another type", { header: { typ: "svc-federation+jwt" } }],
  ])("%s is refused", async (_, deviation) => {
    expect(outcomeOf(await authenticate(relay, origin, deviation))).toBe(refused);
  });

  it("that was altered is refused", async () => {
    const proof = await proofOf(relay, origin);
    const [header, payload = "", signature] = String(proof["challenge_response"]).split(".");
    const members = JSON.parse(Buffer.from(payload, "base64url").toString());
    const altered = Buffer.from(JSON.stringify({ ...members, more: 1 })).toString("base64url");
    for (const response of [`${header}.${altered}.${signature}`, `${header}.${payload}.`, `${header}.${payload}`]) {
      const body = { ...proof, challenge_response: response };
      expect(outcomeOf(await call(relay, "authenticateServer", { body }))).toBe(refused);
    }
  });

  it.each(["none", "HS256"])("with the algorithm %s is refused", async (alg) => {
    const proof = await proofOf(relay, origin);
    const [, payload, signature] = String(proof["challenge_response"]).split(".");
    const header = Buffer.from(JSON.stringify({ alg, typ: "svc-federation-answer+jwt" })).toString("base64url");
    for (const last of ["", signature]) {
      const body = { ...proof, challenge_response: `${header}.${payload}.${last}` };
      expect(outcomeOf(await call(relay, "authenticateServer", { body }))).toBe(refused);
    }
  });
});

describe("a nonce", () => {
  it("can be used once, on any node", async () => {
    const second = await startRelay(relay.config, { clock: relay.clock });
    try {
      const nonce = await challengeFor(relay, origin.domain);
      const bodies = await Promise.all(Array.from({ length: 6 }, () => proofOf(relay, origin, { nonce })));
      const nodes = [relay, second];
      const answers = await Promise.all(
        bodies.map((body, i) => call(nodes[i % 2] as TestRelay, "authenticateServer", { body })),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(outcomeOf(await call(second, "authenticateServer", { body: bodies[0] }))).toBe(refused);
    } finally {
      await second.stop();
    }
  });

  it("of another peer is refused", async () => {
    const nonce = await challengeFor(relay, "other.example");
    expect(outcomeOf(await authenticate(relay, origin, { nonce }))).toBe(refused);
  });

  it("that was not issued is refused", async () => {
    const nonce = await challengeFor(relay, origin.domain);
    for (const made of ["0".repeat(64), nonce.slice(0, 63) + (nonce.endsWith("0") ? "1" : "0"), nonce.slice(2), ""]) {
      expect(outcomeOf(await authenticate(relay, origin, { nonce: made }))).toBe(refused);
    }
  });

  it("ends after five minutes", async () => {
    const [early, late] = [await challengeFor(relay, origin.domain), await challengeFor(relay, origin.domain)];
    relay.clock.advance(290);
    expect(outcomeOf(await authenticate(relay, origin, { nonce: early }))).toBe("200");
    relay.clock.advance(11);
    expect(outcomeOf(await authenticate(relay, origin, { nonce: late }))).toBe(refused);
  });

  it("is not spoiled by a failed attempt", async () => {
    const nonce = await challengeFor(relay, origin.domain);
    expect(outcomeOf(await authenticate(relay, origin, { nonce, payload: { aud: "x.example" } }))).toBe(refused);
    expect(outcomeOf(await authenticate(relay, origin, { nonce }))).toBe("200");
  });
});

describe("a request before authentication", () => {
  it("is decided by the nonce before any certificate is parsed", async () => {
    const body = { server_certificate: "AAAA" };
    const made = await authenticate(relay, origin, { nonce: "0".repeat(64), body });
    expect(made.body.message).toMatch(/nonce/);
    expect((await authenticate(relay, origin, { body })).body.message).toMatch(/certificate chain/);
  });

  it("is limited by network address, and attempts with an invented nonce do not count", async () => {
    const config = { federationChallengesPerIpMinute: 4, federationAuthenticationsPerIpMinute: 2 };
    const bounded = await startRelay({ ...fixture.config, ...config });
    try {
      for (let i = 0; i < 3; i++) {
        expect(outcomeOf(await authenticate(bounded, origin, { nonce: "0".repeat(64) }))).toBe(refused);
      }
      const outcomes = [];
      for (let i = 0; i < 3; i++) outcomes.push(outcomeOf(await authenticate(bounded, origin)));
      expect(outcomes).toEqual(["200", "200", "429 RATE_LIMIT_EXCEEDED"]);
      const ask = () => call(bounded, "createFederationChallenge", { body: { origin_server: origin.domain } });
      expect((await ask()).status).toBe(200);
      const { status, body, headers } = await ask();
      expect([status, body["limit"], headers.get("retry-after")]).toEqual([429, 4, String(body["retry_after"])]);
      expect(Number(body["reset_at"])).toBeGreaterThan(bounded.clock.nowSeconds());
      bounded.clock.advance(61);
      expect(outcomeOf(await authenticate(bounded, origin))).toBe("200");
    } finally {
      await bounded.stop();
    }
  });

  it("fits into 64 KiB", async () => {
    const body = { ...(await proofOf(relay, origin)), more: "x".repeat(64 * 1024) };
    expect(outcomeOf(await call(relay, "authenticateServer", { body }))).toBe("413 MESSAGE_TOO_LARGE");
  });

  describe("with a crafted chain", () => {
    const [root, subject] = [write(null, authority), nameOf("alike")];
    const checksOf = (sent: readonly Issued[], anchors: readonly Issued[]) => {
      const [leaf, ...intermediates] = sent.map(certificateOf);
      const trusted = anchors.map(certificateOf);
      const anchorsOf = ({ issuer }: Certificate) => trusted.filter((anchor) => anchor.subject === issuer);
      const rules = { trust: { anchorsOf, lists: [] }, nowMillis: Date.now() };
      const steps = findPath({ leaf: leaf as Certificate, intermediates }, rules);
      let [checks, step] = [0, steps.next()];
      for (; !step.done; step = steps.next()) checks++;
      return { checks, found: typeof step.value !== "string" };
    };
    const below = (issuer: Issued, count: number) =>
      Array.from({ length: count }, () => write(issuer, { ...authority, subject, key: ec("P-384") }));

    it("takes no signature check if nothing leads to a trusted authority", () => {
      const stranger = write(null, authority);
      const intermediates = below(stranger, 5);
      const leaf = write(intermediates[0] as Issued, {});
      expect(checksOf([leaf, ...intermediates], [root])).toEqual({ checks: 0, found: false });
    });

    it("takes one signature check of a slow key at most, however alike the intermediates look", () => {
      const slow = write(null, { ...authority, key: ec("P-384") });
      const forger = { ...slow, key: ec("P-384") };
      const intermediates = below(forger, 5);
      const leaf = write(intermediates[0] as Issued, {});
      expect(checksOf([leaf, ...intermediates], [slow])).toEqual({ checks: 1, found: false });
    });

    it("takes the signature checks of its true part and one more if the rest is forged", () => {
      const [intermediate] = below(root, 1) as [Issued];
      const leaf = write({ ...intermediate, key: ec("P-384") }, {});
      expect(checksOf([leaf, intermediate, ...below(intermediate, 4)], [root])).toEqual({ checks: 2, found: false });
      expect(checksOf([write(intermediate, {}), intermediate], [root])).toEqual({ checks: 1, found: true });
    });
  });
});

function certificateOf({ raw }: Issued): Certificate {
  const read = readCertificate(raw);
  if (read === undefined) throw new Error("the certificate cannot be read");
  return read;
}

describe("a token", () => {
  it("of another kind is refused, and so is a federation token elsewhere", async () => {
    const device = await newDevice(relay);
    const messages = messagesFor(relay, device, 1);
    const byDevice = await deliver(relay, { token: device.token, origin: origin.domain, messages });
    expect(outcomeOf(byDevice)).toBe("401 INVALID_TOKEN");
    const token = await tokenFor(relay, origin);
    expect(outcomeOf(await call(relay, "pollMessages", { token }))).toBe("401 INVALID_TOKEN");
  });

  it("ends after an hour", async () => {
    const device = await newDevice(relay);
    const token = await tokenFor(relay, origin);
    relay.clock.advance(3_601);
    const answer = await deliver(relay, { token, origin: origin.domain, messages: messagesFor(relay, device, 1) });
    expect(outcomeOf(answer)).toBe("401 INVALID_TOKEN");
  });
});

describe("a name", () => {
  it.each([
    "127.0.0.1",
    "[::1]",
    "0x7f.1",
    "2130706433",
    "bücher.example",
    "localhost",
    "intern",
    "relay.test",
    "a..b",
  ])("like %s is not accepted for a peer", async (name) => {
    const asked = await call(relay, "createFederationChallenge", { body: { origin_server: name } });
    expect(outcomeOf(asked)).toBe("400 INVALID_ADDRESS");
    const proof = await proofOf(relay, origin, { body: { origin_server: name } });
    expect(outcomeOf(await call(relay, "authenticateServer", { body: proof }))).toBe("400 INVALID_ADDRESS");
  });
});

describe("federation that is switched off", () => {
  it("answers every call with FEDERATION_DISABLED", async () => {
    const token = await tokenFor(relay, origin);
    const off = await startRelay({ ...fixture.config, seeds: { SEED_FEDERATION_ENABLED: "false" } });
    try {
      const proof = await proofOf(relay, origin);
      const body = { origin_server: origin.domain };
      expect(outcomeOf(await call(off, "createFederationChallenge", { body }))).toBe("503 FEDERATION_DISABLED");
      expect(outcomeOf(await call(off, "authenticateServer", { body: proof }))).toBe("503 FEDERATION_DISABLED");
      expect(demand(await call(off, "getDiscovery")).body.federation_enabled).toBe(false);
      expect(token).not.toBe("");
    } finally {
      await off.stop();
    }
  });
});
