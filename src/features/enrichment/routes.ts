import { Type } from "@sinclair/typebox";
import { routes } from "../../platform/http/route.ts";
import { decodeCursor, encodeCursor, wholeIn } from "../../platform/http/cursor.ts";
import { body, params } from "../../platform/http/input.ts";
import { logPageFields, pageQuery } from "../../platform/http/paging.ts";
import { answersJson, success } from "../../platform/http/openapi.ts";
import { ok, type RequestContext } from "../../platform/http/request-context.ts";
import { JobView } from "../../platform/jobs/model.ts";
import { jobView } from "../../platform/jobs/service.ts";
import { EnrichCompaniesInput } from "./company-model.ts";
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
import type { EnrichMode, EnrichmentService, EnrichOutcome } from "./service.ts";

const EnrichQuery = Type.Object({
  dryRun: Type.Optional(
    Type.Boolean({
      default: false,
      description: "Return the maximum cost without querying providers or charging credits.",
    }),
  ),
});
const ResultQuery = Type.Object({
  ...pageQuery(100, 200),
});
const ResultPage = Type.Object({
  enriched: Type.Array(EnrichmentResult),
  failed: Type.Array(EnrichmentFailure),
  creditsUsed: Type.Integer({ description: "Credits used by the job so far." }),
  remainingCredits: Type.Integer(),
  ...logPageFields,
});

