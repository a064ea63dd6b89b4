import type { Collection, Document } from './port.ts';

const path = /^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$/;

/** The field of a condition, an order or an index. @throws for anything but a dotted path */
export const requirePath = (field: string): string => {
  if (!path.test(field)) throw new Error(`${JSON.stringify(field)} is not a field path`);
  return field;
};

const requireName = (name: string, pattern: RegExp, what: string): void => {
  if (!pattern.test(name)) throw new Error(`${JSON.stringify(name)} is not a name of ${what}`);
};

/** The declaration of a collection. @throws if a name in it is not allowed */
export const requireDeclaration = ({ name, indexes }: Collection<Document>): void => {
  requireName(name, /^[a-z_]+$/, 'a collection');
  for (const index of indexes) {
    requireName(index.name, /^[A-Za-z0-9_]+$/, 'an index');
    if (index.fields.length === 0) throw new Error(`index ${index.name} of ${name} has no fields`);
  }
};
