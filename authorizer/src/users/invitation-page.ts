import { LONGEST_PASSWORD } from '@boxoffice/logins';
import { chooseLanguage, html, type Language, type PageAnswer, showPage } from '@boxoffice/pages';
import { SHORTEST_PASSWORD } from '../domain/user.ts';
import { type PageHandler, single } from '../sign-in/front.ts';
import type { Institutions } from '../sign-in/institutions.ts';
import { textsIn } from '../sign-in/texts.ts';
import { alert, field, form, hidden, lead, textPage } from '../sign-in/views.ts';
import type { UserDocument } from '../store.ts';
import { INVITATION_PATH } from './invitations.ts';
import { type PasswordProblem, passwordProblem } from './passwords.ts';
import type { Users } from './users.ts';

interface InvitationPageDependencies {
  readonly users: Pick<Users, 'invited' | 'accept'>;
  readonly institutions: Pick<Institutions, 'profile'>;
  /** Where users of an institution begin. */
  readonly applicationOf: (institution: string) => Promise<string>;
}

/** Why the form is shown again. */
type Problem = PasswordProblem | 'different';

interface FormView {
  readonly language: Language;
  readonly institution: string;
  readonly user: UserDocument;
  readonly secret: string;
  readonly problem: Problem | undefined;
}

const messageOf = (language: Language, problem: Problem): string => {
  const { invitation } = textsIn(language);
  if (problem === 'short') return invitation.short(SHORTEST_PASSWORD);
  return problem === 'long' ? invitation.long(LONGEST_PASSWORD) : invitation[problem];
};

/** The form: the login is shown in a field, so that a password manager stores both. */
const formPage = ({ language, institution, user, secret, problem }: FormView): PageAnswer => {
  const texts = textsIn(language).invitation;
  const password = { type: 'password', autocomplete: 'new-password', invalid: problem !== undefined } as const;
  const fields = html`${hidden({ token: secret })}${field({
    name: 'login',
    label: texts.login,
    type: 'text',
    inputMode: 'email',
    autocomplete: 'username',
    value: user.login,
    readOnly: true,
  })}${field({
    ...password,
    name: 'password',
    label: texts.password,
    hint: texts.hint(SHORTEST_PASSWORD),
    minLength: SHORTEST_PASSWORD,
    autofocus: true,
  })}${field({ ...password, name: 'repeat', label: texts.repeat, minLength: SHORTEST_PASSWORD })}<div class="actions"><button type="submit">${texts.submit}</button></div>
`;
  const message = problem !== undefined && alert(messageOf(language, problem));
  const content = html`${lead(texts.lead(institution))}${message}${form(INVITATION_PATH, fields)}`;
  return showPage(
    { language, institution, title: texts.title, content },
    { status: problem === undefined ? 200 : 422 },
  );
};

/**
 * Makes the page that an invitation's link leads to: it sets the password of the invited user. The link works until then,
 * is replaced by a newer one, and says the same of an unknown, a used and an expired one.
 */
export const createInvitationPage =
  ({ users, applicationOf, institutions }: InvitationPageDependencies): PageHandler =>
  async (request) => {
    const { acceptLanguage } = request;
    const ended = (): PageAnswer => {
      const language = chooseLanguage({ acceptLanguage });
      const { endedTitle, ended: text } = textsIn(language).invitation;
      return textPage(language, undefined, [endedTitle, text], { status: 404 });
    };
    const secret = single(request, 'token') ?? '';
    const user = await users.invited(secret);
    if (!user) return ended();
    const { name: institution, languages } = await institutions.profile(user.institution);
    const language = chooseLanguage({ acceptLanguage }, languages);
    const view = { language, institution, user, secret };
    if (request.method === 'GET') return formPage({ ...view, problem: undefined });

    const password = single(request, 'password') ?? '';
    const problem =
      passwordProblem(password, user) ?? (password === single(request, 'repeat') ? undefined : 'different');
    if (problem) return formPage({ ...view, problem });
    // Another request may have accepted it since.
    if (!(await users.accept(secret, password))) return ended();
    const { doneTitle, done, open } = textsIn(language).invitation;
    const link = html`<p><a href="${await applicationOf(user.institution)}">${open}</a></p>`;
    return textPage(language, institution, [doneTitle, done], {}, link);
  };
