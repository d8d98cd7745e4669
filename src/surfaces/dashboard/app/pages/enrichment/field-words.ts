const fieldWords: Record<string, string> = {
  firstName: "First name",
  lastName: "Last name",
  email: "E-mail",
  alternativeEmails: "Other e-mails",
  phone: "Phone",
  networkUrl: "Profile",
  company: "Company",
  title: "Job title",
  location: "Location",
  experience: "Experience",
  skills: "Skills",
  bio: "About",
  "companyInfo.name": "Company, name",
  "companyInfo.website": "Company, website",
  "companyInfo.industry": "Company, industry",
  "companyInfo.size": "Company, employees",
  "companyInfo.description": "Company, about",
  "companyInfo.founded": "Company, founded",
  "companyInfo.headquarters": "Company location",
  "socialProfiles.twitter": "Twitter",
  "socialProfiles.github": "GitHub",
};

/** What a field is called here. Vendors may bring fields that this page does not know. */
export function fieldInWords(name: string): string {
  return fieldWords[name] ?? name;
}
