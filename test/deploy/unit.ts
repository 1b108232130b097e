import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const project = new URL("../../", import.meta.url);

export const unitPath = fileURLToPath(new URL("deploy/systemd/mls-relay.service", project));
export const certificatePath = fileURLToPath(new URL("deploy/systemd/mls-relay.service.d/certificate.conf", project));

/** The settings of a unit file: every value of every name, in order. */
export async function readUnit(file: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const settings = new Map<string, string[]>();
  for (const line of (await readFile(file, "utf8")).split("\n")) {
    const [, name, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (name !== undefined) settings.set(name, [...(settings.get(name) ?? []), value ?? ""]);
  }
  return settings;
}

/** What `Environment=` sets, with the folder of credentials in place of `%d`. */
export function environmentOf(settings: ReadonlyMap<string, readonly string[]>, credentials: string) {
  const pairs = (settings.get("Environment") ?? []).flatMap((line) => line.split(" "));
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = "", ...value] = pair.replaceAll("%d", credentials).split("=");
      return [name, value.join("=")];
    }),
  );
}

/** Commands and files with every absolute path of a server inside a folder that stands for it. */
export function inRoot(root: string, text: string): string {
  return text.replace(/(?<=^|[\s'"=])\/(?=(?:etc|opt|var|usr\/local)\/)/gm, `${root}/`);
}
