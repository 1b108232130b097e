import { fileURLToPath } from "node:url";
import { build } from "esbuild";

interface Bundle {
  code: string;
  /** Files that went into it, from the project's folder. */
  inputs: string[];
}

const project = fileURLToPath(new URL("../../..", import.meta.url));

/** Bundles as an application for the browser would: minified, unused code left out. */
export async function bundleForBrowser(entry: { file: string } | { source: string }): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    ...("file" in entry
      ? { entryPoints: [entry.file] }
      : { stdin: { contents: entry.source, resolveDir: project, loader: "ts" as const } }),
    absWorkingDir: project,
    bundle: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    minify: true,
    treeShaking: true,
    write: false,
    metafile: true,
    logLevel: "silent",
  });
  const [output] = Object.values(metafile.outputs);
  const used = Object.entries(output?.inputs ?? {}).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  return { code: outputFiles[0]?.text ?? "", inputs: used.map(([file]) => file) };
}
