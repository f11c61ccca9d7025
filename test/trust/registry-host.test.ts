import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Refusal } from '../../src/diagnostic.ts';
import { parseRegistryHost, sameHostName, sameRegistry } from '../../src/trust/registry-host.ts';

const parse = suite('parseRegistryHost');

const LABEL_63 = 'a'.repeat(63);
const NAME_253 = `${`${LABEL_63}.`.repeat(3)}${'a'.repeat(61)}`;

/** text → name, port, key */
const ACCEPTED: readonly (readonly [string, string, number | undefined, string])[] = [
  ['registry.ok.internal', 'registry.ok.internal', undefined, 'registry.ok.internal'],
  ['registry.ok.internal:5000', 'registry.ok.internal', 5000, 'registry.ok.internal:5000'],
  ['registry.ok.internal:443', 'registry.ok.internal', undefined, 'registry.ok.internal'],
  ['Registry.OK.Internal', 'registry.ok.internal', undefined, 'registry.ok.internal'],
  ['registry.ok.', 'registry.ok', undefined, 'registry.ok'],
  ['registry.ok.:8443', 'registry.ok', 8443, 'registry.ok:8443'],
  ['registry:5000', 'registry', 5000, 'registry:5000'],
  ['xn--mnchen-3ya.example', 'xn--mnchen-3ya.example', undefined, 'xn--mnchen-3ya.example'],
  ['r-1.0a.b', 'r-1.0a.b', undefined, 'r-1.0a.b'],
  ['registry.ok:1', 'registry.ok', 1, 'registry.ok:1'],
  ['registry.ok:65535', 'registry.ok', 65535, 'registry.ok:65535'],
  [`${LABEL_63}.ok`, `${LABEL_63}.ok`, undefined, `${LABEL_63}.ok`],
  [NAME_253, NAME_253, undefined, NAME_253],
];

for (const [text, name, port, key] of ACCEPTED) {
  parse(`accepts ${text.slice(0, 40)}`, () => {
    assert.equal(parseRegistryHost(text), port === undefined ? { name, key } : { name, port, key });
  });
}

/** text → what the message has to be about */
const REFUSED: readonly (readonly [string, RegExp])[] = [
  ['', /empty/],
  [' \t\n', /empty/],
  [':5000', /empty/],
  ['${REGISTRY_HOST}', /variable/],
  ['$REGISTRY_HOST', /variable/],
  ['$(HOST).ok', /variable/],
  ['registry.${DOMAIN}:5000', /variable/],
  ['https://registry.ok', /scheme/],
  ['oci://registry.ok/charts', /scheme/],
  ['registry.ok/team/image', /path/],
  ['registry.ok/', /path/],
  ['registry.ok?x', /path/],
  ['registry.ok\\x', /path/],
  ['*', /wildcard/],
  ['*.ok.internal', /wildcard/],
  ['registry.ok\n', /white space/],
  [' registry.ok', /white space/],
  ['registry ok', /white space/],
  ['registry.ok:50 00', /white space/],
  ['user:word@registry.ok', /user information/],
  ['https://user@registry.ok', /user information/],
  ['münchen.example', /ASCII/],
  ['registry.ok\u200b', /ASCII/],
  ['10.0.0.1', /IP address/],
  ['10.0.0.1:5000', /IP address/],
  ['999.0.0.1', /IP address/],
  ['::1', /IP address/],
  ['2001:db8::1', /IP address/],
  ['[2001:db8::1]', /IP address/],
  ['[2001:db8::1]:5000', /IP address/],
  ['fe80::1%eth0', /IP address/],
  ['registry.ok:', /port/],
  ['registry.ok:0', /port/],
  ['registry.ok:00', /port/],
  ['registry.ok:05000', /port/],
  ['registry.ok:65536', /port/],
  ['registry.ok:-1', /port/],
  ['registry.ok:5e3', /port/],
  ['registry.ok:https', /port/],
  ['registry.ok:5000:1', /port/],
  ['my_registry.ok', /underscore/],
  ['registry,ok', /characters/],
  ['registry.ok\u0007', /characters/],
  ['"registry.ok"', /characters/],
  ['registry..ok', /hyphen/],
  ['.registry.ok', /hyphen/],
  ['registry.ok..', /hyphen/],
  ['-registry.ok', /hyphen/],
  ['registry-.ok', /hyphen/],
  [`${LABEL_63}a.ok`, /63/],
  [`a${NAME_253}`, /253/],
  ['registry.1', /number/],
  ['registry.0x7f', /number/],
  ['5000:5000', /number/],
  ['localhost', /localhost/],
  ['localhost:5000', /localhost/],
  ['LOCALHOST.:5000', /localhost/],
  ['registry', /dot nor a port/],
  ['registry.', /dot nor a port/],
  ['registry:443', /dot nor a port/],
];

for (const [text, about] of REFUSED) {
  parse(`refuses ${JSON.stringify(text.slice(0, 40))}`, () => {
    const [diagnostic] = refusalOf(text).diagnostics;
    assert.is(diagnostic?.code, 'HOST_INVALID');
    assert.match(diagnostic?.message ?? '', about);
  });
}

