// node unit-tests.mjs: checks the types of the page and runs its unit tests (tests/view/page) with Node's own runner.
// Exit status 77: they cannot run here.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const web = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const tests = path.join(web, '..', 'tests', 'view', 'page');
const { build } = await import('esbuild').catch(() => {
  console.log('skipped: the packages of web/package-lock.json are not installed: npm could not fetch them');
  process.exit(77);
});
const out = fs.mkdtempSync(path.join(os.tmpdir(), 'plush-page-'));
let status = spawnSync(process.execPath, [path.join(web, 'node_modules/typescript/bin/tsc'), '--noEmit', '-p', web], { stdio: 'inherit' }).status ?? 1;
try {
  const entryPoints = fs
    .readdirSync(tests)
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => path.join(tests, name));
  await build({ entryPoints, outdir: out, outExtension: { '.js': '.mjs' }, bundle: true, platform: 'node', format: 'esm', logLevel: 'error' });
  const built = fs.readdirSync(out).map((name) => path.join(out, name));
  status ||= spawnSync(process.execPath, ['--test', ...built], { stdio: 'inherit' }).status ?? 1;
} finally {
  fs.rmSync(out, { recursive: true, force: true });
}
process.exit(status);
