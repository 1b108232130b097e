import { expect, test } from "vitest";
import { createLogger } from "../../src/platform/logger.js";

function logged(write: (logger: ReturnType<typeof createLogger>) => void): string {
  const lines: string[] = [];
  write(createLogger({ level: "trace", destination: { write: (line: string) => void lines.push(line) } }));
  return lines.join("");
}

test("sensitive members are redacted at any depth and in any spelling", () => {
  const secrets = {
    authorization: "s3cret",
    accessToken: "s3cret",
    access_token: "s3cret",
    mlsCiphertext: "s3cret",
    senderSignature: "s3cret",
    "X-Forwarded-For": "s3cret",
    recipient_address: "s3cret",
    ipAddress: "s3cret",
    inviteCode: "s3cret",
    bindings: ["s3cret"],
    bytes: Buffer.from("s3cret"),
  };
  const text = logged((logger) => {
    logger.info({ ...secrets, deep: { list: [{ secrets }, { ...secrets }] } }, "something happened");
    logger.child({ token: "s3cret" }).info("said by a child");
  });
  expect(text).not.toContain("s3cret");
  expect(text).not.toContain(Buffer.from("s3cret").join(","));
  expect(text).toContain("something happened");
});

test("device ids are shortened", () => {
  const id = "0123456789abcdef".repeat(4);
  const line = JSON.parse(logged((logger) => logger.info({ deviceId: id, of: { device_id: id } })));
  expect(line).toMatchObject({ deviceId: "01234567", of: { device_id: "01234567" } });
});

test("an error is logged with its cause and location, a database error without the values it quotes", () => {
  const database = Object.assign(new Error("duplicate key value: Key (prefix)=(s3cret)"), {
    severity: "ERROR",
    code: "23505",
    table: "addresses",
    constraint: "addresses_pkey",
    detail: "Key (prefix)=(s3cret) already exists.",
    where: "s3cret",
  });
  const text = logged((logger) => logger.error({ err: new Error("storing failed", { cause: database }) }, "failed"));
  expect(text).not.toContain("s3cret");
  expect(JSON.parse(text).err).toMatchObject({
    message: "storing failed",
    stack: expect.stringContaining("logger.test.ts"),
    cause: { code: "23505", table: "addresses", constraint: "addresses_pkey" },
  });
});

test("an error that is passed alone is described in the same way", () => {
  const line = JSON.parse(logged((logger) => logger.error(Object.assign(new Error("no"), { token: "s3cret" }))));
  expect(line.err).toMatchObject({ type: "Error", message: "no" });
  expect(JSON.stringify(line)).not.toContain("s3cret");
});

test("entries below the level are not written", () => {
  const lines: string[] = [];
  const logger = createLogger({ level: "warn", destination: { write: (line: string) => void lines.push(line) } });
  logger.info("quiet");
  logger.warn("loud");
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    level: "warn",
    msg: "loud",
    time: expect.stringMatching(/T.*Z$/),
  });
});

test("the log for people has one line for each entry, which cannot move a terminal's cursor, and stacks only at level debug", () => {
  const text = (level: "info" | "debug") => {
    const lines: string[] = [];
    const logger = createLogger({ level, format: "text", destination: { write: (line) => void lines.push(line) } });
    const problem = new Error("it broke", { cause: Object.assign(new Error("on the wire"), { code: "ECONNRESET" }) });
    logger.warn(
      { err: problem, from: "peer\u001b[2J\u009b31m.example", count: 3, token: "s3cret" },
      "a delivery failed",
    );
    return lines.join("");
  };
  expect(text("info").split(" ").slice(1).join(" ")).toBe(
    'warn  a delivery failed error="it broke: on the wire (ECONNRESET)" from="peer\\u001b[2J\\u009b31m.example" count=3 token=[redacted]\n',
  );
  expect(text("debug").split("\n").slice(1).join("\n")).toMatch(/^ {4}at /);
});
