import { afterAll } from "vitest";

// What a test file may leave open: nothing beyond what was open when it began. A socket that the other side has just
// closed takes a moment to notice.
const watched = ["TCPSocketWrap", "TCPServerWrap", "ProcessWrap", "MessagePort", "Timeout", "FSEventWrap", "UDPWrap"];
const graceMillis = 300_000;
const pollMillis = 50;

const before = countResources();

afterAll(async () => {
  const deadline = performance.now() + graceMillis;
  while (surplus().length > 0 && performance.now() < deadline) {
    // This timer would be counted, so it does not keep the process alive.
    await new Promise((resolve) => setTimeout(resolve, pollMillis).unref());
  }
  const left = surplus();
  if (left.length > 0) throw new Error(`the test file left something running: ${left.join(", ")}`);
});

function surplus(): string[] {
  const now = countResources();
  return watched
    .map((kind) => ({ kind, more: (now.get(kind) ?? 0) - (before.get(kind) ?? 0) }))
    .filter(({ more }) => more > 0)
    .map(({ kind, more }) => `${more} ${kind}`);
}

function countResources(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}
