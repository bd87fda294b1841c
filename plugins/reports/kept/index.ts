/** Reports that are kept: what they are about, when they are due, and what was made of them. */
import type { Host, Tables } from '../../../lib/index.ts';
import { DocumentFolders } from './documents.ts';
import { ReportMails } from './mails.ts';
import { addReportRoutes } from './routes.ts';
import { addRunRoutes } from './run-routes.ts';
import { Runs } from './runs.ts';
import { ReportScheduler } from './scheduler.ts';
import type { ReportBody } from './schemas.ts';
import { type ReportRow, ReportStore } from './store.ts';

/** After the start. */
const FIRST_LOOK_MS = 2_000;

/** `lacks`: sentences about a template or a letterhead that is not there any more. */
export async function addKeptReports(
  host: Host,
  tables: Tables,
  lacks: (wishes: ReportBody['wishes']) => readonly string[],
): Promise<void> {
  const store = new ReportStore(tables, host.clock, () => scheduler.wake());
  host.onStop(() => store.close());
  const parts = { host, tables, store, folders: new DocumentFolders(await host.folder()) };
  const mails = new ReportMails(parts);
  const runs: Runs = new Runs({ ...parts, mails, ended: () => scheduler.wake() });
  await store.load();
  await Promise.all([runs.load(), mails.load()]);
  const scheduler = new ReportScheduler({ host, store, runs });
  const warnings = (report: ReportRow) => [...lacks(report.body.wishes), ...mails.warnings(report)];
  addReportRoutes({ ...parts, runs, scheduler, warnings });
  addRunRoutes({ ...parts, runs });
  inBackground(host, [scheduler, mails]);
}

/** Only after all plugins are loaded: reports ask the routes of others, and their mail goes out by another one. */
function inBackground(host: Host, loops: readonly { run(): Promise<void> }[]): void {
  let running: Promise<unknown> = Promise.resolve();
  const cancel = host.clock.after(FIRST_LOOK_MS, () => {
    running = Promise.all(loops.map((loop) => loop.run()));
  });
  host.onStop(async () => {
    cancel();
    await running;
  });
}
