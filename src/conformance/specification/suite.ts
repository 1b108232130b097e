// Checks a server as somebody does who knows only the specification: no answer is compared with the contract, and nothing
// is asked for that the specification does not name. What it leaves open counts as not checked.

import type { DeviceKeys } from "../../client/crypto/keys.js";
import { hold, NotChecked } from "../harness/assertions.js";
import type { OriginCredential } from "../harness/types.js";
import { type Peer, startPeer } from "../peer/server.js";
import { evaluate, type Finding, isWanted, type Report, type Selection } from "../report/findings.js";
import { administrationRules, logIn } from "./administration.js";
import { register, type SpecificationDevice } from "./device.js";
import { federationRules } from "./federation.js";
import { messageRules } from "./messages.js";
import { packageRules } from "./packages.js";
import { registrationRules } from "./registration.js";
import { expectBody, serverAt } from "./server.js";
import { streamRules } from "./stream.js";
import type { SpecificationContext, SpecificationRule } from "./types.js";

export const specificationRules: readonly SpecificationRule[] = [
  ...registrationRules,
  ...messageRules,
  ...streamRules,
  ...packageRules,
  ...administrationRules,
  ...federationRules,
];

/** The server, and what the suite has for it. */
interface SpecificationTarget {
  url: string;
  domain?: string | undefined;
  adminKeys?: DeviceKeys | undefined;
  viewerKeys?: DeviceKeys | undefined;
  testProfile?: boolean | undefined;
  origin?: OriginCredential | undefined;
}

interface Options extends Selection {
  onFinding?: ((finding: Finding) => void) | undefined;
}

/** Checks the rules one after the other. */
export async function checkSpecification(target: SpecificationTarget, options: Options = {}): Promise<Report> {
  const { context, end } = contextFor(target);
  const findings: Finding[] = [];
  try {
    for (const { id, title, section, check } of specificationRules.filter((rule) => isWanted(rule.id, options))) {
      const summary = { id, title, source: `specification, ${section}`, place: section };
      const finding = { rule: summary, ...(await evaluate(() => check(context))) };
      findings.push(finding);
      options.onFinding?.(finding);
    }
  } finally {
    await end();
  }
  return { findings, succeeded: [] };
}

function contextFor({ url, domain, adminKeys, viewerKeys, testProfile, origin }: SpecificationTarget) {
  const server = serverAt(url, domain ?? new URL(url).host);
  let peer: Promise<Peer> | undefined;
  const admin = once(async () => {
    if (adminKeys === undefined) throw new NotChecked("requires: admin");
    return expectBody<{ admin_token: string }>(await logIn(context, adminKeys), 200).admin_token;
  });
  const device = () =>
    once(async () => {
      const made = await register(server);
      if (adminKeys !== undefined) await trust(context, made);
      return made;
    });
  const context: SpecificationContext = {
    server,
    alice: device(),
    bob: device(),
    adminToken: admin,
    adminKeys() {
      if (adminKeys === undefined) throw new NotChecked("requires: admin");
      return adminKeys;
    },
    viewerKeys() {
      if (viewerKeys === undefined) throw new NotChecked("requires: viewer");
      return viewerKeys;
    },
    mayDisturb() {
      if (testProfile !== true) throw new NotChecked("requires: test profile");
    },
    origin() {
      if (origin === undefined) throw new NotChecked("requires: origin");
      return origin;
    },
    async peer() {
      if (origin?.listen === undefined) throw new NotChecked("requires: listening origin");
      const { domain: name, cert, key, listen } = origin;
      peer ??= startPeer({ domain: name, cert, key, ...listen });
      return peer;
    },
  };
  return { context, end: async () => (await peer)?.stop() };
}

/** New devices may send ten messages an hour, which is too few for the rules. */
async function trust({ server, adminToken }: SpecificationContext, { deviceId }: SpecificationDevice): Promise<void> {
  const body = { device_id: deviceId, reason: "conformance suite", custom_rate_limit: 1000 };
  const token = await adminToken();
  const { status } = await server.call("POST", "/admin/v1/trust/set-rate-limit", { token, body });
  hold(status === 200, `a custom rate limit was answered ${status}`);
}

/** Creates a value at the first call. If that fails, the next call tries again. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((failure: unknown) => {
      made = undefined;
      throw failure;
    });
    return made;
  };
}
