/** Databases as SLMM writes them, of any of its releases. */
import Database from 'better-sqlite3';

type Columns = Readonly<Record<string, string | number | null>>;

/** The schema of 0.4. SQLite takes any type in any column. */
const TABLES: Readonly<Record<string, string>> = {
  nl43_config:
    'unit_id text primary key, host text, tcp_port integer, tcp_enabled boolean, ftp_enabled boolean, ftp_port integer, ftp_username text, ftp_password text, web_enabled boolean, poll_interval_seconds integer, poll_enabled boolean, monitor_enabled boolean',
  nl43_status:
    'unit_id text primary key, last_seen datetime, measurement_state text, measurement_start_time datetime, counter text, lp text, leq text, lmax text, lmin text, lpeak text, ln1 text, ln2 text, battery_level text, power_source text, sd_remaining_mb text, sd_free_ratio text, raw_payload text, is_reachable boolean, consecutive_failures integer, last_poll_attempt datetime, last_success datetime, last_error text, start_time_sync_attempted boolean',
  nl43_readings:
    'id integer primary key, unit_id text, timestamp datetime, lp text, leq text, lmax text, ln1 text, ln2 text',
  device_logs: 'id integer primary key, unit_id text, timestamp datetime, level text, category text, message text',
  alert_rules:
    'id integer primary key, unit_id text, name text, metric text, comparison text, threshold_db float, duration_s integer, clear_margin_db float, cooldown_s integer, schedule_start text, schedule_end text, schedule_days text, channels text, recipients text, enabled boolean, created_at datetime',
  alert_events:
    'id integer primary key, rule_id integer, unit_id text, rule_name text, metric text, threshold_db float, onset_at datetime, onset_value float, peak_value float, clear_at datetime, status text, acknowledged_at datetime, acknowledged_by text, notes text',
};

/** `rows` by table. A table that is not named is there and empty; with `tables` only these are there, with these columns. */
export function writeDatabase(
  path: string,
  rows: Readonly<Record<string, readonly Columns[]>>,
  tables: Readonly<Record<string, string>> = TABLES,
): string {
  const database = new Database(path);
  for (const [name, columns] of Object.entries(tables)) database.exec(`create table ${name} (${columns})`);
  for (const [table, list] of Object.entries(rows)) {
    for (const row of list) {
      const names = Object.keys(row);
      const values = names.map(() => '?').join(', ');
      database.prepare(`insert into ${table} (${names.join(', ')}) values (${values})`).run(Object.values(row));
    }
  }
  database.close();
  return path;
}
