import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { developmentCertificate, type Listening, listen, trustAuthorities } from '../../src/index.ts';

const directory = mkdtempSync(join(tmpdir(), 'boxoffice-trust-'));
let listening: Listening;
let caFile: string;
beforeAll(async () => {
  const certificate = await developmentCertificate(directory);
  caFile = certificate.caFile;
  listening = await listen((_request, response) => response.end('served'), {
    host: '127.0.0.1',
    port: 0,
    tls: certificate,
  });
});
afterAll(() => listening.close(0));

/** The answer that a new process with TLS_CA_FILE gets from the server: trust applies to the whole process. */
const answerTo = async (file: string | undefined): Promise<string> => {
  const entry = new URL('../../src/certificates/trust.ts', import.meta.url).href;
  const script = `
    const { trustAuthorities } = await import(${JSON.stringify(entry)});
    const { X509Certificate } = await import('node:crypto');
    const { getCACertificates } = await import('node:tls');
    const trusted = () => new Set(getCACertificates('default').map((pem) => new X509Certificate(pem).fingerprint256));
    const before = trusted();
    trustAuthorities(${JSON.stringify(file)});
    const included = before.isSubsetOf(trusted());
    const answer = await fetch(${JSON.stringify(listening.url)}).then((r) => r.text(), (e) => e.cause.code);
    console.log(included, answer);`;
  const { stdout } = await promisify(execFile)('node', ['--conditions=source', '--input-type=module', '-e', script]);
  return stdout.trim();
};

describe('TLS_CA_FILE', () => {
  test('adds its authorities to those that Node trusts', async () => {
    expect(await Promise.all([answerTo(undefined), answerTo(caFile)])).toEqual([
      'true DEPTH_ZERO_SELF_SIGNED_CERT',
      'true served',
    ]);
  });

  test('that cannot be read or has no certificate is named in one line', () => {
    const broken = join(directory, 'broken.pem');
    const empty = join(directory, 'empty.pem');
    writeFileSync(broken, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
    writeFileSync(empty, '');
    expect(() => trustAuthorities('/nowhere')).toThrow('TLS_CA_FILE: /nowhere cannot be read: it does not exist');
    expect(() => trustAuthorities(broken)).toThrow(`TLS_CA_FILE: ${broken} holds a damaged certificate`);
    expect(() => trustAuthorities(empty)).toThrow(`TLS_CA_FILE: ${empty} holds no certificate`);
  });
});
