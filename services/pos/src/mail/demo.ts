import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { RequestListener, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { Fault } from '@boxoffice/envelope';
import { type Html, html, type PageAnswer, renderErrorPage, showPage } from '@boxoffice/pages';
import { getErrorCode } from '@boxoffice/runtime';
import { createTransport } from 'nodemailer';
import { sendPage } from '../shop/shop-list.ts';
import { COMPOSING, type OutgoingMail, type Transport } from './server.ts';

interface KeptMail {
  readonly id: string;
  readonly keptAt: string;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly attachments: readonly { readonly filename: string; readonly contentType: string; readonly base64: string }[];
}

const MOST = 200;

const NAME = /^mail_[A-Za-z0-9_-]{1,80}$/;
const ENDINGS = ['.json', '.eml'] as const;

const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows', ...COMPOSING });

/** Keeps mails in a folder instead of sending them. */
export function createDemoFiles(folder: () => string | undefined, now: () => number) {
  const write = async (directory: string, name: string, content: string | Buffer): Promise<void> => {
    const draft = join(directory, `${name}.part`);
    await writeFile(draft, content);
    await rename(draft, join(directory, name));
  };

  const read = async (directory: string, id: string): Promise<KeptMail | undefined> => {
    try {
      return JSON.parse(await readFile(join(directory, `${id}.json`), 'utf8')) as KeptMail;
    } catch (error) {
      if (getErrorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  };

  const remove = (directory: string, id: string): Promise<unknown> =>
    Promise.all(ENDINGS.map((ending) => rm(join(directory, `${id}${ending}`), { force: true })));

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
    isOn: (): boolean => folder() !== undefined,
    keep,
    list,
    async get(id: string): Promise<KeptMail | undefined> {
      const directory = folder();
      return directory !== undefined && NAME.test(id) ? read(directory, id) : undefined;
    },
    async erase(ids: readonly string[]): Promise<void> {
      const directory = folder();
      if (directory !== undefined) for (const id of ids) await remove(directory, id);
    },
  };
}

const mailboxText = (mailbox: OutgoingMail['from'] | OutgoingMail['to']): string => {
  const { name = '', address = '' } = mailbox as { name?: string; address?: string };
  return name === '' ? address : `${name} <${address}>`;
};

export type DemoFiles = ReturnType<typeof createDemoFiles>;

const OUTBOX = '/shop/outbox';

const ADDRESS = /https?:\/\/[^\s<>"]+/g;

const NOTE = 'No mails are sent here: this is what would be sent. Only the newest are kept.';

/** Serves nothing without demo data. */
export function createDemoPages(
  files: Pick<DemoFiles, 'isOn' | 'list' | 'get'>,
  next: RequestListener,
): RequestListener {
  return (request, response) => {
    const { method = '', headers, url = '' } = request;
    const [path = ''] = url.split('?', 1);
    if (path !== OUTBOX && !path.startsWith(`${OUTBOX}/`)) return next(request, response);
    const refuse = (fault: Fault): void => {
      const home = ['shop', '/shop/'] as const;
      sendPage(response, renderErrorPage(fault, { acceptLanguage: headers['accept-language'], home, requestId: '' }));
    };
    const answer = async (): Promise<void> => {
      if (!files.isOn()) return refuse(new Fault('not_found', ''));
      if (method !== 'HEAD' && method !== 'GET')
        return refuse(new Fault('method_not_allowed', '', { Allow: 'GET, HEAD' }));
      const [id = '', part, ...more] = path.slice(OUTBOX.length + 1).split('/');
      if (id === '') return sendPage(response, renderMails(await files.list()));
      const mail = more.length > 0 ? undefined : await files.get(id);
      if (mail && part === undefined) return sendPage(response, renderMail(mail));
      const file = /^\d{1,3}$/.test(part ?? '') ? mail?.attachments[Number(part)] : undefined;
      return file ? sendFile(response, file) : refuse(new Fault('not_found', ''));
    };
    request.resume();
    answer().catch(() => refuse(new Fault('internal_error', '')));
  };
}

const renderMails = (mails: readonly KeptMail[]): PageAnswer => {
  const entries = mails.map(({ id, subject, to, keptAt }) => {
    const detail = `${to}, ${keptAt.slice(0, 16).replace('T', ' ')} UTC`;
    return html`<li><a href="${OUTBOX}/${id}">${subject}</a><br><span class="detail">${detail}</span></li>\n`;
  });
  const list = mails.length === 0 ? html`<p>There is none yet: buy a ticket.</p>` : html`<ol>${entries}</ol>`;
  return renderPage('Mails', html`<p class="lead">${NOTE}</p>${list}<p><a href="/shop/">To the shop</a></p>`);
};

const renderPage = (title: string, content: Html): PageAnswer =>
  showPage({ language: 'en', institution: 'boxoffice', title, content });

const renderMail = ({ id, subject, from, to, text, attachments }: KeptMail): PageAnswer => {
  const files = attachments.map(
    ({ filename }, index) => html`<li><a href="${OUTBOX}/${id}/${index}" download="${filename}">${filename}</a></li>\n`,
  );
  return renderPage(
    subject,
    html`<p class="lead">${from}<br>${to}</p>${paragraphs(text)}${files.length > 0 && html`<ul>${files}</ul>`}
<p><a href="${OUTBOX}">All mails</a></p>`,
  );
};

const paragraphs = (text: string): Html[] =>
  text
    .trim()
    .split(/\n{2,}/)
    .map(
      (part) => html`<p>${part.split('\n').map((line, index) => [index > 0 && html`<br>`, linkAddresses(line)])}</p>\n`,
    );

const linkAddresses = (line: string): Html => {
  const addresses = line.match(ADDRESS) ?? [];
  return html`${line.split(ADDRESS).map((text, index) => {
    const address = addresses[index];
    return [text, address !== undefined && html`<a href="${address}">${address}</a>`];
  })}`;
};

/** Everything is a download: nothing of a mail runs in the origin of the shop. */
const sendFile = (
  response: ServerResponse,
  { filename, contentType, base64 }: KeptMail['attachments'][number],
): void => {
  const content = Buffer.from(base64, 'base64');
  response
    .writeHead(200, {
      'Content-Type': contentType,
      'Content-Length': content.length,
      'Content-Disposition': `attachment; filename="${filename.replaceAll(/[^A-Za-z0-9._-]/g, '_')}"`,
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'no-store',
    })
    .end(content);
};
