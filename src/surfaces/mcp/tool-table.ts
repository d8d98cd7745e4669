/** What a tool does to the world, from which its annotations follow. */
export type Effect = "reads" | "adds" | "changes" | "deletes" | "sends";

/** `METHOD /path`, spelled as in the OpenAPI document. */
type OperationName = `${"GET" | "POST" | "PUT" | "PATCH" | "DELETE"} /api/v2/${string}`;

/** How an operation of the API becomes a tool. Title, arguments and permission come from the OpenAPI document. */
export type ToolSpec = {
  operation: OperationName;
  effect: Effect;
  /** Calling it again with the same arguments adds nothing. Unless it is said: all but POST. */
  isIdempotent?: boolean;
  /** It may reach people or vendors outside of this server. */
  isOpenWorld?: boolean;
  /** Told to the model beside the operation's own description: costs, cautions, what to use before or after. */
  note?: string;
  /**
   * For what sends, pays, erases people or imports them: nothing happens without `dryRun: false`. `route`: the operation has a dry run
   * of its own. Otherwise the operation `look` is called with the same arguments, and `effect` says what would happen.
   */
  dryRun?: "route" | { look: OperationName; effect: string };
  /** The body is a file: the argument `content`, with the media type that the argument `format` stands for. */
  file?: Record<string, string>;
  /** The operation that does the same with a global key, where `operation` takes a user's own key only. */
  globalOperation?: OperationName;
};

const reads = (operation: OperationName, rest: Partial<ToolSpec> = {}): ToolSpec => ({
  operation,
  effect: "reads",
  isIdempotent: true,
  ...rest,
});
const adds = (operation: OperationName, rest: Partial<ToolSpec> = {}): ToolSpec => ({
  operation,
  effect: "adds",
  ...rest,
});
const changes = (operation: OperationName, rest: Partial<ToolSpec> = {}): ToolSpec => ({
  operation,
  effect: "changes",
  ...rest,
});
const deletes = (operation: OperationName, rest: Partial<ToolSpec> = {}): ToolSpec => ({
  operation,
  effect: "deletes",
  ...rest,
});

/** Something goes to people, now or later. What was sent can't be taken back. */
const sends = (operation: OperationName, rest: Partial<ToolSpec> = {}): ToolSpec => ({
  operation,
  effect: "sends",
  isOpenWorld: true,
  ...rest,
});

const leadFile = { csv: "text/csv", ndjson: "application/x-ndjson" };
const followLeads = "Follow the job with get_job, then read get_lead_import_report, also after a dry run.";
const followProspects = "Follow the job with get_job, then read get_prospect_import_report, also after a dry run.";
const searchCost =
  "COSTS CREDITS for each prospect returned. A live source (any but directory) is asked at the vendor's price as well.";
const exportNote =
  "Answers at most the first 200,000 characters; for more, narrow it, or let a person run `outreachd export`.";

