import { type Connection, openConnection } from "../../src/database/pool/connection.js";
import { wait } from "./comparison.js";

// Where a replay stops a node inside one of its statements: a trigger of the replay waits there for a lock that the replay holds.
// A node is known by the number in its connections' settings.

const gates = { insertSlot: 1, commitSlot: 2, chooseMessages: 3 } as const;
type Gate = keyof typeof gates;

const functions = [
  "create schema replay",
  "create table replay.claims (node integer primary key)",
  `create function replay.node() returns integer language sql stable as
   $$ select coalesce(nullif(current_setting('replay.node', true), '')::integer, 0) $$`,
  `create function replay.wait() returns trigger language plpgsql as
   $$ begin
     perform pg_advisory_lock_shared(tg_argv[0]::integer, replay.node());
     perform pg_advisory_unlock_shared(tg_argv[0]::integer, replay.node());
     return new;
   end $$`,
  // A claim that is not allowed looks as if another node had been faster.
  `create function replay.claim() returns trigger language plpgsql as
   $$ begin
     if exists (select from replay.claims where node = replay.node()) then return new; end if;
     return null;
   end $$`,
];
const triggers = [
  `create trigger replay_insert before insert on slots
   for each row execute function replay.wait(${gates.insertSlot})`,
  `create trigger replay_commit after insert on slots
   for each row execute function replay.wait(${gates.commitSlot})`,
  `create trigger replay_choose before insert on outbox_transactions
   for each row when (new.due_millis is null) execute function replay.wait(${gates.chooseMessages})`,
  `create trigger replay_claim before update on outbox_destinations
   for each row when (old.lease_node is null and new.lease_node is not null) execute function replay.claim()`,
];

/** The database's address for the node with this number. */
export function urlOfNode(databaseUrl: string, number: number): string {
  const url = new URL(databaseUrl);
  url.searchParams.set("options", `-c replay.node=${number}`);
  return url.href;
}

/** Gates of all nodes, open at first. A node has them by its number. */
export interface Gates {
  /** A node that comes to the gate waits there. */
  close(gate: Gate, node: number): Promise<void>;
  open(gate: Gate, node: number): Promise<void>;
  /** Resolves when the node waits at the gate. */
  reached(gate: Gate, node: number): Promise<void>;
  /** Ends the statements of a node that was killed: PostgreSQL notices only later that nobody waits for them. */
  endStatements(node: number): Promise<void>;
  /** Only this node may take the lease of a destination; nobody if there is none. */
  allowClaim(node: number | undefined): Promise<void>;
  /** Closes again what was closed, after PostgreSQL was killed. */
  restore(): Promise<void>;
  stop(): Promise<void>;
}

export async function createGates(databaseUrl: string): Promise<Gates> {
  let connection: Connection = await openConnection(databaseUrl);
  for (const statement of [...functions, ...triggers]) await connection.run(statement);
  const closed = new Map<string, { gate: Gate; node: number }>();
  const lock = ({ gate, node }: { gate: Gate; node: number }) =>
    connection.run("select pg_advisory_lock(:gate::integer, :node::integer)", { gate: gates[gate], node });
  const waiting = `select pid from pg_locks
    where locktype = 'advisory' and not granted and objsubid = 2 and objid = :node::integer`;

  return {
    async close(gate, node) {
      if (closed.has(`${gate} ${node}`)) return;
      closed.set(`${gate} ${node}`, { gate, node });
      await lock({ gate, node });
    },
    async open(gate, node) {
      if (!closed.delete(`${gate} ${node}`)) return;
      const at = { gate: gates[gate], node };
      await connection.run("select pg_advisory_unlock(:gate::integer, :node::integer)", at);
    },
    reached: (gate, node) =>
      wait(`node ${node} at the gate ${gate}`, async () => {
        const found = await connection.rows(`${waiting} and classid = :gate::integer`, { gate: gates[gate], node });
        return found.length > 0;
      }),
    async endStatements(node) {
      await connection.rows(`select pg_terminate_backend(pid) from (${waiting}) as w`, { node });
    },
    async allowClaim(node) {
      await connection.run("delete from replay.claims");
      if (node !== undefined) await connection.run("insert into replay.claims values (:node::integer)", { node });
    },
    async restore() {
      await connection.close();
      connection = await openConnection(databaseUrl);
      for (const one of closed.values()) await lock(one);
    },
    stop: () => connection.close(),
  };
}
