import { afterAll, beforeAll, expect, it } from "vitest";
import { adminKeys, logIn } from "../support/admin.js";
import { call } from "../support/api.js";
import { demand, newDevice, type TestDevice } from "../support/device.js";
import { type StrictRelay, startRelay } from "./relay.js";
import { challengeFor, newIp, newKeys, prove, register } from "./wire.js";

const iterations = 5_000_000;
const proofs = 4;
const senders = 4;
const messagesAround = 100;
const administrator = adminKeys("manage_config");

let relay: StrictRelay;
let devices: TestDevice[];
beforeAll(async () => {
  relay = await startRelay({
    adminList: administrator.seed,
    ...{ firstAnnouncementsPerIpHour: 100, shutdownGraceSeconds: 1 },
    seeds: {
      SEED_RATE_LIMITING_ENABLED: "false",
      SEED_REGISTRATION_REQUIRE_PROOF_OF_WORK: "false",
      SEED_REGISTRATION_PROOF_OF_WORK_DIFFICULTY: String(iterations),
      SEED_STORAGE_MESSAGE_QUEUE_LIMIT: "1000000",
    },
  });
  devices = await Promise.all(Array.from({ length: senders }, () => newDevice(relay)));
  const { token } = await logIn(relay, administrator);
  const body = { registration: { require_proof_of_work: true } };
  demand(await call(relay, "updateConfig", { token, body }));
});
afterAll(() => relay.stop());

/** Has every device send one message after the other to itself; how many were taken. */
async function flow(goesOn: (sent: number) => boolean): Promise<number> {
  let sent = 0;
  const stream = async (device: TestDevice) => {
    while (goesOn(sent)) {
      expect((await device.send(device.address)).status).toBe(202);
      sent++;
    }
  };
  await Promise.all(devices.map(stream));
  return sent;
}

/** A registration whose proof is wrong, which shows only when every step of it has been computed again. */
async function wrongProof() {
  const [keys, ip] = [newKeys(), newIp()];
  const { body } = await challengeFor(relay, keys, ip);
  expect(body.iterations).toBe(iterations);
  const short = await prove({ ...body, iterations: 1 }, keys);
  return () => register(relay, keys, { vdf_proof: { ...short, iterations } }, { ip });
}

it("messages are delivered while four proofs of five million steps are being verified", async () => {
  const registrations = [];
  for (let i = 0; i < proofs; i++) registrations.push(await wrongProof());
  await flow((sent) => sent < messagesAround);

  let waiting = proofs;
  const answers = registrations.map(async (begin) => {
    const { body } = await begin();
    waiting--;
    return body.message;
  });
  // On a busy machine the checks, which come last for it, may take longer than anybody wants to watch.
  const meanwhile = await flow((sent) => waiting > 0 && sent < 2 * messagesAround);
  const checked = waiting === 0 ? await Promise.all(answers) : [];
  expect(checked.every((message) => message === "invalid VDF proof")).toBe(true);
  void Promise.allSettled(answers);

  // A flow that had to wait for even one of the checks would hardly move. The benchmark measures how fast it is.
  expect(meanwhile).toBeGreaterThan(proofs * senders);
});
