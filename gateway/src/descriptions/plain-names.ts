import type { OpenApiDocument } from '../routing/description.ts';

const EXPERIMENTAL = /^(.+)Experimental(.*)$/;

/**
 * The description with the experimental version's own schemas in the place of those that they extend: `Cart` means the
 * cart of that version. Those of the numbered version are lost, so it is for the experimental one only.
 */
export const withPlainNames = (document: OpenApiDocument): OpenApiDocument => {
  const schemas = Object.entries(document.components?.schemas ?? {});
  const plain = (name: string): string => name.replace(EXPERIMENTAL, '$1$2');
  const replaced = new Set(
    schemas
      .map(([name]) => name)
      .filter((name) => EXPERIMENTAL.test(name))
      .map(plain),
  );
  const kept = schemas.filter(([name]) => !replaced.has(name)).map(([name, schema]) => [plain(name), schema]);
  const whole = JSON.stringify({
    ...document,
    components: { ...document.components, schemas: Object.fromEntries(kept) },
  });
  return JSON.parse(
    whole.replaceAll(/"#\/components\/schemas\/([^"]+)"/g, (_, name) => `"#/components/schemas/${plain(name)}"`),
  );
};
