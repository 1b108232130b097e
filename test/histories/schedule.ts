import { createRandom } from "./random.js";

/** What a fault disturbs. Two faults at once disturb different things. */
type Subject = "nodes" | "first database" | "second database" | "network" | "everything";

interface FaultKind {
  subject: Subject;
  targets: readonly string[];
  /** How often it is drawn, compared with others. */
  weight: number;
  /** How long it lasts, in milliseconds. */
  lasts: readonly [number, number];
}

const nodes = ["a1", "a2", "b1"] as const;
const links = [
  "clients to a",
  "clients to b",
  "a1 to its database",
  "a2 to its database",
  "b1 to its database",
  "b to a",
  "a to b",
] as const;

/** A connection that can be disturbed. */
export type Link = (typeof links)[number];

const network = { subject: "network", targets: links, weight: 5 } as const;
const instant = [0, 50] as const;
const short = [100, 1_200] as const;
const long = [300, 4_500] as const;

/** The relay `a` has two nodes and a database with a synchronous standby, the relay `b` one node and a small disk. */
export const faultKinds = {
  "kill a node": { subject: "nodes", targets: nodes, weight: 6, lasts: instant },
  "pause a node": { subject: "nodes", targets: nodes, weight: 5, lasts: long },
  "kill the leader": { subject: "nodes", targets: ["a"], weight: 3, lasts: instant },
  "pause the leader": { subject: "nodes", targets: ["a"], weight: 3, lasts: long },
  "move the clock of a node": { subject: "nodes", targets: nodes, weight: 3, lasts: short },
  "kill PostgreSQL": { subject: "first database", targets: ["a"], weight: 3, lasts: instant },
  "pause PostgreSQL": { subject: "first database", targets: ["a"], weight: 3, lasts: short },
  "pause the standby": { subject: "first database", targets: ["a"], weight: 3, lasts: short },
  "lose the primary": { subject: "first database", targets: ["a"], weight: 1, lasts: instant },
  "kill the other PostgreSQL": { subject: "second database", targets: ["b"], weight: 3, lasts: instant },
  "pause the other PostgreSQL": { subject: "second database", targets: ["b"], weight: 3, lasts: short },
  "fill the disk": { subject: "second database", targets: ["b"], weight: 3, lasts: short },
  "move the clock of the database": { subject: "second database", targets: ["b"], weight: 3, lasts: short },
  cut: { ...network, lasts: instant },
  refuse: { ...network, lasts: short },
  "slow down": { ...network, lasts: short },
  "hold what is asked": { ...network, lasts: short },
  "hold what is answered": { ...network, lasts: short },
  "lose what is answered": { ...network, lasts: short },
  "restart everything": { subject: "everything", targets: ["a and b"], weight: 1, lasts: instant },
} as const satisfies Record<string, FaultKind>;

export type FaultName = keyof typeof faultKinds;

/** One step of the nemesis. */
export interface Step {
  fault: FaultName;
  target: string;
  /** How long it lasts. */
  millis: number;
  /** Of clocks: by how many seconds they are wrong. */
  seconds: number;
  /** Whether it begins while the step before it lasts. */
  joins: boolean;
}

const joinShare = 0.6;
const maxAtOnce = 3;
const maxClockSeconds = 600;

/** The steps that belong to a number: always the same ones. */
export function drawSchedule(seed: number, count: number): Step[] {
  const random = createRandom(seed);
  const names = (Object.keys(faultKinds) as FaultName[]).flatMap((name) =>
    Array<FaultName>(faultKinds[name].weight).fill(name),
  );
  const steps: Step[] = [];
  for (let number = 0; number < count; number++) {
    const fault = random.oneOf(names);
    const { targets, lasts } = faultKinds[fault];
    const step = {
      fault,
      target: random.oneOf<string>(targets),
      millis: random.between(lasts[0], lasts[1]),
      seconds: random.between(-maxClockSeconds, maxClockSeconds),
      joins: random.share() < joinShare,
    };
    steps.push({ ...step, joins: step.joins && mayJoin(lastGroup(steps), step) });
  }
  return steps;
}

/** The steps that are taken at once with the last one. */
function lastGroup(steps: readonly Step[]): readonly Step[] {
  return steps.slice(steps.findLastIndex(({ joins }) => !joins));
}

function mayJoin(group: readonly Step[], { fault }: Pick<Step, "fault">): boolean {
  const { subject } = faultKinds[fault];
  const subjects = group.map((step): Subject => faultKinds[step.fault].subject);
  const isApart = ![...subjects, subject].includes("everything") && !subjects.includes(subject);
  return subjects.length > 0 && subjects.length < maxAtOnce && isApart;
}

export function describeStep({ fault, target, millis, seconds, joins }: Step): string {
  const clock = fault.startsWith("move the clock") ? ` by ${seconds} s` : "";
  return `${joins ? "and " : ""}${fault}: ${target}${clock}${millis > 0 ? ` for ${millis} ms` : ""}`;
}
