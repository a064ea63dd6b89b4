import type { RequestListener, ServerResponse } from 'node:http';
import { Fault } from '@boxoffice/envelope';
import { errorPage, type Html, html, type PageAnswer, showPage } from '@boxoffice/pages';
import type { DemoFiles, KeptMail } from './demo-files.ts';

/** The mails of the demo, as its pages show them. */
const OUTBOX = '/shop/outbox';

const ADDRESS = /https?:\/\/[^\s<>"]+/g;

/** A line whose addresses can be followed. */
const linked = (line: string): Html => {
  const addresses = line.match(ADDRESS) ?? [];
  return html`${line.split(ADDRESS).map((text, index) => {
    const address = addresses[index];
    return [text, address !== undefined && html`<a href="${address}">${address}</a>`];
  })}`;
};

const paragraphs = (text: string): Html[] =>
  text
    .trim()
    .split(/\n{2,}/)
    .map((part) => html`<p>${part.split('\n').map((line, index) => [index > 0 && html`<br>`, linked(line)])}</p>\n`);

const NOTE = 'The demo sends no mails: this is what it would send. Only the newest are kept.';

const page = (title: string, content: Html): PageAnswer =>
  showPage({ language: 'en', institution: 'Demo', title, content });

const listPage = (mails: readonly KeptMail[]): PageAnswer => {
  const entries = mails.map(
    ({ id, subject, to, keptAt }) =>
      html`<li><a href="${OUTBOX}/${id}">${subject}</a><br><span class="detail">${to}, ${keptAt.slice(0, 16).replace('T', ' ')} UTC</span></li>\n`,
  );
  const list = mails.length === 0 ? html`<p>There is none yet: buy a ticket.</p>` : html`<ol>${entries}</ol>`;
  return page('Mails', html`<p class="lead">${NOTE}</p>${list}<p><a href="/shop/">To the shop</a></p>`);
};

const mailPage = ({ id, subject, from, to, text, attachments }: KeptMail): PageAnswer => {
  const files = attachments.map(
    ({ filename }, index) => html`<li><a href="${OUTBOX}/${id}/${index}" download="${filename}">${filename}</a></li>\n`,
  );
  return page(
    subject,
    html`<p class="lead">${from}<br>${to}</p>${paragraphs(text)}${files.length > 0 && html`<ul>${files}</ul>`}
<p><a href="${OUTBOX}">All mails</a></p>`,
  );
};

const show = (response: ServerResponse, { status, headers, body }: PageAnswer, withBody: boolean): void => {
  response.setHeaders(new Map(Object.entries(headers)) as Map<string, string | readonly string[]>);
  response.writeHead(status).end(withBody ? body : undefined);
};

/** As a download, whatever it is: nothing of a mail runs in the origin of the shop. */
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

/** Serves the mails of the demo at /shop/outbox; without demo data there is nothing there. */
export const createDemoPages =
  (files: Pick<DemoFiles, 'isOn' | 'list' | 'get'>, next: RequestListener): RequestListener =>
  (request, response) => {
    const { method = '', headers, url = '' } = request;
    const [path = ''] = url.split('?', 1);
    if (path !== OUTBOX && !path.startsWith(`${OUTBOX}/`)) return next(request, response);
    const isHead = method === 'HEAD';
    const refuse = (fault: Fault): void => {
      const home = ['shop', '/shop/'] as const;
      show(response, errorPage(fault, { acceptLanguage: headers['accept-language'], home, requestId: '' }), !isHead);
    };
    const answer = async (): Promise<void> => {
      if (!files.isOn()) return refuse(new Fault('not_found', ''));
      if (!isHead && method !== 'GET') return refuse(new Fault('method_not_allowed', '', { Allow: 'GET, HEAD' }));
      const [id = '', part, ...more] = path.slice(OUTBOX.length + 1).split('/');
      if (id === '') return show(response, listPage(await files.list()), !isHead);
      const mail = more.length > 0 ? undefined : await files.get(id);
      if (mail && part === undefined) return show(response, mailPage(mail), !isHead);
      const file = /^\d{1,3}$/.test(part ?? '') ? mail?.attachments[Number(part)] : undefined;
      return file ? sendFile(response, file) : refuse(new Fault('not_found', ''));
    };
    request.resume();
    answer().catch(() => refuse(new Fault('internal_error', '')));
  };
