import { priceInLeads } from "../lead-posts.ts";
import type { BenchCase } from "../report.ts";

const without = { settings: { OUTREACHD_METRICS: "false" } };

/** The price of counting and timing every request. */
export const metrics: BenchCase = {
  about: "POST /api/v2/leads with and without metrics, 64 connections, synchronous=FULL",
  run: () => priceInLeads({ without, with: {} }, 0.98),
};
