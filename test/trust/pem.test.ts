import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Refusal } from '../../src/diagnostic.ts';
import { readPem, searchPrivateKey, writePem } from '../../src/trust/pem.ts';
import { fc } from '../support/fuzz.ts';

const BODY = 'c29tZSBieXRlcyBvZiBubyBtZWFuaW5n';
const BLOCK = `-----BEGIN CERTIFICATE-----\n${BODY}\n-----END CERTIFICATE-----\n`;

const read = suite('readPem');

read('gives label, bytes and line of each block, in order', () => {
  const { blocks } = readPem(`${BLOCK}\n-----BEGIN X509 CRL-----\nAAEC\n-----END X509 CRL-----\n`);
  assert.equal(
    blocks.map(({ label, der, line }) => [label, Buffer.from(der.reveal()).toString('base64'), line]),
    [
      ['CERTIFICATE', BODY, 1],
      ['X509 CRL', 'AAEC', 5],
    ],
  );
});

read('a plain block has nothing to remark', () => {
  const { linesOutside, lineEnds, finalNewline } = readPem(BLOCK);
  assert.equal(
    { linesOutside, lineEnds, finalNewline },
    { linesOutside: [], lineEnds: 'lf', finalNewline: 'present' },
  );
});

/** The same block in other dress. */
const TOLERATED: readonly (readonly [string, string])[] = [
  ['byte order mark', `\uFEFF${BLOCK}`],
  ['CR LF', BLOCK.replaceAll('\n', '\r\n')],
  ['lone CR', BLOCK.replaceAll('\n', '\r')],
  ['blanks at line ends', BLOCK.replaceAll('\n', ' \t\n')],
  ['blank lines around', `\n\n${BLOCK}\n\n`],
  ['no final newline', BLOCK.trimEnd()],
  ['short lines', BLOCK.replace(BODY, BODY.replace(/.{5}/g, '$&\n'))],
  ['blanks inside', BLOCK.replace(BODY, `  ${BODY}`)],
];

for (const [what, text] of TOLERATED) {
  read(`tolerates ${what}`, () => {
    const { blocks, linesOutside } = readPem(text);
    assert.equal(
      blocks.map(({ der }) => Buffer.from(der.reveal()).toString('base64')),
      [BODY],
    );
    assert.equal(linesOutside, []);
  });
}

read('reports line ends and the final newline', () => {
  assert.is(readPem(BLOCK.replaceAll('\n', '\r\n')).lineEnds, 'carriage-return');
  assert.is(readPem(BLOCK.replaceAll('\n', '\r')).lineEnds, 'carriage-return');
  assert.is(readPem(BLOCK.replaceAll('\n', '\r')).finalNewline, 'present');
  assert.is(readPem(BLOCK.trimEnd()).finalNewline, 'absent');
});

read('reports the lines outside of blocks', () => {
  assert.equal(readPem(`# a CA\n\nissuer: me\n${BLOCK}# BEGIN of nothing\n`).linesOutside, [1, 3, 7]);
});

const REFUSED: readonly (readonly [string, string])[] = [
  ['text without a block', 'no PEM here'],
  ['nothing', ''],
  ['bare base64', `${BODY}\n`],
  ['base64 of PEM', Buffer.from(BLOCK).toString('base64')],
  ['DER', '0\u0082\u0003'],
  ['four hyphens', BLOCK.replace('-----BEGIN', '----BEGIN')],
  ['six hyphens', BLOCK.replace('-----BEGIN', '------BEGIN')],
  ['four hyphens behind', BLOCK.replace('CERTIFICATE-----\nc', 'CERTIFICATE----\nc')],
  ['typographic dashes', BLOCK.replaceAll('-----', '\u2014\u2014')],
  ['lower case', BLOCK.toLowerCase()],
  ['indentation', BLOCK.replace(/^/gm, '  ')],
  ['text before a fence', `ca: ${BLOCK}`],
  ['escaped line breaks', BLOCK.replaceAll('\n', '\\n')],
  ['two blocks without a line break between', BLOCK.trimEnd() + BLOCK],
  ['no END', BLOCK.slice(0, BLOCK.indexOf('-----END'))],
  ['no END before the next BEGIN', BLOCK.slice(0, BLOCK.indexOf('-----END')) + BLOCK],
  ['no BEGIN', BLOCK.slice(BLOCK.indexOf('\n') + 1)],
  ['an END too many', `${BLOCK}-----END CERTIFICATE-----\n`],
  ['an END of another label', BLOCK.replace('END CERTIFICATE', 'END X509 CRL')],
  ['an empty label', BLOCK.replaceAll(' CERTIFICATE', ' ')],
  ['a header', BLOCK.replace('\n', '\nProc-Type: 4,ENCRYPTED\n\n')],
  ['an empty body', BLOCK.replace(`${BODY}\n`, '')],
  ['garbage in the body', BLOCK.replace(BODY, 'n*t b@se64')],
  ['URL-safe base64', BLOCK.replace(BODY, '_-_-')],
  ['missing padding', BLOCK.replace(BODY, 'AAE')],
  ['padding in the middle', BLOCK.replace(BODY, `AA==${BODY}`)],
  ['bits left over', BLOCK.replace(BODY, 'AAF=')],
  ['a second broken block', `${BLOCK}${BLOCK.replace(BODY, 'c29t!')}`],
];

