import { expect, test } from "vitest";
import { canonicalJson } from "../../src/protocol/canonical-json.js";
import {
  adminChallengeText,
  announcementText,
  blocklistText,
  isTimely,
  keyPackagesText,
  prefixAnnouncementText,
} from "../../src/protocol/signed-text.js";

test("an announcement of prefixes signs device, prefixes and time as they were sent", () => {
  const request = { deviceId: "D1", prefixes: ["AA", "bb"], timestamp: 1700000000 };
  expect(prefixAnnouncementText(request)).toBe("D1.AA,bb.1700000000");
  expect(prefixAnnouncementText({ ...request, audience: "a.example" })).toBe("D1.AA,bb.1700000000\na.example");
});

test("a registration signs device and time", () => {
  expect(announcementText({ deviceId: "D1", timestamp: 5 })).toBe("D1:5");
  expect(announcementText({ deviceId: "D1", timestamp: 5, audience: "a.example:1" })).toBe("D1:5\na.example:1");
});

test("an upload of key packages signs what replaces them only where it was sent", () => {
  const request = { deviceId: "D1", keyPackages: ["x=", "y="], timestamp: 5 };
  expect(keyPackagesText(request)).toBe("D1.x=,y=.5");
  expect(keyPackagesText({ ...request, replace: true })).toBe("D1.x=,y=.5.true.");
  expect(keyPackagesText({ ...request, replace: false })).toBe("D1.x=,y=.5.false.");
  expect(keyPackagesText({ ...request, lastResortKeyPackage: "z=" })).toBe("D1.x=,y=.5.false.z=");
  const whole = { ...request, replace: true, lastResortKeyPackage: "z=", audience: "a.example" };
  expect(keyPackagesText(whole)).toBe("D1.x=,y=.5.true.z=\na.example");
});

test("an admin signs the challenge's text", () => {
  expect(adminChallengeText({ challenge: "00ff" })).toBe("00ff");
  expect(adminChallengeText({ challenge: "00ff", audience: "a.example" })).toBe("00ff\na.example");
});

test("a block list signs itself without its signature, whatever the order of its members", () => {
  const text = '{"blocked_servers":[],"server":"a.example"}';
  expect(blocklistText({ signature: "ff", server: "a.example", blocked_servers: [] })).toBe(text);
  expect(blocklistText(JSON.parse(text))).toBe(text);
});

test("canonical JSON is that of the example in RFC 8785, section 3.2.2", () => {
  const example = String.raw`{ "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
    "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false] }`;
  expect(canonicalJson(JSON.parse(example))).toBe(
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
      String.raw`"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  );
});

test("members are sorted by their UTF-16 code units, as in RFC 8785, section 3.2.3", () => {
  const value = { "\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\u{1f600}": 5, "\u0080": 6, "\u00f6": 7 };
  expect(Object.values(JSON.parse(canonicalJson(value)))).toHaveLength(7);
  const names = [...canonicalJson(value).matchAll(/:(\d)/g)].map(([, n]) => Number(n));
  expect(names).toEqual([2, 4, 6, 7, 1, 5, 3]);
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, "\ud800", undefined])("%j has no canonical JSON", (value) => {
  expect(() => canonicalJson(value)).toThrow(TypeError);
});

test("a timestamp is timely from 300 s ago to 60 s ahead, both included", () => {
  const timely = (timestamp: number) => isTimely({ timestamp, nowSeconds: 1000, pastSeconds: 300, futureSeconds: 60 });
  expect([699, 700, 1000, 1060, 1061].map(timely)).toEqual([false, true, true, true, false]);
});
