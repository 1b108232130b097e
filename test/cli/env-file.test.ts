import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCommand, runHere, startCommand } from "../support/command.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";

let database: TestDatabase;
let folder: string;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), "mls-relay-env-file-"));
});
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

async function fileOf(...lines: string[]): Promise<string> {
  const file = join(folder, "relay.env");
  await writeFile(file, `${lines.join("\n")}\n`);
  return file;
}

describe("--env-file", () => {
  test("sets what serve reads, with workers too, and the environment wins", async () => {
    const file = await fileOf(
      "# of the relay",
      "",
      "DOMAIN=of-the-file.example",
      `DATABASE_URL='${database.url}'`,
      `DATA_DIR="${folder}"`,
      "PORT=0",
      "BASE_URL=https://file.example",
    );
    for (const workers of [[], ["--workers", "2"]]) {
      const relay = startCommand(["serve", ...workers, "--env-file", file], { DOMAIN: "relay.example" });
      const [banner] = await relay.seen(/mls-relay serves.*/);
      expect(banner).toContain("relay.example at http");
      expect(banner).not.toContain("of-the-file");
      relay.kill("SIGTERM");
      expect(await relay.ended).toMatchObject({ code: 0 });
    }
  });

  test("gives a program that Node.js starts without `--` the same values", async () => {
    const folderWithSign = join(folder, "data#1");
    const file = await fileOf(`DATA_DIR=${folderWithSign}`);
    const { stdout } = await runCommand(["doctor", "--env-file", file], {});
    expect(stdout).toContain(`none in ${folderWithSign} yet`);
  });

  test("is taken by every command, before it and behind it", async () => {
    const file = await fileOf(`DATABASE_URL=${database.url}`, `DATA_DIR=${folder}`);
    for (const args of [
      ["status", "--json", "--env-file", file],
      ["--env-file", file, "devices", "list", "--json"],
    ]) {
      expect(await runHere(args, {})).toMatchObject({ code: 0, stderr: "" });
    }
    const { stdout } = await runHere(["doctor", "--json", "--env-file", file], {});
    const findings: { check: string; state: string }[] = JSON.parse(stdout);
    expect(findings.find(({ check }) => check === "configuration")).toMatchObject({ state: "ok" });
  });

  test("says what is wrong with a file that is missing or begins with a byte order mark", async () => {
    const marked = await fileOf("\uFEFFPORT=8080");
    const { stderr } = await runHere(["doctor", "--env-file", marked], {});
    expect(stderr).toMatch(/line 1: it begins with a byte order mark \(BOM\).*save the file as UTF-8 without one\n$/);
    const missing = join(folder, "missing.env");
    const { code, stderr: said } = await runHere(["doctor", "--env-file", missing], {});
    expect({ code, said }).toEqual({
      code: 1,
      said: `mls-relay: the file of --env-file cannot be read: there is no ${missing} (ENOENT)\n  -> check the path, and the folder in which the command runs\n`,
    });
  });

  test("refuses each line that is not understood, by its number and without its value", async () => {
    const file = await fileOf(
      "PORT=8080",
      "PROT=secret-1",
      "export HOST=secret-2",
      "DOMAIN = secret-3",
      "BASE_URL=https://secret-4 and more",
      "PORT=secret-5",
      "SEED_NO_SUCH=secret-6",
      "MASTER_KEY=$(secret-7)",
    );
    const { code, stdout, stderr } = await runHere(["doctor", "--env-file", file], {});
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr.trim().split("\n")).toEqual([
      `configuration: ${file}, line 2: the relay has no variable PROT; \`mls-relay config\` lists all`,
      `configuration: ${file}, line 3: systemd does not accept \`export\`: write NAME=value alone`,
      `configuration: ${file}, line 4: it is not NAME=value`,
      `configuration: ${file}, line 5: the value of BASE_URL needs quotes around all of it, and none within`,
      `configuration: ${file}, line 6: PORT was set in a line above`,
      `configuration: ${file}, line 7: the relay has no variable SEED_NO_SUCH; \`mls-relay config\` lists all`,
      `configuration: ${file}, line 8: the value of MASTER_KEY needs quotes around all of it, and none within`,
    ]);
    expect(stderr).not.toContain("secret");
  });

  test("that is not there ends the command", async () => {
    const { code, stderr } = await runCommand(["status", "--env-file", join(folder, "missing.env")], {});
    expect(code).not.toBe(0);
    expect(stderr).toContain("missing.env");
  });
});
