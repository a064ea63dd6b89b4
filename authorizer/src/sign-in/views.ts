import {
  chooseLanguage,
  type Html,
  html,
  type Language,
  type PageAnswer,
  type PageOptions,
  type PageRequest,
  showPage,
  toFormTarget,
} from '@boxoffice/pages';
import { PATHS } from '../tokens/endpoints.ts';
import type { InstitutionProfile } from './institutions.ts';
import { describeScope, getTexts, type Sentence } from './texts.ts';

/** A labelled input. `autocomplete` is the token by which password managers recognise it (HTML, 4.10.18.7). */
interface Field {
  /** Its name in the form, and its id. */
  readonly name: string;
  readonly label: string;
  /** Not `email`: browsers refuse an internationalised one, or send its domain as `xn--`. */
  readonly type: 'password' | 'text';
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

/** The id of the message that fields marked `invalid` refer to; see {@link renderAlert}. */
const ALERT_ID = 'message';

export function renderField(given: Field): Html {
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
}

/** What is wrong, announced by screen readers. */
export function renderAlert(text: string): Html {
  return html`<p class="alert" id="${ALERT_ID}" role="alert">${text}</p>\n`;
}

export function renderHiddenFields(members: Readonly<Record<string, string>>): Html {
  return html`${Object.entries(members).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`)}`;
}

export function renderForm(action: string, content: Html): Html {
  return html`<form method="post" action="${action}">\n${content}</form>`;
}

export function renderLead([before, name, after]: Sentence): Html {
  return html`<p class="lead">${before}<strong>${name}</strong>${after}</p>\n`;
}

export function renderTextPage(
  language: Language,
  institution: string | undefined,
  [title, text]: readonly [string, string],
  options: PageOptions,
  more?: Html,
): PageAnswer {
  return showPage({ language, institution, title, content: html`<p class="lead">${text}</p>${more}` }, options);
}

export interface View {
  readonly institution: InstitutionProfile;
  readonly language: Language;
}

export function resolveView(
  { acceptLanguage }: PageRequest,
  institution: InstitutionProfile,
  uiLocales: string | undefined,
): View {
  return { institution, language: chooseLanguage({ uiLocales, acceptLanguage }, institution.languages) };
}

const LONGEST_LOGIN = 254;

interface SignInView extends View {
  readonly client: string;
  readonly redirectUri: string;
  readonly state: string;
  readonly login: string | undefined;
  readonly isWrong: boolean;
  readonly cookies: readonly string[];
}

export function renderSignInPage(view: SignInView): PageAnswer {
  const texts = getTexts(view.language).signIn;
  const fields = html`${renderHiddenFields({ form: view.state })}${renderField({
    name: 'login',
    label: texts.login,
    type: 'text',
    inputMode: 'email',
    autocomplete: 'username',
    value: view.login,
    invalid: view.isWrong,
    maxLength: LONGEST_LOGIN,
    autofocus: view.login === undefined,
  })}${renderField({
    name: 'password',
    label: texts.password,
    type: 'password',
    autocomplete: 'current-password',
    invalid: view.isWrong,
    autofocus: view.login !== undefined,
  })}<div class="actions"><button type="submit">${texts.submit}</button></div>
