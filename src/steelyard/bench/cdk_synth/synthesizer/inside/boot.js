'use strict';
// Loaded before the jsii runtime, in the kernel's own Node.
require('./cache.js');
require('./tokens.js');
const child = require('child_process');
const crypto = require('crypto');
const fs = require('fs');
const path = require('path');

// Which JSON files synthesis itself wrote, and with what content: an app can write into the same folder.
const written = new Map();
const write = fs.writeFileSync;
fs.writeFileSync = (file, data, ...rest) => {
  write(file, data, ...rest);
  if (typeof file === 'string' && file.endsWith('.json')) {
    written.set(path.resolve(file), crypto.createHash('sha256').update(data).digest('hex'));
  }
};
globalThis[Symbol.for('steelyard.written')] = written;

// Some constructs make Node start a program that the app names (a build command, a bundler). It runs under the app's own
// lock, and the kernel learns of it. The library starts programs in this way only; every other way is closed.
const { STEELYARD_PYTHON: python, STEELYARD_TERMS: terms } = process.env;
delete process.env.STEELYARD_PYTHON;
delete process.env.STEELYARD_TERMS;
const jail = "import sys; sys.path[0] = '/synthesizer'; from inside import jail; sys.exit(jail.main(sys.argv[1:]))";
const started = [];
const spawnSync = child.spawnSync;
child.spawnSync = (program, words, options) => {
  if (!Array.isArray(words)) [words, options] = [[], words];
  started.push(String(program));
  const command = options?.shell ? ['/bin/sh', '-c', [program, ...words].join(' ')] : [program, ...words];
  const jailed = ['-s', '-E', '-S', '-B', '-c', jail, terms, ...command.map(String)];
  return spawnSync(python, jailed, { ...options, shell: false, argv0: undefined });
};
for (const name of ['spawn', 'exec', 'execFile', 'execSync', 'execFileSync', 'fork']) {
  child[name] = () => {
    throw new Error(`refused by the sandbox: child_process.${name}`);
  };
}
globalThis[Symbol.for('steelyard.started')] = started;
