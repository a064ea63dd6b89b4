// The layout of the installation's web pages, and the page of an error; what a page says belongs to whoever shows it.

export { errorPage } from './error-page.ts';
export { type Html, html } from './html.ts';
export { chooseLanguage, LANGUAGES, type Language } from './language.ts';
export { formTarget, type PageAnswer, type PageOptions, redirect, showPage } from './page.ts';