/** The tools, by name. */
export const toolTable: Record<string, ToolSpec> = {
  get_health: reads("GET /api/v2/health", { note: "Also tells which permissions your key has." }),

  get_me: reads("GET /api/v2/users/me"),
  update_me: changes("PATCH /api/v2/users/me"),
  list_users: reads("GET /api/v2/users"),
  create_user: adds("POST /api/v2/users"),
  grant_credits: adds("POST /api/v2/users/{userId}/credits", { note: "Each call grants again." }),
  adjust_credits: changes("POST /api/v2/users/{userId}/credits/adjust", { note: "Each call adjusts again." }),
  refund_credits: adds("POST /api/v2/users/{userId}/credits/refund"),

  get_credits: reads("GET /api/v2/credits", { note: "Look here before anything that costs credits." }),
  list_credit_movements: reads("GET /api/v2/credits/ledger"),
  get_key_budget: reads("GET /api/v2/credits/budgets/{keyId}"),
  set_key_budget: changes("PUT /api/v2/credits/budgets/{keyId}"),
  list_keys: reads("GET /api/v2/keys", { note: "Shows no secrets." }),
  update_key: changes("PUT /api/v2/keys/{keyId}", {
    note: "Whoever uses the key may stop working, or may do more than before. Only when a person asked for exactly this.",
  }),
  delete_key: deletes("DELETE /api/v2/keys/{keyId}", {
    note: "Programs that use the key stop working. Only when a person asked for exactly this.",
  }),

  list_leads: reads("GET /api/v2/leads"),
  get_lead: reads("GET /api/v2/leads/{leadId}"),
  create_lead: adds("POST /api/v2/leads", { note: "With onDuplicate=error or update nobody is stored twice." }),
  update_lead: changes("PUT /api/v2/leads/{leadId}"),
  delete_lead: deletes("DELETE /api/v2/leads/{leadId}"),
  update_leads: changes("POST /api/v2/leads/bulk/update", { isIdempotent: true }),
  delete_leads: deletes("POST /api/v2/leads/bulk/delete", { isIdempotent: true }),
  import_leads: adds("POST /api/v2/leads/import", { dryRun: "route", file: leadFile, note: followLeads }),
  get_lead_import_report: reads("GET /api/v2/leads/import/{jobId}/report"),
  export_leads: reads("GET /api/v2/leads/export", { note: exportNote }),

  add_suppressions: adds("POST /api/v2/suppressions", { isIdempotent: true }),
  list_suppressions: reads("GET /api/v2/suppressions"),
  get_suppression: reads("GET /api/v2/suppressions/{suppressionId}"),
  check_suppression: reads("POST /api/v2/suppressions/check"),
  import_suppressions: adds("POST /api/v2/suppressions/import", { isIdempotent: true, file: { csv: "text/csv" } }),
  export_suppressions: reads("GET /api/v2/suppressions/export", { note: exportNote }),
  erase_suppression: deletes("POST /api/v2/suppressions/{suppressionId}/erase", { isIdempotent: true }),
  delete_suppression: deletes("DELETE /api/v2/suppressions/{suppressionId}", {
    note: "Somebody asked not to be contacted. Never remove an entry by yourself to get something done.",
  }),

  export_person: reads("POST /api/v2/privacy/export", {
    note: "Shows everything that is stored about a person. Only when a person asked for exactly this.",
  }),
  erase_person: deletes("POST /api/v2/privacy/erase", {
    dryRun: "route",
    isIdempotent: true,
    note: "Nothing brings it back. Show the dry run to a person first, and follow the job with get_job.",
  }),
  list_audit_entries: reads("GET /api/v2/audit"),
  export_audit_log: reads("GET /api/v2/audit/export", { note: exportNote }),
  verify_audit_log: reads("GET /api/v2/audit/verify"),

  enrich_leads: adds("POST /api/v2/enrich", {
    dryRun: "route",
    isOpenWorld: true,
    isIdempotent: true,
    note: "COSTS CREDITS: 1 for each lead about whom something new is found, unless the server is set up otherwise. Read results that were cut off with get_enrichment_results and jobId, at no charge; do not enrich again.",
  }),
  get_enrichment_results: reads("GET /api/v2/enrich/jobs/{jobId}/results"),
  get_enrichment_settings: reads("GET /api/v2/enrich/settings"),
  test_enrichment_provider: adds("POST /api/v2/enrich/providers/{provider}/test", {
    isOpenWorld: true,
    note: "It asks the vendor for real, at the vendor's price.",
    dryRun: {
      look: "GET /api/v2/enrich/settings",
      effect: "The provider would be asked about this person, at the vendor's price; no credits are taken.",
    },
  }),
  set_enrichment_providers: changes("PUT /api/v2/enrich/settings"),

  search_prospects: adds("POST /api/v2/prospecting/search", {
    dryRun: "route",
    isOpenWorld: true,
    note: `${searchCost} The dry run tells how many there are in your directory; a live source it does not ask.`,
  }),
  list_prospect_facets: reads("POST /api/v2/prospecting/facets", {
    note: "Use it to learn which values a search can take.",
  }),
  get_prospect: reads("GET /api/v2/prospecting/prospects/{prospectId}"),
  delete_prospect: deletes("DELETE /api/v2/prospecting/prospects/{prospectId}"),
  create_lead_from_prospect: adds("POST /api/v2/prospecting/prospects/{prospectId}/lead", { isIdempotent: true }),
  import_prospects: adds("POST /api/v2/prospecting/import", {
    dryRun: "route",
    isIdempotent: true,
    file: leadFile,
    note: followProspects,
  }),
  get_prospect_import_report: reads("GET /api/v2/prospecting/import/{jobId}/report"),
  create_saved_search: adds("POST /api/v2/prospecting/searches"),
  list_saved_searches: reads("GET /api/v2/prospecting/searches"),
  get_saved_search: reads("GET /api/v2/prospecting/searches/{searchId}"),
  update_saved_search: changes("PUT /api/v2/prospecting/searches/{searchId}"),
  delete_saved_search: deletes("DELETE /api/v2/prospecting/searches/{searchId}"),
  run_saved_search: adds("POST /api/v2/prospecting/searches/{searchId}/run", {
    dryRun: "route",
    isOpenWorld: true,
    note: searchCost,
  }),

  list_jobs: reads("GET /api/v2/users/jobs", { globalOperation: "GET /api/v2/users/jobs/userJobStatus/{userId}" }),
  count_jobs: reads("GET /api/v2/users/jobs/jobCounts"),
  count_jobs_by_day: reads("GET /api/v2/users/jobs/history"),
  get_job: reads("GET /api/v2/users/jobs/{jobId}", {
    note: "To follow a job, wait a few seconds between two calls.",
  }),
  cancel_job: changes("POST /api/v2/users/jobs/{jobId}/cancel"),
  retry_job: changes("POST /api/v2/users/jobs/{jobId}/retry", {
    isOpenWorld: true,
    note: "An enrichment may COST CREDITS again for leads that were not charged yet.",
    dryRun: {
      look: "GET /api/v2/users/jobs/{jobId}",
      effect: "This job, which has to be a failed one, would run again, with all that it does and costs.",
    },
  }),
  edit_job_message: changes("PUT /api/v2/users/jobs/editJobMessage/{jobId}"),

  list_network_accounts: reads("GET /api/v2/network/accounts"),
  get_network_account: reads("GET /api/v2/network/accounts/{accountId}"),
  create_network_account: adds("POST /api/v2/network/accounts"),
  update_network_account: changes("PATCH /api/v2/network/accounts/{accountId}", {
    isOpenWorld: true,
    note: "An account that is made active, or gets other caps, hours or another connector, acts by them at once. Try caps with preview_account_plan first.",
    dryRun: {
      look: "GET /api/v2/network/accounts/{accountId}",
      effect: "The account, which is as shown, would get the fields that you sent, and its queue would go on by them.",
    },
  }),
  delete_network_account: deletes("DELETE /api/v2/network/accounts/{accountId}"),
  get_account_usage: reads("GET /api/v2/network/accounts/{accountId}/usage"),
  get_account_plan: reads("GET /api/v2/network/accounts/{accountId}/plan"),
  preview_account_plan: reads("POST /api/v2/network/accounts/{accountId}/plan"),

  schedule_network_action: sends("POST /api/v2/network/scheduleNetworkAction", {
    dryRun: "route",
    note: "SENDS something to a person in the user's name, and uses up the account's caps. Never repeat a call because its action has not run yet: the service chooses the moment. Until then a second call answers with the action that is on its way; after that it sends once more, unless both have the same idempotencyKey.",
  }),
  list_network_actions: reads("GET /api/v2/network/actions"),
  get_network_action: reads("GET /api/v2/network/actions/{jobId}"),
  record_network_action: adds("POST /api/v2/network/actions/record"),
  update_network_action: changes("PATCH /api/v2/network/actions/{jobId}"),
  cancel_network_action: changes("POST /api/v2/network/actions/{jobId}/cancel"),
  approve_network_action: sends("POST /api/v2/network/actions/{jobId}/approve", {
    note: "SENDS: from then on the action goes out at its turn. Approval is a person's decision; ask for it.",
    dryRun: {
      look: "GET /api/v2/network/actions/{jobId}",
      effect: "This action would be approved and carried out at its turn.",
    },
  }),
  resolve_network_action: changes("POST /api/v2/network/actions/{jobId}/resolve", {
    note: "Only with what a person saw on the profile. Never guess.",
  }),
  list_tasks: reads("GET /api/v2/network/tasks"),
  complete_task: changes("POST /api/v2/network/tasks/{jobId}/complete", {
    note: "Only for what a person has really done.",
  }),
  upload_prospects: sends("POST /api/v2/network/upload-prospects", {
    dryRun: "route",
    isIdempotent: true,
    note: "With campaign_id the people are enrolled, and a running campaign SENDS to them.",
  }),
  get_contact: reads("GET /api/v2/network/contacts"),
  record_contact_event: changes("POST /api/v2/network/contacts/events", { isIdempotent: true }),

  list_campaigns: reads("GET /api/v2/campaigns"),
  get_campaign: reads("GET /api/v2/campaigns/{campaignId}"),
  create_campaign: adds("POST /api/v2/campaigns", { note: "Nothing is sent until start_campaign." }),
  update_campaign: changes("PATCH /api/v2/campaigns/{campaignId}"),
  delete_campaign: deletes("DELETE /api/v2/campaigns/{campaignId}"),
  preview_campaign: reads("POST /api/v2/campaigns/{campaignId}/preview"),
  start_campaign: sends("POST /api/v2/campaigns/{campaignId}/start", {
    isIdempotent: true,
    note: "SENDS to everybody who is enrolled, step by step.",
    dryRun: {
      look: "GET /api/v2/campaigns/{campaignId}/statistics",
      effect:
        "The campaign would begin, or go on, to send to those who are enrolled (`active`). preview_campaign tells when each step would go out.",
    },
  }),
  pause_campaign: changes("POST /api/v2/campaigns/{campaignId}/pause", { isIdempotent: true }),
  cancel_campaign: deletes("POST /api/v2/campaigns/{campaignId}/cancel", { isIdempotent: true }),
  enroll_leads: sends("POST /api/v2/campaigns/{campaignId}/enroll", {
    dryRun: "route",
    isIdempotent: true,
    note: "In a running campaign this SENDS to the leads.",
  }),
  list_campaign_enrollments: reads("GET /api/v2/campaigns/{campaignId}/enrollments"),
  stop_campaign_enrollment: changes("POST /api/v2/campaigns/{campaignId}/enrollments/{enrollmentId}/stop", {
    isIdempotent: true,
  }),
  get_campaign_statistics: reads("GET /api/v2/campaigns/{campaignId}/statistics"),

  list_voice_clones: reads("GET /api/v2/voice-clones"),
  get_voice_clone: reads("GET /api/v2/voice-clones/{voiceId}", {
    note: "Use it to judge how good the recordings are.",
  }),
  update_voice_clone: changes("PUT /api/v2/voice-clones/{voiceId}"),
  delete_voice_clone: deletes("DELETE /api/v2/voice-clones/{voiceId}"),
  train_voice_clone: changes("POST /api/v2/voice-clones/{voiceId}/train", {
    isOpenWorld: true,
    note: "If the server's voice engine is a vendor's, the recordings are sent there, and it may cost money.",
    dryRun: {
      look: "GET /api/v2/voice-clones/{voiceId}",
      effect:
        "The voice would be trained again from these recordings. With an engine of a vendor they are sent there, at its price; the built-in one costs nothing.",
    },
  }),
  preview_voice: adds("POST /api/v2/voice-clones/{voiceId}/preview", {
    isOpenWorld: true,
    isIdempotent: true,
    note: "Answers sound, marked as synthetic; m4a is the smaller format. With an engine of a vendor the text is sent there, at its price by the character.",
    dryRun: {
      look: "GET /api/v2/voice-clones/{voiceId}",
      effect:
        "This voice would speak the text. With an engine of a vendor the text is sent there, at its price by the character; the built-in one costs nothing.",
    },
  }),
  delete_voice_sample: deletes("DELETE /api/v2/voice-clones/{voiceId}/samples/{sampleId}"),

  list_events: reads("GET /api/v2/events", { note: "With leadId, what happened to a lead, step by step." }),

  list_webhook_endpoints: reads("GET /api/v2/webhooks"),
  get_webhook_endpoint: reads("GET /api/v2/webhooks/{endpointId}"),
  update_webhook_endpoint: changes("PATCH /api/v2/webhooks/{endpointId}", {
    isOpenWorld: true,
    note: "Whoever is behind a new url is told of everything that happens. Only when a person asked for exactly this.",
  }),
  delete_webhook_endpoint: deletes("DELETE /api/v2/webhooks/{endpointId}", {
    note: "Programs behind it hear of nothing any more. Only when a person asked for exactly this.",
  }),
  test_webhook_endpoint: adds("POST /api/v2/webhooks/{endpointId}/test", {
    isOpenWorld: true,
    note: "Read get_webhook_delivery a few seconds later to see what came of it.",
  }),
  list_webhook_deliveries: reads("GET /api/v2/webhooks/{endpointId}/deliveries"),
  get_webhook_delivery: reads("GET /api/v2/webhooks/{endpointId}/deliveries/{deliveryId}"),
  replay_webhook_delivery: adds("POST /api/v2/webhooks/{endpointId}/deliveries/{deliveryId}/replay", {
    isOpenWorld: true,
  }),
  replay_webhook_deliveries: adds("POST /api/v2/webhooks/{endpointId}/replay", { isOpenWorld: true }),

  list_backups: reads("GET /api/v2/backups"),
  get_backup: reads("GET /api/v2/backups/{name}"),
  create_backup: adds("POST /api/v2/backups", {
    note: "Follow it with get_backup. With `prune` older backups of this server are deleted, as the server's settings say.",
  }),
  delete_backup: deletes("DELETE /api/v2/backups/{name}", { note: "A backup that is deleted can't be made again." }),
};

