import { checkBusUrl, checkDnsServer } from "../platform/config/checks.js";
import { flag, integer, list, optionalText, type ValuesOf } from "../platform/config/setting.js";
import { daySeconds, hourSeconds } from "../protocol/units.js";

/** Messages between nodes. */
export const busSettings = {
  wakeUpBus: optionalText(
    "NATS server by which nodes on several machines hand each other new messages",
    "nats:// or tls:// URL",
    checkBusUrl,
  ),
};

/** Name servers. */
export const resolverSettings = {
  dnsServers: list(
    "DNS servers that resolve the names of peers, instead of the system's",
    "list of IP[:port]",
    checkDnsServer,
  ),
};

export const resolverConstants = {
  dnsTimeoutSeconds: integer("Longest wait for the addresses of a peer", { default: 5, min: 1, max: 60 }),
  dnsFailureCacheSeconds: integer("Time for which a name that could not be resolved is not looked up again", {
    default: 30,
    min: 0,
    max: hourSeconds,
  }),
  dnsConcurrentLookups: integer("Names of peers looked up at once, half of them for names that never resolved", {
    default: 512,
    min: 2,
    max: 10_000,
  }),
};

/** Nodes, their clocks, and the jobs that one node runs for all. */
export const nodeConstants = {
  expiryIntervalSeconds: integer("Interval at which expired rows are removed", {
    default: 60,
    min: 1,
    max: daySeconds,
  }),
  expiryStepRows: integer("Rows removed by one statement", { default: 1000, min: 1, max: 100_000 }),
  nodeHeartbeatSeconds: integer("Interval at which a node reports that it is alive", { default: 2, min: 1, max: 60 }),
  nodeDeadAfterSeconds: integer("Time without a report after which a node counts as dead", {
    default: 8,
    min: 2,
    max: 600,
  }),
  nodeSockets: flag("Whether nodes of one machine and account hand each other new messages over Unix sockets", true),
  settingsRefreshMillis: integer("Age at which a node reads its copy of settings and sessions again", {
    default: 900,
    min: 50,
    max: 1000,
  }),
  clockCheckSeconds: integer("Interval at which the clock is compared with the database's", {
    default: 10,
    min: 1,
    max: 600,
  }),
  clockDriftLimitMillis: integer("Uncorrected drift above which the node is not ready", {
    default: 2000,
    min: 100,
    max: 60000,
  }),
  clockJumpLimitSeconds: integer("Largest jump of the database's clock that is believed at once", {
    default: 120,
    min: 1,
    max: daySeconds,
  }),
  clockAgreementSeconds: integer(
    "Time for which the clocks of database and machine must agree before a larger jump is believed",
    {
      default: 600,
      min: 1,
      max: daySeconds,
    },
  ),
};

export type NodeSettings = ValuesOf<
  typeof busSettings & typeof resolverSettings & typeof resolverConstants & typeof nodeConstants
>;
