import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type DeviatingProxy,
  type Deviation,
  startDeviatingProxy,
} from "../../src/conformance/harness/deviating-proxy.js";
import { checkConformance } from "../../src/conformance/suite.js";
import { type Harness, startHarness } from "./harness.js";

let harness: Harness;
let proxy: DeviatingProxy;
beforeAll(async () => {
  harness = await startHarness();
  proxy = await startDeviatingProxy(harness.relay.url);
});
afterAll(async () => {
  await proxy.stop();
  await harness.stop();
});

async function brokenRules(only: string, deviation: Deviation): Promise<string[]> {
  proxy.deviation = deviation;
  const { findings } = await checkConformance({ ...harness.target, urls: [proxy.url] }, { only });
  expect(findings).not.toEqual([]);
  return findings.filter(({ outcome }) => outcome === "broken").map(({ rule }) => rule.id);
}

test("nothing is broken as long as the proxy changes nothing", async () => {
  expect(await brokenRules("queue.", {})).toEqual([]);
});

let goodToken = "";
let lastPackage = "";
const deviations: [string, string, Deviation, string][] = [
  [
    "says that it has acknowledged and has not",
    "queue.",
    {
      request: (request) => {
        if (request.method === "DELETE") request.path = "/v1/messages/0193a5f0-7b1c-7c3e-9d52-4f6a8b0c1d2e";
      },
      answer: (answer) => {
        if (answer.method === "DELETE" && answer.status === 200) answer.body = '{"acknowledged":true}';
      },
    },
    "queue.redelivery",
  ],
  [
    "takes any token",
    "general.token.pollMessages",
    {
      request: ({ headers, body }) => {
        const sent = headers["authorization"] ?? "";
        if (body === "" && sent.split(".").length === 3 && goodToken === "") goodToken = sent;
        else if (sent !== "") headers["authorization"] = goodToken;
      },
    },
    "general.token.pollMessages",
  ],
  [
    "answers with a status that is not in the contract",
    "messages.queued",
    {
      answer: (answer) => {
        if (answer.status === 202) answer.status = 200;
      },
    },
    "messages.queued",
  ],
  [
    "adds the sender to what it hands out",
    "messages.queued",
    {
      answer: (answer) => {
        answer.body = answer.body.replace('"sender_signature"', '"sender":"alice","sender_signature"');
      },
    },
    "messages.queued",
  ],
  [
    "gives an error another code",
    "messages.unknown-recipient",
    {
      answer: (answer) => {
        answer.body = answer.body.replace('"code":4003', '"code":4016');
      },
    },
    "messages.unknown-recipient",
  ],
  [
    "hands the same key package out twice",
    "keypackages.",
    {
      answer: (answer) => {
        if (answer.status !== 200 || !answer.path.includes("/keypackage/fetch")) return;
        const given = /"key_package":"[^"]+"/.exec(answer.body)?.[0] ?? "";
        if (lastPackage !== "") answer.body = answer.body.replace(given, lastPackage);
        lastPackage = given;
      },
    },
    "keypackages.once",
  ],
  [
    "forgets a header",
    "registration.challenge",
    {
      answer: ({ headers }) => {
        delete headers["cache-control"];
      },
    },
    "registration.challenge",
  ],
  [
    "takes members that the contract does not name",
    "messages.malformed.unknown",
    {
      request: (request) => {
        request.body = request.body.replace(',"sender":"alice"', "");
      },
    },
    "messages.malformed.unknown",
  ],
  [
    "stores a page of one message too many",
    "queue.bounds",
    {
      request: (request) => {
        request.path = request.path.replace("limit=1001", "limit=1000");
      },
    },
    "queue.bounds",
  ],
  [
    "lets an administrator without a permission through",
    "admin.permissions",
    {
      answer: (answer) => {
        if (answer.body.includes("INSUFFICIENT_PERMISSIONS")) {
          answer.status = 400;
          answer.body = answer.body
            .replace("INSUFFICIENT_PERMISSIONS", "INVALID_REQUEST")
            .replace('"code":4012', '"code":4000');
        }
      },
    },
    "admin.permissions",
  ],
];

test.each(deviations)("a server that %s is found out", async (_, only, deviation, rule) => {
  expect(await brokenRules(only, deviation)).toContain(rule);
});
