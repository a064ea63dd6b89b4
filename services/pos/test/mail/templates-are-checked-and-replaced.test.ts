import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import {
  fillTemplate,
  parseTemplate,
  placeholders,
  readTemplates,
  templateKinds,
  type Values,
} from '../../src/mail/templates.ts';
import { importShopModule } from '../shop/fixture.ts';

const values = (given: Partial<Values> = {}): Values => ({
  ...(Object.fromEntries(placeholders.map((name) => [name, ''])) as Values),
  ...given,
});

describe('a template', () => {
  const fill = (body: string, given: Partial<Values> = {}) =>
    fillTemplate(parseTemplate(`Subject: Order {{number}}\n\n${body}\n`), values({ number: '7', ...given }));

  test('shows values and sections, and loses the lines that absent ones leave empty', () => {
    const body = 'A\n\n{{#buyer}}Dear {{buyer}}{{/buyer}}{{^buyer}}Hello{{/buyer}}\n\n{{printed}}\n\n{{lines}}\n\nB';
    expect(fill(body, { lines: 'one\ntwo' })).toEqual({
      subject: 'Order 7',
      button: '',
      text: 'A\n\nHello\n\none\ntwo\n\nB\n',
    });
    expect(fill(body, { buyer: 'Ana' }).text).toBe('A\n\nDear Ana\n\nB\n');
    const nested = '{{#attached}}{{#tickets}}tickets{{/tickets}}{{^tickets}}goods{{/tickets}}{{/attached}}.';
    expect(fill(nested, { attached: '1', tickets: 'yes' }).text).toBe('tickets.\n');
    expect(fill(nested, { attached: '1' }).text).toBe('goods.\n');
    expect(fill(nested, { tickets: 'yes' }).text).toBe('.\n');
  });

  test('does not read a value as a template, and keeps the subject on one line', () => {
    expect(fill('{{buyer}}', { buyer: '{{link}}$&', link: 'secret' }).text).toBe('{{link}}$&\n');
    expect(fill('x', { number: '7\r\nBcc: evil@example.org' }).subject).toBe('Order 7 Bcc: evil@example.org');
  });

  test.each([
    ['Subject: x\nno empty line', 'begin with a line "Subject:'],
    ['Hello', 'begin with a line "Subject:'],
    ['Subject: x\n\n{{nothing}}', '{{nothing}} is unknown'],
    ['Subject: x\n\n{{constructor}}', '{{constructor}} is unknown'],
    ['Subject: x\n\n{{#toString}}y{{/toString}}', '{{toString}} is unknown'],
    ['Subject: x\n\n{{#buyer}}{{#x}}y{{/x}}{{/buyer}}', '{{x}} is unknown'],
    ['Subject: {{Buyer}}\n\nx', '{{Buyer}} is unknown'],
    ['Subject: x\n\n{{#buyer}}open', 'is no placeholder, and no section that ends'],
    ['Subject: x\n\n{{buyer}', 'is no placeholder'],
    [`Subject: x\n\n${'x'.repeat(70_000)}`, 'more than 65536'],
  ])('is refused with the reason: %.30s', (file, reason) => {
    expect(() => parseTemplate(file)).toThrow(reason);
  });
});

describe('the templates of an institution', () => {
  const folder = mkdtempSync(join(tmpdir(), 'boxoffice-templates-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  };

  test('replace those of the product, one by one; others are reported and not used', () => {
    write('tickets.opera.example/fr/refund.txt', 'Subject: Remboursé\r\n\r\n{{refund}}\r\n');
    write('tickets.opera.example/it/refund.txt', 'Subject: Rimborso\n\n{{refund}}\n');
    write('tickets.opera.example/de/refund.txt', 'Subject: Erstattung\n\n{{betrag}}\n');
    write('tickets.opera.example/fr/welcome.txt', 'Subject: x\n\ny\n');
    const refused: string[] = [];
    const find = readTemplates(folder, (file, reason) => void refused.push(`${file}: ${reason}`));
    const subject = (host: string, ...languages: string[]) => find(host, languages, 'refund').template.subject;
    expect(subject('tickets.opera.example', 'fr-CH')).toBe('Remboursé');
    expect(subject('tickets.opera.example', 'it')).toBe('Rimborso');
    expect(subject('tickets.opera.example', 'de')).toContain('Erstattung zu Ihrer Bestellung');
    expect(subject('another.example', 'fr')).toContain('Remboursement de votre commande');
    expect(find('another.example', ['it', 'de'], 'refund')).toMatchObject({ language: 'de' });
    expect(find('another.example', ['it'], 'refund')).toMatchObject({ language: 'en' });
    expect(refused.sort()).toEqual([
      expect.stringContaining('tickets.opera.example/de/refund.txt: {{betrag}} is unknown; there are buyer, '),
      expect.stringContaining('tickets.opera.example/fr/welcome.txt: there is no such kind of mail'),
    ]);
  });

  test('a folder that is not there is reported', () => {
    const refused: string[] = [];
    readTemplates(join(folder, 'nowhere'), (file, reason) => void refused.push(`${file}: ${reason}`));
    expect(refused).toEqual([expect.stringContaining('there is no such folder')]);
  });
});

test('the product has each text in three languages, with everything that its buyer needs', async () => {
  const find = readTemplates(undefined, () => undefined);
  for (const language of ['en', 'fr', 'de']) {
    // Page and mail say the same about passing on the link.
    const { linkText, linkText_other } = (await importShopModule(`texts/${language}.js`))[language];
    const { body } = find('x.example', [language], 'confirmation').template;
    for (const text of [linkText, linkText_other]) expect(body).toContain(text);
    for (const kind of templateKinds) {
      const { template, language: found } = find('x.example', [language], kind);
      expect(found).toBe(language);
      expect(template.body).toContain('{{number}}');
      expect(template.body).toContain('{{lines}}');
      if (kind === 'confirmation' || kind === 'moved') expect(template.body).toContain('{{link}}');
    }
  }
});
