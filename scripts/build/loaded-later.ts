import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, extname, join, resolve } from "node:path";
import { type BuildOptions, build, type Metafile, type Plugin } from "esbuild";

interface Package {
  /** The file of its interface. */
  entry: string;
  /** Where files that are loaded later go, and this folder as the package's own files import from it, such as `./`. */
  folder: string;
  from: string;
  /** What it imports from other packages of this project, by their names: the files of their interfaces. */
  packages?: Readonly<Record<string, string>>;
  /** Modules without a state: a file that is loaded later has its own copy of what the package does not use at once. */
  copied?: RegExp;
}

interface Options extends BuildOptions {
  plugins: Plugin[];
}

/** A module that the package loads at once: what it is imported as, and its names. */
interface Shared {
  path: string;
  names: readonly string[];
  /** Those that are copied. */
  copies?: readonly string[];
}

/** A file that is loaded later, and what it takes, in this order. */
interface Written {
  name: string;
  taken: readonly Taken[];
}

interface Taken {
  path: string;
  name: string;
}

/**
 * Writes a file for each module of this project that a package loads with `import()`. It imports nothing: the package hands over what both need.
 * Otherwise each of them would make every application larger, since bundlers cut what is loaded at once into a file for each set of modules that
 * those loaded later have in common. Returns the plugin with which the package is built, and the modules in these files.
 */
export async function loadedLater(
  { entry, folder, from, packages = {}, copied = /^$/ }: Package,
  options: Options,
): Promise<{ plugin: Plugin; inputs: Metafile["inputs"] }> {
  const common = { ...options, metafile: true, bundle: true, write: false, splitting: true, outdir: folder } as const;
  const { metafile } = await build({ ...common, entryPoints: [entry] });
  const { atOnce, later } = reachedFrom(entry, metafile);
  const isUsed = await usedAtOnce(entry, common);
  const shared: Shared[] = (await exportsOf(atOnce, common)).map(({ file, names }) => ({
    path: resolve(file),
    names,
    copies: copied.test(file) ? names.filter((name) => !isUsed(file, name)) : [],
  }));
  for (const [path, file] of Object.entries(packages))
    for (const { names } of await exportsOf([file], { ...common, plugins: [] })) shared.push({ path, names });

  await mkdir(folder, { recursive: true });
  const imports = importsOf(metafile.inputs);
  const written = new Map<string, Written>();
  for (const file of inTurn(later, metafile.inputs)) {
    const plugins = [takenFromPackage(shared), loadedBy("./", written, imports), ...options.plugins];
    const { outputFiles } = await build({
      ...common,
      splitting: false,
      minifyWhitespace: true,
      entryPoints: [file],
      plugins,
    });
    const { contents, taken } = handedTo(outputFiles[0]?.text ?? "", shared);
    const name = `${nameOf(file)}.js`;
    await writeFile(join(folder, name), contents);
    written.set(file, { name, taken });
  }
  return { plugin: loadedBy(from, written, imports), inputs: metafile.inputs };
}

/** Each after those that it loads. */
function inTurn(later: readonly string[], inputs: Metafile["inputs"]): string[] {
  const done = new Set<string>();
  const seen = new Set<string>();
  const visit = (file: string) => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const { path } of inputs[file]?.imports ?? []) visit(path);
    done.add(file);
  };
  for (const file of later) visit(file);
  return [...done].filter((file) => later.includes(file));
}

/** The modules that the interface needs at once, and those of this project that others load. */
function reachedFrom(entry: string, { inputs, outputs }: Metafile): { atOnce: string[]; later: string[] } {
  const files = new Set(Object.keys(outputs).filter((file) => outputs[file]?.entryPoint === entry));
  for (const file of files)
    for (const { path, kind } of outputs[file]?.imports ?? [])
      if (kind === "import-statement" && path in outputs) files.add(path);
  const atOnce = new Set([...files].flatMap((file) => Object.keys(outputs[file]?.inputs ?? {})));
  const later = [...new Set([...importsOf(inputs).values()].flatMap((found) => [...found.values()]))];
  return { atOnce: [...atOnce], later: later.filter((file) => !atOnce.has(file)) };
}

/** The modules that files of this project `import()`, by these files and by how they name them. */
function importsOf(inputs: Metafile["inputs"]): Map<string, Map<string, string>> {
  const own = Object.entries(inputs).filter(([file]) => !file.includes("node_modules/"));
  const loaded = own.map(([file, { imports }]) => {
    // Plugins may have put nothing in place of a module, as in `unused:name`.
    const found = imports.filter(
      ({ kind, path }) => kind === "dynamic-import" && path in inputs && !path.includes(":"),
    );
    return [resolve(file), new Map(found.map(({ path, original = "" }) => [original, path]))] as const;
  });
  return new Map(loaded.filter(([, found]) => found.size > 0));
}

const nameOf = (file: string) =>
  /node_modules\/@?(.+?)\/(?:esm\/)?mod\.js$/.exec(file)?.[1]?.replaceAll("/", "-") ?? basename(file, extname(file));

