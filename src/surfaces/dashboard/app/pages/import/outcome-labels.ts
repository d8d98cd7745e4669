export const outcomeLabels = {
  created: { tone: "good", label: "Created" },
  skipped: { tone: "neutral", label: "Skipped" },
  updated: { tone: "info", label: "Updated" },
  failed: { tone: "bad", label: "Failed" },
} as const;
