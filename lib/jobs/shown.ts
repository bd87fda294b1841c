/** A job as the API shows it, in answers and in messages of the WebSocket alike. */
import type { Job } from './contract.ts';

const iso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());

/** The job with snake_case names and RFC 3339 times. */
export const shownJob = (job: Job) => ({
  id: String(job.id),
  kind: job.kind,
  title: job.title,
  unit_id: job.unitId,
  state: job.state,
  progress: job.progress,
  message: job.message,
  created_at: iso(job.createdAt),
  started_at: iso(job.startedAt),
  ended_at: iso(job.endedAt),
  error: job.error,
  result: job.result,
});
