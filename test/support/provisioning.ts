import { randomBytes } from "node:crypto";
import { encodeHex } from "../../src/protocol/encodings.js";
import { publicKeyOf } from "../../src/protocol/signature.js";
import { call } from "./api.js";
import { demand } from "./device.js";
import type { TestRelay } from "./relay.js";

/** An opened address, as the new device knows it. */
export interface OpenAddress {
  id: string;
  address: string;
  pollToken: string;
  expiresAt: number;
}

/** The body that opens an address. */
export function openingBody(relay: TestRelay, changes: Readonly<Record<string, unknown>> = {}) {
  const ephemeral = publicKeyOf(new Uint8Array(randomBytes(32)));
  return {
    ephemeral_public_key: encodeHex(ephemeral),
    ttl_seconds: 300,
    timestamp: relay.clock.nowSeconds(),
    ...changes,
  };
}

export async function openAddress(relay: TestRelay, ttlSeconds = 300): Promise<OpenAddress> {
  const body = openingBody(relay, { ttl_seconds: ttlSeconds });
  const { body: opened } = demand(await call(relay, "createProvisioning", { body }));
  const { provisioning_address: address, poll_token: pollToken, expires_at: expiresAt } = opened;
  return { id: address.slice(0, address.indexOf("@")), address, pollToken, expiresAt };
}

export function putBlob(relay: TestRelay, token: string, id: string, ciphertext: string) {
  return call(relay, "putProvisioningBlob", { token, params: { id }, body: { ciphertext } });
}

export function pollBlob(relay: TestRelay, at: Pick<OpenAddress, "id" | "pollToken">, wait?: number) {
  return call(relay, "pollProvisioningBlob", {
    params: { id: at.id },
    headers: { "X-Poll-Token": at.pollToken },
    ...(wait !== undefined && { query: { wait } }),
  });
}

export function newBlob(bytes = 200): string {
  return randomBytes(bytes).toString("base64");
}
