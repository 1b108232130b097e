import { existsSync } from "node:fs";

/**
 * The folder of this package as a file URL ending in a slash. The code runs from src/ under a development runner and
 * from dist/src/ when built, so the folder is searched upwards instead of counting levels.
 */
export function packageRoot(): URL {
  let folder = new URL("./", import.meta.url);
  while (!existsSync(new URL("package.json", folder))) {
    const parent = new URL("..", folder);
    if (parent.href === folder.href) throw new Error(`no package.json above ${import.meta.url}`);
    folder = parent;
  }
  return folder;
}