`;
  const content = html`${renderLead(texts.lead(view.client))}${view.isWrong && renderAlert(texts.wrong)}${renderForm(PATHS.authorize, fields)}`;
  return showPage(
    { language: view.language, institution: view.institution.name, title: texts.title, content },
    {
      status: view.isWrong ? 403 : 200,
      formAction: toFormTarget(view.redirectUri),
      headers: { 'Set-Cookie': view.cookies },
    },
  );
}

interface ConsentView extends View {
  readonly client: string;
  readonly redirectUri: string;
  readonly state: string;
  readonly login: string;
  readonly scopes: readonly string[];
  /** Whether another application of the same device could receive the answer. */
  readonly isClaimable: boolean;
  readonly cookies: readonly string[];
}

export function renderConsentPage(view: ConsentView): PageAnswer {
  const texts = getTexts(view.language);
  const named = view.scopes.map((scope) => describeScope(texts, scope));
  const content = html`${renderLead(named.length > 0 ? texts.consent.lead(view.client) : texts.consent.nothing(view.client))}${
    named.length > 0 && html`<ul class="scopes">${named.map((scope) => html`<li>${scope}</li>`)}</ul>\n`
  }<div class="account">${renderLead(texts.consent.signedInAs(view.login))}${
    view.isClaimable && html`<p>${texts.consent.device}</p>`
  }</div>${renderForm(
    PATHS.authorize,
    html`${renderHiddenFields({ form: view.state })}<div class="actions">
<button type="submit" name="decision" value="allow">${texts.consent.allow}</button>
<button class="quiet" type="submit" name="decision" value="deny">${texts.consent.deny}</button>
</div>
`,
  )}`;
  return showPage(
    { language: view.language, institution: view.institution.name, title: texts.consent.title, content },
    { formAction: toFormTarget(view.redirectUri), headers: { 'Set-Cookie': view.cookies } },
  );
}

/** The page of a request that must not be redirected (RFC 6749, 4.1.2.1). */
export function renderBrokenLinkPage(
  language: Language,
  institution: string | undefined,
  fault: 'client' | 'redirect',
  detail: string,
): PageAnswer {
  const texts = getTexts(language).errors;
  const more = html`<p class="detail">${texts.advice} <code>${detail}</code></p>`;
  return renderTextPage(language, institution, [texts.title, texts[fault]], { status: 400 }, more);
}

/** The page of a form that is not accepted: too old, or from another window or site. */
export function renderInvalidFormPage(language: Language): PageAnswer {
  const { formTitle, form: text } = getTexts(language).errors;
  return renderTextPage(language, undefined, [formTitle, text], { status: 400 });
}

/** The page of a form that had success before; its link sends the request again. */
export function renderSentFormPage(
  { language, institution }: View,
  purpose: 'sign-in' | 'consent',
  again: string,
): PageAnswer {
  const texts = getTexts(language).errors;
  const text = purpose === 'consent' ? texts.answered : texts.sent;
  const link = html`<div class="actions"><a class="button" href="${again}">${texts.proceed}</a></div>`;
  return renderTextPage(language, institution.name, [texts.sentTitle, text], { status: 409 }, link);
}

export function renderTooManyAttemptsPage(
  { language, institution }: View,
  waitMs: number,
  isBusy: boolean,
): PageAnswer {
  const texts = getTexts(language).tooMany;
  const text = isBusy ? texts.busy : texts.lead(Math.ceil(waitMs / 60_000));
  const headers = { 'Retry-After': String(Math.ceil(waitMs / 1_000)) };
  return renderTextPage(language, institution.name, [texts.title, text], { status: 429, headers });
}

export function renderSignOutPage(
  { language, institution }: View,
  login: string,
  state: string,
  cookies: readonly string[],
  redirectUri: string | undefined,
): PageAnswer {
  const texts = getTexts(language).signOut;
  const fields = html`${renderHiddenFields({ form: state })}<div class="actions"><button type="submit">${texts.submit}</button></div>`;
  return showPage(
    {
      language,
      institution: institution.name,
      title: texts.title,
      content: html`${renderLead(texts.lead(login))}${renderForm(PATHS.logout, fields)}`,
    },
    {
      formAction: redirectUri === undefined ? undefined : toFormTarget(redirectUri),
      headers: { 'Set-Cookie': cookies },
    },
  );
}

export function renderSignedOutPage(
  language: Language,
  institution: InstitutionProfile | undefined,
  cookies: readonly string[],
  application: string,
): PageAnswer {
  const texts = getTexts(language).signOut;
  const link = html`<p><a href="${application}">${texts.open}</a></p>`;
  const headers = { 'Set-Cookie': cookies };
  return renderTextPage(language, institution?.name, [texts.doneTitle, texts.done], { headers }, link);
}
