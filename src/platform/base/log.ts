import { writeSync } from "node:fs";
import { pino, type DestinationStream, type Logger, type LoggerOptions } from "pino";
import { diskFaultOf } from "./disk-fault.ts";
import { withoutKeys } from "./secret-text.ts";

export type Log = Logger;

/** Fields whose values never reach a log line, wherever a caller puts them (pino's `redact` paths). */
const secretPaths = ["key", "apiKey", "token", "secret", "password", "authorization", '["x-api-key"]'].flatMap((name) =>
  name.startsWith("[") ? [name, `*${name}`, `headers${name}`] : [name, `*.${name}`, `*.*.${name}`],
);

/**
 * JSON lines on standard error, so that a command's own output on standard output stays clean.
 * `level` is one of pino's: trace, debug, info, warn, error, fatal, silent.
 */
export function createLog(level: string, destination: DestinationStream = standardError): Log {
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: described },
    redact: { paths: secretPaths, censor: "[secret]" },
  };
  // The one place where lines are written: whatever a key got into, be it the message of an error, it ends here.
  return pino(options, { write: (line: string) => destination.write(withoutKeys(line)) });
}

/** Writes lines like those of `Log`, of plain fields; API keys in them are shortened to their hints. */
export type LineLog = {
  writes(level: LineLevel): boolean;
  write(level: LineLevel, fields: Record<string, string | number | null>, message: string): void;
};
export type LineLevel = "debug" | "info";

/** For what is written all the time: a line takes a microsecond, where `Log` takes ten to look for secrets in it. */
export function createLineLog({ level }: Log, destination: DestinationStream = standardErrorSoon): LineLog {
  const least = pino.levels.values[level] ?? Number.POSITIVE_INFINITY; // silent
  let at = 0;
  let time = "";
  return {
    writes: (of) => pino.levels.values[of]! >= least,
    write(of, fields, message) {
      if (at !== Date.now()) time = new Date((at = Date.now())).toISOString();
      const line = { level: of, time, ...fields, msg: message };
      destination.write(withoutKeys(`${JSON.stringify(line)}\n`));
    },
  };
}

/** Lines that are not written yet, in order. */
let waiting = "";
let flushesInTurn = false;
let timer: Timer | null = null;

/** Gathers the lines of a turn of the event loop. Nothing is lost when the process exits. */
const standardError: DestinationStream = {
  write(line) {
    waiting += line;
    if (flushesInTurn) return;
    flushesInTurn = true;
    setImmediate(flush);
  },
};

/**
 * Gathers for longer what is written all the time: a write for each turn costs a request a tenth of its time, and what
 * is in the log's file is written by the next fsync of the database, too. A killed process loses what it gathered.
 */
const standardErrorSoon: DestinationStream = {
  write(line) {
    waiting += line;
    if (waiting.length >= gatheredLength) flush();
    else if (!flushesInTurn) timer ??= setTimeout(flush, gatheredMs);
  },
};

const gatheredMs = 100;
const gatheredLength = 65_536;
process.on("exit", flush);

function flush(): void {
  let bytes = Buffer.from(waiting);
  waiting = "";
  flushesInTurn = false;
  if (timer !== null) clearTimeout(timer);
  timer = null;
  try {
    // Not process.stderr: what it takes when the process exits may never be written.
    while (bytes.length > 0) bytes = bytes.subarray(writeSync(standardErrorFd, bytes));
  } catch (error) {
    // Else nobody is left to be told: the reader went away, or the disk that the log goes to is full.
    if ((error as NodeJS.ErrnoException).code === "EAGAIN") process.stderr.write(bytes);
  }
}

const standardErrorFd = 2;

/** Errors as pino writes them, except faults of the disk: words tell their operator more than a stack of ours. */
function described(error: Error): object {
  const fault = diskFaultOf(error);
  if (fault === null) return pino.stdSerializers.err(error);
  const { kind, words, hint } = fault;
  const code = "code" in error ? error.code : undefined;
  return { type: "DiskFault", kind, message: words, reason: error.message, code, hint };
}
