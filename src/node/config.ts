import { checkBusUrl, checkDnsServer } from "../platform/config/checks.js";
import { constant, flag, list, optionalText, type ValuesOf } from "../platform/config/setting.js";

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
  dnsTimeoutSeconds: constant("Longest wait for the addresses of a peer", 5),
  dnsFailureCacheSeconds: constant("Time before a failed lookup is repeated", 30),
  dnsConcurrentLookups: constant("Names of peers looked up at once, half of them for names that never resolved", 512),
};

/** Nodes, their clocks, and the jobs that one node runs for all. */
export const nodeConstants = {
  expiryIntervalSeconds: constant("Interval at which expired rows are removed", 60),
  expiryStepRows: constant("Rows removed by one statement", 1000),
  nodeHeartbeatSeconds: constant("Interval at which a node reports that it is alive", 2),
  nodeDeadAfterSeconds: constant("Time without a report after which a node counts as dead", 8),
  nodeSockets: flag("Whether nodes of one machine and account hand each other new messages over Unix sockets", true),
  settingsRefreshMillis: constant("Age at which a node reads its copy of settings and sessions again", 900),
  clockCheckSeconds: constant("Interval at which the clock is compared with the database's", 10),
  clockDriftLimitMillis: constant("Uncorrected drift above which the node is not ready", 2000),
  clockJumpLimitSeconds: constant("Largest jump of the database's clock that is believed at once", 120),
  clockAgreementSeconds: constant(
    "Agreement of the database's and machine's clocks after which a larger jump is believed",
    600,
  ),
};

export type NodeSettings = ValuesOf<
  typeof busSettings & typeof resolverSettings & typeof resolverConstants & typeof nodeConstants
>;