/** What was probably meant, where that is certain. */
const SUGGESTED: readonly (readonly [string, string])[] = [
  ['https://Registry.OK:443/v2/', 'registry.ok'],
  ['registry.ok:5000/team/image', 'registry.ok:5000'],
  [' registry.ok\n', 'registry.ok'],
  ['münchen.example:5000', 'xn--mnchen-3ya.example:5000'],
  ['registry.ok:05000', 'registry.ok:5000'],
];

for (const [text, suggestion] of SUGGESTED) {
  parse(`suggests ${suggestion} for ${JSON.stringify(text)}`, () => {
    assert.ok(refusalOf(text).diagnostics[0]?.hint.endsWith(` Here: ${suggestion}.`));
    assert.is(parseRegistryHost(suggestion).key, suggestion);
  });
}

parse('never quotes what may be a credential', () => {
  for (const text of [
    'https://bob:4711/pw@registry.ok',
    'bob:hunter2@registry.ok',
    'hunter2',
    'bob:hunter2',
  ]) {
    assert.not.match(JSON.stringify(refusalOf(text).diagnostics), /bob|hunter2|4711|pw@/);
  }
});

parse('gives back its own key', () => {
  for (const [text] of ACCEPTED) {
    const { key } = parseRegistryHost(text);
    assert.is(parseRegistryHost(key).key, key);
  }
});

parse.run();

const same = suite('sameRegistry');

/** key in a manifest, host, expected */
const REGISTRIES: readonly (readonly [string, string, 'same' | 'same-other-spelling' | 'other'])[] = [
  ['registry.ok', 'registry.ok', 'same'],
  ['registry.ok:5000', 'registry.ok:5000', 'same'],
  ['Registry.OK.', 'registry.ok', 'same-other-spelling'],
  ['registry.ok:443', 'registry.ok', 'same-other-spelling'],
  ['registry.ok.:0443', 'registry.ok', 'same-other-spelling'],
  ['registry.ok:', 'registry.ok', 'same-other-spelling'],
  [' registry.ok', 'registry.ok', 'same-other-spelling'],
  ['https://registry.ok', 'registry.ok', 'same-other-spelling'],
  ['https://registry.ok:5000/v2/', 'registry.ok:5000', 'same-other-spelling'],
  ['REGISTRY.ok:5000', 'registry.ok:5000', 'same-other-spelling'],
  ['registry.ok:05000', 'registry.ok:5000', 'same-other-spelling'],
  ['münchen.example', 'xn--mnchen-3ya.example', 'same-other-spelling'],
  ['registry.ok:5000', 'registry.ok', 'other'],
  ['registry.ok', 'registry.ok:5000', 'other'],
  ['registry.ok:443', 'registry.ok:5000', 'other'],
  ['registry.ok:4430', 'registry.ok', 'other'],
  ['mirror.registry.ok', 'registry.ok', 'other'],
  ['registry.okay', 'registry.ok', 'other'],
  ['user@registry.ok', 'registry.ok', 'other'],
  ['*', 'registry.ok', 'other'],
  ['', 'registry.ok', 'other'],
  [':', 'registry.ok', 'other'],
];

for (const [key, host, expected] of REGISTRIES) {
  same(`${JSON.stringify(key)} for ${host}: ${expected}`, () => {
    assert.is(sameRegistry(key, parseRegistryHost(host)), expected);
  });
}

same('never throws', () => {
  const host = parseRegistryHost('registry.ok');
  for (const key of [
    '\ud800',
    'é\u0000',
    '[::1',
    '%zz',
    'ü'.repeat(5000),
    'a:b:c',
    '://',
    '\n\n',
    '${X}:1',
  ]) {
    assert.is(sameRegistry(key, host), 'other');
    assert.is(sameHostName(key, host), 'other');
  }
});

same.run();

const alias = suite('sameHostName');

const ALIASES: readonly (readonly [string, string, 'same' | 'same-other-spelling' | 'other'])[] = [
  ['registry.ok', 'registry.ok', 'same'],
  ['registry.ok', 'registry.ok:5000', 'same'],
  ['REGISTRY.ok', 'registry.ok', 'same-other-spelling'],
  ['registry.ok.', 'registry.ok:5000', 'same-other-spelling'],
  ['registry.ok:5000', 'registry.ok:5000', 'same-other-spelling'],
  ['registry.ok:443', 'registry.ok', 'same-other-spelling'],
  ['registry', 'registry.ok', 'other'],
  ['registry.ok.internal', 'registry.ok', 'other'],
];

for (const [text, host, expected] of ALIASES) {
  alias(`${text} for ${host}: ${expected}`, () => {
    assert.is(sameHostName(text, parseRegistryHost(host)), expected);
  });
}

alias.run();

function refusalOf(text: string): Refusal {
  try {
    parseRegistryHost(text);
  } catch (thrown) {
    if (thrown instanceof Refusal) return thrown;
    throw thrown;
  }
  throw new Error(`accepted: ${text}`);
}
