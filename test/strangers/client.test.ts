import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { encodeHex } from "../../src/protocol/encodings.js";
import { startAdministered } from "../support/admin.js";
import { isMissing } from "../support/programs.js";
import type { TestRelay } from "../support/relay.js";

interface Guess {
  guess: string;
  held: boolean;
  saw: string;
}

/** What the stranger's program prints. */
interface Experience {
  guesses: Guess[];
  /** The members of answers that the specification does not name. */
  additions: string[];
}

/** A client with closed schemas would refuse these answers. */
const additions = [
  "banned_until",
  "blocked_at",
  "blocked_servers.reason_category",
  "blocked_servers.severity",
  "complete",
  "counted_at",
  "message_statuses.code",
  "message_statuses.error",
  "message_statuses.limit",
  "message_statuses.reset_at",
  "message_statuses.retry_after",
  "pending_devices.spam_warning",
  "poll_token",
  "progressive_trust.spam_score_threshold",
  "push",
  "rate_limiting.recipients_per_message",
  "reason_category",
  "registration.mode",
  "results.code",
  "results.error",
  "server.nodes",
  "server.software_version",
  "severity",
  "software_version",
  "spam",
  "status",
  "storage.message_queue_bytes_limit",
  "verified_at",
  "verified_by",
];

const program = fileURLToPath(new URL("client.py", import.meta.url));

describe.skipIf(isMissing("python3"))("a client written from the specification alone", () => {
  let relay: TestRelay;
  let experience: Experience;
  beforeAll(async () => {
    const seeds = {
      SEED_REGISTRATION_REQUIRE_PROOF_OF_WORK: "true",
      SEED_REGISTRATION_PROOF_OF_WORK_DIFFICULTY: "1000",
    };
    const baseUrl = "https://relay.test";
    const administered = await startAdministered({ seeds, baseUrl });
    relay = administered.relay;
    const args = [program, relay.url, relay.config.domain, encodeHex(administered.admin.secretKey)];
    const { stdout } = await promisify(execFile)("python3", ["-B", ...args], { maxBuffer: 64 * 1024 * 1024 });
    experience = JSON.parse(stdout) as Experience;
  });
  afterAll(() => relay?.stop());

  it("gets through with its first guesses", () => {
    expect(experience.guesses.filter(({ held }) => !held)).toEqual([]);
    expect(experience.guesses.length).toBeGreaterThan(200);
  });

  it("meets only the members beyond the specification that are listed here", () => {
    expect(experience.additions).toEqual(additions);
  });
});
