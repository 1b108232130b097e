import { readFileSync } from "node:fs";

export interface Instruction {
  name: string;
  arguments: string;
}

/** The instructions of the relay's Dockerfile, continued lines joined, by stage. */
export function dockerStages(): Instruction[][] {
  const text = readFileSync(new URL("../../Dockerfile", import.meta.url), "utf8");
  const lines = text.replaceAll("\\\n", " ").split("\n");
  const stages: Instruction[][] = [];
  for (const line of lines.filter((each) => each.trim() !== "" && !each.startsWith("#"))) {
    const [, name = "", rest = ""] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
    if (name === "FROM") stages.push([]);
    stages.at(-1)?.push({ name, arguments: rest.trim() });
  }
  return stages;
}

export function argumentsOf(instructions: readonly Instruction[], name: string): string[] {
  return instructions.filter((instruction) => instruction.name === name).map((instruction) => instruction.arguments);
}

/** The variables that a stage sets. */
export function environmentOf(instructions: readonly Instruction[]): Record<string, string> {
  const pairs = argumentsOf(instructions, "ENV").flatMap((line) => line.split(/\s+/));
  return Object.fromEntries(pairs.map((pair) => pair.split("=") as [string, string]));
}
