import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { createContext } from "../../src/surfaces/cli/context.ts";
import { examples } from "../../src/surfaces/cli/examples.ts";
import { createWholeProgram } from "../../src/surfaces/cli/program.ts";
import { createCommandLine } from "../support/command-line.ts";

const root = join(import.meta.dir, "../..");

/** Every command that can be run, by its path. */
async function runnable(): Promise<Map<string, Command>> {
  const program = await wholeProgram();
  const collect = (command: Command, path: string): [string, Command][] =>
    command.commands.flatMap((each) => {
      const own = `${path} ${each.name()}`.trim();
      return each.commands.length === 0 ? [[own, each] as [string, Command]] : collect(each, own);
    });
  return new Map(collect(program, ""));
}

const wholeProgram = () =>
  createWholeProgram(
    createContext({
      env: {},
      terminal: {
        ...{ out: async () => {}, err: () => {}, ask: async () => null },
        ...{ isInteractive: false, showsOutput: false, columns: 100 },
      },
      backend: {
        createApp: () => Promise.reject(new Error("Not used.")),
        readRunningServer: () => null,
        hasTables: async () => true,
      },
      signals: { listen: () => () => {}, listenForHangUp: () => () => {}, now: () => 0, exit: () => {} },
    }),
  );

/** The commands of outreachd in a line of shell, each as its words. */
function commandsIn(line: string): string[][] {
  const parts: string[][] = [[]];
  for (const [word, double, single, separator] of line.matchAll(
    /"((?:[^"\\]|\\.)*)"|'([^']*)'|(&&|[|>;])|[^\s"'|>;&]+/g,
  )) {
    if (word.startsWith("#")) break;
    if (separator !== undefined) parts.push([]);
    else parts.at(-1)!.push(double ?? single ?? word);
  }
  return parts.flatMap((words) => {
    const at = words.findIndex((word) => /^(\.\/\S+\/)?outreachd$/.test(word));
    // Before it: sudo, or variables.
    return at === -1 || words.slice(0, at).some((word) => word !== "sudo" && !/^[A-Z_]+=/.test(word))
      ? []
      : [words.slice(at + 1)];
  });
}

let shown = "";

function prepared(command: Command): Command {
  command.exitOverride().configureOutput({ writeErr: (text) => void (shown += text), writeOut: () => {} });
  if (command.commands.length === 0) command.action(() => {});
  command.commands.forEach(prepared);
  return command;
}

// Commander forgets the values of one parse before the next, so that one program is enough.
const program = wholeProgram().then(prepared);

/** Parses a command line like the program, without running it. Returns the error that the program would show, or null. */
async function problemOf(words: readonly string[]): Promise<string | null> {
  shown = "";
  try {
    await (await program).parseAsync([...words], { from: "user" });
    return null;
  } catch (error) {
    return shown || String(error);
  }
}

test("every command has examples, and no others exist", async () => {
  const paths = [...(await runnable()).keys()];
  expect(paths.length).toBeGreaterThan(50);
  expect(paths.filter((path) => (examples[path] ?? []).length === 0)).toEqual([]);
  expect(Object.keys(examples).filter((path) => !paths.includes(path))).toEqual([]);
});

test("each example is a call of its command that the program accepts", async () => {
  const problems: string[] = [];
  for (const [path, list] of Object.entries(examples))
    for (const [line] of list) {
      const calls = commandsIn(line);
      if (!calls.some((words) => words.join(" ").startsWith(path))) problems.push(`${line}: not a call of ${path}`);
      for (const words of calls) {
        const problem = await problemOf(words);
        if (problem !== null) problems.push(`${line}: ${problem}`);
      }
    }
  expect(problems).toEqual([]);
});

test("an example that the program refuses is found", async () => {
  expect(await problemOf(["user", "create"])).toContain("missing required argument");
  expect(await problemOf(["export", "leads", "--fromat", "csv"])).toContain("unknown option");
  expect(await problemOf(["key", "create", "--permission", "nothing"])).toContain("Unknown permission");
});

test("each command in the documents is one that the program accepts", async () => {
  const files = ["README.md", ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`)];
  const problems: string[] = [];
  let count = 0;
  for (const file of files.filter((name) => name.endsWith(".md"))) {
    const blocks = readFileSync(join(root, file), "utf8").matchAll(/^```sh\n(.*?)^```/gms);
    for (const [, block = ""] of blocks)
      for (const line of block.replaceAll("\\\n", " ").split("\n"))
        for (const words of commandsIn(line)) {
          count += 1;
          const problem = await problemOf(words);
          if (problem !== null) problems.push(`${file}: ${line}: ${problem}`);
        }
  }
  expect(problems).toEqual([]);
  expect(count).toBeGreaterThan(40);
});

test("help shows the examples of a command, and one of each command of a group", async () => {
  await using cli = await createCommandLine();
  const { out } = await cli.run("export", "leads", "--help");
  expect(out).toContain("\nExamples:\n  outreachd export leads --output leads.csv\n");
  const group = await cli.run("suppress", "--help");
  expect(group.out).toContain("\n  outreachd suppress check ada@mail.example.org   # exit code 1: do not contact\n");
});
