import type { Listed } from '@boxoffice/http';
import { computeEmailKey } from '../domain/contact.ts';
import { computeNameKey, toPrefixRange } from '../domain/search-key.ts';
import type { ContactDocument } from '../store.ts';

type Find = Listed<ContactDocument>['find'];
type Where = NonNullable<Parameters<Find>[0]['where']>;

/** The query names its index. */
export interface Indexed {
  find(query: Parameters<Find>[0] & { readonly index?: string }): Promise<ContactDocument[]>;
}

/** Searches last name, name and email. */
export function searchContacts(contacts: Indexed, text: string): Listed<ContactDocument> {
  return {
    async find({ where = {}, orderBy = 'createdAt', limit, ...page }) {
      const queries = buildSearches(text, where).map((search) => ({ ...page, ...search, orderBy, limit }));
      const found = await Promise.all(queries.map((query) => contacts.find(query)));
      const byId = new Map(found.flat().map((contact) => [contact.id, contact]));
      const key = (contact: ContactDocument) => `${getSortValue(contact, orderBy)} ${contact.id}`;
      return [...byId.values()].toSorted((a, b) => (key(a) < key(b) ? -1 : 1)).slice(0, limit);
    },
  };
}

/** There is none for a text without letters. */
const buildSearches = (text: string, { emailKey: email, ...where }: Where) => {
  const [name, mail] = [computeNameKey(text), computeEmailKey(text)];
  const named = { index: 'name', where: { ...where, nameKey: toPrefixRange(name) } };
  const byName = { ...named, where: email === undefined ? named.where : { ...named.where, emailKey: email } };
  if (email === undefined)
    return [...(name === '' ? [] : [byName]), { index: 'email', where: { ...where, emailKey: toPrefixRange(mail) } }];
  const isSame = typeof email === 'string' && email.startsWith(mail);
  return isSame ? [{ index: 'email', where: { ...where, emailKey: email } }] : name === '' ? [] : [byName];
};

const getSortValue = (contact: ContactDocument, orderBy: string): string => String(contact[orderBy as 'createdAt']);
