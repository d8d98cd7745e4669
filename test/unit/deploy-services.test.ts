import { beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { parse as parsePlist } from "plist";
import { Language, Parser, type Node } from "web-tree-sitter";
import { serverOptions } from "../../src/app/config/options.ts";
import { unknownVariables } from "../../src/app/config/sources.ts";
import { createCommandLine } from "../support/command-line.ts";

/** What runs outreachd on macOS and Windows, as far as that can be told on another system. */

const root = join(import.meta.dir, "../..");
const textOf = (name: string) => Bun.file(join(root, "deploy", name)).text();

async function helpOf(...command: string[]): Promise<string> {
  await using cli = await createCommandLine();
  const { exitCode, out } = await cli.run(...command, "--help");
  expect(exitCode).toBe(0);
  return out;
}

/** Of launchd.plist(5), with their types. */
const launchdKeys: Record<string, string> = {
  ...{ Label: "string", ProgramArguments: "array", EnvironmentVariables: "dict", UserName: "string" },
  ...{ RunAtLoad: "boolean", KeepAlive: "dict", ExitTimeOut: "integer", SoftResourceLimits: "dict" },
  ...{ StandardOutPath: "string", StandardErrorPath: "string" },
};

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "object") return "dict";
  return Number.isInteger(value) ? "integer" : typeof value;
}

test("the property list has keys of launchd, and starts a server with options that there are", async () => {
  const text = await textOf("launchd/outreachd.plist");
  const service = parsePlist(text) as Record<string, unknown> & {
    ProgramArguments: string[];
    EnvironmentVariables: Record<string, string>;
  };
  expect(Object.fromEntries(Object.entries(service).map(([key, value]) => [key, typeOf(value)]))).toEqual(launchdKeys);
  const [program, ...args] = service.ProgramArguments;
  expect([program, args]).toEqual(["/usr/local/bin/outreachd", ["serve"]]);
  expect(unknownVariables(serverOptions, service.EnvironmentVariables, [])).toEqual([]);
  // The folder that the comment creates for the user.
  expect(text).toContain(
    `-o ${String(service["UserName"])} -m 700 ${service.EnvironmentVariables["OUTREACHD_DATA"]}\n`,
  );
});

test("the user for macOS is a role account, whose ID must be between 200 and 400", async () => {
  const [, id] = /-addUser (?:_\w+) -roleAccount -UID (\d+)/.exec(await textOf("launchd/outreachd.plist"))!;
  expect(Number(id)).toBeWithin(200, 401);
});

/** Parameters of the cmdlets that the script calls, from their reference. */
const cmdlets: Record<string, readonly string[]> = {
  "New-Item": ["ItemType", "Force", "Path"],
  "New-ScheduledTaskAction": ["Execute", "Argument", "WorkingDirectory"],
  "New-ScheduledTaskTrigger": ["AtStartup", "AtLogOn", "Daily"],
  "New-ScheduledTaskPrincipal": ["UserId", "LogonType", "RunLevel"],
  "New-ScheduledTaskSettingsSet": [
    ...["RestartCount", "RestartInterval", "ExecutionTimeLimit", "AllowStartIfOnBatteries"],
    ...["DontStopIfGoingOnBatteries", "StartWhenAvailable"],
  ],
  "New-TimeSpan": ["Minutes", "Seconds"],
  "Register-ScheduledTask": ["TaskName", "Action", "Trigger", "Principal", "Settings", "Force"],
  "Start-ScheduledTask": ["TaskName"],
  "Write-Host": ["Object"],
};
/** A program of Windows, and a cmdlet without parameters here. */
const others = ["icacls", "Out-Null"];

const parser = { current: null as Parser | null };
beforeAll(async () => {
  await Parser.init();
  const grammar = join(root, "node_modules/tree-sitter-powershell/tree-sitter-powershell.wasm");
  parser.current = new Parser().setLanguage(await Language.load(grammar));
});

function parsed(script: string): Node {
  return parser.current!.parse(script)!.rootNode;
}

/** Names of cmdlets and of their parameters that do not exist. */
function unknownIn(script: Node): string[] {
  const nameOf = (command: Node) => command.descendantsOfType("command_name")[0]?.text ?? "";
  const names = script.descendantsOfType("command").map(nameOf);
  const parameters = script.descendantsOfType("command_parameter").flatMap((parameter) => {
    let command = parameter.parent!;
    while (command.type !== "command") command = command.parent!;
    const known = cmdlets[nameOf(command)] ?? [];
    return known.includes(parameter.text.slice(1)) ? [] : [parameter.text];
  });
  return [...names.filter((name) => !others.includes(name) && cmdlets[name] === undefined), ...parameters];
}

test("the script for Windows is PowerShell, and calls cmdlets with parameters that they have", async () => {
  const script = parsed(await textOf("windows/install-task.ps1"));
  expect(script.hasError).toBe(false);
  expect(unknownIn(script)).toEqual([]);
});

test("the script for Windows names accounts by their SIDs, and stops if a program fails", async () => {
  const script = await textOf("windows/install-task.ps1");
  expect(script).not.toMatch(/NT AUTHORITY|BUILTIN/);
  const programs = script.match(/^icacls .*$/gm)!;
  expect(script.match(/^icacls .*\n(?:#.*\n)*if \(\$LASTEXITCODE -ne 0\) \{ throw /gm)).toHaveLength(programs.length);
});

test("the checks of the script notice what is not closed, and what is misspelled", async () => {
  const script = await textOf("windows/install-task.ps1");
  expect(parsed(script.replace("([TimeSpan]::Zero)", "([TimeSpan]::Zero")).hasError).toBe(true);
  expect(parsed(script.replace('-Argument "serve', "-Argument serve")).hasError).toBe(true);
  expect(unknownIn(parsed(script.replace("-Minutes", "-Minuets")))).toEqual(["-Minuets"]);
  const renamed = unknownIn(parsed(script.replace("-ScheduledTaskTrigger", "-TaskTrigger")));
  expect(renamed).toEqual(["New-TaskTrigger", "-AtStartup"]);
});

test("the commands in the script for Windows exist, with their flags", async () => {
  const script = await textOf("windows/install-task.ps1");
  expect(script).toContain('"serve --data ');
  expect(script).toContain("user link admin@localhost --data ");
  for (const command of [["serve"], ["user", "link"]]) expect(await helpOf(...command)).toContain("--data <DIR");
});
