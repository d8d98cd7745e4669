import type { Argument, Command, Option } from "commander";
import { examplesOf } from "./examples.ts";

export type ManualFacts = {
  version: string;
  /** Such as 2026-01-31; null if it is unknown. */
  date: string | null;
  /** What the help says about the first steps and about exit codes. */
  firstSteps: string;
  exitCodes: string;
};

// Longer lines of text in the source of a page are bad style, says mandoc.
const sourceColumns = 78;

type Leaf = { path: string; command: Command };

/** Returns the manual page outreachd(1) as roff with man(7) macros, for the commands of `program`. */
export function renderManual(program: Command, { version, date, firstSteps, exitCodes }: ManualFacts): string {
  const leaves = leavesOf(program);
  const shared = sharedOptions(leaves);
  const groups = Map.groupBy(shared.values(), ({ helpGroupHeading }) => titleOf(helpGroupHeading));
  return [
    `.TH OUTREACHD 1 "${date ?? ""}" "outreachd ${version}" "User Commands"`,
    ".SH NAME",
    "outreachd \\- outreach automation in one self\\-hosted executable",
    ".SH SYNOPSIS",
    ".B outreachd",
    ".I command",
    ".RI [ options ]",
    ".SH DESCRIPTION",
    text(program.description()),
    ...paragraphs(firstSteps),
    ".SH COMMANDS",
    ...leaves.flatMap((leaf) => section(leaf, shared)),
    ...[...groups].flatMap(([title, options]) => [
      `.SH ${quoted(`${title} OPTIONS`)}`,
      ...options.flatMap((option) => item(option.flags, describe(option))),
    ]),
    ".SH EXIT STATUS",
    ...exitCodes
      .trim()
      .split("\n")
      .flatMap((line) => {
        const [, code, meaning = ""] = /^\s+(\d+)\s+(.*)$/.exec(line) ?? [];
        return code === undefined ? [] : item(code, meaning);
      }),
    ".SH ENVIRONMENT",
    text(
      "Options can also be set by the variables in square brackets, in the file of options, and, if a variable is secret, by the variable with _FILE, which names a file with the value. Flags outrank variables, and variables outrank the file.",
    ),
    ".SH FILES",
    ...item("./outreachd-data", "Data directory, unless --data or OUTREACHD_DATA names another one."),
    ...item("/etc/systemd/system/outreachd.service", "Unit that `outreachd service install` writes."),
    ...item("/etc/outreachd.env", "Variables for that unit."),
    ".SH SEE ALSO",
    text("The server has its API reference at /docs. `outreachd help COMMAND` shows the options of one command."),
    "",
  ].join("\n");
}

/** Commands that can be run, in the order of the help. */
function leavesOf(command: Command, path = ""): Leaf[] {
  return command.commands.flatMap((each) => {
    const own = `${path} ${each.name()}`.trim();
    return each.commands.length === 0 ? [{ path: own, command: each }] : leavesOf(each, own);
  });
}

/** Options that several commands have, with the same description. They are described once. */
function sharedOptions(leaves: readonly Leaf[]): Map<string, Option> {
  const byKey = Map.groupBy(
    leaves.flatMap(({ command }) => command.options),
    keyOf,
  );
  return new Map(
    [...byKey].flatMap(([key, [first, ...others]]) => {
      if (first === undefined || others.length === 0) return [];
      return [[key, others.find(({ helpGroupHeading }) => helpGroupHeading === "Connection:") ?? first]];
    }),
  );
}

function keyOf({ flags, description, defaultValue }: Option): string {
  return JSON.stringify([flags, description, defaultValue]);
}

function titleOf(heading: string | undefined): string {
  return heading === "Server:" ? "SERVER" : heading === "Connection:" ? "CONNECTION" : "COMMON";
}

