import { GatewayError } from 'slm-gateway';

export default {
  name: 'by-package',
  register(host: { route(route: object): void }) {
    const route = { method: 'GET', access: 'public', summary: 'x', answer: {}, errors: ['UNIT_NOT_FOUND'] };
    host.route({
      ...route,
      path: '/refusal',
      handle() {
        throw new GatewayError('UNIT_NOT_FOUND', 'no such thing');
      },
    });
  },
};
