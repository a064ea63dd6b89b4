import { h } from '../dom.js';
import { dayParts, month, t } from '../texts/index.js';

const DAY_MS = 86_400_000;

/**
 * A month as a table, whose days with performances are links; the server draws it, too. `links`: how the programme
 * makes addresses and links of days.
 */
export function calendarView(state, days, links) {
  const { addressOf, noon } = links;
  const months = [...new Set(Object.keys(days).map((day) => day.slice(0, 7)))];
  const step = (to, name, sign) =>
    to &&
    h(
      'a',
      {
        href: addressOf({ ...state, month: to }),
        'data-key': name,
        'aria-label': `${t(name)}: ${month(noon(`${to}-01`))}`,
      },
      sign,
    );
  const weeks = weeksOf(state.month, noon);
  const full = weeks.find((week) => week.every(Boolean)) ?? [];
  return h(
    'div',
    { class: 'calendar' },
    h(
      'p',
      { class: 'calendar-months' },
      step(
        months.findLast((one) => one < state.month),
        'previousMonth',
        '←',
      ),
      h('strong', {}, month(noon(`${state.month}-01`))),
      step(
        months.find((one) => one > state.month),
        'nextMonth',
        '→',
      ),
    ),
    h(
      'table',
      { 'aria-label': month(noon(`${state.month}-01`)) },
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          full.map((day) => {
            const { weekday } = dayParts(noon(day));
            return h('th', { scope: 'col', abbr: weekday }, weekday.slice(0, 2));
          }),
        ),
      ),
      h(
        'tbody',
        {},
        weeks.map((week) =>
          h(
            'tr',
            {},
            week.map((day) => cell(state, days, day, links)),
          ),
        ),
      ),
    ),
  );
}

/** The weeks of a month, from Monday; the days of other months are undefined. */
const weeksOf = (open, noon) => {
  const first = Date.parse(noon(`${open}-01`));
  const monday = first - ((new Date(first).getUTCDay() + 6) % 7) * DAY_MS;
  const weeks = Array.from({ length: 6 }, (_week, week) =>
    Array.from({ length: 7 }, (_day, day) => dayAt(monday + (week * 7 + day) * DAY_MS)).map((day) =>
      day.startsWith(open) ? day : undefined,
    ),
  );
  return weeks.filter((week) => week.some(Boolean));
};

const dayAt = (milliseconds) => new Date(milliseconds).toISOString().slice(0, 10);

const cell = (state, days, day, { dayLink, nameOf, noon }) => {
  if (day === undefined) return h('td', {});
  const number = dayParts(noon(day)).day;
  const link = () => dayLink(state, day, number, nameOf(day, days[day]));
  return h('td', {}, days[day] ? link() : h('span', {}, number));
};
