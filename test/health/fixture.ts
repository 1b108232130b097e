import { expect } from "vitest";
import type { components } from "../../generated/openapi-types.js";
import type { Config } from "../../src/composition/config.js";
import type { Database } from "../../src/database/db.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import type { Logger } from "../../src/platform/logger.js";
import { logIn, startAdministered, type TestAdmin } from "../support/admin.js";
import { call } from "../support/api.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { demand } from "../support/device.js";
import type { TestRelay } from "../support/relay.js";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy.js";

type Schemas = components["schemas"];

/** A relay that looks at itself all the time, whose way to its database can be hurt. */
export interface Watched {
  relay: TestRelay;
  admin(): TestAdmin;
  /** Past the proxy. */
  db: Database;
  proxy: TcpProxy;
  health(): Promise<Schemas["Health"]>;
  alerts(): Promise<Schemas["Alert"][]>;
  /** The active alert of a component whose id names the condition; undefined where there is none. */
  alert(condition: string): Promise<Schemas["Alert"] | undefined>;
  /** Waits until an alert is active. */
  raised(condition: string): Promise<Schemas["Alert"]>;
  /** Waits for as long as it takes to look at every condition a few times. */
  looked(): Promise<void>;
  /** Changes the configuration. */
  configure(patch: object): Promise<void>;
  /** Waits until none is. */
  cleared(condition: string): Promise<void>;
  /** Moves the clock, and gets the administrator a new session where the old one has ended. */
  advance(seconds: number): Promise<void>;
  stop(): Promise<void>;
}

const tokenSeconds = 3_600;
const patience = { interval: 100 };
const turnSeconds = 0.25;
const looks = 4;

export async function startWatched(
  overrides: Partial<Config> = {},
  shared: { logger?: Logger } = {},
): Promise<Watched> {
  const database = await createTestDatabase();
  const url = new URL(database.url);
  const proxy = await startTcpProxy(Number(url.port));
  url.port = String(proxy.port);
  url.hostname = "127.0.0.1";
  // The machine that tests run on may well be busy.
  const quick = {
    ...{
      alertCheckSeconds: turnSeconds,
      metricsFlushSeconds: turnSeconds,
      metricsSnapshotSeconds: 1,
      healthTimeoutMillis: 2000,
    },
    alertCpuPercent: 100,
  };
  try {
    const { relay, admin } = await startAdministered(
      { databaseUrl: url.href, ...quick, ...overrides },
      ["all"],
      shared,
    );
    return watch({ relay, admin, proxy, database });
  } catch (error) {
    await proxy.stop();
    await database.drop();
    throw error;
  }
}

function watch(given: { relay: TestRelay; admin: TestAdmin; proxy: TcpProxy; database: TestDatabase }): Watched {
  const { relay, proxy, database } = given;
  let { admin } = given;
  let sinceLogin = 0;
  const db = createDatabase({ url: database.url, poolSize: 2 });
  const alerts = async () => demand(await call(relay, "listAlerts", { token: admin.token })).body.active_alerts;
  const alert = async (condition: string) => (await alerts()).find(({ id }) => id.startsWith(`alert_${condition}_`));

  return {
    ...{ relay, proxy, db, alerts, alert },
    admin: () => admin,
    health: async () => demand(await call(relay, "getHealth", { token: admin.token })).body,
    async raised(condition) {
      await expect.poll(() => alert(condition), { ...patience, message: condition }).toBeDefined();
      return (await alert(condition)) as Schemas["Alert"];
    },
    looked: () => new Promise((resolve) => setTimeout(resolve, looks * turnSeconds * 1000)),
    async configure(body) {
      demand(await call(relay, "updateConfig", { token: admin.token, body: { ...body } }));
    },
    async cleared(condition) {
      await expect.poll(() => alert(condition), { ...patience, message: condition }).toBeUndefined();
    },
    async advance(seconds) {
      relay.clock.advance(seconds);
      sinceLogin += seconds;
      if (sinceLogin < tokenSeconds / 2) return;
      admin = await logIn(relay, admin);
      sinceLogin = 0;
    },
    async stop() {
      await db.close();
      await relay.stop();
      await proxy.stop();
      await database.drop();
    },
  };
}
