import { expect, test } from "vitest";
import { runCommand } from "../support/command.js";
import { createTestDatabase } from "../support/database.js";

// With DATABASE_URL, variables of PostgreSQL's clients supply what the URL leaves out, as the manual says.

const urlWith = (url: string, changes: (url: URL) => void): string => {
  const changed = new URL(url);
  changes(changed);
  return changed.href;
};

test("variables of PostgreSQL's clients supply what DATABASE_URL leaves out, and the URL wins", async () => {
  const database = await createTestDatabase();
  const settings = (url: string, variables: Record<string, string> = {}) =>
    runCommand(["settings", "list"], { DATABASE_URL: url, ...variables });
  expect(await settings(database.url)).toMatchObject({ code: 0 });

  // The test's server speaks no TLS.
  const encrypted = await settings(database.url, { PGSSLMODE: "verify-full" });
  expect([encrypted.code, encrypted.stderr]).toEqual([1, expect.stringMatching(/does not support SSL/)]);
  const plain = urlWith(database.url, ({ searchParams }) => searchParams.set("sslmode", "disable"));
  expect(await settings(plain, { PGSSLMODE: "verify-full" })).toMatchObject({ code: 0 });

  const nowhere = await settings(database.url, { PGOPTIONS: "-c search_path=nowhere" });
  expect(nowhere.code).toBe(1);
  const options = urlWith(database.url, ({ searchParams }) => searchParams.set("options", "-c search_path=public"));
  expect(await settings(options, { PGOPTIONS: "-c search_path=nowhere" })).toMatchObject({ code: 0 });

  expect(await settings(database.url, { PGSERVICE: "elsewhere", PGHOST: "192.0.2.1", PGPORT: "1" })).toMatchObject({
    code: 0,
  });
  await database.drop();
});
