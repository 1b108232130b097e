// Makes classes of the stream's frames with Modelina: node frames.mjs <asyncapi.json> <folder>
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  GO_COMMON_PRESET,
  GoGenerator,
  JAVA_JACKSON_PRESET,
  JavaGenerator,
  KotlinGenerator,
  PYTHON_PYDANTIC_PRESET,
  PythonGenerator,
  TypeScriptGenerator,
} from "@asyncapi/modelina";

const [file = "", folder = ""] = process.argv.slice(2);
const { components } = JSON.parse((await readFile(file, "utf8")).replaceAll("#/components/schemas/", "#/definitions/"));
const definitions = components.schemas;
const languages = {
  ts: new TypeScriptGenerator({ modelType: "interface", enumType: "union", rawPropertyNames: true }),
  py: new PythonGenerator({ presets: [PYTHON_PYDANTIC_PRESET] }),
  java: new JavaGenerator({ presets: [JAVA_JACKSON_PRESET] }),
  go: new GoGenerator({ presets: [{ preset: GO_COMMON_PRESET, options: { addJsonTag: true } }] }),
  kt: new KotlinGenerator(),
};

const inSnakeCase = (name) => name.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();

for (const [ending, generator] of Object.entries(languages)) {
  const target = join(folder, ending, "frames");
  await mkdir(target, { recursive: true });
  for (const union of ["ClientFrame", "ServerFrame"]) {
    const schema = {
      $schema: "http://json-schema.org/draft-07/schema#",
      ...definitions[union],
      $id: union,
      definitions,
    };
    const models = await generator.generateCompleteModels(schema, { packageName: "frames", exportType: "named" });
    for (const { modelName, result } of models) {
      // Go has no unions; Modelina writes a struct of all frames in their place.
      if (ending === "go" && modelName === union) continue;
      // Python's models import modules in snake case.
      const name = ending === "py" ? inSnakeCase(modelName) : modelName;
      await writeFile(join(target, `${name}.${ending}`), `${result}\n`);
    }
  }
}
console.log("done");
