/** As a plugin in JavaScript may be written: nothing says who may call. */
export default {
  name: 'no-access',
  register(host: { route(route: object): void }) {
    host.route({
      method: 'GET',
      path: '/_secrets',
      summary: 'Tells all',
      answer: {},
      errors: [],
      handle: () => ({}),
    });
  },
};
