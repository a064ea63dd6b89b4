import { registry } from '@boxoffice/envelope';
import { expect, test } from '@jest/globals';
import { dereferenced, openApiDocument } from '../../src/index.ts';
import { things } from '../things.ts';

interface Answer {
  readonly description: string;
  readonly content?: Record<string, { readonly examples: Readonly<Record<string, unknown>> }>;
}
type Paths = Readonly<
  Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, Answer>> }>>>
>;

test('the description of an error answer lists each of its codes with its meaning', () => {
  const options = { service: 'things', version: '1.2.3', operations: things, serverUrl: 'https://tickets.example' };
  const { paths } = dereferenced(openApiDocument(options), ['responses']) as unknown as { readonly paths: Paths };
  const codes = Object.values(paths)
    .flatMap((path) => Object.values(path))
    .flatMap(({ responses }) => Object.entries(responses).filter(([status]) => Number(status) >= 400))
    .flatMap(([, { description, content }]) =>
      Object.keys(content?.['application/json']?.examples ?? {}).map((code) => ({ code, description })),
    );
  expect(codes.length).toBeGreaterThan(50);
  for (const { code, description } of codes) {
    const { status, when } = registry[code as keyof typeof registry];
    expect(description).toContain(`- \`${status}\`: `);
    expect(description).toContain(when);
  }
});
