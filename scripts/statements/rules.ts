import { type DistributedTable, distributedTables } from "../../src/database/citus/tables.js";
import { as, list, type Node, names, open, parseStatements, walk } from "./parse.js";

/*
 * What a statement may do if tables are distributed (spec/decisions/0040). Each query, also a nested one, is checked
 * separately:
 *
 *   - a distributed table is reached by its distribution column: compared with a value, an array, a column of rows that
 *     the statement contains, or the distribution column of a table of the same group;
 *   - two distributed tables are joined only within a group, by their distribution columns;
 *   - rows are locked in one shard only: `for update` needs a comparison with one value;
 *   - no value comes from a sequence;
 *   - an insert gives the distribution column a value;
 *   - no session forces generic plans, which cannot be made for arrays of shard keys.
 *
 * Jobs and statistics go through every shard on purpose. Their statements say so in a comment: `-- every shard`.
 */

const everyShard = /--\s*every shard\b/;

interface Table {
  alias: string;
  name: string;
  distributed: DistributedTable;
}

/** How a table is reached: by one value, by several, or by the column of another table (`alias.column`). */
interface Reached {
  byOne: boolean;
  bySeveral: boolean;
  columns: Set<string>;
}

/** The rules that a statement breaks, one sentence each. */
export function checkStatement(text: string): string[] {
  if (/\bplan_cache_mode\s*=\s*'?force_generic_plan/i.test(text)) return ["it forces generic plans"];
  const problems = parseStatements(text).flatMap((statement) => checkQueries(statement));
  return everyShard.test(text) ? problems.filter((problem) => !problem.includes("is not reached")) : problems;
}

const queryTypes = new Set(["SelectStmt", "InsertStmt", "UpdateStmt", "DeleteStmt"]);

function checkQueries(statement: unknown): string[] {
  const problems: string[] = [];
  walk(statement, (type, members) => {
    if (type === "FuncCall" && names(members["funcname"]).at(-1) === "nextval") problems.push("it uses a sequence");
    if (queryTypes.has(type)) problems.push(...checkQuery(type, members));
    return false;
  });
  return problems;
}

function checkQuery(type: string, query: Node): string[] {
  if (type === "InsertStmt") return checkInsert(query);
  const tables = tablesOf(type, query);
  if (tables.length === 0) return [];
  const conditions = conditionsOf(query);
  return [
    ...tables.flatMap((table) => checkReached(table, conditions, { tables, query })),
    ...checkJoins(tables, conditions),
  ];
}

function checkInsert(query: Node): string[] {
  const relation = query["relation"] as Node | undefined;
  const name = String(relation?.["relname"] ?? "");
  const distributed = distributedTables[name];
  if (distributed === undefined) return [];
  const columns = list(query["cols"]).map((one) => as("ResTarget", one)?.["name"]);
  return columns.includes(distributed.column) ? [] : [`an insert into ${name} gives ${distributed.column} no value`];
}

/** The distributed tables in the `from`, `using` and target of a query, without those of nested queries. */
function tablesOf(type: string, query: Node): Table[] {
  const sources: unknown[] = [...list(query["fromClause"]), ...list(query["usingClause"])];
  if (type !== "SelectStmt") sources.push({ RangeVar: query["relation"] });
  const tables: Table[] = [];
  walk(sources, (inner, members) => {
    if (inner === "RangeSubselect" || inner === "SubLink") return true;
    if (inner !== "RangeVar") return false;
    const name = String(members["relname"]);
    const distributed = distributedTables[name];
    const alias = String((members["alias"] as Node | undefined)?.["aliasname"] ?? name);
    if (distributed !== undefined) tables.push({ alias, name, distributed });
    return true;
  });
  return tables;
}

/** The comparisons that every row of a query passes: of `where` and of joins, as long as `and` connects them. */
function conditionsOf(query: Node): Node[] {
  const found: Node[] = [];
  const collect = (condition: unknown): void => {
    const opened = open(condition);
    if (opened?.type === "BoolExpr" && opened.members["boolop"] === "AND_EXPR") {
      for (const one of list(opened.members["args"])) collect(one);
    } else if (opened?.type === "A_Expr") found.push(opened.members);
  };
  collect(query["whereClause"]);
  walk([query["fromClause"], query["usingClause"]], (type, members) => {
    if (type === "RangeSubselect" || type === "SubLink") return true;
    if (type === "JoinExpr") collect(members["quals"]);
    return false;
  });
  return found;
}

function checkReached(table: Table, conditions: readonly Node[], context: { tables: Table[]; query: Node }): string[] {
  const { byOne, bySeveral, columns } = reachedBy(table, conditions, context.tables);
  const problems: string[] = [];
  if (!byOne && !bySeveral && columns.size === 0) {
    problems.push(`${table.name} is not reached by ${table.distributed.column}`);
  }
  const locks = list(context.query["lockingClause"]).some((one) => locksTable(one, table));
  if (locks && !byOne) problems.push(`rows of ${table.name} are locked in several shards`);
  return problems;
}

function locksTable(clause: unknown, table: Table): boolean {
  const relations = list(as("LockingClause", clause)?.["lockedRels"]).map((one) => as("RangeVar", one)?.["relname"]);
  return as("LockingClause", clause) !== undefined && (relations.length === 0 || relations.includes(table.alias));
}

function reachedBy(table: Table, conditions: readonly Node[], tables: readonly Table[]): Reached {
  const reached: Reached = { byOne: false, bySeveral: false, columns: new Set() };
  for (const condition of conditions) {
    if (names(condition["name"]).at(-1) !== "=") continue;
    const sides = [condition["lexpr"], condition["rexpr"]];
    const own = sides.findIndex((side) => isColumn(side, table, tables));
    if (own === -1) continue;
    if (condition["kind"] === "AEXPR_OP_ANY" || condition["kind"] === "AEXPR_IN") reached.bySeveral = true;
    else noteEqual(reached, sides[1 - own]);
  }
  return reached;
}

function noteEqual(reached: Reached, other: unknown): void {
  const column = columnOf(other);
  if (column === undefined) reached.byOne = true;
  else reached.columns.add(column.join("."));
}

/** Without an alias, the column belongs to the only distributed table of the query. */
function isColumn(value: unknown, table: Table, tables: readonly Table[]): boolean {
  const path = columnOf(value);
  if (path?.at(-1) !== table.distributed.column) return false;
  return path.length === 1 ? tables.length === 1 : path.at(-2) === table.alias;
}

function columnOf(value: unknown): string[] | undefined {
  const typeCast = as("TypeCast", value);
  const column = as("ColumnRef", typeCast?.["arg"] ?? value);
  return column === undefined ? undefined : names(column["fields"]);
}

function checkJoins(tables: readonly Table[], conditions: readonly Node[]): string[] {
  const [first, ...others] = tables;
  if (first === undefined) return [];
  return others.flatMap((other) => {
    if (other.distributed.group !== first.distributed.group) {
      return [`${first.name} and ${other.name} are joined, which may lie on different machines`];
    }
    const aliases = tables.map((table) => reachedBy(table, conditions, tables).columns);
    const joined = aliases.some((columns) => columns.size > 0) || aliases.length < 2;
    return joined ? [] : [`${first.name} and ${other.name} are not joined by their distribution columns`];
  });
}
