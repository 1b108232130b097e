import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, posix } from "node:path";
import ts from "typescript";

interface Package {
  /** The folder of the package, with a tsconfig.json. */
  source: string;
  target: string;
  /** Its public interfaces, without ending. */
  entries?: readonly string[];
  /** What a package of this project is imported as, by the path of its interface without ending, such as `src/client/index`. */
  packages?: Readonly<Record<string, string>>;
}

/** Writes the declarations that the public interface of a package reaches, compiled without the types of Node.js. */
export async function writeTypes({ source, target, entries = ["index"], packages = {} }: Package): Promise<void> {
  const { options, fileNames } = readConfig(source);
  const program = ts.createProgram(fileNames, options);
  const declarations = new Map<string, string>();
  const root = posix.join(process.cwd().replaceAll("\\", "/"), target, "types");
  const write = (file: string, text: string) => void declarations.set(posix.relative(root, file), text);
  const { diagnostics } = program.emit(undefined, write);
  const problems = [...ts.getPreEmitDiagnostics(program), ...diagnostics];
  if (problems.length > 0) throw new Error(ts.formatDiagnostics(problems, host));
  for (const [file, text] of reachedFrom(
    entries.map((name) => `${source}/${name}.d.ts`),
    { declarations, packages },
  )) {
    const written = join(target, "types", file);
    await mkdir(dirname(written), { recursive: true });
    await writeFile(written, text);
  }
}

const host: ts.FormatDiagnosticsHost = {
  getCanonicalFileName: (name) => name,
  getCurrentDirectory: () => process.cwd(),
  getNewLine: () => "\n",
};

function readConfig(source: string): ts.ParsedCommandLine {
  const file = join(source, "tsconfig.json");
  const { config } = ts.readConfigFile(file, ts.sys.readFile);
  return ts.parseJsonConfigFileContent(config, ts.sys, source);
}

/** The declarations that are reached, with packages imported by their names. */
function reachedFrom(
  entries: readonly string[],
  { declarations, packages }: { declarations: ReadonlyMap<string, string> } & Required<Pick<Package, "packages">>,
): Map<string, string> {
  const reached = new Map<string, string>();
  const waiting = [...entries];
  for (const file of waiting) {
    if (reached.has(file)) continue;
    let text = declarations.get(file);
    if (text === undefined) throw new Error(`there is no declaration ${file}`);
    for (const { fileName } of ts.preProcessFile(text).importedFiles) {
      const target = posix.join(posix.dirname(file), fileName);
      const name = packages[target.replace(/\.js$/, "")];
      if (name === undefined) waiting.push(target.replace(/\.js$/, ".d.ts"));
      else text = text.replaceAll(`"${fileName}"`, `"${name}"`);
    }
    reached.set(file, text);
  }
  return reached;
}