const secret = "its answer holds a secret, which must not pass through a model; a person makes it with `outreachd key`";
const webhookSecret =
  "its answer holds the secret that deliveries are signed with, which must not pass through a model";
const recording = "a recording is a file of many megabytes, which a model can neither send nor hear";
const machine = "it is for programs that carry actions out, and holds them to leases that a model can't keep";
const play = "only a server that plays has it; whoever tests an integration moves its clock";

/** Operations that are no tool, and why. */
export const withoutTool: Partial<Record<OperationName, string>> = {
  "POST /api/v2/keys": secret,
  "POST /api/v2/keys/{keyId}/regenerate": secret,
  "POST /api/v2/webhooks": webhookSecret,
  "POST /api/v2/webhooks/{endpointId}/rotate": webhookSecret,
  "GET /api/v2/events/stream": "it never ends; list_events tells the same, with `after` from where one was",
  "POST /api/v2/keys/{keyId}/link": secret,
  "POST /api/v2/leads/import/preview": "the dry run of import_leads tells more",
  "GET /api/v2/prospecting/facets": "list_prospect_facets does the same, and takes filters",
  "GET /api/v2/simulation": play,
  "POST /api/v2/simulation/clock": play,
  "GET /api/v2/users/jobs/jobStatus": "get_job does the same; this is its legacy form",
  "GET /api/v2/network/actions/{jobId}/audio": "the sound is for the person or the program that sends it by hand",
  "POST /api/v2/network/actions/{jobId}/outcome": machine,
  "POST /api/v2/network/worker/claim": machine,
  "POST /api/v2/network/worker/{jobId}/heartbeat": machine,
  "POST /api/v2/network/worker/{jobId}/complete": machine,
  "POST /api/v2/voice-clones": recording,
  "POST /api/v2/voice-clones/check": recording,
  "POST /api/v2/voice-clones/{voiceId}/samples": recording,
  "GET /api/v2/voice-clones/{voiceId}/samples": "get_voice_clone tells the same",
  "GET /api/v2/voice-clones/{voiceId}/samples/{sampleId}/audio": recording,
  "GET /api/v2/voice-clones/{voiceId}/consent/audio": recording,
  "GET /api/v2/operations": "For operators, who have `outreachd maintenance` and `outreachd doctor`.",
  "PUT /api/v2/operations/maintenance": "For operators: an assistant must not lock everyone out.",
  "GET /api/v2/backups/{name}/download":
    "it is a large file of everybody's data; a person takes it from where backups go, or with `outreachd backup --output`",
};
