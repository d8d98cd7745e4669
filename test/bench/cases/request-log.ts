import { priceInLeads } from "../lead-posts.ts";
import type { BenchCase } from "../report.ts";

const without = { settings: { OUTREACHD_LOG_REQUESTS: "false" } };

/** The price of a line in the log for every request. */
export const requestLog: BenchCase = {
  about: "POST /api/v2/leads with and without a log line each, 64 connections, synchronous=FULL",
  run: () => priceInLeads({ without, with: {} }, 0.9),
};
