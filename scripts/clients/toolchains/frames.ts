import { copyFile, mkdir, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { absent, contractOf, demand, demandDone, type Place, type Toolchain } from "../toolchain.js";
import { longPrograms } from "./python.js";
import { longPackages } from "./typescript.js";

export const frameToolchains: readonly Toolchain[] = [
  frames("TypeScript", [], async ({ folder }, packages) => {
    const options = "--strict --noEmit --target es2023 --module esnext --moduleResolution bundler".split(" ");
    await demand(join(packages, ".bin/tsc"), [...options, "frames/ClientFrame.ts", "frames/ServerFrame.ts"], folder);
  }),
  frames("Python", ["python3"], async ({ project, folder }) => {
    const python = join(await longPrograms(project), "python");
    await copyFile(join(project, "scripts/clients/python/frames.py"), join(folder, "client.py"));
    await demand(python, ["-m", "compileall", "-q", "frames"], folder);
    await demandDone(python, ["client.py", contractOf(project, "asyncapi.json")], folder);
  }),
  frames("Java", ["java", "mvn"], async ({ project, folder }) => {
    await compileWithMaven(folder, { pom: join(project, "scripts/clients/jvm/java-frames-pom.xml"), sources: "java" });
  }),
  frames("Go", ["go"], async ({ folder }) => {
    await writeFile(join(folder, "go.mod"), "module example.com/client\n\ngo 1.25\n");
    await demand("go", ["vet", "./..."], folder);
  }),
  frames("Kotlin", ["java", "mvn"], async ({ project, folder }) => {
    await compileWithMaven(folder, { pom: join(project, "scripts/clients/jvm/kotlin-pom.xml"), sources: "kotlin" });
  }),
];

const endings: Readonly<Record<string, string>> = {
  TypeScript: "ts",
  Python: "py",
  Java: "java",
  Go: "go",
  Kotlin: "kt",
};

function frames(
  language: string,
  programs: readonly string[],
  compile: (place: Place, packages: string) => Promise<void>,
): Toolchain {
  return {
    name: `Modelina, frames (${language})`,
    long: true,
    missing: () => absent(...programs),
    async run(place) {
      const packages = await longPackages(place.project);
      await symlink(packages, join(place.folder, "node_modules"));
      await copyFile(join(place.project, "scripts/clients/typescript/frames.mjs"), join(place.folder, "frames.mjs"));
      const target = [contractOf(place.project, "asyncapi.json"), place.folder];
      await demandDone(process.execPath, ["frames.mjs", ...target], place.folder);
      await compile({ ...place, folder: join(place.folder, endings[language] ?? "") }, packages);
    },
  };
}

async function compileWithMaven(folder: string, { pom, sources }: { pom: string; sources: string }): Promise<void> {
  await mkdir(join(folder, "src/main", sources), { recursive: true });
  await rename(join(folder, "frames"), join(folder, "src/main", sources, "frames"));
  await copyFile(pom, join(folder, "pom.xml"));
  await demand("mvn", ["-q", "compile"], folder);
}
