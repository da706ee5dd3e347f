'use strict';
// Our own code inside Node. Called by the kernel between two apps, never by an app (the relay refuses that).
// It undoes what a finished app left behind where that is possible, and names what cannot be undone.
const fs = require('fs');
const path = require('path');

const INTRINSICS = [
  Object, Function, Array, String, Number, Boolean, Symbol, BigInt, Error, TypeError, RangeError, Promise, Map, Set,
  WeakMap, WeakSet, RegExp, Date, Proxy, ArrayBuffer, Uint8Array, Buffer,
];
const NAMESPACES = { JSON, Math, Reflect, Atomics, process, console };

function shape(target) {
  const found = new Map();
  for (const key of Reflect.ownKeys(target)) {
    const slot = Reflect.getOwnPropertyDescriptor(target, key);
    found.set(key, slot.get || slot.set ? [slot.get, slot.set] : [slot.value]);
  }
  return found;
}

function targets() {
  const found = new Map();
  for (const made of INTRINSICS) {
    found.set(made.name, made);
    if (made.prototype) found.set(`${made.name}.prototype`, made.prototype);
  }
  for (const [name, value] of Object.entries(NAMESPACES)) {
    if (name === 'JSON' || name === 'Math' || name === 'Reflect') found.set(name, value);
  }
  return found;
}

class Guard {
  // Until here Node put its own folder into the temp folder; from here on apps and Node share one.
  static ready() {
    Guard.lock(process.env.TMPDIR);
    process.env.TMPDIR = '/tmp';
    Guard.usual = Guard.cdkVariables();
    return 'ready';
  }

  static cdkVariables() {
    return Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('CDK_')));
  }

  // What the app set or removed (null) before it imported the library.
  static variables(text) {
    for (const [name, value] of Object.entries(JSON.parse(text))) {
      if (value === null) delete process.env[name];
      else process.env[name] = value;
    }
    return 'set';
  }

  // What the CLI passes when it calls an app again after it looked for context.
  static context(text) {
    process.env.CDK_CONTEXT_JSON = text;
    return 'set';
  }

  // Path -> SHA-256 of what synthesis wrote since the last call.
  static written() {
    const map = globalThis[Symbol.for('steelyard.written')];
    const text = JSON.stringify(Object.fromEntries(map));
    map.clear();
    return text;
  }

  static baseline() {
    globalThis[Symbol.for('steelyard.tokens')].settle();
    Guard.shapes = new Map([...targets()].map(([name, target]) => [name, shape(target)]));
    Guard.globals = new Set(Reflect.ownKeys(globalThis));
    Guard.environment = JSON.stringify(process.env);
    Guard.folder = process.cwd();
    Guard.listeners = new Map(process.eventNames().map((event) => [event, process.listeners(event).length]));
    Guard.facts = Guard.factText();
    return 'ready';
  }

  // The kernel loads modules lazily from its own folder: from now on nothing may be added to it or renamed in it.
  static lock(root) {
    for (const name of fs.readdirSync(root)) {
      const modules = path.join(root, name, 'node_modules');
      for (const inner of fs.readdirSync(modules)) {
        const folder = path.join(modules, inner);
        if (!fs.lstatSync(folder).isSymbolicLink()) fs.chmodSync(folder, 0o555);
      }
      fs.chmodSync(modules, 0o555);
      fs.chmodSync(path.join(root, name), 0o555);
    }
    fs.chmodSync(root, 0o555);
  }

  static factText() {
    const { Fact } = require('aws-cdk-lib/region-info');
    return JSON.stringify(Fact.database);
  }

  static sweep() {
    process.removeAllListeners('beforeExit');
    for (const name of Object.keys(Guard.cdkVariables())) if (!(name in Guard.usual)) delete process.env[name];
    Object.assign(process.env, Guard.usual);
    const { AssetStaging } = require('aws-cdk-lib');
    AssetStaging.clearAssetHashCache();
    const problems = Guard.shapes ? Guard.changes() : [];
    for (const program of globalThis[Symbol.for('steelyard.started')]) problems.push(`started ${program.slice(0, 80)}`);
    const foreign = globalThis[Symbol.for('steelyard.tokens')].next();
    const rss_mb = Math.round(process.memoryUsage.rss() / 1e6);
    return JSON.stringify({ problems: problems.slice(0, 10), foreign, rss_mb });
  }

  static changes() {
    const problems = [];
    for (const [name, target] of targets()) {
      const before = Guard.shapes.get(name);
      const now = shape(target);
      for (const key of new Set([...before.keys(), ...now.keys()])) {
        const a = before.get(key);
        const b = now.get(key);
        if (!a || !b || a.length !== b.length || a.some((value, i) => !Object.is(value, b[i]))) {
          problems.push(`${name}.${String(key)}`);
        }
      }
    }
    for (const key of Reflect.ownKeys(globalThis)) if (!Guard.globals.has(key)) problems.push(`global ${String(key)}`);
    for (const event of process.eventNames()) {
      if (process.listeners(event).length > (Guard.listeners.get(event) || 0)) problems.push(`listener ${String(event)}`);
    }
    if (JSON.stringify(process.env) !== Guard.environment) problems.push('environment');
    if (process.cwd() !== Guard.folder) problems.push('working folder');
    if (Guard.factText() !== Guard.facts) problems.push('region facts');
    return problems;
  }
}

exports.Guard = Guard;
