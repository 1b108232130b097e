import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { pythonPrograms } from "../../fuzz/python.js";
import { absent, contractOf, demand, demandDone, type Place, type Toolchain } from "../toolchain.js";
import { openapiGeneratorJar } from "../tools.js";

export const pythonToolchains: readonly Toolchain[] = [
  {
    name: "openapi-python-client",
    long: false,
    missing: () => absent("python3"),
    async run(place) {
      const programs = await pythonPrograms(join(place.project, "scripts/clients/python/requirements.txt"));
      const output = ["--output-path", join(place.folder, "mls_relay_client"), "--meta", "none", "--fail-on-warning"];
      // The generator finds the formatter that it runs on its output only by name.
      const generator = [join(programs, "openapi-python-client"), "generate", "--path", contractOf(place.project)];
      await demand("env", [`PATH=${programs}:${process.env["PATH"]}`, ...generator, ...output], place.folder);
      await runPython(place, { programs, program: "openapi_python_client.py", made: "mls_relay_client" });
    },
  },
  {
    name: "openapi-generator (Python)",
    long: true,
    missing: () => absent("python3", "java", "mvn"),
    async run(place) {
      const programs = await longPrograms(place.project);
      const generate = ["generate", "-i", contractOf(place.project), "-g", "python", "-o", place.folder];
      await demand("java", ["-jar", await openapiGeneratorJar(), ...generate], place.folder);
      await runPython(place, { programs, program: "openapi_generator.py", made: "openapi_client" });
    },
  },
  {
    name: "datamodel-code-generator with httpx",
    long: false,
    missing: () => absent("python3"),
    async run(place) {
      const programs = await longPrograms(place.project);
      const form = ["--input-file-type", "openapi", "--output-model-type", "pydantic_v2.BaseModel", "--use-annotated"];
      // The generated type for base64 takes text that is already encoded.
      const base64 = ["--type-mappings", "string+byte=string"];
      const generate = ["--input", contractOf(place.project), ...form, ...base64, "--output", "models.py"];
      await demand(join(programs, "datamodel-codegen"), generate, place.folder);
      await runPython(place, { programs, program: "datamodel_code_generator.py", made: "models.py" });
    },
  },
  {
    name: "openapi-spec-validator",
    long: true,
    missing: () => absent("python3"),
    async run({ project, folder }) {
      const validator = join(await longPrograms(project), "openapi-spec-validator");
      for (const name of ["openapi.json", "openapi-3.0.json"]) {
        await demand(validator, [contractOf(project, name)], folder);
      }
    },
  },
];

export function longPrograms(project: string): Promise<string> {
  return pythonPrograms(join(project, "scripts/clients/python/requirements-long.txt"));
}

interface Program {
  programs: string;
  program: string;
  /** The generated code: it must compile as a whole, not only what the client uses. */
  made: string;
}

async function runPython({ project, folder, task }: Place, { programs, program, made }: Program): Promise<void> {
  await copyFile(join(project, "scripts/clients/python", program), join(folder, "client.py"));
  await demand(join(programs, "python"), ["-m", "compileall", "-q", made], folder);
  await demandDone(join(programs, "python"), ["client.py", task], folder);
}
