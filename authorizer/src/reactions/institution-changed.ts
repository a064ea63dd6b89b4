import { type Message, Unreadable } from '@boxoffice/messaging';
import type { Institutions } from '../sign-in/institutions.ts';

const isText = (value: unknown): value is string => typeof value === 'string';

/**
 * Records the name and the languages that the pages show.
 * @throws {Unreadable} without name or languages
 */
export const onInstitutionChanged = async (
  institutions: Pick<Institutions, 'record'>,
  { institution, version, data }: Message,
): Promise<void> => {
  const { name, languages } = data as { readonly name?: unknown; readonly languages?: unknown };
  if (!isText(name) || !Array.isArray(languages) || !languages.every(isText))
    throw new Unreadable('institution.changed needs name and languages');
  await institutions.record(institution, { name, languages }, version);
};
