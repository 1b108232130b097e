/**
 * The slowest test files, the slowest first. If a file of a minute began last, the run would wait for it while other
 * workers are idle. `npm test` prints the list.
 */
export const longestFiles: readonly string[] = [
  "test/console/views.test.ts",
  "test/federation/misbehaving-peer.test.ts",
  "test/deploy/failover.test.ts",
  "test/console/sign-in.test.ts",
  "test/model/replay.test.ts",
  "test/conformance/client.test.ts",
  "test/crash/signals.test.ts",
  "test/conformance/two-nodes.test.ts",
  "test/manual/manual.test.ts",
  "test/health/alerts.test.ts",
  "test/deploy/acme.test.ts",
  "test/demo/demo.test.ts",
  "test/platform/embedded.test.ts",
  "test/slots/groups.test.ts",
  "test/conformance/mutants.test.ts",
  "test/federation/delivery-bytes.test.ts",
  "test/proxies/proxies.test.ts",
  "test/backup/commands.test.ts",
  "test/console/outage.test.ts",
  "test/cli/prestart.test.ts",
  "test/model/models.test.ts",
  "test/conformance/federated.test.ts",
  "test/nodes/workers.test.ts",
  "test/deploy/install.test.ts",
  "test/cli/start.test.ts",
];
