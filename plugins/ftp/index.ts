/** The FTP server of the meter: its switch needs `tcp_enabled` in the config, its files need `ftp_enabled`. */
import { COMMAND_ERRORS, type Plugin } from '../../lib/index.ts';
import { cardRoutes } from './card-routes.ts';

const plugin: Plugin = {
  name: 'ftp',
  about: 'The card of a meter',
  register(host) {
    for (const on of [true, false]) {
      host.route({
        method: 'POST',
        path: `/{unit_id}/ftp/${on ? 'enable' : 'disable'}`,
        access: 'operator',
        summary: `Switch the FTP server of the meter ${on ? 'on' : 'off'}`,
        answer: { message: { type: 'string' } },
        errors: COMMAND_ERRORS,
        async handle({ unitId, caller }) {
          await host.meter(unitId).perform('setFileServer', caller, on);
          const off = 'The FTP server of the meter is off.';
          return {
            message: on ? 'The FTP server of the meter is on; it may take seconds until it accepts a login.' : off,
          };
        },
      });
    }

    host.route({
      method: 'GET',
      path: '/{unit_id}/ftp/status',
      access: 'viewer',
      summary: 'Read whether the FTP server of the meter is on',
      answer: { ftp_status: { type: 'string', enum: ['On', 'Off'] }, ftp_enabled: { type: 'boolean' } },
      errors: COMMAND_ERRORS,
      async handle({ unitId, caller }) {
        const isOn = await host.meter(unitId).perform('fileServer', caller);
        return { ftp_status: isOn ? 'On' : 'Off', ftp_enabled: isOn };
      },
    });

    cardRoutes(host);
  },
};
export default plugin;
