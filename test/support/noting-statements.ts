import type { Bindings } from "../../src/database/bindings.js";
import type { Db } from "../../src/database/db.js";

const sending: ReadonlySet<unknown> = new Set(["rows", "one", "run", "preparedRows"]);

/** The same database or transaction, which notes each statement that is sent over it. */
export function notingStatements<D extends Db>(db: D, note: (sql: string, bindings: Bindings) => void): D {
  return new Proxy(db, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      if (name === "transaction") {
        return (work: (trx: Db) => Promise<unknown>) => target.transaction((trx) => work(notingStatements(trx, note)));
      }
      return (...given: unknown[]) => {
        if (sending.has(name)) note(given[0] as string, (given[1] as Bindings | undefined) ?? {});
        return member.apply(target, given);
      };
    },
  });
}
