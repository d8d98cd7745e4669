import type { CommandContext } from "./context.ts";

/** Progress of an operation. */
export type ProgressState = {
  /** From 0 to 100; null while the total is unknown. */
  percent: number | null;
  /** Text for people. */
  text: string;
  /** Fields of the JSON line, for scripts. */
  document: Readonly<Record<string, unknown>>;
};

/** Accepts every change and decides which of them to show. */
export type Progress = {
  show(state: ProgressState): Promise<void>;
  /** Removes the bar, so that the output starts on a clean line. */
  clear(): void;
};

const redrawMs = 100; // Faster updates are not visible, and terminals on a slow connection fall behind.
const jsonLineMs = 500;
const plainLineMs = 10_000; // Keeps the log of a long import short.
const barCells = 24;

/** Shows a bar on a terminal, an occasional line elsewhere and, with --json, JSON lines on standard output. */
export function createProgress(context: CommandContext, now: () => number = Date.now): Progress {
  const { terminal } = context;
  if (context.json) {
    const due = every(jsonLineMs, now, true);
    const line = (document: object) => `${JSON.stringify({ event: "progress", ...document })}\n`;
    return {
      show: async ({ document }) => {
        if (due()) await terminal.out(line(document));
      },
      clear: () => {},
    };
  }
  if (terminal.isInteractive) {
    const due = every(redrawMs, now, true);
    return {
      show: async ({ percent, text }) => {
        if (due()) terminal.err(`\r\x1b[2K${renderBar(percent, text, terminal.columns)}`);
      },
      clear: () => terminal.err("\r\x1b[2K"),
    };
  }
  const due = every(plainLineMs, now, false);
  return {
    show: async ({ percent, text }) => {
      if (due()) terminal.err(`${percent === null ? "" : `${Math.floor(percent)}% `}${text}\n`);
    },
    clear: () => {},
  };
}

/** A line that is shorter than the screen is wide. A longer one would wrap and could not be redrawn. */
export function renderBar(percent: number | null, text: string, columns: number): string {
  const filled = Math.floor(((percent ?? 0) / 100) * barCells);
  const bar =
    percent === null
      ? ""
      : `${"█".repeat(filled)}${"░".repeat(barCells - filled)} ${String(Math.floor(percent)).padStart(3)}%  `;
  const line = bar + text;
  return line.length < columns ? line : `${line.slice(0, Math.max(0, columns - 2))}…`;
}

/** 1234567 -> "1.2 MB" */
export function formatBytes(bytes: number): string {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = 0;
  for (; value >= 1000 && unit < units.length - 1; unit++) value /= 1000;
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}

/** 1234567 -> "1,234,567" */
export function formatCount(count: number): string {
  return count.toLocaleString("en-US");
}

/** "1 file", "2 files". */
export function countOf(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

function every(intervalMs: number, now: () => number, atOnce: boolean): () => boolean {
  let next = atOnce ? 0 : now() + intervalMs;
  return () => {
    if (now() < next) return false;
    next = now() + intervalMs;
    return true;
  };
}
