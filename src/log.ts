import { pino, type Logger } from "pino";
import { diskFaultOf } from "./disk-fault.ts";

export type Log = Logger;

/** Fields whose values never reach a log line, wherever a caller puts them (pino's `redact` paths). */
const secretPaths = ["key", "apiKey", "token", "secret", "password", "authorization", '["x-api-key"]'].flatMap((name) =>
  name.startsWith("[") ? [name, `*${name}`, `headers${name}`] : [name, `*.${name}`, `*.*.${name}`],
);

/**
 * JSON lines on standard error, so that a command's own output on standard output stays clean.
 * `level` is one of pino's: trace, debug, info, warn, error, fatal, silent.
 */
export function createLog(level: string): Log {
  const toStandardError = { write: (line: string) => void process.stderr.write(line) };
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: described },
      redact: { paths: secretPaths, censor: "[secret]" },
    },
    toStandardError,
  );
}

/** Errors as pino writes them, except faults of the disk: words tell their operator more than a stack of ours. */
function described(error: Error): object {
  const fault = diskFaultOf(error);
  if (fault === null) return pino.stdSerializers.err(error);
  const { kind, words, hint } = fault;
  const code = "code" in error ? error.code : undefined;
  return { type: "DiskFault", kind, message: words, reason: error.message, code, hint };
}
