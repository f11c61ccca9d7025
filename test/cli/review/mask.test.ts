/** What a committed manifest may hold and a report must not, line by line. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { maskedLines } from '../../../src/cli/review/mask.ts';
import { STAND_IN } from '../../../src/resolve/resolve-config.ts';

const mask = suite('mask');

const KEY = 'q'.repeat(43);

/** Lines, and what is shown of them. */
const TABLE: readonly (readonly [string, string])[] = [
  ['password: hunter2', 'password: (masked)'],
  ['  - password: "hunter 2" # old', '  - password: (masked)'],
  ["  'identityToken': abc", "  'identityToken': (masked)"],
  ['      auth: aHVudGVyMg==', '      auth: (masked)'],
  ['  token: abcdef.0123456789abcdef', '  token: (masked)'],
  ['  aescbcEncryptionSecret: x', '  aescbcEncryptionSecret: (masked)'],
  ['  key: short', '  key: (masked)'],
  [
    '- {"username": "me", "password": "a\\"b", "port": 1}',
    '- {"username": "me", "password": (masked), "port": 1}',
  ],
  ["value: {password: 'it''s', host: x}", 'value: {password: (masked), host: x}'],
  [`ca: ${KEY}=`, 'ca: (masked)'],
  [`value: "${KEY}"`, 'value: "(masked)"'],
  ['url: https://me:hunter2@registry.example/v2', 'url: https://(masked)@registry.example/v2'],
  // No secrets.
  ['auth:', 'auth:'],
  [
    'path: /machine/registries/config/registry.example/tls',
    'path: /machine/registries/config/registry.example/tls',
  ],
  ['kubernetesTokenless: yes', 'kubernetesTokenless: yes'],
  [`image: x@sha256:${'a'.repeat(64)}`, `image: x@sha256:${'a'.repeat(64)}`],
  ['monkey: banana', 'monkey: banana'],
  [`password: ${STAND_IN}`, `password: ${STAND_IN}`],
  [`{"password": "${STAND_IN}"}`, `{"password": "${STAND_IN}"}`],
];

for (const [line, shown] of TABLE) {
  mask(line, () => assert.equal(maskedLines([line]), [shown]));
}

mask('what is inside of a PEM block is masked, also its short last line', () => {
  const lines = [
    'data: |',
    '  -----BEGIN EC PRIVATE KEY-----',
    `  ${KEY}`,
    '  c2hvcnQ=',
    '  -----END EC PRIVATE KEY-----',
    'x: 1',
  ];
  assert.equal(maskedLines(lines), [
    'data: |',
    '  -----BEGIN EC PRIVATE KEY-----',
    '  (masked)',
    '  (masked)',
    '  -----END EC PRIVATE KEY-----',
    'x: 1',
  ]);
});

mask('a block scalar of a secret key is masked to its end', () => {
  const lines = ['  password: |-', '    hunter2', '', '    hunter3', '  user: me'];
  assert.equal(maskedLines(lines), ['  password: |-', '    (masked)', '', '    (masked)', '  user: me']);
});

mask('a long line costs no more than its length', () => {
  const line = `x: ${'a-'.repeat(200_000)}`;
  assert.equal(maskedLines([line]), [line]);
});

mask.run();
