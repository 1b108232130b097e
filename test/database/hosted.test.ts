import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TLSSocket } from "node:tls";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { createTestAuthority, type TestCredential } from "../../scripts/test-ca/authority.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { runCommand } from "../support/command.js";
import { databaseUrl } from "../support/database-names.js";

// Databases as hosting companies make them: the relay works with them, or says at once what is missing.

const role = `hosted_${randomBytes(6).toString("hex")}`;
const names: string[] = [];

async function onServer(url: string, ...statements: string[]): Promise<void> {
  const db = createDatabase({ url, poolSize: 1 });
  try {
    for (const statement of statements) await db.run(statement);
  } finally {
    await db.close();
  }
}

const server = () => inject("postgresUrl");

/** A database of the server's administrator, in which the relay's account has only what `setUp` gives it. */
async function hosted({ options = "", setUp = [] as string[] }): Promise<string> {
  const name = `hosted_${randomBytes(6).toString("hex")}`;
  names.push(name);
  await onServer(server(), `create database ${name} template template0 ${options}`);
  const url = new URL(databaseUrl(server(), name));
  await onServer(url.href, "revoke create on schema public from public", ...setUp);
  url.username = role;
  url.password = "secret";
  return url.href;
}

const migrate = (url: string, env: Record<string, string> = {}) =>
  runCommand(["migrate"], { DATABASE_URL: url, ...env });

beforeAll(() => onServer(server(), `create role ${role} login password 'secret'`));
afterAll(async () => {
  await onServer(server(), ...names.map((name) => `drop database if exists ${name} with (force)`), `drop role ${role}`);
});

describe("a database of a hosting company", () => {
  it("in whose schema the account may not create tables is refused, with the right that is missing", async () => {
    const { code, stderr } = await migrate(await hosted({}));
    expect([code, stderr]).toEqual([1, expect.stringContaining(`grant create on schema public to ${role}`)]);
  });

  it("with an encoding other than UTF8 is refused", async () => {
    const url = await hosted({ options: "encoding 'LATIN1' lc_collate 'C' lc_ctype 'C'" });
    const { code, stderr } = await migrate(url);
    expect([code, stderr]).toEqual([1, expect.stringContaining("has the encoding LATIN1")]);
  });

  it("without a schema on the search path is refused", async () => {
    const { code, stderr } = await migrate(await hosted({ setUp: [`alter role ${role} set search_path = nowhere`] }));
    await onServer(server(), `alter role ${role} reset search_path`);
    expect([code, stderr]).toEqual([1, expect.stringContaining("no schema of the search path (nowhere) exists")]);
  });

  it("with a schema of the account's own works, beside the tables of another program in public", async () => {
    const url = await hosted({
      options: "lc_collate 'C' lc_ctype 'C'",
      setUp: [
        "create table public.schema_migrations (version text)",
        "create table public.knex_migrations (name text)",
        "create table public.devices (name text)",
        "create table public.secrets (name text)",
        "grant select on all tables in schema public to public",
        `create schema authorization ${role}`,
        `alter role ${role} set default_transaction_isolation = 'serializable'`,
      ],
    });
    expect(await migrate(url)).toMatchObject({ code: 0 });
    expect(await runCommand(["settings", "list"], { DATABASE_URL: url })).toMatchObject({ code: 0 });
    await onServer(server(), `alter role ${role} reset all`);
  });
});

it("doctor warns of a collation that has changed since the indexes were made", async () => {
  const url = await hosted({
    options: "locale_provider icu icu_locale 'und'",
    setUp: [`create schema authorization ${role}`],
  });
  expect(await migrate(url)).toMatchObject({ code: 0 });
  const collation = async () => {
    const { stdout } = await runCommand(["doctor", "--json"], { DATABASE_URL: url });
    return (JSON.parse(stdout) as { check: string; state: string }[]).filter(({ check }) => check === "collation");
  };
  expect(await collation()).toEqual([]);
  await onServer(
    server(),
    `update pg_database set datcollversion = '1' where datname = '${new URL(url).pathname.slice(1)}'`,
  );
  expect(await collation()).toMatchObject([{ state: "warning", message: expect.stringContaining("was 1") }]);
});

describe("TLS to the database", () => {
  let folder: string;
  let credential: TestCredential;
  let authority: string;
  let listener: Server;
  let url: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "mls-relay-hosted-"));
    const made = await createTestAuthority(new Date());
    credential = await made.issue({ hosts: ["localhost"], key: "p256" });
    authority = join(folder, "ca.pem");
    await writeFile(authority, made.cert);
    // PostgreSQL's answer to a request for TLS (S), and then a handshake.
    listener = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => {
        socket.write("S");
        const secured = new TLSSocket(socket, { isServer: true, cert: credential.cert, key: credential.key });
        secured.on("error", () => undefined);
        secured.once("data", () => secured.end(refusal()));
      });
    });
    listener.listen(0, "127.0.0.1");
    await once(listener, "listening");
    url = `postgres://relay:secret@localhost:${(listener.address() as AddressInfo).port}/relay`;
  });
  afterAll(async () => {
    listener.close();
    await rm(folder, { recursive: true });
  });

  /** What PostgreSQL says to an account that it does not know. */
  function refusal(): Buffer {
    const fields = Buffer.from("SFATAL\0VFATAL\0C28000\0Mno such account here\0\0");
    const length = Buffer.alloc(4);
    length.writeInt32BE(fields.length + 4);
    return Buffer.concat([Buffer.from("E"), length, fields]);
  }

  it.each([
    "require",
    "verify-full",
  ])("with sslmode=%s names the variable if the certificate is not trusted", async (mode) => {
    const { code, stderr } = await migrate(`${url}?sslmode=${mode}`);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/certificate[\s\S]*DATABASE_URL[\s\S]*sslrootcert/)]);
  });

  it("trusts the machine's authorities with sslrootcert=system, and no others", async () => {
    const trusted = await migrate(`${url}?sslrootcert=system`, { SSL_CERT_FILE: authority });
    expect(trusted.stderr).toContain("no such account here");
    const strange = await migrate(`${url}?sslrootcert=system&sslmode=no-verify`);
    expect([strange.code, strange.stderr]).toEqual([1, expect.stringContaining("certificate")]);
  });

  it("names the parameter whose file is not there", async () => {
    const { code, stderr } = await migrate(`${url}?sslmode=verify-full&sslrootcert=${join(folder, "none.pem")}`);
    expect([code, stderr]).toEqual([1, expect.stringContaining("sslrootcert")]);
  });
});
