import { afterAll, beforeAll, expect, it } from "vitest";
import type { AnyRow } from "../support/any-row.js";
import { until } from "../support/until.js";
import { type StrictRelay, startRelay } from "./relay.js";
import { challengeFor, newIp, newKeys, newProof, prove, register, registrationBody } from "./wire.js";

let relay: StrictRelay;
beforeAll(async () => {
  relay = await startRelay({ proofWorkers: 1, proofQueueLimit: 1 });
});
afterAll(() => relay.stop());

/** Takes minutes to hash; its output is wrong, so that a check that was carried to its end bans the address. */
const iterations = 80_000_000;

/** Another device's, with a proof that takes no time. */
async function registration(): Promise<number> {
  const keys = newKeys();
  return (await register(relay, keys, { vdf_proof: await newProof(relay, keys) })).status;
}

function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const later = new Promise<false>((resolve) => setImmediate(() => resolve(false)));
  return Promise.race([promise.then(() => true as const), later]);
}

it("verification stops when the client disconnects, and makes room for the next proof", async () => {
  const ip = newIp();
  const keys = newKeys();
  const { body } = await challengeFor(relay, keys, ip);
  await relay.db.run("update registration_challenges set iterations = :iterations where public_key = :value", {
    iterations,
    value: Buffer.from(keys.publicKey, "hex"),
  });
  const proof = { ...(await prove({ ...body, iterations: 1 }, keys)), iterations };
  const disconnect = new AbortController();
  const announce = () =>
    fetch(`${relay.url}/api/v1/announce`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-forwarded-for": ip },
      body: JSON.stringify(registrationBody(relay, keys, { vdf_proof: proof })),
      signal: disconnect.signal,
    }).catch((error: unknown) => error);
  let left = announce();

  await until(async () => {
    if ((await registration()) === 503) return true;
    // It came while another registration's proof was being checked, and was refused.
    if (await isSettled(left)) left = announce();
    return false;
  }, "the proof is being checked");
  disconnect.abort();
  expect(await left).toMatchObject({ name: "AbortError" });

  await until(async () => (await registration()) === 200, "there is room again");
  const rows = await relay.db.rows<AnyRow>("select used_at from registration_challenges where public_key = :value", {
    value: Buffer.from(keys.publicKey, "hex"),
  });
  expect(rows).toEqual([{ used_at: null }]);
  expect((await challengeFor(relay, keys, ip)).status).toBe(200);
});
