// A guest without a ticket that can be scanned: found by its number, its order, its seat or its name.
import { button, h } from '../dom.js';
import { placeOf, t, titleOf } from '../texts/index.js';

/** Two pages of hits; whoever has more types more of the name. */
const [PAGE, PAGES] = [10, 2];

/** The number of a ticket, which may lack its beginning: long, of letters and digits. Names and seats are none. */
const TICKET = /^(?:tic_)?(?=[a-z]*\d)[a-z\d]{16,}(?:_r\d+)?$/;

/** Asks for a ticket; resolves to its id, undefined if nobody chooses one. */
export function askTicket({ evening, link }) {
  return new Promise((resolve) => {
    const { performances } = evening.door();
    const input = h('input', {
      required: true,
      maxlength: 100,
      autocapitalize: 'none',
      autocomplete: 'off',
      spellcheck: 'false',
      'aria-describedby': 'find-hint',
    });
    const said = h('p', { role: 'status' });
    const list = h('ul', { class: 'hits' });
    let chosen;
    let asked = 0;
    const choose = (id) => {
      chosen = id;
      dialog.close();
    };
    const find = async (event) => {
      event.preventDefault();
      const id = ticketIdIn(input.value);
      if (id) return choose(id);
      list.replaceChildren();
      asked += 1;
      const own = asked;
      said.textContent = t('loading');
      const found = await search(link, performances, input.value.trim()).catch((error) => error);
      if (own !== asked) return;
      if (!found.hits) {
        said.textContent = t(found.status >= 400 && found.status < 500 ? 'findNothing' : 'findOffline');
        return;
      }
      const { hits, areMore } = found;
      said.textContent = t(hits.length === 0 ? 'findNothing' : areMore ? 'findMore' : 'found', { count: hits.length });
      const words = (hit) => wordsOf(hit, evening, performances.length === 1);
      list.append(...hits.map((hit) => h('li', null, button({ onclick: () => choose(hit.id) }, null, words(hit)))));
    };
    const dialog = h(
      'dialog',
      { 'aria-labelledby': 'find-title' },
      h(
        'form',
        { onsubmit: find },
        h('h2', { id: 'find-title' }, t('findTitle')),
        h(
          'label',
          { class: 'field' },
          h('span', null, t('findLabel')),
          input,
          h('small', { id: 'find-hint' }, t('findHint')),
        ),
        h(
          'p',
          { class: 'buttons' },
          button({ type: 'submit', class: 'strong' }, null, t('check')),
          button({ onclick: () => dialog.close() }, null, t('cancel')),
        ),
        said,
        list,
      ),
    );
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(chosen);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** The id that a text is; undefined if it is none. */
const ticketIdIn = (text) => {
  const id = text.replaceAll(/\s/g, '').toLowerCase();
  if (!TICKET.test(id) && !id.startsWith('tic_')) return undefined;
  return id.startsWith('tic_') ? id : `tic_${id}`;
};

/** The tickets in force that a text means, at most two pages of them, and whether there are more. */
const search = async (link, performances, q) => {
  const hits = [];
  let areMore = false;
  for (const performance of performances) {
    let cursor;
    for (let page = 0; page < PAGES; page += 1) {
      const answer = await link.get('/svc/v3/tickets', { q, performanceId: performance.id, limit: PAGE, cursor });
      const open = answer.items.filter(({ status }) => !['invalidated', 'cancelled'].includes(status));
      hits.push(...open.map((ticket) => ({ ...ticket, performance })));
      cursor = answer.nextCursor ?? undefined;
      if (!cursor || hits.length >= PAGE * PAGES) break;
    }
    areMore ||= cursor !== undefined || hits.length > PAGE * PAGES;
    if (hits.length >= PAGE * PAGES) break;
  }
  // Seat 1 comes before those that begin so.
  const isExact = ({ place }) => codeOf(place.label) === codeOf(q);
  const inOrder = [...hits.filter(isExact), ...hits.filter((hit) => !isExact(hit))];
  return { hits: inOrder.slice(0, PAGE * PAGES), areMore };
};

const codeOf = (text) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

/** What a hit says: whose ticket it is, where, and why it opens nothing. */
const wordsOf = (hit, evening, isAlone) => {
  const { place, performance, status } = hit;
  const { seatCategory = null } = evening.statuses.get(hit.id) ?? {};
  const where = placeOf({ place, seatCategory, performance });
  const state = { controlled: 'results.repeated', not_printed: 'reasons.ticket_not_printed' }[status];
  const more = [nameOf(hit) && where, !isAlone && titleOf(performance), state && t(state)].filter(Boolean);
  return [h('strong', null, nameOf(hit) || where || t('noPlace')), h('small', null, more.join(' · '))];
};

const nameOf = ({ beneficiary }) => [beneficiary?.firstName, beneficiary?.lastName].filter(Boolean).join(' ');
