import { loadModule, parseSync } from "libpg-query";

/** A node of PostgreSQL's parse tree: one member, named after the node's type. */
export type Node = Readonly<Record<string, unknown>>;

export async function loadParser(): Promise<void> {
  await loadModule();
}

/** The statements of a text. Throws if PostgreSQL could not parse it. */
export function parseStatements(text: string): Node[] {
  const { stmts } = parseSync(text) as { stmts?: { stmt: Node }[] };
  return (stmts ?? []).map(({ stmt }) => stmt);
}

/** The type of a node and its members; undefined for anything but a node. */
export function open(value: unknown): { type: string; members: Node } | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const entries = Object.entries(value);
  const [first] = entries;
  if (entries.length !== 1 || first === undefined || !/^[A-Z]/.test(first[0])) return undefined;
  return { type: first[0], members: first[1] as Node };
}

/** The members of a node of this type; undefined for any other. */
export function as(type: string, value: unknown): Node | undefined {
  const opened = open(value);
  return opened?.type === type ? opened.members : undefined;
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The texts of a list of String nodes. */
export function names(value: unknown): string[] {
  return list(value).flatMap((one) => {
    const text = as("String", one)?.["sval"];
    return typeof text === "string" ? [text] : [];
  });
}

/**
 * Calls `visit` with every node inside a value. If it returns true for a node, the nodes inside that node are skipped.
 */
export function walk(value: unknown, visit: (type: string, members: Node) => boolean): void {
  if (Array.isArray(value)) for (const one of value) walk(one, visit);
  else if (typeof value === "object" && value !== null) {
    const opened = open(value);
    if (opened !== undefined && visit(opened.type, opened.members)) return;
    for (const one of Object.values(value)) walk(one, visit);
  }
}