for (const [what, text] of REFUSED) {
  read(`refuses ${what}, and quotes nothing`, () => {
    const thrown = refusalOf(text);
    assert.is(thrown.diagnostics[0]?.code, 'CA_INVALID');
    assert.not.match(JSON.stringify(thrown.diagnostics), /c29t|b@se64|4,ENC|_-_-|AAE|no PEM here/);
  });
}

read('reads what writePem writes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), (der) => {
      const text = writePem('CERTIFICATE', der);
      assert.ok(text.split('\n').every((line) => line.length <= 64));
      const { blocks } = readPem(text);
      assert.equal(
        blocks.map((block) => Buffer.from(block.der.reveal()).toString('hex')),
        [Buffer.from(der).toString('hex')],
      );
    }),
  );
});

read('writePem writes no blank line behind a full one', () => {
  assert.not.match(writePem('CERTIFICATE', Buffer.alloc(48)), '\n\n');
});

read('takes no long time for a long text', () => {
  const size = 1 << 20;
  const start = process.cpuUsage().user;
  for (const piece of [
    'END ',
    '-',
    ' -----BEGIN',
    '-----END A-----',
    '-----BEGIN A-----\nAAAA\n-----END A-----\n',
  ]) {
    const text = piece.repeat(size / piece.length);
    searchPrivateKey(text);
    try {
      readPem(text);
    } catch (thrown) {
      assert.instance(thrown, Refusal);
    }
  }
  assert.ok(process.cpuUsage().user - start < 5_000_000);
});

read.run();

const search = suite('searchPrivateKey');

for (const label of [
  'PRIVATE KEY',
  'ENCRYPTED PRIVATE KEY',
  'RSA PRIVATE KEY',
  'EC PRIVATE KEY',
  'ED25519 PRIVATE KEY',
  'OPENSSH PRIVATE KEY',
]) {
  const block = BLOCK.replaceAll('CERTIFICATE', label);
  const cases: readonly (readonly [string, string])[] = [
    ['alone', block],
    ['behind a certificate', BLOCK + block],
    ['in a cut-off text', block.slice(0, 40)],
    ['by its END line only', block.slice(45)],
    ['in broken fences', block.replaceAll('-----', '---')],
    ['in lower case', block.toLowerCase()],
    ['encoded once more', Buffer.from(BLOCK + block).toString('base64')],
  ];
  for (const [where, text] of cases) {
    search(`finds ${label} ${where}`, () => {
      assert.is(searchPrivateKey(text), 'found');
    });
  }
}

search('finds none where there is none', () => {
  for (const text of [
    BLOCK,
    `# keep the PRIVATE KEY elsewhere\n${BLOCK}`,
    Buffer.from(BLOCK).toString('base64'),
    '',
  ]) {
    assert.is(searchPrivateKey(text), 'absent');
  }
});

search.run();

function refusalOf(text: string): Refusal {
  try {
    readPem(text);
  } catch (thrown) {
    if (thrown instanceof Refusal) return thrown;
    throw thrown;
  }
  throw new Error('accepted');
}
