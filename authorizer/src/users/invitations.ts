import { LONGEST_PASSWORD } from '@boxoffice/logins';
import {
  chooseLanguage,
  html,
  type Language,
  type PageAnswer,
  type PageHandler,
  readSingleParameter,
  showPage,
} from '@boxoffice/pages';
import type { Store } from '@boxoffice/store';
import { INVITATION_MS, type Invitation, isInvited, SHORTEST_PASSWORD } from '../domain/user.ts';
import { hashSecret, makeSecret } from '../secrets.ts';
import type { Institutions } from '../sign-in/institutions.ts';
import { getTexts } from '../sign-in/texts.ts';
import {
  renderAlert,
  renderField,
  renderForm,
  renderHiddenFields,
  renderLead,
  renderTextPage,
} from '../sign-in/views.ts';
import { invitationsCollection, type UserDocument, usersCollection } from '../store.ts';
import { findPasswordProblem, type PasswordProblem } from './passwords.ts';

/** The form of invitations; any other text is not looked up. */
const INVITATION = /^inv_[A-Za-z0-9_-]{43}$/;

export const INVITATION_PATH = '/auth/invitation';

/** A new invitation with its link, which is shown this once. */
export type NewInvitation = ReturnType<typeof makeNewInvitation>;

export function makeNewInvitation(now: number) {
  const secret = makeSecret('inv_');
  return { secret, invitation: { hash: hashSecret(secret), expiresAt: now + INVITATION_MS } };
}

export function buildInvitationUrl(publicUrl: string, secret: string): string {
  return `${publicUrl}${INVITATION_PATH}?token=${secret}`;
}

/** Makes the invitation known by its secret; written before the user, who decides whether it counts. */
export async function storeInvitation(
  store: Store,
  institution: string,
  userId: string,
  { hash, expiresAt }: Invitation,
): Promise<void> {
  await store.collection(invitationsCollection).of(institution).insert({ id: hash, userId, expiresAt });
}

export async function removeInvitation(store: Store, institution: string, invitation: Invitation | null) {
  if (invitation !== null) await store.collection(invitationsCollection).of(institution).delete(invitation.hash);
}

export async function forgetInvitation(store: Store, institution: string, hash: string): Promise<void> {
  const found = await store.collection(invitationsCollection).of(institution).get(hash);
  if (!found) return;
  await store
    .collection(usersCollection)
    .of(institution)
    .update(found.userId, (user) =>
      user.invitation?.hash === hash ? { next: { ...user, invitation: null } } : undefined,
    );
}

/** The user whom a secret invites now; undefined if it was used, replaced, has expired or never existed. */
export async function findInvitedUser(store: Store, secret: string, now: number): Promise<UserDocument | undefined> {
  if (!INVITATION.test(secret)) return undefined;
  const hash = hashSecret(secret);
  const found = await store.collection(invitationsCollection).acrossInstitutions.get(hash);
  const user = found && (await store.collection(usersCollection).of(found.institution).get(found.userId));
  return user && isInvited(user, hash, now) ? user : undefined;
}

interface InvitationPageDependencies {
  readonly users: {
    invited(secret: string): Promise<UserDocument | undefined>;
    /** Sets the password of the invited user, once; undefined if the invitation has ended. */
    accept(secret: string, password: string): Promise<UserDocument | undefined>;
  };
  readonly institutions: Pick<Institutions, 'profile'>;
  readonly findApplication: (institution: string) => Promise<string>;
}

type Problem = PasswordProblem | 'different';

interface FormView {
  readonly language: Language;
  readonly institution: string;
  readonly user: UserDocument;
  readonly secret: string;
  readonly problem: Problem | undefined;
}

/** The link works until then or a newer one; it says the same of an unknown, a used and an expired invitation. */
export function createInvitationPage({
  users,
  findApplication,
  institutions,
}: InvitationPageDependencies): PageHandler {
  return async (request) => {
    const { acceptLanguage } = request;
    const renderEndedPage = (): PageAnswer => {
      const language = chooseLanguage({ acceptLanguage });
      const { endedTitle, ended: text } = getTexts(language).invitation;
      return renderTextPage(language, undefined, [endedTitle, text], { status: 404 });
    };
    const secret = readSingleParameter(request, 'token') ?? '';
    const user = await users.invited(secret);
    if (!user) return renderEndedPage();
    const { name: institution, languages } = await institutions.profile(user.institution);
    const language = chooseLanguage({ acceptLanguage }, languages);
    const view = { language, institution, user, secret };
    if (request.method === 'GET') return renderFormPage({ ...view, problem: undefined });

    const password = readSingleParameter(request, 'password') ?? '';
    const problem =
      findPasswordProblem(password, user) ??
      (password === readSingleParameter(request, 'repeat') ? undefined : 'different');
    if (problem) return renderFormPage({ ...view, problem });
    // Another request may have accepted it since.
    if (!(await users.accept(secret, password))) return renderEndedPage();
    const { doneTitle, done, open } = getTexts(language).invitation;
    const link = html`<p><a href="${await findApplication(user.institution)}">${open}</a></p>`;
    return renderTextPage(language, institution, [doneTitle, done], {}, link);
  };
}

/** The form: the login is shown in a field, so that a password manager stores both. */
const renderFormPage = ({ language, institution, user, secret, problem }: FormView): PageAnswer => {
  const texts = getTexts(language).invitation;
  const password = { type: 'password', autocomplete: 'new-password', invalid: problem !== undefined } as const;
  const fields = html`${renderHiddenFields({ token: secret })}${renderField({
    name: 'login',
    label: texts.login,
    type: 'text',
    inputMode: 'email',
    autocomplete: 'username',
    value: user.login,
    readOnly: true,
  })}${renderField({
    ...password,
    name: 'password',
    label: texts.password,
    hint: texts.hint(SHORTEST_PASSWORD),
    minLength: SHORTEST_PASSWORD,
    autofocus: true,
  })}${renderField({ ...password, name: 'repeat', label: texts.repeat, minLength: SHORTEST_PASSWORD })}<div class="actions"><button type="submit">${texts.submit}</button></div>
`;
  const message = problem !== undefined && renderAlert(describeProblem(language, problem));
  const content = html`${renderLead(texts.lead(institution))}${message}${renderForm(INVITATION_PATH, fields)}`;
  return showPage(
    { language, institution, title: texts.title, content },
    { status: problem === undefined ? 200 : 422 },
  );
};

const describeProblem = (language: Language, problem: Problem): string => {
  const { invitation } = getTexts(language);
  if (problem === 'short') return invitation.short(SHORTEST_PASSWORD);
  return problem === 'long' ? invitation.long(LONGEST_PASSWORD) : invitation[problem];
};
