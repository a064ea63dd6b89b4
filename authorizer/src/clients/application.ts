// Where a page of the authorizer leads people on, when nothing else says it.
import type { Store } from '@boxoffice/store';
import { clientsOf } from '../store.ts';

/** Loopback and private-use redirect URIs name no page that a browser can open. */
const isWebPage = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' && hostname !== '127.0.0.1' && hostname !== '[::1]';

/**
 * The address at which users of an institution begin: the origin of the first redirect URI of its oldest client that
 * has one on the web, else the documentation.
 */
export const applicationOf = async (store: Store, institution: string, publicUrl: string): Promise<string> => {
  const clients = await clientsOf(store)
    .of(institution)
    .find({ where: { deletedAt: null }, orderBy: 'createdAt' });
  const uris = clients.flatMap(({ redirectUris = [] }) => redirectUris).filter((uri) => URL.canParse(uri));
  const page = uris.map((uri) => new URL(uri)).find(isWebPage);
  return page === undefined || page.origin === new URL(publicUrl).origin ? `${publicUrl}/docs` : page.origin;
};
