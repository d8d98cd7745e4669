import { Argument, type Command } from "commander";
import type { CommandContext } from "./context.ts";
import { callableOperations } from "./operation-hints.ts";

const shells = ["bash", "zsh", "fish"] as const;
type Shell = (typeof shells)[number];
type Add = (program: Command, context: CommandContext) => void;

/** `loadWhole`: the program with every command. */
export function addCompletionCommand(loadWhole: (context: CommandContext) => Promise<Command>): Add {
  return (program, context) => {
    program
      .command("completion")
      .description(
        "Print a script that completes commands, flags, and operations of the API in your shell, to be loaded by every new shell.",
      )
      .addArgument(new Argument("<SHELL>", "Your shell").choices(shells))
      .action(async (shell: Shell) => {
        await context.terminal.out(scriptFor(shell, wordsByPath(await loadWhole(context))));
      });
  };
}

/** What can follow each command: its subcommands and flags, and for `api` the operations. The path of the program itself is "". */
function wordsByPath(command: Command, path = ""): Map<string, string[]> {
  const subcommands = command.commands.map((each) => each.name());
  const flags = command.options.flatMap(({ long }) => long ?? []);
  const own: [string, string[]] = [
    path,
    [...subcommands, ...(path === "api" ? callableOperations() : []), ...flags, "--help"].filter(
      (word, at, all) => all.indexOf(word) === at,
    ),
  ];
  const below = command.commands.flatMap((each) => [...wordsByPath(each, `${path} ${each.name()}`.trim())]);
  return new Map([own, ...below]);
}

function scriptFor(shell: Shell, words: Map<string, string[]>): string {
  switch (shell) {
    case "bash":
      return bashScript(words);
    case "zsh":
      return `autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n${bashScript(words)}`;
    case "fish":
      return fishScript(words);
  }
}

/** Names of commands, flags, and operations consist of letters, digits, and hyphens, so nothing needs quoting. */
function bashScript(words: Map<string, string[]>): string {
  const cases = [...words].map(([path, list]) => `    "${path}") words="${list.join(" ")}" ;;`);
  const paths = [...words.keys()].filter((path) => path !== "").map((path) => `"${path}"`);
  return `# Completions of outreachd.
_outreachd() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path="" next words="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    next="\${path:+$path }\${COMP_WORDS[i]}"
    case "$next" in
      ${paths.join("|")}) path="$next" ;;
    esac
  done
  case "$path" in
${cases.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _outreachd outreachd
`;
}

function fishScript(words: Map<string, string[]>): string {
  const paths = [...words.keys()].filter((path) => path !== "").map((path) => `"${path}"`);
  const lines = [...words].map(
    ([path, list]) => `complete -c outreachd -n '__outreachd_at "${path}"' -a "${list.join(" ")}"`,
  );
  return `# Completions of outreachd.
function __outreachd_at
    set -l path ""
    for word in (commandline -opc)[2..-1]
        set -l next (string trim "$path $word")
        if contains -- "$next" ${paths.join(" ")}
            set path "$next"
        end
    end
    test "$path" = "$argv[1]"
end
${lines.join("\n")}
`;
}
