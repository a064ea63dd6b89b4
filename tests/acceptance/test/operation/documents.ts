import { readdirSync, readFileSync } from 'node:fs';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';

const DEPLOY = new URL('../../../../deploy/', import.meta.url);

/** A file below `deploy/`. */
export function readText(path: string): string {
  return readFileSync(new URL(path, DEPLOY), 'utf8');
}

/** An alert rule as Prometheus reads it. */
export interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string; readonly runbook_url: string };
}

/** The rules of `alerts.yml`. */
export function readAlerts(): Alert[] {
  const { groups } = parse(readText('dashboards/alerts.yml')) as { groups: { rules: Alert[] }[] };
  return groups.flatMap(({ rules }) => rules);
}

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly type: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string }[];
}

/** A Grafana dashboard, as far as it is looked at here. */
export interface Dashboard {
  readonly file: string;
  readonly uid: string;
  readonly title: string;
  readonly panels: readonly Panel[];
}

/** The dashboards. */
export function readDashboards(): Dashboard[] {
  return readdirSync(new URL('dashboards/', DEPLOY))
    .filter((file) => file.endsWith('.json'))
    .map((file) => ({ file, ...JSON.parse(readText(`dashboards/${file}`)) }));
}

/** The metrics in a PromQL expression, with Grafana's variables substituted. @throws {Error} on invalid PromQL */
export function listMetrics(given: string): string[] {
  const expr = given.replaceAll('$__rate_interval', '5m');
  const names: string[] = [];
  parser.parse(expr).iterate({
    enter: ({ type, from, to, node }) => {
      if (type.isError) throw new Error(`no PromQL at ${from}: ${expr}`);
      if (type.name === 'VectorSelector') names.push(expr.slice(from, node.firstChild?.to ?? to));
    },
  });
  return names;
}

/** The metric of a series: a histogram has several. */
export function toMetricName(name: string): string {
  return name.replace(/_(?:bucket|count|sum)$/, '');
}

/** The first cells of the rows of every table of a Markdown file. */
export function listFirstCells(markdown: string): string[] {
  return [...markdown.matchAll(/^\| `([a-z_]+)` +\|/gm)].map(([, name]) => String(name));
}
