export { renderErrorPage } from './error-page.ts';
export { createPagesFront, type PageHandler, type PageRequest, readSingleParameter } from './front.ts';
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
  buildSiteFiles,
  buildSiteHeaders,
  createSiteFile,
  createSiteFront,
  linkRelease,
  type Release,
  readSiteFolder,
  type SiteFile,
  sendFile,
} from './site.ts';
