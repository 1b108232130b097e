import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createLogger } from "../../src/platform/logger.js";
import { RelayError } from "../../src/protocol/errors.js";
import { call } from "../support/api.js";
import { newDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { serveFixture } from "./fixture-server.js";

interface Line {
  level: string;
  msg: string;
  operation?: string;
  status?: number;
}

const lines: Line[] = [];
let relay: TestRelay;

beforeAll(async () => {
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  relay = await startRelay({}, { logger: createLogger({ level: "trace", destination }) });
});
afterAll(() => relay.stop());

const levelOf = (operation: string, status: number) =>
  lines.find((line) => line.msg === "request" && line.operation === operation && line.status === status)?.level;

describe("the line of a request", () => {
  test("is for debugging where nothing is wrong, and below that for probes", async () => {
    const device = await newDevice(relay);
    expect((await device.poll()).status).toBe(200);
    for (const path of ["/healthz", "/readyz"]) expect((await fetch(relay.url + path)).status).toBe(200);
    await expect.poll(() => levelOf("getHealthz", 200)).toBe("trace");
    await expect.poll(() => levelOf("getReadyz", 200)).toBe("trace");
    await expect.poll(() => levelOf("pollMessages", 200)).toBe("debug");
  });

  test("is information where a request was refused", async () => {
    expect((await call(relay, "pollMessages")).status).toBe(401);
    await expect.poll(() => levelOf("pollMessages", 401)).toBe("info");
  });

  test("leaves nothing at level info or above for a relay at work", () => {
    const noise = lines.filter(({ level, status }) => level !== "trace" && level !== "debug" && (status ?? 0) < 400);
    expect(noise.filter(({ msg }) => msg === "request")).toEqual([]);
  });
});

test("of many refused requests of one kind the log has some, then how many it left out; of another kind it has the first", async () => {
  const written: Record<string, unknown>[] = [];
  let now = 60;
  const clock = { nowSeconds: () => now };
  const destination = { write: (line: string) => void written.push(JSON.parse(line)) };
  const served = await serveFixture({ logger: createLogger({ level: "info", destination }), clock });
  const refuse = async (path: string, times: number) => {
    for (let i = 0; i < times; i++) expect((await fetch(served.url + path)).status).toBeGreaterThanOrEqual(400);
  };
  const requests = (error: string) =>
    written.filter(({ msg, ...line }) => msg === "request" && line["error"] === error);

  await refuse("/things", 50);
  await refuse("/nowhere", 1);
  await expect.poll(() => requests("NOT_FOUND").length).toBe(1);
  const { length } = requests("INVALID_TOKEN");
  expect(length).toBeGreaterThan(0);
  expect(length).toBeLessThan(50);

  now += 60;
  await refuse("/things", 1);
  await expect.poll(() => requests("INVALID_TOKEN").length).toBe(length + 1);
  expect(written).toContainEqual(expect.objectContaining({ omitted: { "listThings INVALID_TOKEN": 50 - length } }));
});

test("of many requests that fail while the database is away the log has some, then how many it left out", async () => {
  const written: Record<string, unknown>[] = [];
  let now = 60;
  const clock = { nowSeconds: () => now };
  const destination = { write: (line: string) => void written.push(JSON.parse(line)) };
  const fail = () => {
    throw new RelayError("DATABASE_UNAVAILABLE", "It is away.", { cause: new Error("connection refused") });
  };
  const served = await serveFixture({
    logger: createLogger({ level: "info", destination }),
    clock,
    answers: { getOpen: fail, getThing: fail },
  });
  const ask = async (path: string, times: number) => {
    for (let i = 0; i < times; i++) await fetch(served.url + path);
  };
  const faults = (operation: string) =>
    written.filter(({ msg, ...line }) => msg === "a request could not be served" && line["operation"] === operation);

  await ask("/open", 50);
  await ask("/things/a", 1);
  const { length } = faults("getOpen");
  expect(length).toBeGreaterThan(0);
  expect(length).toBeLessThan(50);
  expect(faults("getOpen")[0]).toMatchObject({ level: "warn", cause: expect.anything() });
  expect(faults("getThing").length).toBe(1);

  now += 60;
  await ask("/open", 1);
  expect(faults("getOpen").length).toBe(length + 1);
  expect(written).toContainEqual(
    expect.objectContaining({
      msg: "more requests failed than are logged",
      omitted: { "getOpen DATABASE_UNAVAILABLE": 50 - length },
    }),
  );
});
