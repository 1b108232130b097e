import { expect, test } from "vitest";
import { runtimeWith } from "../../src/client/runtime/runtime.js";
import { createInbox, type Handler } from "../../src/client/stream/inbox.js";

test("a handler that takes one message at a time gets one, whatever another one of its device takes at once", async () => {
  const inbox = createInbox({ done: () => {}, runtime: runtimeWith() });
  let busy = 0;
  const most = { one: 0, many: 0 };
  const handlerThatTakes = (name: keyof typeof most, atOnce: number): Handler => ({
    atOnce,
    signal: new AbortController().signal,
    problem: (problem) => {
      throw problem;
    },
    handle: async () => {
      busy += 1;
      most[name] = Math.max(most[name], busy);
      await new Promise((resolve) => setTimeout(resolve));
      busy -= 1;
    },
  });
  const [one, many] = [handlerThatTakes("one", 1), handlerThatTakes("many", 10)];
  for (const handler of [one, many]) inbox.join(handler);
  const message = (at: number) => ({
    message_id: crypto.randomUUID(),
    mls_ciphertext: btoa(`message ${at}`),
    sender_signature: "",
    received_at: at,
  });
  for (let at = 0; at < 30; at++) inbox.offer(message(at) as never, at % 6 < 4 ? many : one);
  await inbox.settled(new AbortController().signal);
  expect(most.one).toBe(1);
});
