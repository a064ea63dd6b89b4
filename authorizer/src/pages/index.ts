// Web pages of the authorizer: forms, fields, requests, and texts in three languages.

export {
  chooseLanguage,
  formTarget,
  type Html,
  html,
  LANGUAGES,
  type Language,
  type LanguageWishes,
  type Page,
  type PageAnswer,
  type PageOptions,
  pageHeaders,
  redirect,
  showPage,
} from '@boxoffice/pages';
export { alert, type Field, field, form, hidden, lead } from './fields.ts';
export { createPagesFront, type PageHandler, type PagesOptions } from './front.ts';
export { type PageRequest, single } from './request.ts';
export { type Texts, textsIn } from './texts/index.ts';
