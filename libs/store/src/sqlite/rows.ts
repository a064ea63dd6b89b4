import { findEarliest } from '../due.ts';
import type { Document, Due } from '../port.ts';

export function readDocument<T extends Document>([institution, version, body, due]: readonly unknown[]): T {
  const document = JSON.parse(body as string);
  document.version = version;
  document.institution = institution;
  if (typeof due === 'string') document.due = JSON.parse(due);
  return document;
}

export function formatBody(document: object): string {
  const { version: _version, institution: _institution, due: _due, ...body } = document as Document;
  return JSON.stringify(body);
}

/** Due work as its columns have it: all of it in JSON, and the earliest instant. */
export function toDueColumns(due: Due | undefined): readonly [string | null, number | null] {
  return [due ? JSON.stringify(due) : null, findEarliest(due)];
}
