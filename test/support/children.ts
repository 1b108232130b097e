import { readFile } from "node:fs/promises";

/** The processes that a process has started and that have not ended, by the kernel's own list (Linux). */
export async function childrenOf(pid: number | undefined): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
  return text.trim().split(" ").filter(Boolean).map(Number);
}
