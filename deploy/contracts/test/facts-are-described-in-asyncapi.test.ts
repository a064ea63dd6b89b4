import { readFileSync } from 'node:fs';
import { Parser } from '@asyncapi/parser';
import { createCheck, dereference } from '@boxoffice/http';
import { encodeMessage } from '@boxoffice/messaging';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { processes } from '../src/index.ts';

type Json = ReturnType<typeof JSON.parse>;

const text = readFileSync(new URL('../../../docs/asyncapi.yaml', import.meta.url), 'utf8');

const faultsOf = async (source: string): Promise<string[]> =>
  (await new Parser().parse(source)).diagnostics
    // 3.0 is what most tools read.
    .filter(({ code }) => code !== 'asyncapi-latest-version')
    .map(({ message, path }) => `${path.join('.')}: ${message}`);

test('the public parser finds no fault', async () => {
  expect(await faultsOf(text)).toEqual([]);
});

test('negative control: a wrong document has faults', async () => {
  expect(await faultsOf(text.replace('action: send', 'action: tell'))).not.toEqual([]);
});

test('a reader of YAML 1.1 reads the same: date-times are texts', () => {
  expect(parse(text, { version: '1.1' })).toEqual(parse(text));
});

const { components, operations } = dereference(parse(text));

test('every example, with its envelope, fits the schema of its message', () => {
  for (const { payload, headers, examples } of Object.values<Json>(components.messages)) {
    const [example] = examples;
    const isOfType = { type: 'object', ...payload };
    expect(() => createCheck(isOfType)(structuredClone(example.payload))).not.toThrow();
    expect(() => createCheck(isOfType)({ ...example.payload, institution: {} })).toThrow();
    expect(() => createCheck(headers)({ ...example.headers })).not.toThrow();
  }
});

test('every fact has a sentence, a schema and an example; every process that has it sends or receives it', () => {
  for (const { name, publishes, consumes } of processes) {
    for (const [type, { example }] of Object.entries(publishes)) {
      expect(components.messages[type]).toMatchObject({ summary: expect.stringMatching(/^[A-Z].*\.$/) });
      expect(components.messages[type].examples[0].payload.data).toEqual(example);
      expect(operations[`${name}.send.${type}`].action).toBe('send');
    }
    for (const [queue, types] of Object.entries(consumes)) {
      const receives = operations[`${name}.receive.${queue}`];
      expect([receives.action, receives.messages.length]).toEqual(['receive', types.length]);
    }
  }
});

test('a message on the wire is what the document says', () => {
  const { Fact, Headers } = components.schemas;
  const { payload } = components.messages['order.confirmed'].examples[0];
  const { content, properties } = encodeMessage({ ...payload, traceparent: '00-1-2-01' });
  const sent = JSON.parse(content.toString());
  expect(Object.keys(sent).toSorted()).toEqual(Object.keys(Fact.properties).toSorted());
  expect(() => createCheck(Fact)(sent)).not.toThrow();
  expect(() => createCheck(Headers)({ ...properties.headers })).not.toThrow();
  expect(properties).toMatchObject({ messageId: payload.id, type: payload.type, contentType: 'application/json' });
});
