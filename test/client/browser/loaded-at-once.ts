import { basename } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

/** The bytes that a browser loads before it runs an application, bundled as an application is: minified, in files, of which some are loaded later. */
export async function loadedAtOnce(contents: string, folder: string): Promise<{ bytes: number; compressed: number }> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: folder, sourcefile: "application.js" },
    bundle: true,
    minify: true,
    splitting: true,
    absWorkingDir: folder,
    outdir: "bundle",
    entryNames: "application",
    format: "esm",
    platform: "browser",
    target: "es2022",
    write: false,
    metafile: true,
    logLevel: "silent",
  });
  const files = new Map(outputFiles.map(({ path, contents: code }) => [basename(path), code]));
  // A bundler may put what is loaded at once in several files.
  const atOnce = new Set(["bundle/application.js"]);
  for (const name of atOnce) {
    for (const { path, kind } of metafile.outputs[name]?.imports ?? [])
      if (kind === "import-statement") atOnce.add(path);
  }
  const codes = [...atOnce].map((name) => files.get(basename(name)) ?? new Uint8Array());
  const sumOf = (sizes: number[]) => sizes.reduce((sum, size) => sum + size, 0);
  return {
    bytes: sumOf(codes.map((code) => code.length)),
    compressed: sumOf(codes.map((code) => gzipSync(code).length)),
  };
}
