/** The diff of a review: there exactly when the manifest changes, in places of the committed file, without secrets. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { patchView } from '../../../src/cli/review/patch-view.ts';
import { hydrate } from '../../../src/manifest/hydrate.ts';
import { trustIntent } from '../../../src/manifest/intent.ts';
import { parseRegistryHost } from '../../../src/trust/registry-host.ts';

const view = suite('patch view');

const HOST = parseRegistryHost('registry.example');
const CA = Buffer.from('-----BEGIN CERTIFICATE-----\nZ29sZGVu\n-----END CERTIFICATE-----\n').toString(
  'base64',
);
const OLD_CA = Buffer.from('-----BEGIN CERTIFICATE-----\nb2xk\n-----END CERTIFICATE-----\n').toString(
  'base64',
);
const STAND_IN = Buffer.from('stand-in\n').toString('base64');

const COMMITTED = `apiVersion: bootstrap.cluster.x-k8s.io/v1alpha3
kind: TalosConfigTemplate
metadata:
  name: workers
spec:
  template:
    spec:
      generateType: worker
      talosVersion: v1.9.5
      configPatches:
        - op: add
          path: /machine/kubelet/extraArgs
          value: {user: me, password: hunter2}
        - registryTrust: registry.example
        - op: add
          path: /machine/sysctls
          value: {a: "1"}
`;

function viewOf(committed: string, ca = CA, ip = '10.0.0.1') {
  const render = (caBase64: string): string =>
    hydrate(committed, [trustIntent(HOST, { caBase64, ip })]).output;
  const texts = { hydrated: render(ca), redacted: render(STAND_IN) };
  return { ...patchView({ committed: { text: committed, file: 'base.yaml' }, ...texts }), ...texts };
}

const linesOf = ({ hunks }: ReturnType<typeof viewOf>): readonly string[] =>
  hunks.flatMap(({ lines }) => lines);

view('a placeholder becomes patches with the stand-in; the heading names the object', () => {
  const seen = viewOf(COMMITTED);
  assert.is(seen.file, 'base.yaml');
  assert.is(seen.hunks.length, 1);
  assert.match(seen.hunks[0]?.head ?? '', /^@@ -11,7 \+11,\d+ @@ TalosConfigTemplate workers$/);
  const lines = linesOf(seen);
  assert.ok(lines.includes('-        - registryTrust: registry.example'));
  assert.ok(lines.some((line) => line.startsWith('+') && line.endsWith(`ca: ${STAND_IN}`)));
  assert.not.match(lines.join('\n'), new RegExp(CA));
});

view('secrets of the author beside the change are masked', () => {
  const lines = linesOf(viewOf(COMMITTED));
  assert.ok(lines.includes('           value: {user: me, password: (masked)}'));
  assert.not.match(lines.join('\n'), /hunter2/);
});

view('nothing is shown where all values stand already', () => {
  const { hydrated } = viewOf(COMMITTED);
  assert.equal(viewOf(hydrated).hunks, []);
});

view('with a new address the address alone is shown, not the CA that stays', () => {
  const { hydrated } = viewOf(COMMITTED);
  const changes = linesOf(viewOf(hydrated, CA, '10.0.0.2')).filter((line) => !line.startsWith(' '));
  assert.equal(
    changes.map((line) => line.replace(/\s+/g, ' ')),
    ['- - ip: 10.0.0.1', '+ - ip: 10.0.0.2'],
  );
});

view('with a new CA the old one is masked and the new one a stand-in', () => {
  const { hydrated } = viewOf(COMMITTED, OLD_CA);
  const changes = linesOf(viewOf(hydrated)).filter((line) => !line.startsWith(' '));
  assert.equal(
    changes.map((line) => line.replace(/\s+/g, ' ')),
    ['- ca: (masked)', `+ ca: ${STAND_IN}`],
  );
});

view('the shown lines are those of the redacted rendering', () => {
  const { redacted, ...seen } = viewOf(COMMITTED);
  const added = linesOf(seen as ReturnType<typeof viewOf>).filter((line) => line.startsWith('+'));
  for (const line of added) assert.ok(redacted.split('\n').includes(line.slice(1)), line);
  assert.ok(added.length > 5);
});

view('carriage returns and a missing last line end are no changes', () => {
  const windows = COMMITTED.replaceAll('\n', '\r\n').trimEnd();
  const changed = linesOf(viewOf(windows)).filter((line) => !line.startsWith(' '));
  assert.equal(
    changed,
    linesOf(viewOf(COMMITTED)).filter((line) => !line.startsWith(' ')),
  );
});

view.run();
