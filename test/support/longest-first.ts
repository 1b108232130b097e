import path from "node:path";
import { fileURLToPath } from "node:url";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { longestFiles } from "./longest-files.js";

const project = fileURLToPath(new URL("../..", import.meta.url));

/** Vitest's order knows durations only after a first run in the same folder. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const place = longestFiles.indexOf(path.relative(project, moduleId));
      return place === -1 ? longestFiles.length : place;
    };
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}
