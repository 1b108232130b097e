import { compileModel, type ItfState, type Model, readModel, stepsPerRun } from "./simulator.js";

/** An error that is planted in a model. A promise that does not notice it is worth nothing. */
interface Mutation {
  title: string;
  model: Model;
  /** What is replaced, which must be in the model once, and by what. */
  replaced: string;
  by: string;
  /** The promise that breaks. */
  breaks: string;
}

export const mutations: readonly Mutation[] = [
  {
    title: "a message is accepted before its commit",
    model: "queue",
    replaced: 'isAt(node, "send", "committed"),\n    devices',
    by: 'isAt(node, "send", "written"),\n    devices',
    breaks: "nothingLost",
  },
  {
    title: "the row of the queue is not locked, so that commits may change places",
    model: "queue",
    replaced: '      database.lock == "",\n      database\' = { ...database, lock: node },',
    by: "      database' = { ...database, lastPosition: position },",
    breaks: "inOrder",
  },
  {
    title: "the hash of a message is not stored with it",
    model: "queue",
    replaced: "hashes: database.hashes.union(Set(done.message)),",
    by: "hashes: database.hashes,",
    breaks: "storedOnce",
  },
  {
    title: "the hash of a message goes with its acknowledgement",
    model: "queue",
    replaced: "database' = { ...database, rows: without(workOf(node).message) },",
    by: "database' = { ...database, rows: without(workOf(node).message), hashes: database.hashes.exclude(Set(workOf(node).message)) },",
    breaks: "storedOnce",
  },
  {
    title: "an acknowledgement is confirmed before its commit",
    model: "queue",
    replaced: 'isAt(node, "ack", "committed"),',
    by: 'isAt(node, "ack", "asked"),',
    breaks: "acknowledgedStaysAway",
  },
  {
    title: "a message is removed before its retention period is over",
    model: "queue",
    replaced: "    isQueued(message),\n    history.over.contains(message),",
    by: "    isQueued(message),",
    breaks: "nothingLost",
  },
  {
    title: "the cursor of a stream passes a message before its commit",
    model: "queue",
    replaced: "stream: { ...nodes.stream, after: first.position } },",
    by: 'stream: { ...nodes.stream, after: if (database.lock != "") database.lastPosition + 1 else first.position } },',
    breaks: "streamSkipsNothing",
  },
  {
    title: "a slot is forgotten when its content expires",
    model: "slots",
    replaced: 'slot: { state: "expired", content: "" } },',
    by: "slot: free },",
    breaks: "oneWinner",
  },
  {
    title: "a slot that somebody has taken meanwhile is overwritten",
    model: "slots",
    replaced:
      '    Set("free", "forgotten").contains(database.slot.state),\n    database\' = { ...database, lock: node },',
    by: "    database' = { ...database, lock: node },",
    breaks: "oneWinner",
  },
  {
    title: "a restored relay keeps its slot key",
    model: "slots",
    replaced: "slotKey: database.slotKey + 1,",
    by: "slotKey: database.slotKey,",
    breaks: "oneWinner",
  },
  {
    title: "a slot is taken without a signature by its key",
    model: "slots",
    replaced: 'if (asked.content == FOREIGN) "unsigned"\n      else if',
    by: "if",
    breaks: "membersOnly",
  },
  {
    title: "a slot is won before its commit",
    model: "slots",
    replaced: 'isAt(node, "won"),',
    by: 'isAt(node, "inserted"),',
    breaks: "oneWinner",
  },
  {
    title: "a refusal of the whole transaction ends its messages",
    model: "federation",
    replaced: 'val isReceipt = got.kind == "receipt"',
    by: 'val isReceipt = Set("receipt", "refused").contains(got.kind)',
    breaks: "nothingLost",
  },
  {
    title: "an answer that nobody can read counts as a receipt",
    model: "federation",
    replaced: 'val isReceipt = got.kind == "receipt"',
    by: 'val isReceipt = Set("receipt", "unreadable").contains(got.kind)',
    breaks: "nothingLost",
  },
  {
    title: "a node that has lost its lease drops the transaction of its successor",
    model: "federation",
    replaced: 'val drops = holds(node) and got.kind != "unreadable"',
    by: 'val drops = got.kind != "unreadable"',
    breaks: "sentIsStored",
  },
  {
    title: "the peer does not look for the tags of messages",
    model: "federation",
    replaced: "without(request.messages, peer.tags.union(rejected))",
    by: "without(request.messages, rejected)",
    breaks: "atMostOnce",
  },
  {
    title: "rows leave the outbox when they are sent",
    model: "federation",
    replaced:
      "    outbox' = outbox, peer' = peer, backups' = backups, history' = history,\n  }\n\n  // The answer comes.",
    by: "    outbox' = { ...outbox, rows: without(outbox.rows, toSet(runOf(node).transaction.messages)) },\n    peer' = peer, backups' = backups, history' = history,\n  }\n\n  // The answer comes.",
    breaks: "nothingLost",
  },
  {
    title: "a minority makes a commit void",
    model: "disputes",
    replaced: "some.intersect(OTHERS).size() * 2 > OTHERS.size()",
    by: "some.intersect(OTHERS).size() * 2 > 0",
    breaks: "minorityVoidsNothing",
  },
  {
    title: "whoever has entered an epoch does not look whether its commit became void",
    model: "disputes",
    replaced: 'def canLook(member: Member): bool = at(member).place != "next" and',
    by: 'def canLook(member: Member): bool = at(member).place == "old" and',
    breaks: "oneGroup",
  },
  {
    title: "whoever has entered an epoch gives nobody else the path secret",
    model: "disputes",
    replaced: 'at(member).place == "new" and toRepair(member) != Set()',
    by: "false and toRepair(member) != Set()",
    breaks: "oneGroup",
  },
  {
    title: "nobody replaces a commit that most cannot use",
    model: "disputes",
    replaced: "decision == none, mayTake(member), isMajority(at(member).heard),",
    by: "decision == none, false, isMajority(at(member).heard),",
    breaks: "oneGroup",
  },
  {
    title: "a member takes as many attempts as they like, up to a last one",
    model: "disputes",
    replaced: "slots.length() < OPEN or not(slots.indices().exists(at => at >= OPEN and slots[at].taker == member))",
    by: "slots.length() < 3",
    breaks: "oneGroup",
  },
];

const maxRuns = 20_000;

/** A run that breaks the promise, or undefined. */
export async function findMutation(mutation: Mutation): Promise<ItfState[] | undefined> {
  const { model, breaks } = mutation;
  // Each replacement has the type of what it replaces.
  const compiled = await compileModel(model, mutate(await readModel(model), mutation), { checksTypes: false });
  return compiled.findViolation({ invariant: breaks, runs: maxRuns, steps: stepsPerRun[model], seed: 1 });
}

function mutate(text: string, { title, replaced, by }: Mutation): string {
  if (text.split(replaced).length !== 2) throw new Error(`${title}: the text to replace is not in the model once`);
  return text.replace(replaced, () => by);
}
