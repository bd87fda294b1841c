/** Reports that are kept: what they are about, when they are due, and what was made of them. */
import { type Host, messageOf, type Tables } from '../../../lib/index.ts';
import { DocumentFolders } from './documents.ts';
import { ReportMails } from './mails.ts';
import { addReportRoutes } from './routes.ts';
import { addRunRoutes } from './run-routes.ts';
import { Runs } from './runs.ts';
import { nextDue, ReportScheduler } from './scheduler.ts';
import type { ReportBody } from './schemas.ts';
import { ReportStore } from './store.ts';

/** After the start. */
const FIRST_LOOK_MS = 2_000;

export interface OwnForms {
  lacks(wishes: ReportBody['wishes']): readonly string[];
}

export async function addKeptReports(host: Host, tables: Tables, forms: OwnForms): Promise<void> {
  const store = new ReportStore(tables, host.clock, () => scheduler.wake());
  host.onStop(() => store.close());
  const folders = new DocumentFolders(await host.folder());
  const runs: Runs = new Runs({
    host,
    tables,
    store,
    folders,
    also: (rows, run, report) => mails.add(rows, run, report),
    ended() {
      scheduler.wake();
      mails.wake();
    },
  });
  const mails = new ReportMails({ host, tables, store, folders });
  await store.load();
  await Promise.all([runs.load(), mails.load()]);
  const scheduler: ReportScheduler = new ReportScheduler({ host, store, runs });
  addReportRoutes({
    host,
    tables,
    store,
    nextDue: ({ body, handledUntil }) => nextDue(body, handledUntil),
    warnings: (report) => [...forms.lacks(report.body.wishes), ...mails.warnings(report)],
    changed: () => scheduler.wake(),
    forget: (gone) =>
      runs
        .forget(gone)
        .catch((error: unknown) =>
          host.log.warn({ reason: messageOf(error) }, 'documents could not be removed; the next start does'),
        ),
  });
  addRunRoutes({ host, tables, store, runs, folders });
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
