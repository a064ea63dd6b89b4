// The texts of the pages, one file per language.
import type { Language } from '@boxoffice/pages';
import { de } from './de.ts';
import { en, type Texts } from './en.ts';
import { fr } from './fr.ts';

export type { Texts };

const texts: Readonly<Record<Language, Texts>> = { fr, en, de };

/** The texts of a language. */
export const textsIn = (language: Language): Texts => texts[language];
