import { Command } from "commander";
import { bySystem } from "../audit/service.js";
import { print } from "../platform/print.js";
import { withServices } from "./services.js";

/** Blobs are found by their ids alone: the relay cannot list what belongs to whom. */
export function blobsCommand(): Command {
  return new Command("blobs").description("delete blobs that were reported").addCommand(
    new Command("delete")
      .description("delete a blob; nobody can download it any more")
      .argument("<blob>", "its id (64 hexadecimal digits), or its URL")
      .action((given: string) =>
        withServices(async ({ services }) => {
          await services.admin.blobs.delete(idOf(given), bySystem);
          print("The blob is deleted.");
        }),
      ),
  );
}

function idOf(given: string): string {
  const [, id] = /(?:^|\/)([0-9a-f]{64})$/i.exec(given) ?? [];
  if (id === undefined) throw new Error("this is neither the id nor the URL of a blob");
  return id;
}
