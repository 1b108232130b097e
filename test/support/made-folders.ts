import { afterAll, beforeAll, beforeEach } from "vitest";
import { copyFolder, createFolder, startEmbedded } from "./embedded.js";

/**
 * In this file or group, every test finds a PostgreSQL that was made and stopped in its folder. It is made once, because
 * that takes longest.
 */
export function onMadeFolders(folder: () => string): void {
  let made: Awaited<ReturnType<typeof createFolder>>;
  beforeAll(async () => {
    made = await createFolder(0o711);
    await (await startEmbedded(made.folder)).stop();
  });
  beforeEach(() => copyFolder(made.folder, folder()));
  afterAll(() => made.remove());
}
