import { writeSync } from "node:fs";
import { pino, type DestinationStream, type Logger, type LoggerOptions } from "pino";
import { diskFaultOf } from "./disk-fault.ts";
import { withoutKeys } from "./secret-text.ts";

export type Log = Logger;

/** Fields whose values are never logged, wherever they occur (pino's `redact` paths). */
const secretPaths = ["key", "apiKey", "token", "secret", "password", "authorization", '["x-api-key"]'].flatMap((name) =>
  name.startsWith("[") ? [name, `*${name}`, `headers${name}`] : [name, `*.${name}`, `*.*.${name}`],
);

/**
 * Logs JSON lines to standard error, so that commands can use standard output for their results.
 * `level` is one of pino's: trace, debug, info, warn, error, fatal, silent.
 */
export function createLog(level: string, destination: DestinationStream = standardError): Log {
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: serializeError },
    redact: { paths: secretPaths, censor: "[secret]" },
  };
  // All lines pass through here, so keys are removed wherever they occur, even in the message of an error.
  return pino(options, { write: (line: string) => destination.write(withoutKeys(line)) });
}

/** Writes lines in the format of `Log`, with plain fields only. API keys are shortened to their hints. */
export type LineLog = {
  writes(level: LineLevel): boolean;
  write(level: LineLevel, fields: Record<string, string | number | null>, message: string): void;
};
export type LineLevel = "debug" | "info";

/** For frequent lines: writing one takes a microsecond, while `Log` takes ten to search it for secrets. */
export function createLineLog(log: Log, destination: DestinationStream = standardErrorSoon): LineLog {
  const { level } = log;
  const bindings = log.bindings();
  const minLevel = pino.levels.values[level] ?? Number.POSITIVE_INFINITY; // silent
  let at = 0;
  let time = "";
  return {
    writes: (of) => pino.levels.values[of]! >= minLevel,
    write(of, fields, message) {
      if (at !== Date.now()) time = new Date((at = Date.now())).toISOString();
      const line = { level: of, time, ...bindings, ...fields, msg: message };
      destination.write(withoutKeys(`${JSON.stringify(line)}\n`));
    },
  };
}

/** Buffered lines, in order. */
let buffer = "";
let isFlushScheduled = false;
let timer: Timer | null = null;

/** Buffers the lines of one turn of the event loop. Nothing is lost when the process exits. */
const standardError: DestinationStream = {
  write(line) {
    buffer += line;
    if (isFlushScheduled) return;
    isFlushScheduled = true;
    setImmediate(flush);
  },
};

/**
 * Buffers frequent lines for longer: one write per turn would take a tenth of the time of a request, and the next fsync
 * of the database would also write the log file. If the process is killed, the buffered lines are lost.
 */
const standardErrorSoon: DestinationStream = {
  write(line) {
    buffer += line;
    if (buffer.length >= bufferLength) flush();
    else if (!isFlushScheduled) timer ??= setTimeout(flush, bufferMs);
  },
};

const bufferMs = 100;
const bufferLength = 65_536;
process.on("exit", flush);

function flush(): void {
  let bytes = Buffer.from(buffer);
  buffer = "";
  isFlushScheduled = false;
  if (timer !== null) clearTimeout(timer);
  timer = null;
  try {
    // Not process.stderr, which may never write what it accepts while the process exits.
    while (bytes.length > 0) bytes = bytes.subarray(writeSync(standardErrorFd, bytes));
  } catch (error) {
    // Other errors can't be reported: the reader is gone, or the disk of the log is full.
    if ((error as NodeJS.ErrnoException).code === "EAGAIN") process.stderr.write(bytes);
  }
}

const standardErrorFd = 2;

/** Like pino's serializer, except for disk faults, where a clear text helps the operator more than a stack trace. */
function serializeError(error: Error): object {
  const fault = diskFaultOf(error);
  if (fault === null) return "query" in error ? serializeFailedQuery(error) : pino.stdSerializers.err(error);
  const { kind, words, hint } = fault;
  const code = "code" in error ? error.code : undefined;
  return { type: "DiskFault", kind, message: words, reason: error.message, code, hint };
}

/** Without its parameters and without details of the database, which quote what people store. */
function serializeFailedQuery({ query, cause, stack = "" }: Error & { query?: unknown }): object {
  const { message, code, constraint_name: constraint } = (cause ?? {}) as Record<string, unknown>;
  const frames = stack.slice(stack.search(/^\s+at /m));
  return { type: "FailedQuery", message, code, constraint, query, stack: frames };
}
