import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/** A step of a stranger. `problem` says what came in place of what was expected. */
export interface StepResult {
  title: string;
  problem: string | null;
}

/** Runs a group of steps of a program in Python, which needs nothing beyond the standard library. */
export async function runSteps(program: string, group: string, given: object): Promise<StepResult[]> {
  const file = fileURLToPath(new URL(program, import.meta.url));
  const child = spawn("python3", ["-B", file, group], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(JSON.stringify(given));
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code !== 0) throw new Error(`${program} ended with ${code}`);
  return output.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as StepResult]));
}
