// The layout of the installation's web pages, the page of an error, and how web applications are served; what a page
// says belongs to whoever shows it.

export { errorPage } from './error-page.ts';
export {
  chooseLanguage,
  formTarget,
  type Html,
  html,
  LANGUAGES,
  type Language,
  type PageAnswer,
  type PageOptions,
  redirect,
  showPage,
} from './page.ts';
export {
  createSiteFront,
  linkRelease,
  type Release,
  readSiteFolder,
  releaseFiles,
  type SiteFile,
  sendFile,
  siteFile,
  siteHeaders,
} from './site.ts';