export function enrichmentRoutes(enrichment: EnrichmentService) {
  return routes("/api/v2/enrich")
    .post(
      "/",
      (context) =>
        answer(context, (mode) => enrichment.enrich(context.caller, context.workspaceId, context.body, mode)),
      {
        bulk: "leads:enrich",
        query: params(EnrichQuery),
        body: body(EnrichInput),
        docs: withAccepted(
          answersJson(success(EnrichAnswer), {
            tag: "Enrichment",
            summary: "Enrich leads",
            description:
              "Queries providers in your preferred order until every field reaches sufficient confidence. Each field reports its source and confidence.\n\nA lead costs credits only if new data was found, and is free for the next 90 days, including for fields that were not requested before. Concurrent requests for the same person with the same details and options share one lookup, and only one of them is charged; requests with `refresh` are the exception.\n\nAn email address that a verifier rejects is not returned, charged, or written to a lead for 90 days, whichever provider finds it. The verdict on an address that you send is returned in `emailVerification`, retained for 90 days, and free. Providers that could not be reached are listed in `unavailable`; repeat the request to query them for the missing fields.\n\nUp to 1,000 leads are enriched directly; at most 50 are recommended, because the response is sent after 60 seconds. Leads that are not finished by then are listed in `failed` with the code `NOT_PROCESSED` and `retryable: true`, and are not charged. For more leads (up to 10,000), or with the header `Prefer: respond-async`, the response is 202 with a job.\n\nEvery enrichment, including a direct one (`jobId`), is a `data_enrichment` job with `batchSize` and `processed` in its metadata. Its results are available at `metadata.results` for 90 days. Each user can send 100 direct enrichment requests per hour (`--enrichments-per-hour`), whatever the number of leads; further requests return 429 with `details.limit` and `details.resetTime`. Requests for a job do not count toward this limit: jobs run two at a time and wait for paused providers.",
            errors: ["ENRICHMENT_CREDITS_EXHAUSTED"],
          }),
        ),
      },
    )
    .post(
      "/companies",
      (context) =>
        answer(context, (mode) => enrichment.enrichCompanies(context.caller, context.workspaceId, context.body, mode)),
      {
        bulk: "leads:enrich",
        query: params(EnrichQuery),
        body: body(EnrichCompaniesInput),
        docs: withAccepted(
          answersJson(success(EnrichAnswer), {
            tag: "Enrichment",
            summary: "Enrich companies",
            description:
              "Finds out more about companies by their domain or name alone; no person is searched for. The results have `company` and `companyInfo`. Otherwise like POST /api/v2/enrich: the same providers, jobs, limits, and credits, so that a company costs credits only if new data was found, and is then free for 90 days.",
            errors: ["ENRICHMENT_CREDITS_EXHAUSTED"],
          }),
        ),
      },
    )
    .get(
      "/jobs/:jobId/results",
      async ({ workspaceId, params: { jobId }, query: { limit = 100, cursor } }) => {
        const after = cursor === undefined ? -1 : wholeIn(decodeCursor(cursor, 1)[0]);
        const { next, ...page } = await enrichment.results(workspaceId, jobId, after, limit);
        return ok({ ...page, limit, nextCursor: next === null ? null : encodeCursor([next]) });
      },
      {
        access: "leads:enrich",
        params: params(Type.Object({ jobId: Type.String() })),
        query: params(ResultQuery),
        docs: answersJson(success(ResultPage), {
          tag: "Enrichment",
          summary: "List the results of an enrichment job",
          description: "In the order of the leads. Results are available while the job is running.",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .get("/settings", async ({ workspaceId }) => ok(await enrichment.settings(workspaceId)), {
      access: "leads:enrich",
      docs: answersJson(success(SettingsView), {
        tag: "Enrichment",
        summary: "List enrichment providers, their status, and your provider order",
      }),
    })
    .put(
      "/settings",
      async ({ workspaceId, body: { providers } }) => ok(await enrichment.setProviders(workspaceId, providers)),
      {
        access: "leads:enrich",
        body: body(SettingsInput),
        docs: answersJson(success(SettingsView), { tag: "Enrichment", summary: "Set your provider order" }),
      },
    )
    .post(
      "/providers/:provider/test",
      async ({ caller, workspaceId, params: { provider }, body: input, request }) =>
        ok(await enrichment.testProvider(caller, workspaceId, provider, input, request.signal)),
      {
        access: "leads:enrich",
        params: params(Type.Object({ provider: Type.String() })),
        body: body(ProviderTestInput),
        docs: answersJson(success(ProviderTest), {
          tag: "Enrichment",
          summary: "Test an enrichment provider",
          description:
            "Admins only. Queries the provider about one person. Free of credits here, but the provider may charge your account with it.",
          errors: ["NOT_FOUND", "CONFLICT"],
        }),
      },
    );
}

type EnrichRequest = Pick<RequestContext, "request" | "set" | "setIdleTimeout"> & {
  body: { dryRun?: boolean };
  query: { dryRun?: boolean };
};

/** Responds with the results, or with 202 and the job that will have them. */
async function answer(
  { body: input, query, set, request, setIdleTimeout }: EnrichRequest,
  enrich: (mode: EnrichMode) => Promise<EnrichOutcome>,
) {
  // A direct response can outlast the idle timeout of a connection; it has its own deadline.
  setIdleTimeout(0);
  const dryRun = query.dryRun === true || input.dryRun === true;
  const byJob = prefersJob(request);
  const outcome = await enrich({ dryRun, byJob });
  if (byJob && !dryRun) set.headers["preference-applied"] = "respond-async";
  if (outcome.kind === "answered") return ok(outcome.answer);
  set.status = 202;
  set.headers.location = `/api/v2/users/jobs/${outcome.job.id}`;
  return ok(jobView(outcome.job));
}

/** RFC 7240, section 4.1. */
function prefersJob({ headers }: Request): boolean {
  return /(^|[,\s])respond-async($|[,;\s])/i.test(headers.get("prefer") ?? "");
}

type Detail = ReturnType<typeof answersJson>;

function withAccepted(docs: Detail): Detail {
  const accepted = answersJson(success(JobView), {
    tag: "Enrichment",
    summary: "",
    status: 202,
    headers: { Location: "URL of the job.", "Preference-Applied": "`respond-async`, if the request preferred it." },
  }).responses as Record<string, unknown>;
  return { ...docs, responses: { ...docs.responses, 202: accepted[202] } } as Detail;
}
