import { closest } from "../../platform/base/spelling.ts";
import { placeOf } from "../../platform/base/toml.ts";
import type { Parse } from "./values.ts";

/** The definition of an option: how its text is parsed, its default, and its documentation. */
export type Option<T> = {
  /** Placeholder for the value in help: "HOST:PORT". */
  argument: string;
  parse: Parse<T>;
  default: T;
  /** Unit of a plain number. */
  unit?: string;
  /** What the option does and when to change it. */
  description: string;
  /** Formats a value, if `String` does not. */
  show?(value: T): string;
  /**
   * Flags are visible in the process list, so a secret only has the flag --NAME-file FILE. It can be set by either
   * variable, NAME or NAME_FILE.
   */
  secret?: true;
  /** A secret that is also accepted as a flag, because it need not contain anything secret. */
  hasFlag?: true;
  /** The flag without a value means true. */
  canBeBare?: true;
};

/**
 * Options by name in code: `rateLimitMinute` is the flag `--rate-limit-minute` and the variable
 * OUTREACHD_RATE_LIMIT_MINUTE.
 */
export type OptionTable = Readonly<Record<string, Option<unknown>>>;
export type ValuesOf<T extends OptionTable> = { [K in keyof T]: T[K] extends Option<infer V> ? V : never };

export type Origin = "flag" | "environment" | "file" | "default";
/** A problem with an option. `option` is the name that the operator used: a flag, a variable, or a key of the file. */
export type Problem = { option: string; message: string };

export type Sources = {
  /** Flag values by option name in code, as parsed by the command line parser. Other flags are ignored. */
  flags: Readonly<Record<string, unknown>>;
  env: Readonly<Record<string, string | undefined>>;
  /** `text`: what `values` was parsed from, to find the line of a problem. */
  file: { path: string; text: string; values: Readonly<Record<string, unknown>> } | null;
  readFile: (path: string) => string;
};

export type Resolution<T extends OptionTable> = {
  values: ValuesOf<T>;
  origins: Record<keyof T, Origin>;
  problems: Problem[];
};

