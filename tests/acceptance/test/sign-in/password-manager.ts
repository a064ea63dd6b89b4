import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { type BrowserContext, chromium } from 'playwright-core';
import { executablePath } from '../shop/visit.ts';

/** A password that Chromium's own password manager knows. */
export interface SavedPassword {
  /** The origin of the pages. */
  readonly origin: string;
  readonly login: string;
  readonly password: string;
}

/**
 * Opens Chromium with a profile of its own, whose password manager has saved one password. The browser trusts the
 * certificate of the origin, because the password manager fills nothing on a page with a certificate error.
 */
export async function runWithSavedPassword(
  { origin, login, password }: SavedPassword,
  story: (context: BrowserContext) => Promise<void>,
): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'boxoffice-chromium-'));
  const context = await chromium.launchPersistentContext(directory, {
    executablePath,
    locale: 'en-GB',
    // Chromium of a test neither saves nor fills passwords.
    ignoreDefaultArgs: ['--enable-automation'],
    args: [
      '--disable-gpu',
      `--ignore-certificate-errors-spki-list=${await keyOf(origin)}`,
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ],
  });
  try {
    const manager = await context.newPage();
    await manager.goto('chrome://password-manager/passwords');
    const entry = { url: origin, username: login, password, note: '', useAccountStore: false };
    await manager.evaluate(`chrome.passwordsPrivate.addPassword(${JSON.stringify(entry)})`);
    await manager.close();
    await story(context);
  } finally {
    await context.close();
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The hash of the public key of an origin's certificate. */
const keyOf = async (origin: string): Promise<string> => {
  const { hostname, port } = new URL(origin);
  const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const key = socket.getPeerX509Certificate()?.publicKey.export({ type: 'spki', format: 'der' });
  socket.destroy();
  if (!key) throw new Error(`${origin} has no certificate`);
  return createHash('sha256').update(key).digest('base64');
};
