import { createPublicKey, type JsonWebKey, verify } from "node:crypto";
import { hold, same, success } from "../harness/assertions.js";
import type { Rule } from "../harness/types.js";

export const discoveryRules: readonly Rule[] = [
  {
    id: "discovery.document",
    title: "the discovery document names the server's domain",
    source: "openapi: getDiscovery",
    async check(harness) {
      const body = success(await harness.call("getDiscovery"), 200);
      same(body.server, harness.domain, "server");
      same(body.versions.protocol, "1.0", "versions.protocol");
      const { federation_enabled: isForwarding } = body.capabilities;
      hold(!isForwarding || body.federation_enabled, "messages are forwarded by a server without federation");
    },
  },
  {
    id: "discovery.documents",
    title: "the contract is served where the discovery document says",
    source: "openapi: getDiscovery, links",
    async check(harness) {
      const { links } = success(await harness.call("getDiscovery"), 200);
      for (const [name, link] of Object.entries(links)) {
        const answer = await harness.ask("GET", new URL(link).pathname);
        same(answer.status, 200, name);
        const key = name === "jwks" ? "keys" : name;
        hold(answer.body[key] !== undefined, `${name} has no member ${key}`);
      }
    },
  },
  {
    id: "discovery.keys",
    title: "a device's token is signed with EdDSA by a key of the key set, and is for this server's devices",
    source: "openapi: getSigningKeys",
    async check(harness) {
      const { keys } = success(await harness.call("getSigningKeys"), 200);
      const bob = await harness.bob();
      const [head = "", payload = "", signature = ""] = bob.token().split(".");
      const header = JSON.parse(Buffer.from(head, "base64url").toString());
      const claims = JSON.parse(Buffer.from(payload, "base64url").toString());
      same(header.alg, "EdDSA", "alg");
      const jwk = keys.find(({ kid }) => kid === header.kid);
      hold(jwk !== undefined, "the key set has no key of the token's kid");
      const key = createPublicKey({ key: jwk as unknown as JsonWebKey, format: "jwk" });
      const sound = verify(null, Buffer.from(`${head}.${payload}`), key, Buffer.from(signature, "base64url"));
      hold(sound, "the token's signature does not verify");
      same(claims.iss, harness.domain, "iss");
      same(claims.sub, bob.deviceId, "sub");
    },
  },
  {
    id: "discovery.up",
    title: "a healthy server reports only that it is healthy",
    source: "openapi: getHealthz, getReadyz",
    async check(harness) {
      success(await harness.call("getHealthz"), 200);
      success(await harness.call("getReadyz"), 200);
    },
  },
];
