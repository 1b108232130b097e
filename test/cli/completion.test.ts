import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runHere } from "../support/command.js";

const run = promisify(execFile);

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mls-relay-completion-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function completionOf(shell: string): Promise<string> {
  const { code, stdout } = await runHere(["completion", shell], {});
  expect(code).toBe(0);
  const file = join(folder, `completion.${shell}`);
  await writeFile(file, stdout);
  return file;
}

/** What bash offers for a line whose last word is being typed. */
async function bashOffers(file: string, ...words: string[]): Promise<string[]> {
  const program = `. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _mls_relay; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await run("bash", ["-euc", program, "bash", file, ...words]);
  return stdout.split("\n").filter((word) => word !== "");
}

describe("completion", () => {
  test("in bash offers the commands and options that --help shows", async () => {
    const file = await completionOf("bash");
    expect(await bashOffers(file, "mls-relay", "")).toEqual(
      expect.arrayContaining(["serve", "status", "devices", "completion"]),
    );
    expect(await bashOffers(file, "mls-relay", "dev")).toEqual(["devices"]);
    expect(await bashOffers(file, "mls-relay", "devices", "unb")).toEqual(["unblock"]);
    expect(await bashOffers(file, "scripts/mls-relay", "serve", "--w")).toEqual(["--workers"]);
    expect(await bashOffers(file, "mls-relay", "serve", "--workers", "2", "--env")).toEqual(["--env-file"]);
    expect(await bashOffers(file, "mls-relay", "completion", "")).toEqual(["bash", "zsh", "fish"]);
    // Empty, so that bash itself offers files.
    expect(await bashOffers(file, "mls-relay", "serve", "--env-file", "")).toEqual([]);
  });

  test("names every command of the help", async () => {
    const file = await completionOf("bash");
    const offered = await bashOffers(file, "mls-relay", "");
    const { stdout } = await runHere(["completion", "fish"], {});
    for (const name of offered) expect(stdout).toContain(`-a '${name}'`);
  });

  test("of another shell is refused", async () => {
    const { code, stderr } = await runHere(["completion", "csh"], {});
    expect(code).toBe(1);
    expect(stderr).toContain("Allowed choices are bash, zsh, fish");
  });
});
