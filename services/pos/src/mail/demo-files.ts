import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { reasonOf } from '@boxoffice/runtime';
import { createTransport } from 'nodemailer';
import { COMPOSING, type OutgoingMail, type Transport } from './smtp.ts';

/** A mail of the demo, as its pages show it. */
export interface KeptMail {
  readonly id: string;
  /** ISO 8601 UTC. */
  readonly keptAt: string;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly attachments: readonly { readonly filename: string; readonly contentType: string; readonly base64: string }[];
}

/** Mails that are kept; the oldest are deleted. */
const MOST = 200;

const NAME = /^mail_[A-Za-z0-9_-]{1,80}$/;
const ENDINGS = ['.json', '.eml'] as const;

const mailboxText = (mailbox: OutgoingMail['from'] | OutgoingMail['to']): string => {
  const { name = '', address = '' } = mailbox as { name?: string; address?: string };
  return name === '' ? address : `${name} <${address}>`;
};

const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows', ...COMPOSING });

/** Keeps mails in a folder instead of sending them: each as the message that a server would get, and for the pages. */
export const createDemoFiles = (folder: () => string | undefined, now: () => number) => {
  const write = async (directory: string, name: string, content: string | Buffer): Promise<void> => {
    const draft = join(directory, `${name}.part`);
    await writeFile(draft, content);
    await rename(draft, join(directory, name));
  };

  const read = async (directory: string, id: string): Promise<KeptMail | undefined> => {
    try {
      return JSON.parse(await readFile(join(directory, `${id}.json`), 'utf8')) as KeptMail;
    } catch (error) {
      if (reasonOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  };

  const remove = (directory: string, id: string): Promise<unknown> =>
    Promise.all(ENDINGS.map((ending) => rm(join(directory, `${id}${ending}`), { force: true })));

  /** The newest first. */
  const list = async (): Promise<readonly KeptMail[]> => {
    const directory = folder();
    if (directory === undefined) return [];
    const names = await readdir(directory).catch(() => []);
    const ids = names.filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -'.json'.length));
    const kept = await Promise.all(ids.map((id) => read(directory, id)));
    return kept.flatMap((one) => one ?? []).sort((one, other) => (one.keptAt < other.keptAt ? 1 : -1));
  };

  const keep: Transport = async (mail) => {
    const directory = folder();
    if (directory === undefined) return { outcome: 'later', reason: 'no_folder', details: 'no folder is set' };
    const id = String(mail.messageId).replace(/^<|@.*$/g, '');
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const { message } = await composer.sendMail(mail);
    await write(directory, `${id}.eml`, message as Buffer);
    const kept: KeptMail = {
      id,
      keptAt: new Date(now()).toISOString(),
      from: mailboxText(mail.from),
      to: mailboxText(mail.to),
      subject: String(mail.subject),
      text: String(mail.text),
      attachments: (mail.attachments ?? []).map(({ filename, contentType, content }) => ({
        filename: String(filename),
        contentType: String(contentType),
        base64: (content as Buffer).toString('base64'),
      })),
    };
    await write(directory, `${id}.json`, JSON.stringify(kept));
    for (const { id: old } of (await list()).slice(MOST)) await remove(directory, old);
    return { outcome: 'sent' };
  };

  return {
    /** Whether mails are kept. */
    isOn: (): boolean => folder() !== undefined,
    keep,
    list,
    /** One of them; undefined: there is no such. */
    async get(id: string): Promise<KeptMail | undefined> {
      const directory = folder();
      return directory !== undefined && NAME.test(id) ? read(directory, id) : undefined;
    },
    /** Deletes some of them. */
    async erase(ids: readonly string[]): Promise<void> {
      const directory = folder();
      if (directory !== undefined) for (const id of ids) await remove(directory, id);
    },
  };
};

export type DemoFiles = ReturnType<typeof createDemoFiles>;
