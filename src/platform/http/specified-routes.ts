/**
 * The routes of the specification ("Endpoints"). Existing clients may send fields that we do not know, so these routes
 * ignore and report them. All other routes are our own and refuse them.
 */
const specifiedRoutes = new Set([
  "GET /api/v2/health",
  "GET /api/v2/users/jobs",
  "GET /api/v2/users/jobs/userJobStatus/:userId",
  "GET /api/v2/users/jobs/jobStatus",
  "GET /api/v2/users/jobs/jobCounts",
  "PUT /api/v2/users/jobs/editJobMessage/:jobId",
  "POST /api/v2/enrich",
  "POST /api/v2/prospecting/search",
  "POST /api/v2/network/upload-prospects",
  "POST /api/v2/network/scheduleNetworkAction",
  "POST /api/v2/leads",
  "GET /api/v2/leads",
  "PUT /api/v2/leads/:leadId",
  "POST /api/v2/voice-clones",
  "GET /api/v2/voice-clones",
  "PUT /api/v2/voice-clones/:voiceId",
  "POST /api/v2/keys",
  "GET /api/v2/keys",
  "PUT /api/v2/keys/:keyId",
  "POST /api/v2/keys/:keyId/regenerate",
  "DELETE /api/v2/keys/:keyId",
]);

/** Whether the specification defines a route. `path` is the template, with `:name` for parameters. */
export function isSpecified(method: string, path: string): boolean {
  // PATCH is an alias of PUT.
  const specified = method === "PATCH" ? "PUT" : method;
  return specifiedRoutes.has(`${specified} ${path.replace(/(.)\/$/, "$1")}`);
}
