import { formatPercent, listSellerLines, selectText } from '@boxoffice/http';
import { formatDateAndTime } from '@boxoffice/http/local-time';
import type { Static } from 'typebox';
import type { OrderReceipt } from '../schemas.ts';
import { describeItem, type Purchase, type Receipt, type Row } from './about.ts';

type Order = Static<typeof OrderReceipt>;
type Line = Order['lines'][number];
type Item = ReturnType<typeof describeItem> & { readonly line: Line };

/** In the language of the fixed words that its first line has. */
export function describeReceipt(
  { at, seller, lines, fees, taxes, total, due }: Order,
  { number, buyer }: Purchase,
  languages: readonly string[],
): Receipt {
  const items = lines.map((line): Item => ({ line, ...describeItem(line, languages) }));
  const [first] = items;
  if (!first) throw new Error('a receipt needs a line');
  const { texts, locale, money } = first;
  const words = texts.receipt;
  const colon = texts.language === 'fr' ? '\u202f:' : ':';
  const facts = [
    [texts.order, number],
    [words.date, formatDateAndTime(locale, at, first.line.about?.timeZone)],
    ...(buyer === null ? [] : [[texts.buyer, buyer]]),
  ];
  const bySale = Map.groupBy(items, ({ title, when, venue }) => JSON.stringify([title, when, venue]));
  return [
    (seller ? listSellerLines(seller) : []).map((text, index) => ({ text, isBold: index === 0 })),
    [{ text: words.title, isTitle: true }, ...facts.map(([name, value]) => ({ text: `${name}${colon} ${value}` }))],
    ...[...bySale.values()].flatMap((sold) => describeSale(sold, languages)),
    ...fees.map(({ name, amount }) => [{ text: selectText(name, languages), amounts: [money(amount)] }]),
    [
      { text: words.total, amounts: [money(total)], isBold: true },
      ...(due > 0 ? [{ text: words.due, amounts: [money(due)] }] : []),
    ],
    ...(taxes.some(({ rate }) => rate !== null)
      ? [
          [
            { text: words.rate, amounts: [words.net, words.tax, words.gross], isGrey: true },
            ...taxes.map(({ rate, net, tax, gross }) => ({
              text: rate === null ? NONE : formatPercent(locale, rate),
              amounts: [money(net), rate === null ? NONE : money(tax), money(gross)],
            })),
          ],
          [{ text: words.note, isGrey: true }],
        ]
      : []),
  ].filter((block) => block.length > 0);
}

/** What has no tax stands beside what has one, so that the table adds up to the total. */
const NONE = '—';

/** Of one performance; equal lines are one, with their number. */
const describeSale = (sold: readonly Item[], languages: readonly string[]): Row[][] => {
  const equal = Map.groupBy(sold, ({ category, seat, tariff, line }) =>
    JSON.stringify([category, seat, tariff, line.price]),
  );
  return [...equal.values()].map(([first, ...others], index) => {
    if (!first) return [];
    const { line } = first;
    const price = multiply(line.price, others.length + 1);
    const said = others.length === 0 ? first : describeItem({ ...line, price }, languages);
    const number = others.length === 0 ? '' : `${others.length + 1} × `;
    const what = [said.category, said.seat, said.tariff].filter(Boolean).join(', ') || said.title;
    const rates = line.price.taxes?.flatMap(({ rate }) => (rate === null ? [] : [formatPercent(said.locale, rate)]));
    const tax = rates && rates.length > 0 ? `${said.texts.receipt.tax} ${rates.join(', ')}` : null;
    const made = [said.composition, tax].filter(Boolean).join(' · ');
    const where = [said.when, said.venue].filter(Boolean).join(', ');
    return [
      ...(index === 0 ? [{ text: said.title, isBold: true }, ...(where === '' ? [] : [{ text: where }])] : []),
      { text: `${number}${what}`, amounts: [said.amount] },
      ...(made === '' ? [] : [{ text: made, isGrey: true }]),
    ];
  });
};

const multiply = ({ amount, base = amount, components = [], taxes = [], ...price }: Line['price'], by: number) => ({
  ...price,
  amount: amount * by,
  base: base * by,
  components: components.map((component) => ({ ...component, amount: component.amount * by })),
  taxes: taxes.map(({ net, tax, gross, ...one }) => ({ ...one, net: net * by, tax: tax * by, gross: gross * by })),
});
