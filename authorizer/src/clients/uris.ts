// Where a page of the authorizer leads people on, when nothing else says it.
import { Fault } from '@boxoffice/envelope';
import { REDIRECT_URI_PATTERN, SECURE_ORIGIN_PATTERN, WEB_ADDRESSES } from '@boxoffice/http';
import type { Store } from '@boxoffice/store';
import type { ClientType } from '../domain/client.ts';
import { clientsCollection } from '../store.ts';

interface Uris {
  readonly redirectUris?: readonly string[] | null | undefined;
  readonly origins?: readonly string[] | null | undefined;
}

const [REDIRECT_URI, ORIGIN] = [new RegExp(REDIRECT_URI_PATTERN), new RegExp(SECURE_ORIGIN_PATTERN)];

/** Why a client cannot register this redirect URI; undefined if it can. A pattern does not know which `xn--` names exist. */
export const redirectUriProblem = (uri: string, type: ClientType): string | undefined => {
  if (!REDIRECT_URI.test(uri) || !URL.canParse(uri)) return WEB_ADDRESSES[REDIRECT_URI_PATTERN];
  const isOfWeb = uri.startsWith('https://') || uri.startsWith('http://');
  return isOfWeb || type === 'public' ? undefined : 'has a private-use scheme, which only a public client may have';
};

/** Why a client cannot register this origin, which is to be as browsers send it; undefined if it can. */
export const originProblem = (origin: string): string | undefined =>
  ORIGIN.test(origin) && URL.canParse(origin) && new URL(origin).origin === origin
    ? undefined
    : WEB_ADDRESSES[SECURE_ORIGIN_PATTERN];

/** Checks the redirect URIs and origins of a registration. @throws {Fault} validation_error, naming every wrong one */
export const checkUris = ({ redirectUris, origins }: Uris, type: ClientType): void => {
  const named = (member: string, list: readonly string[], problemOf: (uri: string) => string | undefined) =>
    list.flatMap((uri, index) => {
      const problem = problemOf(uri);
      return problem === undefined ? [] : [`$.${member}[${index}] ${problem}`];
    });
  const problems = [
    ...named('redirectUris', redirectUris ?? [], (uri) => redirectUriProblem(uri, type)),
    ...named('origins', origins ?? [], originProblem),
  ];
  if (problems.length > 0) throw new Fault('validation_error', `${problems.join('; ')}.`);
};

/** Loopback and private-use redirect URIs name no page that a browser can open. */
const isWebPage = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' && hostname !== '127.0.0.1' && hostname !== '[::1]';

/**
 * The address at which users of an institution begin: the origin of the first redirect URI of its oldest client that
 * has one on the web, else, as of no institution, the documentation.
 */
export const applicationOf = async (
  store: Store,
  institution: string | undefined,
  publicUrl: string,
): Promise<string> => {
  const own = institution === undefined ? undefined : store.collection(clientsCollection).of(institution);
  const clients = (await own?.find({ where: { deletedAt: null }, orderBy: 'createdAt' })) ?? [];
  const uris = clients.flatMap(({ redirectUris = [] }) => redirectUris).filter((uri) => URL.canParse(uri));
  const page = uris.map((uri) => new URL(uri)).find(isWebPage);
  return page === undefined || page.origin === new URL(publicUrl).origin ? `${publicUrl}/docs` : page.origin;
};
