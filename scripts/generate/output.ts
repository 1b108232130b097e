import { mkdir, writeFile } from "node:fs/promises";

const ORIGIN = "Made by `npm run generate` from spec/. Do not edit.";

/** Writes a file of `generated/` with a first line that states its origin. */
export async function writeGenerated(root: URL, name: string, text: string): Promise<void> {
  const folder = new URL("generated/", root);
  await mkdir(folder, { recursive: true });
  await writeFile(new URL(name, folder), `${originLine(name)}${text.trimEnd()}\n`);
}

/** JSON has no comments. */
function originLine(name: string): string {
  if (name.endsWith(".json")) return "";
  if (name.endsWith(".yaml")) return `# ${ORIGIN}\n`;
  return `// ${ORIGIN}\n`;
}
