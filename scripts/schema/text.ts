import type { Database } from "../../src/database/db.js";
import { type Catalogue, type Column, type Definition, readCatalogue, type Table } from "./catalogue.js";

const heading = "-- The migrated database, read from its catalogue. Made by `tsx scripts/dump-schema.ts`. Do not edit.";

/** The schema as text, which is the same in every version of PostgreSQL from 14 on. */
export async function schemaText(db: Database): Promise<string> {
  const catalogue = await readCatalogue(db);
  const statements = [
    ...catalogue.sequences,
    ...catalogue.functions,
    ...catalogue.tables.map((table) => tableText(table, catalogue)),
    ...catalogue.views,
  ];
  return `${[heading, ...statements.map((statement) => `${statement};`)].join("\n\n")}\n`;
}

function tableText(table: Table, catalogue: Catalogue): string {
  const ofTable = (each: { tableName: string }) => each.tableName === table.name;
  const lines = [
    ...catalogue.columns.filter(ofTable).map(columnText),
    ...catalogue.constraints.filter(ofTable).map((constraint) => constraint.definition),
  ];
  const opening = `create ${table.unlogged ? "unlogged " : ""}table ${table.name} (`;
  const closing = [")", table.partitioning, optionsText(table)].filter((part) => part !== null).join(" ");
  const create = [opening, lines.map((line) => `  ${line}`).join(",\n"), closing].join("\n");
  const further = [...catalogue.indexes, ...catalogue.triggers]
    .filter(ofTable)
    .map((each: Definition) => each.definition);
  return [create, ...further].join(";\n");
}

function columnText(column: Column): string {
  return [
    column.name,
    column.type,
    column.storage && `storage ${column.storage}`,
    column.compression && `compression ${column.compression}`,
    column.isRequired ? "not null" : null,
    column.value,
  ]
    .filter((part) => part !== null)
    .join(" ");
}

function optionsText(table: Table): string | null {
  return table.options === null ? null : `with (${table.options.join(", ")})`;
}
