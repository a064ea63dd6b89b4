import { type Html, html, type Language, type PageAnswer, type PageOptions, showPage } from '@boxoffice/pages';
import type { Sentence } from './texts/en.ts';

/** A labelled input. `autocomplete` is the token by which password managers recognise it (HTML, 4.10.18.7). */
interface Field {
  /** Its name in the form, and its id. */
  readonly name: string;
  readonly label: string;
  /** Not `email`: browsers refuse an internationalised one, or send its domain as `xn--`. */
  readonly type: 'password' | 'text';
  /** The keyboard that devices show. */
  readonly inputMode?: 'email';
  readonly autocomplete: 'username' | 'current-password' | 'new-password';
  readonly value?: string | undefined;
  readonly hint?: string;
  readonly invalid?: boolean;
  readonly autofocus?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly readOnly?: boolean;
}

/** The id of the message that fields marked `invalid` refer to; see {@link alert}. */
const ALERT_ID = 'message';

/** One field with its label and hint. */
export const field = (given: Field): Html => {
  const { name, label, type, autocomplete, value, hint, invalid = false, minLength, maxLength } = given;
  const described = [invalid && ALERT_ID, hint !== undefined && `${name}-hint`].filter(Boolean).join(' ');
  return html`<div class="field">
<label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}" required${
    value !== undefined && html` value="${value}"`
  }${invalid && html` aria-invalid="true"`}${described !== '' && html` aria-describedby="${described}"`}${
    minLength !== undefined && html` minlength="${minLength}"`
  }${maxLength !== undefined && html` maxlength="${maxLength}"`}${given.readOnly === true && html` readonly`}${
    given.autofocus === true && html` autofocus`
  }${given.inputMode !== undefined && html` inputmode="${given.inputMode}"`} autocapitalize="none" spellcheck="false">
${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>\n`}</div>
`;
};

/** What is wrong, announced by screen readers. */
export const alert = (text: string): Html => html`<p class="alert" id="${ALERT_ID}" role="alert">${text}</p>\n`;

/** A form's hidden members. */
export const hidden = (members: Readonly<Record<string, string>>): Html =>
  html`${Object.entries(members).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`)}`;

/** A form that is sent to a path of this origin with POST. */
export const form = (action: string, content: Html): Html =>
  html`<form method="post" action="${action}">\n${content}</form>`;

/** The sentence below a heading, with its name (of a client, an institution, a user) emphasised. */
export const lead = ([before, name, after]: Sentence): Html =>
  html`<p class="lead">${before}<strong>${name}</strong>${after}</p>\n`;

/** A page of one text, and what follows it. */
export const textPage = (
  language: Language,
  institution: string | undefined,
  [title, text]: readonly [string, string],
  options: PageOptions,
  more?: Html,
): PageAnswer => showPage({ language, institution, title, content: html`<p class="lead">${text}</p>${more}` }, options);