async function exportsOf(files: string[], options: Options): Promise<{ file: string; names: readonly string[] }[]> {
  const { metafile } = await build({ ...options, entryPoints: files, metafile: true });
  const names = new Map(Object.values(metafile.outputs).map(({ entryPoint, exports }) => [entryPoint, exports]));
  return files.map((file) => ({ file, names: names.get(file) ?? [] }));
}

/** Whether the package uses a name of a module without what it loads later. */
async function usedAtOnce(entry: string, options: Options): Promise<(file: string, name: string) => boolean> {
  const alone: Plugin = {
    name: "without what is loaded later",
    setup: ({ onResolve }) =>
      onResolve({ filter: /./ }, ({ kind, path }) =>
        kind === "dynamic-import" ? { path, external: true } : undefined,
      ),
  };
  const plugins = [alone, ...options.plugins];
  const { outputFiles } = await build({ ...options, splitting: false, entryPoints: [entry], plugins });
  const [, ...parts] = (outputFiles?.[0]?.text ?? "").split(/^\/\/ (\S+)$/m);
  const codes = new Map(parts.flatMap((file, at) => (at % 2 === 0 ? [[file, parts[at + 1] ?? ""] as const] : [])));
  // A bundler numbers names that several modules have.
  return (file, name) =>
    new RegExp(`^(?:async )?(?:function|class|var) ${name}\\d*\\b`, "m").test(codes.get(file) ?? "");
}

/** In a module that is loaded later, has what it shares with the package come from a variable `shared`. */
const takenFromPackage = (shared: readonly Shared[]): Plugin => ({
  name: "taken from the package",
  setup({ onLoad, onResolve, resolve: find }) {
    onResolve({ filter: /./, namespace: "shared" }, ({ path }) => ({ path, sideEffects: false }));
    onResolve({ filter: /./ }, async ({ path, kind, pluginData, ...options }) => {
      if (kind !== "import-statement" || pluginData !== undefined) return undefined;
      const found = await find(path, { ...options, kind, pluginData: takenFromPackage });
      const index = shared.findIndex((module) => module.path === found.path);
      return index < 0 ? undefined : { path: `${index}`, namespace: "shared", sideEffects: false };
    });
    onLoad({ filter: /./, namespace: "shared" }, ({ path: index }) => {
      const { path = "", names: all = [], copies = [] } = shared[Number(index)] ?? {};
      const names = all.filter((name) => !copies.includes(name));
      const lines = names.map((name) => `const _${name} = /* @__PURE__ */ taken(() => shared.module${index}_${name});`);
      const exported = names.map((name) => `_${name} as ${name}`);
      lines.push(`export { ${exported.join(", ")} };`);
      if (copies.length > 0) lines.push(`export { ${copies.join(", ")} } from ${JSON.stringify(path)};`);
      return { contents: ["const taken = (get) => get();", ...lines].join("\n") };
    });
  },
});

/** Makes a function of a module, whose parameter is an array of what it takes. */
function handedTo(text: string, shared: readonly Shared[]): { contents: string; taken: Taken[] } {
  const taken = new Map<string, Taken>();
  const body = text
    .replaceAll(/\bshared\.module(\d+)_([\w$]+)/g, (as, index: string, name: string) => {
      if (!taken.has(as)) taken.set(as, { path: shared[Number(index)]?.path ?? "", name });
      return `shared[${[...taken.keys()].indexOf(as)}]`;
    })
    .replace(
      /\bexport ?\{([^}]*)\};?\s*$/,
      (_, names: string) => `return {${names.replaceAll(/([\w$]+) as ([\w$]+)/g, "$2: $1")}}`,
    );
  return { contents: `export default (shared) => {${body}};\n`, taken: [...taken.values()] };
}

/** A module whose function `load` loads a file and hands over what it takes. */
const loaderOf = (from: string, { name: file, taken }: Written) =>
  [
    ...taken.map(({ path, name }, index) => `import { ${name} as shared${index} } from ${JSON.stringify(path)};`),
    "let loaded;",
    `const shared = () => [${taken.map((_, index) => `shared${index}`).join(", ")}];`,
    `export const load = async () => loaded ??= (await import(${JSON.stringify(from + file)})).default(shared());`,
  ].join("\n");

/** Has each `import()` of a module that is loaded later call its loader. */
const loadedBy = (
  from: string,
  written: ReadonlyMap<string, Written>,
  imports: ReturnType<typeof importsOf>,
): Plugin => ({
  name: "loaded later",
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^later:/ }, ({ path }) => ({
      path: path.slice("later:".length),
      namespace: "later",
      sideEffects: false,
    }));
    // Files beside the package's own, and other packages.
    onResolve({ filter: /^[.@]/, namespace: "later" }, ({ path }) => ({ path, external: true }));
    onLoad({ filter: /./, namespace: "later" }, ({ path }) => ({
      contents: loaderOf(from, written.get(path) as Written),
      resolveDir: process.cwd(),
    }));
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const found = [...(imports.get(path) ?? [])].filter(([, file]) => written.has(file));
      if (found.length === 0) return undefined;
      const lines = found.map(([, file], index) => `import { load as load${index} } from "later:${file}";`);
      let text = await readFile(path, "utf8");
      for (const [index, [name]] of found.entries()) text = text.replaceAll(`import("${name}")`, `load${index}()`);
      return { contents: [...lines, text].join("\n"), loader: "ts" };
    });
  },
});
