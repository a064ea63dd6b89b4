import { type Html, html } from '@boxoffice/pages';
import type { Sentence } from './texts/en.ts';

/** The sentence below a heading, with its name (of a client, an institution, a user) emphasised. */
export const lead = ([before, name, after]: Sentence): Html =>
  html`<p class="lead">${before}<strong>${name}</strong>${after}</p>\n`;
