import { kibibyte } from "../../src/protocol/units.js";
import type { BenchEnvironment } from "./environment.js";
import { createLoadClients } from "./load-clients.js";
import { millis, processors, type Report, rate, table } from "./report.js";
import type { Profile } from "./sends.js";
import { measurePush } from "./streams.js";
import { driveInTurns, medianTurn } from "./turns.js";

/** Kilobytes of ciphertext. Media keys and welcomes are as long as the last two. */
const sizes = [1, 10, 100];
const connections = 16;
/** Each size has its own: what one turn leaves in their queues would disturb the turns of other sizes. */
const recipientCount = 16;

/** Messages with short and long ciphertexts that are sent, pushed and acknowledged, in turns. */
export async function measureSizes(
  environment: BenchEnvironment,
  profile: Profile,
  say: (line: string) => void,
): Promise<Report> {
  const target = await environment.startRelay(await environment.createDatabase("sizes"));
  const clients = await createLoadClients(target.port, profile.senders + sizes.length * recipientCount);
  const senders = clients.splice(0, profile.senders);
  const sides = sizes.map((size) => {
    const load = { target, senders, recipients: clients.splice(0, recipientCount), batch: 1, connections };
    const ciphertextBytes = size * kibibyte;
    const drive = (time: { warmUpSeconds: number; seconds: number }) =>
      measurePush({ ...load, ciphertextBytes, ...time });
    return [`${size} KiB`, drive] as const;
  });
  say(`messages that go the whole way, in turns: ${sides.map(([name]) => name).join(", ")}`);
  const driven = await driveInTurns(Object.fromEntries(sides), profile);
  await target.stop();
  const measured = sizes.map((size) => {
    const { sent, perSecond, p50, p99 } = medianTurn(driven[`${size} KiB`] ?? []);
    return { size, sent, perSecond, megabytes: (perSecond * size * kibibyte) / 1e6, p50, p99 };
  });
  const rows = measured.map(({ size, sent, perSecond, megabytes, p50, p99 }) => [
    `${size} KiB`,
    `${rate(perSecond)} (sent ${rate(sent.perSecond)})`,
    `${megabytes.toFixed(1)} MB/s`,
    `p50 ${millis(p50)}, p99 ${millis(p99)}`,
    processors(sent),
  ]);
  const head = ["ciphertexts", "sent, pushed and acknowledged", "bytes", "send to push", "processor time a message"];
  return { text: table(head, rows), result: { sizes: measured } };
}
