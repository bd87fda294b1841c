/** Reports that are kept: what they are about, when they are due, and what was made of them. */
import { type Host, messageOf } from '../../../lib/index.ts';
import { nextDue } from './due.ts';
import { addReportRoutes } from './routes.ts';
import { addRunRoutes } from './run-routes.ts';
import { Runs } from './runs.ts';
import { ReportScheduler } from './scheduler.ts';
import { ReportShelf } from './shelf.ts';
import { ReportStore } from './store.ts';
import { LAST_IDS, REPORT_MIGRATIONS, REPORT_RUNS, REPORTS } from './tables.ts';

/** Opens the kept reports and their routes. */
export async function addKeptReports(host: Host): Promise<void> {
  const tables = await host.tables([REPORTS, REPORT_RUNS, LAST_IDS], REPORT_MIGRATIONS);
  const store = new ReportStore(tables, () => host.clock.now());
  const shelf = new ReportShelf(await host.folder());
  const runs: Runs = new Runs({
    ...{ host, tables, store, shelf },
    ended: () => scheduler.wake(),
  });
  await Promise.all([store.load(), runs.load()]);
  const scheduler: ReportScheduler = new ReportScheduler({ host, store, runs });
  addReportRoutes({
    ...{ host, tables, store },
    nextDue: ({ body, handledUntil }) => nextDue(body, handledUntil),
    changed: () => scheduler.wake(),
    forget: (gone) =>
      runs
        .forget(gone)
        .catch((error: unknown) =>
          host.log.warn({ reason: messageOf(error) }, 'documents could not be removed; the next start does'),
        ),
  });
  addRunRoutes({ host, tables, store, runs, shelf });
  const running = scheduler.run();
  host.onStop(() => running);
}