/** Returns the kebab-case name of an option: its key in the file and, prefixed with "--", its flag. */
export function optionName(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Returns the flag of an option. A secret's flag names a file, because flags are visible in the process list. */
export function flagName(key: string, option: Pick<Option<unknown>, "secret" | "hasFlag">): string {
  return `--${optionName(key)}${isFileFlag(option) ? "-file" : ""}`;
}

function isFileFlag({ secret, hasFlag }: Pick<Option<unknown>, "secret" | "hasFlag">): boolean {
  return secret === true && hasFlag !== true;
}

export function variableName(key: string): string {
  return `OUTREACHD_${key.replace(/[A-Z]/g, "_$&").toUpperCase()}`;
}

/** Formats a value as an operator would write it; null = not set. */
export function showValue<T>(option: Option<T>, value: T): string | null {
  if (value === null) return null;
  if (option.show) return option.show(value);
  if (typeof value === "string" || typeof value === "number") return String(value);
  throw new TypeError(`Expected an option with a ${typeof value} value to have \`show\``);
}

/**
 * Resolves each option from its flag, environment variable, file key, default of the image, or default, in this order. Never throws; returns
 * a list of problems.
 */
export function resolveOptions<T extends OptionTable>(table: T, sources: Sources): Resolution<T> {
  const values: Record<string, unknown> = {};
  const origins: Record<string, Origin> = {};
  const problems: Problem[] = [];
  for (const [key, option] of Object.entries(table)) {
    values[key] = option.default;
    origins[key] = "default";
    try {
      const given =
        fromFlag(key, option, sources) ??
        fromEnvironment(key, option, sources) ??
        fromFile(key, sources) ??
        fromImage(key, sources);
      if (given === null) continue;
      origins[key] = given.origin;
      values[key] = named(given.option, () => option.parse(given.text));
    } catch (error) {
      if (!(error instanceof OptionProblem)) throw error;
      problems.push({ option: error.option, message: error.message });
    }
  }
  return resolved<T>(values, origins, problems);
}

/** Variables that start with this are defaults of a container image: unlike any others, a file outranks them. */
const imagePrefix = "OUTREACHD_IMAGE_";

// Kubernetes and Docker links set these in every container next to a service named outreachd.
const injectedVariable = /^OUTREACHD_(SERVICE|PORT)(_|$)/;

/**
 * Lists variables that start with OUTREACHD_ but are neither options of `table` nor among `others`: most likely typos.
 */
export function unknownVariables(table: OptionTable, env: Sources["env"], others: readonly string[]): Problem[] {
  const options = Object.entries(table).flatMap(([key, { secret }]) =>
    secret ? [variableName(key), `${variableName(key)}_FILE`] : [variableName(key)],
  );
  const known = [...options, ...others];
  const isKnown = (name: string) => known.includes(name) || known.includes(name.replace(imagePrefix, "OUTREACHD_"));
  return Object.keys(env)
    .filter((name) => name.startsWith("OUTREACHD_") && !isKnown(name))
    .filter((name) => !name.startsWith("OUTREACHD_TEST_") && !injectedVariable.test(name))
    .map((name) => ({ option: name, message: `Unknown variable.${suggestion(name, known)}` }));
}

/** Lists keys of the file that are not options of `table`. */
export function unknownFileKeys(table: OptionTable, file: Sources["file"]): Problem[] {
  if (file === null) return [];
  const known = Object.keys(table).map(optionName);
  return Object.keys(file.values)
    .filter((name) => !known.includes(name))
    .map((name) => ({ option: inFile(name, file, "key"), message: `Unknown option.${suggestion(name, known)}` }));
}

type Given = { origin: Origin; option: string; text: string };

function fromFlag(key: string, option: Option<unknown>, { flags, readFile }: Sources): Given | null {
  const isFile = isFileFlag(option);
  const given = flags[isFile ? `${key}File` : key];
  const value = given === true ? "true" : given;
  if (typeof value !== "string") return null;
  const flag = flagName(key, option);
  return { origin: "flag", option: flag, text: isFile ? named(flag, () => readSecret(value, readFile)) : value };
}

function fromEnvironment(key: string, { secret }: Option<unknown>, { env, readFile }: Sources): Given | null {
  const name = variableName(key);
  const fileName = `${name}_FILE`;
  // An empty variable counts as unset, because compose files and unit files cannot omit a variable.
  const value = env[name] || null;
  const path = (secret && env[fileName]) || null;
  if (value !== null && path !== null) throw new OptionProblem(name, `Set either ${name} or ${fileName}, not both.`);
  if (path !== null)
    return { origin: "environment", option: fileName, text: named(fileName, () => readSecret(path, readFile)) };
  return value === null ? null : { origin: "environment", option: name, text: value };
}

/** Editors end a file with a line break, which is not part of the secret. */
function readSecret(path: string, readFile: Sources["readFile"]): string {
  return readFile(path).replace(/\r?\n$/, "");
}

function fromFile(key: string, { file }: Sources): Given | null {
  if (file === null) return null;
  const name = optionName(key);
  const value = file.values[name];
  if (value === undefined) return null;
  const items = Array.isArray(value) ? value : [value];
  if (!items.every((item) => ["string", "number", "boolean"].includes(typeof item)))
    throw new OptionProblem(inFile(name, file), "Expected a string, a number, true, false, or a list of strings.");
  return { origin: "file", option: inFile(name, file), text: items.join(",") };
}

function fromImage(key: string, { env }: Sources): Given | null {
  const name = variableName(key).replace("OUTREACHD_", imagePrefix);
  const text = env[name];
  return text ? { origin: "default", option: name, text } : null;
}

class OptionProblem extends Error {
  readonly option: string;

  constructor(option: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.option = option;
  }
}

/** Runs `read` and turns an error into a problem of `option`. */
function named<T>(option: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new OptionProblem(option, error instanceof Error ? error.message : String(error), error);
  }
}

function inFile(name: string, { path, text }: NonNullable<Sources["file"]>, part: "key" | "value" = "value"): string {
  const place = placeOf(part, name, text);
  return `${name} in ${path}${place === null ? "" : `, line ${place.line}, column ${place.column}`}`;
}

function suggestion(name: string, known: readonly string[]): string {
  const likely = closest(name, known);
  return likely === null ? "" : ` Did you mean ${likely}?`;
}

/**
 * Safe because `values` was filled from the same table: each key holds the parsed value or the default of its option.
 */
function resolved<T extends OptionTable>(values: unknown, origins: unknown, problems: Problem[]): Resolution<T> {
  return { values: values as ValuesOf<T>, origins: origins as Record<keyof T, Origin>, problems };
}
