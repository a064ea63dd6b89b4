// The layout of the installation's web pages, the page of an error, and how web applications are served; what a page
// says belongs to whoever shows it.

export { renderErrorPage } from './error-page.ts';
export {
  chooseLanguage,
  type Html,
  html,
  LANGUAGES,
  type Language,
  type PageAnswer,
  type PageOptions,
  redirect,
  showPage,
  toFormTarget,
} from './page.ts';
export {
  buildSiteHeaders,
  createSiteFile,
  createSiteFront,
  linkRelease,
  type Release,
  readSiteFolder,
  releaseFiles,
  type SiteFile,
  sendFile,
} from './site.ts';
