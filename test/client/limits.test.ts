import { afterAll, beforeAll, expect, test } from "vitest";
import { isAnswer } from "../../src/client/connection/failures.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { newClient, sendText } from "./harness.js";

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay();
});
afterAll(() => relay.stop());

test("a client sees what is left without asking, and may ask", async () => {
  const [ada, ben] = [await newClient(relay, { retries: { attempts: 1 } }), await newClient(relay)];
  expect(ada.seenLimits().get("messages")).toBeUndefined();
  const asked = await ada.limits();
  expect(asked).toMatchObject({ trust_tier: "new", next_tier: "established" });
  expect(asked.limits).toContainEqual({
    name: "messages",
    limit: 10,
    remaining: 10,
    window_seconds: 3600,
    reset_at: null,
  });
  for (let left = 9; left >= 0; left -= 1) {
    await sendText(ada, ben, "hello");
    expect(ada.seenLimits().get("messages")).toMatchObject({ limit: 10, remaining: left, windowSeconds: 3600 });
  }
  const { resetAt, seenAt } = ada.seenLimits().get("messages") ?? {};
  expect((resetAt ?? 0) - (seenAt ?? 0)).toBeGreaterThan(3500);
  const refusal = await sendText(ada, ben, "too much").catch((error: unknown) => error);
  expect(isAnswer(refusal, "RATE_LIMIT_EXCEEDED")).toBe(true);
  expect(ada.seenLimits().get("messages")).toMatchObject({ remaining: 0 });
});