function section({ path, command }: Leaf, shared: Map<string, Option>): string[] {
  const own = command.options.filter((option) => !shared.has(keyOf(option)));
  const others = command.options.filter((option) => shared.has(keyOf(option)));
  const usage = [
    path,
    ...command.registeredArguments.map(placeholder),
    ...(command.options.length > 0 ? ["[options]"] : []),
  ];
  const shown = examplesOf(command, path);
  return [
    `.SS ${quoted(`outreachd ${usage.join(" ")}`)}`,
    text(command.description()),
    ...command.registeredArguments.flatMap((argument) => item(placeholder(argument), argumentText(argument))),
    ...own.flatMap((option) => item(option.flags, describe(option))),
    ...(others.length === 0 ? [] : [".PP", text(`Also, described below: ${namesOf(others)}.`)]),
    ...(shown.length === 0 ? [] : [".PP", "Examples:", ".PP", ".RS 4", ".EX"]),
    ...shown.map(([line, meaning]) => literal(meaning === undefined ? line : `${line}   # ${meaning}`)),
    ...(shown.length === 0 ? [] : [".EE", ".RE"]),
  ];
}

function namesOf(options: readonly Option[]): string {
  const isServer = ({ helpGroupHeading }: Option) => helpGroupHeading === "Server:";
  const names = options.filter((option) => !isServer(option)).map(({ long, short }) => long ?? short ?? "");
  return [...names, ...(options.some(isServer) ? ["all server options"] : [])].join(", ");
}

function placeholder(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

function argumentText({ description, argChoices }: Argument): string {
  return argChoices === undefined ? description : `${description}: ${argChoices.join(", ")}.`;
}

function describe({ description, argChoices, defaultValue, defaultValueDescription }: Option): string {
  const fallback = defaultValueDescription ?? (typeof defaultValue === "string" ? defaultValue : undefined);
  const extra = [
    ...(argChoices === undefined ? [] : [`Choices: ${argChoices.join(", ")}.`]),
    ...(fallback === undefined ? [] : [`Default: ${fallback}.`]),
  ];
  return [description, ...extra].join(" ");
}

function item(term: string, description: string): string[] {
  return [".TP", `.B ${quoted(term)}`, text(description)];
}

/** Text with paragraphs, and with indented lines that are shown as they are. */
function paragraphs(block: string): string[] {
  let isLiteral = false;
  const lines = block.split("\n").flatMap((line) => {
    const wasLiteral = isLiteral;
    isLiteral = line.startsWith("  ");
    if (isLiteral) return [...(wasLiteral ? [] : [".PP", ".EX"]), literal(line)];
    return [...(wasLiteral ? [".EE"] : []), line === "" ? ".PP" : text(line)];
  });
  // No paragraph may be empty.
  return lines.filter((line, at) => line !== ".PP" || (lines[at + 1] !== undefined && lines[at + 1] !== ".PP"));
}

/** Escapes a line for roff, which fills it. Commands in backticks are bold. */
function text(line: string): string {
  return wrapped(
    line.replaceAll(/`([^`]+)`|([^`]+|`)/g, (_, code?: string, plain?: string) =>
      code === undefined ? escaped(plain ?? "") : `\\fB${escaped(code)}\\fR`,
    ),
  );
}

/** A line whose hyphens and quotes must survive copying. */
function literal(line: string): string {
  return guarded(escaped(line));
}

function quoted(argument: string): string {
  return `"${escaped(argument).replaceAll('"', "\\(dq")}"`;
}

function wrapped(line: string): string {
  const lines: string[] = [];
  for (const each of line.split(" ")) {
    // Names of options, variables, and files are not hyphenated: they could not be copied.
    const word = /[_/=]|\\-\\-|reachd/.test(each) ? `\\%${each}` : each;
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > sourceColumns) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.map(guarded).join("\n");
}

function guarded(line: string): string {
  return /^[.']/.test(line) ? `\\&${line}` : line;
}

const special: Readonly<Record<string, string>> = {
  "\\": "\\e",
  "-": "\\-",
  "'": "\\(aq",
  "`": "\\(ga",
  "^": "\\(ha",
  "~": "\\(ti",
};

function escaped(line: string): string {
  return line
    .replaceAll(/[\\\-'`^~]/g, (character) => special[character] ?? character)
    .replaceAll(
      /[^\x20-\x7e]/gu,
      (character) => `\\[u${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}]`,
    );
}
