import { Argument, Command } from "commander";
import { print } from "../platform/print.js";
import { type Place, type Shell, scripts } from "./completion-scripts.js";

export function completionCommand(): Command {
  return new Command("completion")
    .description("print the completion of a shell, for its start-up file")
    .addArgument(new Argument("<shell>", "the shell that completes").choices(Object.keys(scripts)))
    .addHelpText("after", examples)
    .action((shell: Shell, _options: unknown, command: Command) => {
      let program = command;
      while (program.parent !== null) program = program.parent;
      print(scripts[shell](placesOf(program)).trimEnd());
    });
}

const examples = `
  bash: mls-relay completion bash > /etc/bash_completion.d/mls-relay
  zsh:  mls-relay completion zsh > "\${fpath[1]}/_mls-relay"
  fish: mls-relay completion fish > ~/.config/fish/completions/mls-relay.fish`;

/** Every command with its options, as `--help` shows them. */
function placesOf(command: Command, path = command.name()): Place[] {
  const help = command.createHelp();
  const options = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)].map((option) => ({
    name: option.long ?? option.flags,
    description: option.description,
    takesValue: option.required || option.optional,
  }));
  const words = help
    .visibleCommands(command)
    .map((inner) => ({ name: inner.name(), description: inner.description() }));
  const values = command.registeredArguments.flatMap(({ argChoices = [] }) =>
    argChoices.map((name) => ({ name, description: "" })),
  );
  const inner = command.commands.flatMap((one) => placesOf(one, `${path} ${one.name()}`));
  return [{ path, words: [...words, ...values], options }, ...inner];
}
