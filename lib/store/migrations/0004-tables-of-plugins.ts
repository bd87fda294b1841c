/** Which migrations of plugins have run. */
import { Migration } from '@mikro-orm/migrations';

/** Adds the table `plugin_migration`. */
export class TablesOfPlugins extends Migration {
  override up(): void {
    this.addSql('create table plugin_migration (name text not null primary key)');
  }

  override down(): void {
    this.addSql('drop table plugin_migration');
  }
}
