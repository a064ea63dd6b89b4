// The layout of the installation's web pages, the page of an error, and how web applications are served; what a page
// says belongs to whoever shows it.

export { errorPage } from './error-page.ts';
export { type Html, html } from './html.ts';
export { chooseLanguage, LANGUAGES, type Language } from './language.ts';
export { formTarget, type PageAnswer, type PageOptions, redirect, showPage } from './page.ts';
export { linkRelease, type Release, readSiteFolder, releaseFiles, type SiteFile, siteFile } from './site/files.ts';
export { createSiteFront, type Site, sendFile } from './site/front.ts';
export { type SiteNeeds, siteHeaders } from './site/headers.ts';
