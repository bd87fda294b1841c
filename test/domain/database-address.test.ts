import t from 'tap';
import { databaseAddress, databaseWords } from '../../lib/domain/database-address.ts';

t.test('an address is read in all its parts', async (t) => {
  t.same(
    databaseAddress('postgresql://slm:p%40ss%25@db.example.org:6432/levels?sslmode=require&sslrootcert=/etc/ca.pem'),
    {
      host: 'db.example.org',
      port: 6_432,
      user: 'slm',
      password: 'p@ss%',
      database: 'levels',
      tls: 'require',
      rootCertificate: '/etc/ca.pem',
    },
  );
  t.match(databaseAddress('postgres://slm@[2001:db8::1]/x'), {
    host: '2001:db8::1',
    port: 5_432,
    password: '',
    tls: 'verify-full',
  });
  t.match(databaseAddress('postgresql://slm@%2Fvar%2Frun/x'), { host: '/var/run', tls: 'disable' });
});

t.test('on this computer a connection is encrypted only if the address says so, elsewhere always', async (t) => {
  for (const host of ['localhost', '127.0.0.1', '[::1]'])
    t.equal(databaseAddress(`postgresql://a@${host}/b`).tls, 'disable', host);
  for (const host of ['192.0.2.7', 'localhost.example.org', 'db'])
    t.equal(databaseAddress(`postgresql://a@${host}/b`).tls, 'verify-full', host);
});

t.test('the error names the problem, and never the text', async (t) => {
  const wrong = {
    'mysql://a:canary@b/c': /must look like postgresql:/,
    canary: /must look like/,
    'postgresql://a:canary@/c': /must look like|lacks the host/,
    'postgresql://:canary@b/c': /lacks the user/,
    'postgresql://a:canary@b': /lacks the name of the database/,
    'postgresql://a:canary@b/c?sslmode=prefer': /none of disable, require, verify-full/,
    'postgresql://a:canary@b/c?options=-c': /sslmode, sslrootcert and schema/,
    'postgresql://a:%canary@b/c': /write a % of a password as %25/,
    'postgresql://a:canary@b,b2/c': /more than one host/,
    'postgresql://a:canary@b:99999/c': /must look like/,
  };
  for (const [text, words] of Object.entries(wrong)) {
    const error = t.throws(() => databaseAddress(text), { message: words }, text);
    t.notMatch(String(error), 'canary');
  }
});

t.test('for a person it has neither user nor password', async (t) => {
  t.equal(databaseWords(databaseAddress('postgresql://slm:canary@192.0.2.7/levels')), 'levels on 192.0.2.7:5432');
  t.equal(databaseWords(databaseAddress('postgresql://slm:canary@%2Frun/levels')), 'levels in /run');
});
