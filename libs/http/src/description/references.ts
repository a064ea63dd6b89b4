type Components = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const REFERENCE = /"\$ref":"#\/components\/([^/"]+)\/([^"]+)"/g;

/** The document without components that nothing refers to, and security schemes that nothing requires. */
export const withoutUnused = <Whole extends { readonly components: Components }>(whole: Whole): Whole => {
  const { components, ...document } = whole;
  const used = new Set<string>();
  const require = (member: string, value: unknown): unknown => {
    if (member === 'security' && Array.isArray(value))
      for (const name of value.flatMap((needed: object) => Object.keys(needed))) used.add(`securitySchemes/${name}`);
    return value;
  };
  const follow = (value: unknown): void => {
    for (const [, kind = '', name = ''] of JSON.stringify(value, require).matchAll(REFERENCE)) {
      if (used.has(`${kind}/${name}`)) continue;
      used.add(`${kind}/${name}`);
      follow(components[kind]?.[name] ?? {});
    }
  };
  follow(document);
  const referenced = Object.entries(components).map(([kind, all]) => [
    kind,
    Object.fromEntries(Object.entries(all).filter(([name]) => used.has(`${kind}/${name}`))),
  ]);
  const filled = referenced.filter(([, all]) => Object.keys(all ?? {}).length > 0);
  return { ...whole, components: Object.fromEntries(filled) };
};

/** The document with the component in the place of each `$ref` to one of these kinds; default: of all. */
export const dereferenced = <Whole extends object>(document: Whole, kinds?: readonly string[]): Whole => {
  const { components = {} } = document as { readonly components?: Components };
  const inlined = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inlined);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref, ...beside } = value as { readonly $ref?: unknown };
    const [, kind = '', name = ''] = /^#\/components\/([^/]+)\/(.+)$/.exec(String($ref)) ?? [];
    const found = !kinds || kinds.includes(kind) ? components[kind]?.[name] : undefined;
    if (found !== undefined) return { ...(inlined(found) as object), ...beside };
    return Object.fromEntries(Object.entries(value).map(([member, one]) => [member, inlined(one)]));
  };
  return inlined(document) as Whole;
};
