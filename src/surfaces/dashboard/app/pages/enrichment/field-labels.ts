const fieldLabels: Record<string, string> = {
  firstName: "First name",
  lastName: "Last name",
  email: "Email",
  alternativeEmails: "Other email addresses",
  phone: "Phone",
  networkUrl: "Profile",
  company: "Company",
  title: "Job title",
  location: "Location",
  experience: "Experience",
  skills: "Skills",
  bio: "About",
  "companyInfo.name": "Company name",
  "companyInfo.website": "Company website",
  "companyInfo.industry": "Company industry",
  "companyInfo.size": "Company size",
  "companyInfo.description": "Company description",
  "companyInfo.founded": "Year founded",
  "companyInfo.headquarters": "Company location",
  "socialProfiles.twitter": "Twitter",
  "socialProfiles.github": "GitHub",
};

/** Label of a field. Providers may return fields that this page does not know. */
export function fieldLabel(name: string): string {
  return fieldLabels[name] ?? name;
}
