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
