/** Parts of pages and drawings that are made on this side: escaped markup, local times, levels over time. Exports only. */
export { html, type Markup, script, style } from './html.ts';
export { CHART_STYLE, levelChart, levelChartFile } from './level-chart.ts';
export { duration, localTime, type ShowTime } from './local-time.ts';
export { type WholePage, wholePage } from './whole-page.ts';
