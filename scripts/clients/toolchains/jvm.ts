import { copyFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { absent, contractOf, demand, demandDone, type Place, type Toolchain } from "../toolchain.js";
import { openapiGeneratorJar } from "../tools.js";

const compile = ["-q", "compile", "dependency:build-classpath", "-Dmdep.outputFile=path.txt"];

export const jvmToolchains: readonly Toolchain[] = [
  {
    name: "openapi-generator (Java)",
    long: true,
    missing: () => absent("java", "mvn"),
    async run(place) {
      const options = ["--library", "native", "--additional-properties=openApiNullable=false"];
      const made = await generate(place, ["-g", "java", ...options]);
      await copyFile(join(place.project, "scripts/clients/jvm/Client.java"), join(made, "src/main/java/Client.java"));
      await compileAndRun({ ...place, folder: made }, "Client");
    },
  },
  {
    name: "openapi-generator (Kotlin)",
    long: true,
    missing: () => absent("java", "mvn"),
    async run(place) {
      const made = await generate(place, ["-g", "kotlin", "--additional-properties=serializationLibrary=jackson"]);
      const programs = join(place.project, "scripts/clients/jvm");
      // The generated build uses Gradle, which comes from a separate host; Maven compiles the same sources.
      await copyFile(join(programs, "kotlin-pom.xml"), join(made, "pom.xml"));
      await copyFile(join(programs, "Client.kt"), join(made, "src/main/kotlin/Client.kt"));
      await compileAndRun({ ...place, folder: made }, "ClientKt");
    },
  },
  {
    name: "openapi-generator (C# and Swift, generated only)",
    long: true,
    missing: () => absent("java", "mvn"),
    async run(place) {
      for (const language of ["csharp", "swift6"]) await generate(place, ["-g", language], language);
    },
  },
];

async function generate({ project, folder }: Place, options: string[], name = "made"): Promise<string> {
  const made = join(folder, name);
  const input = ["generate", "-i", contractOf(project), "-o", made];
  await demand("java", ["-jar", await openapiGeneratorJar(), ...input, ...options], folder);
  return made;
}

async function compileAndRun({ folder, task }: Place, mainClass: string): Promise<void> {
  await demand("mvn", compile, folder);
  const libraries = (await readFile(join(folder, "path.txt"), "utf8")).trim();
  await demandDone("java", ["-cp", `target/classes:${libraries}`, mainClass, task], folder);
}
