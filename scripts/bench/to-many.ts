import type { BenchEnvironment } from "./environment.js";
import { type Load, type LoadResult, runLoad } from "./load.js";
import { createLoadClients } from "./load-clients.js";
import { micros, type Report, table } from "./report.js";
import { driveInTurns, median, type TurnProfile } from "./turns.js";

const connections = 8;
const batchSize = 100;
const [few, many] = [10, 100];

/** What a message in a batch costs, and each additional recipient of a message to many, in microseconds. */
interface Cost {
  /** Processor time of the whole machine. */
  time: number;
  processor: number;
}

/** Batches, and messages to few and to many recipients, in turns. */
export async function measureToMany(
  environment: BenchEnvironment,
  profile: TurnProfile,
  say: (line: string) => void,
): Promise<Report> {
  const target = await environment.startRelay(await environment.createDatabase("to_many"));
  const clients = await createLoadClients(target.port, batchSize + connections);
  const sides = { target, senders: clients.slice(batchSize), recipients: clients.slice(0, batchSize), connections };
  const drive = (load: Pick<Load, "batch" | "toMany">) => (time: Pick<Load, "warmUpSeconds" | "seconds">) =>
    runLoad({ ...sides, ...load, ...time });
  say("batches of 100, messages to 10 and to 100 recipients, in turns");
  const driven = await driveInTurns(
    {
      batch: drive({ batch: batchSize }),
      few: drive({ batch: few, toMany: true }),
      many: drive({ batch: many, toMany: true }),
    },
    profile,
  );
  await target.stop();
  const batches = driven.batch.map(costOf);
  const [ofFew, ofMany] = [driven.few.map(costOf), driven.many.map(costOf)];
  const measured = (of: keyof Cost) => {
    const more = ofMany.map((cost, turn) => (many * cost[of] - few * (ofFew[turn]?.[of] ?? Number.NaN)) / (many - few));
    const parts = more.map((one, turn) => one / (batches[turn]?.[of] ?? Number.NaN));
    return { batch: median(batches.map((cost) => cost[of])), recipientMore: median(more), part: median(parts) };
  };
  const [time, processor] = [measured("time"), measured("processor")];
  const rows = [
    ["a message in a batch of 100", micros(time.batch), micros(processor.batch)],
    ["a recipient more of a message to many", micros(time.recipientMore), micros(processor.recipientMore)],
    ["the second as a part of the first", time.part.toFixed(2), processor.part.toFixed(2)],
  ];
  return { text: table(["measure", "time", "processors"], rows), result: { toMany: { time, processor } } };
}

function costOf({ perSecond, server, database }: LoadResult): Cost {
  return { time: 1_000_000 / perSecond, processor: server + database };
}
