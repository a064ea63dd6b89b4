// The layout of the installation's web pages, and the page of an error; what a page says belongs to whoever shows it.

export { errorPage } from './error-page.ts';
export { type Html, html } from './html.ts';
export { chooseLanguage, LANGUAGES, type Language, type LanguageWishes } from './language.ts';
export { formTarget, type Page, type PageAnswer, type PageOptions, pageHeaders, redirect, showPage } from './page.ts';
