import { priceInLeads } from "../lead-posts.ts";
import type { BenchCase } from "../report.ts";

/** Each request with a new key: the price of being able to repeat it. */
export const idempotency: BenchCase = {
  about: "POST /api/v2/leads with and without Idempotency-Key, 64 connections, synchronous=FULL",
  run: () => priceInLeads({ without: {}, with: { serialHeader: "idempotency-key" } }, 0.75),
};
