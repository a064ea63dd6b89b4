// The texts of the pages, one file per language.
import type { Language } from '@boxoffice/pages';
import { de } from './de.ts';
import { en, type Texts } from './en.ts';
import { fr } from './fr.ts';

export type { Texts };

const texts: Readonly<Record<Language, Texts>> = { fr, en, de };

/** The texts of a language. */
export const textsIn = (language: Language): Texts => texts[language];

const OF_DOMAIN = /^([a-z][a-z0-9-]*)(\.sensitive)?:(read|write)$/;

/** What a scope lets its holder do; of a domain of a team's own in general words. */
export const scopeText = ({ scopes, ofDomain }: Texts, scope: string): string => {
  const [, domain, sensitive, action] = OF_DOMAIN.exec(scope) ?? [];
  if (scopes[scope] !== undefined || domain === undefined) return scopes[scope] ?? scope;
  if (sensitive === undefined) return action === 'read' ? ofDomain.read(domain) : ofDomain.write(domain);
  return action === 'read' ? ofDomain.sensitiveRead(domain) : ofDomain.sensitiveWrite(domain);
};
