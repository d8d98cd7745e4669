import { Type } from "@sinclair/typebox";
import type { Core } from "../../platform/http/core.ts";
import { feature } from "../../platform/http/feature.ts";
import { decodeCursor, encodeCursor } from "../../platform/http/cursor.ts";
import { body, params } from "../../platform/http/input.ts";
import { logPageFields, pageQuery } from "../../platform/http/paging.ts";
import { answersJson, success } from "../../platform/http/openapi.ts";
import { ok } from "../../platform/http/responses.ts";
import { JobView } from "../../platform/jobs/model.ts";
import { jobView } from "../../platform/jobs/service.ts";
import {
  EnrichAnswer,
  EnrichInput,
  ProviderTest,
  ProviderTestInput,
  SettingsInput,
  SettingsView,
  EnrichmentFailure,
  EnrichmentResult,
} from "./model.ts";
import type { EnrichmentService } from "./service.ts";

const EnrichQuery = Type.Object({
  dryRun: Type.Optional(
    Type.Boolean({ default: false, description: "Ask nobody and charge nothing: tell what it would cost at most." }),
  ),
});
const ResultQuery = Type.Object({
  ...pageQuery(100, 200),
});
const ResultPage = Type.Object({
  enriched: Type.Array(EnrichmentResult),
  failed: Type.Array(EnrichmentFailure),
  creditsUsed: Type.Integer({ description: "By the whole job so far." }),
  remainingCredits: Type.Integer(),
  ...logPageFields,
});

export function enrichmentRoutes(core: Core, enrichment: EnrichmentService) {
  return feature(core, "/api/v2/enrich")
    .post(
      "/",
      async ({ caller, userId, body: input, query, headers, set, request, server }) => {
        // A direct response may take as long as a connection may be silent; it has a deadline of its own.
        server?.timeout(request, 0);
        const dryRun = query.dryRun === true || input.dryRun === true;
        const byJob = /(^|[,\s])respond-async($|[,;\s])/i.test(headers["prefer"] ?? "");
        const outcome = await enrichment.enrich(caller, userId, input, { dryRun, byJob });
        if (byJob && !dryRun) set.headers["preference-applied"] = "respond-async";
        if (outcome.kind === "answered") return ok(outcome.answer);
        set.status = 202;
        set.headers.location = `/api/v2/users/jobs/${outcome.job.id}`;
        return ok(jobView(outcome.job));
      },
      {
        bulk: "leads:enrich",
        query: params(EnrichQuery),
        body: body(EnrichInput),
        detail: withAccepted(
          answersJson(success(EnrichAnswer), {
            tag: "Enrichment",
            summary: "Find out more about leads",
            description:
              "Providers are asked in your order until each field is sure enough; every field tells who said it and how sure it is. A lead costs credits only when something new was found, and nothing again within 90 days, also for a part that was not asked for before. An address that a verifier refutes is not told, charged or written to a lead, whoever brings it, for 90 days; what a verifier says of the address that you sent is in `emailVerification`, is kept for 90 days and costs nothing, since nothing new was found. Requests for the same person, with the same details and parts, that are under way at once ask once, and one of them is charged; but for those with `refresh`. A provider that could not be asked is named in `unavailable`; a repeat asks it, for what is missing. Up to 1,000 leads are answered directly, at most 50 being recommended, because the response is due after 60 seconds: a lead that is not finished by then is in `failed` with the code NOT_PROCESSED and `retryable: true`, and costs nothing. More, up to 10,000, or the header `Prefer: respond-async`, answer 202 with a job. Every enrichment is a `data_enrichment` job, a direct one too (`jobId`), with `batchSize` and `processed` in its metadata; its results stay at `metadata.results` for 90 days. A user can make 100 direct enrichment requests per hour (`--enrichments-per-hour`), however many leads each has; after that 429 with `details.limit` and `details.resetTime`. Requests for a job do not count: jobs run two at a time and wait for providers that pause.",
            errors: ["ENRICHMENT_CREDITS_EXHAUSTED"],
          }),
        ),
      },
    )
    .get(
      "/jobs/:jobId/results",
      async ({ userId, params: { jobId }, query: { limit = 100, cursor } }) => {
        const after = cursor === undefined ? -1 : Number(decodeCursor(cursor, 1)[0]);
        const { next, ...page } = await enrichment.results(userId, jobId, after, limit);
        return ok({ ...page, limit, nextCursor: next === null ? null : encodeCursor([next]) });
      },
      {
        access: "leads:enrich",
        params: params(Type.Object({ jobId: Type.String() })),
        query: params(ResultQuery),
        detail: answersJson(success(ResultPage), {
          tag: "Enrichment",
          summary: "What an enrichment job has found",
          description: "In the order of the leads, also while it runs.",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .get("/settings", async ({ userId }) => ok(await enrichment.settings(userId)), {
      access: "leads:enrich",
      detail: answersJson(success(SettingsView), {
        tag: "Enrichment",
        summary: "Which providers there are, how they are, and the order in which yours are asked",
      }),
    })
    .put("/settings", async ({ userId, body: { providers } }) => ok(await enrichment.setProviders(userId, providers)), {
      access: "leads:enrich",
      body: body(SettingsInput),
      detail: answersJson(success(SettingsView), { tag: "Enrichment", summary: "Set the order of providers" }),
    })
    .post(
      "/providers/:provider/test",
      async ({ caller, userId, params: { provider }, body: input, request }) =>
        ok(await enrichment.testProvider(caller, userId, provider, input, request.signal)),
      {
        access: "leads:enrich",
        params: params(Type.Object({ provider: Type.String() })),
        body: body(ProviderTestInput),
        detail: answersJson(success(ProviderTest), {
          tag: "Enrichment",
          summary: "See whether a provider works",
          description:
            "For admins. Asks it about one person. Costs no credits of yours, but perhaps some of the account there.",
          errors: ["NOT_FOUND", "CONFLICT"],
        }),
      },
    );
}

type Detail = ReturnType<typeof answersJson>;

function withAccepted(detail: Detail): Detail {
  const accepted = answersJson(success(JobView), {
    tag: "Enrichment",
    summary: "",
    status: 202,
    headers: { Location: "The job.", "Preference-Applied": "respond-async, where it was preferred." },
  }).responses as Record<string, unknown>;
  return { ...detail, responses: { ...detail.responses, 202: accepted[202] } } as Detail;
}
