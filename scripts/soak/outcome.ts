import { setTimeout as sleep } from "node:timers/promises";
import { askOnce } from "./ask-once.js";
import type { Relays } from "./relays.js";
import type { Work } from "./work.js";

/** A condition that must hold, and what was found. */
export interface Finding {
  holds: boolean;
  text: string;
}

const shown = 5;
const patienceMillis = 60_000;
const lookMillis = 1_000;

/** What the relays guarantee: nothing accepted is lost and nothing acknowledged comes back, whatever was killed. */
export async function checkOutcome(relays: Relays, work: Work): Promise<Finding[]> {
  const { lost, partly } = await work.finish();
  const { ledger, keyPackages, overdue } = work;
  const unexpected = [...ledger.statuses].filter(([status]) => ![0, 200, 202, 503].includes(status));
  const left = await keyPackages.lost();
  const gone = await overdue.gone();
  return [
    { holds: ledger.accepted.size > 0, text: `${ledger.accepted.size} messages were accepted` },
    none("were lost", lost),
    none("came back after their acknowledgement, or twice at once", ledger.cameBack),
    none("came to some of those to whom they were sent together", partly),
    { holds: unexpected.length === 0, text: `answers by status: ${describeStatuses(ledger.statuses)}` },
    none("(key packages) were given out twice", keyPackages.doubled),
    {
      holds: left !== undefined && left <= 0 && keyPackages.given.size > 0,
      text: `of ${keyPackages.uploaded} key packages ${keyPackages.given.size} were given out, ${Math.max(0, left ?? 0)} lost`,
    },
    {
      holds: gone && overdue.made() > 0,
      text: `${overdue.made()} messages expired, ${gone ? "all" : "NOT ALL"} removed`,
    },
    await checkCounters("first", relays.first.databaseUrl),
    await checkCounters("second", relays.second.databaseUrl),
  ];
}

function none(what: string, found: readonly string[]): Finding {
  return { holds: found.length === 0, text: [`${found.length} ${what}`, ...found.slice(0, shown)].join("\n       ") };
}

function describeStatuses(statuses: ReadonlyMap<number, number>): string {
  const named = [...statuses].sort().map(([status, count]) => `${status === 0 ? "none" : status}: ${count}`);
  return named.join(", ");
}

const disagreeing = `
  select (select count(*) from queues as m
          where m.queued_messages <> (select count(*) from messages as q where q.device_id = m.device_id))::int as queues,
         (select count(*) from outbox_destinations as d
          where d.messages <> (select count(*) from outbox as o where o.domain = d.domain))::int as outboxes,
         (select count(*) from outbox)::int as waiting`;

/** The counters of queues and outbox agree with their rows, and the outbox is empty, now or after some waiting. */
async function checkCounters(name: string, databaseUrl: string): Promise<Finding> {
  let seen = "no answer of the database";
  for (const end = performance.now() + patienceMillis; performance.now() < end; await sleep(lookMillis)) {
    const [row] = await askOnce<Record<"queues" | "outboxes" | "waiting", number>>(databaseUrl, disagreeing).catch(
      () => [],
    );
    if (row === undefined) continue;
    seen = `${row.queues} queues and ${row.outboxes} outboxes whose counters are wrong, ${row.waiting} messages for peers left`;
    if (row.queues + row.outboxes + row.waiting === 0) return { holds: true, text: `${name} relay: ${seen}` };
  }
  return { holds: false, text: `${name} relay: ${seen}` };
}
