/**
 * The slowest test files, the slowest first. If a file of a minute began last, the run would wait for it while other
 * workers are idle. `npm test` prints the list.
 */
export const longestFiles: readonly string[] = [
  "test/demo/demo.test.ts",
  "test/crash/signals.test.ts",
  "test/console/views.test.ts",
  "test/manual/manual.test.ts",
  "test/conformance/federated.test.ts",
  "test/deploy/failover.test.ts",
  "test/conformance/two-nodes.test.ts",
  "test/conformance/client.test.ts",
  "test/federation/delivery-bytes.test.ts",
  "test/proxies/proxies.test.ts",
  "test/platform/embedded.test.ts",
  "test/federation/misbehaving-peer.test.ts",
  "test/nodes/workers.test.ts",
  "test/deploy/acme.test.ts",
  "test/nodes/workers-embedded.test.ts",
  "test/crash/injected-errors.test.ts",
  "test/federation/killed-processes.test.ts",
  "test/console/outage.test.ts",
  "test/stream/draining.test.ts",
  "test/audit/streaming.test.ts",
  "test/nodes/hung.test.ts",
];
