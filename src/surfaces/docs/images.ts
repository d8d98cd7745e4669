import home from "../../../docs/images/home.png" with { type: "file" };
import homeDark from "../../../docs/images/home-dark.png" with { type: "file" };
import leads from "../../../docs/images/leads.png" with { type: "file" };
import campaignEditor from "../../../docs/images/campaign-editor.png" with { type: "file" };
import campaignInsight from "../../../docs/images/campaign-insight.png" with { type: "file" };
import inbox from "../../../docs/images/inbox.png" with { type: "file" };
import prospects from "../../../docs/images/prospects.png" with { type: "file" };
import voices from "../../../docs/images/voices.png" with { type: "file" };

/** Files of docs/images by their name, also in the executable, where the imports are the paths of embedded files. */
export const images: Record<string, string> = {
  "home.png": home,
  "home-dark.png": homeDark,
  "leads.png": leads,
  "campaign-editor.png": campaignEditor,
  "campaign-insight.png": campaignInsight,
  "inbox.png": inbox,
  "prospects.png": prospects,
  "voices.png": voices,
};
