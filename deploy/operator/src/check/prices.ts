import { type CodeDocument, deriveCodeId, type PlaceDocument } from '@boxoffice/catalog';
import { computeBase, listLineTaxes, listUses, type OrderDocument } from '@boxoffice/orders';
import { extractTax, type TaxedSum } from '@boxoffice/prices';
import { type Finding, findBrokenRules, type Rule } from './findings.ts';
import { type CheckedCollections, findById } from './reading.ts';
import { isUnderWay } from './stock.ts';

type Line = OrderDocument['lines'][number];

const getCodeId = ({ institution }: OrderDocument, { price }: Line): string | undefined =>
  price?.grant?.code == null ? undefined : deriveCodeId(institution, price.grant.code);

/** The codes that the lines of these orders have, by id. */
export function readCodes(collections: CheckedCollections, found: readonly OrderDocument[]) {
  return findById(
    collections.discountCodes,
    found.flatMap((order) => order.lines.map((line) => getCodeId(order, line))),
  );
}

/** A discount may have its limit since a line was sold: then the line has no use of it. A code always has its own. */
export function judgeUses(
  order: OrderDocument,
  places: ReadonlyMap<string, PlaceDocument>,
  codes: ReadonlyMap<string, CodeDocument>,
): Finding[] {
  return order.lines.flatMap((line) => {
    const uses = listUses(line);
    const pools = uses.flatMap((id) => places.get(id)?.performanceId ?? []);
    const discount = line.price?.grant?.terms.id;
    const code = codes.get(getCodeId(order, line) ?? '');
    const needed = code ? [code.id] : [];
    const rest = pools.filter((id) => !needed.includes(id));
    const fits =
      needed.every((id) => pools.filter((pool) => pool === id).length === 1) &&
      rest.length <= 1 &&
      rest.every((id) => id === discount);
    if (fits) return [];
    const text = `line ${line.id} of ${order.id} (${discount ?? 'no discount'}, ${code?.id ?? 'no code'}) has uses of ${pools.join(', ') || 'nothing'}`;
    return [{ invariant: 'line_use' as const, offenders: [order.id, line.id], text, underWay: isUnderWay(order) }];
  });
}

const sumOf = (amounts: readonly { readonly amount: number }[]): number =>
  amounts.reduce((sum, { amount }) => sum + amount, 0);

/** base + Σ components = amount = Σ taxes, and each tax is its rate of what includes it. */
export function judgePrices(order: OrderDocument): Finding[] {
  const { id, lines, fees = [] } = order;
  return findBrokenRules('price', id, id, [
    ...lines.flatMap((line): Rule[] => {
      const made = computeBase(line) + sumOf(line.price?.components ?? []);
      const text = `has the amount ${line.amount} on its line ${line.id}, which is made of ${made}`;
      return [[made === line.amount, text, line.id], ruleOfTaxes(line, listLineTaxes(line))];
    }),
    ...fees.map((fee) => ruleOfTaxes(fee, fee.taxes)),
  ]);
}

const ruleOfTaxes = (one: { readonly id: string; readonly amount: number }, taxes: readonly TaxedSum[]): Rule => {
  const gross = taxes.reduce((sum, tax) => sum + tax.gross, 0);
  const fit = taxes.every(
    (tax) => tax.net + tax.tax === tax.gross && tax.tax === (tax.rate === null ? 0 : extractTax(tax.gross, tax.rate)),
  );
  return [fit && gross === one.amount, `has taxes of ${one.id} that are not those of ${one.amount}`, one.id];
};
