import { describe, expect, it } from "vitest";
import { readRetryAfter } from "../../src/protocol/retry-after.js";

const now = Date.parse("2026-11-27T12:00:00Z");
const read = (text: string) => readRetryAfter(text, now);

describe("the header Retry-After", () => {
  it.each([
    ["0", 0],
    ["007", 7],
    ["120", 120],
    ["Fri, 27 Nov 2026 12:00:30 GMT", 30],
    ["Friday, 27-Nov-26 12:00:30 GMT", 30],
    ["Fri Nov 27 12:00:30 2026", 30],
    ["Sat Nov  7 12:00:30 2026", 0],
    ["Sat, 01 Jan 2000 00:00:00 GMT", 0],
  ])("%j is a wait of %d seconds", (text, seconds) => {
    expect(read(text)).toBe(seconds);
  });

  it.each([
    "2592000",
    "99999999999999999999999",
    "9".repeat(400),
    "Mon, 27 Nov 2028 12:00:00 GMT",
  ])("%j is the longest wait, which fits into a timer", (text) => {
    const seconds = read(text) ?? 0;
    expect(seconds).toBe(2_000_000);
    expect(seconds * 1000).toBeLessThan(2 ** 31);
  });

  it.each([
    ...["", " ", "-1", "+1", "1.5", "1e3", "0x10", "1,000", "1 ", " 1", "12 seconds", "Infinity", "NaN", "١٢"],
    ...["tomorrow", "2026-11-27T12:00:30Z", "27 Nov 2026 12:00:30 GMT", "Fri, 27 Nov 2026 12:00:30 +0000", "1, 2"],
    ...["Fri, 27 Nov 2026 12:00 GMT", "fri, 27 nov 2026 12:00:30 gmt", "Fri, 99 Nov 2026 12:00:30 GMT"],
  ])("%j says nothing", (text) => {
    expect(read(text)).toBeNull();
  });
});
