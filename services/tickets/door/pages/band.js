// The result over the whole screen: colour, symbol, word, sound; it goes by itself.
import { colourOf } from '../decide.js';
import { button, h, symbol } from '../dom.js';
import { signal } from '../sound.js';
import { localised, t } from '../texts/index.js';
import { notesOf, reasonOf } from '../words.js';

/** How long a result stays. Milliseconds. */
const SHOWN_MS = { green: 1_500, amber: 5_000, red: 5_000 };

/** The place of results: `show(decision, performances)` until the time is over, a touch, or the next one. */
export const createBand = () => {
  const live = h('div', { role: 'alert', class: 'result' });
  const band = h('div', { class: 'band', hidden: true }, live);
  let timer;
  const hide = () => {
    clearTimeout(timer);
    band.hidden = true;
    live.replaceChildren();
  };
  band.append(button({ class: 'continue', onclick: hide }, null, t('continue')));
  band.addEventListener('click', hide);

  return {
    node: band,
    hide,
    show(decision, performances) {
      hide();
      const colour = colourOf(decision);
      band.dataset.colour = colour;
      band.hidden = false;
      const words = [reasonOf(decision, performances), ...notesOf(decision)].filter((text) => text !== '');
      live.append(
        symbol(colour),
        h('p', { class: 'word' }, t(`results.${decision.result}`)),
        ...(decision.place ? [h('p', { class: 'place' }, decision.place)] : []),
        ...(decision.seatCategory ? [h('p', { class: 'category' }, localised(decision.seatCategory))] : []),
        ...words.map((text) => h('p', null, text)),
      );
      signal(colour);
      timer = setTimeout(hide, SHOWN_MS[colour]);
    },
  };
};
