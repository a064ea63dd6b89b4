export { alert, type Field, field, form, hidden } from './fields.ts';
export { createPagesFront, type PageHandler, type PagesOptions } from './front.ts';
export { type Html, html } from './html.ts';
export { chooseLanguage, LANGUAGES, type Language, type LanguageWishes } from './language.ts';
export { lead } from './lead.ts';
export { formTarget, type Page, type PageAnswer, type PageOptions, pageHeaders, redirect, showPage } from './page.ts';
export { type PageRequest, single } from './request.ts';
export { type Texts, textsIn } from './texts/index.ts';
