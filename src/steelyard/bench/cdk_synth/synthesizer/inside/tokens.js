'use strict';
// The library names a value that is not known yet (a token) by a number, in a table that lives as long as Node. Stock
// Node lives for one app; ours does not, so an app could read from a number how much ran before it, or make up the
// number of another app's token. Law: an app sees numbers of its own, from 0 in the order in which it first sees them,
// and a key that it was not given finds nothing. Real numbers begin at FIRST, so that the two are never confused.
// Messages to the app get its own numbers, messages from it the real ones, because the library compares spellings; what
// reaches Node by another way (a file with a token in it) is translated when it is looked up.
const fs = require('fs');
const Module = require('module');

const CHANNEL = 3;
const FIRST = 100_000;
const NEVER = 2 ** 47; // added to a number that the app was not given; no real number gets there
const KEY = /([$#]\{Token\[[\w:.-]+\.)(\d+)(?=\]\})/g;
const KEY_IN_ERROR = /(Unrecognized token key: [\w:.-]+\.)(\d+)/g;
const DOUBLE = /-1\.\d{10,16}e\+289/g; // a number that stands for a token: the index is in its lower 48 bits
const MARK = 0xfbff;

const double = new DataView(new ArrayBuffer(8));

function index(value) {
  double.setFloat64(0, value);
  return double.getUint16(0) === MARK ? double.getUint16(2) * 2 ** 32 + double.getUint32(4) : undefined;
}

function encoded(number) {
  double.setUint16(0, MARK);
  double.setUint16(2, Math.floor(number / 2 ** 32));
  double.setUint32(4, number % 2 ** 32);
  return double.getFloat64(0);
}

// The text with the number of every token in it changed.
function renumbered(text, change, keys = [KEY]) {
  const inKey = (whole, head, digits) => (digits.length < 16 ? head + change(Number(digits)) : whole);
  const inDouble = (whole) => (index(Number(whole)) === undefined ? whole : String(encoded(change(index(Number(whole))))));
  return keys.reduce((changed, key) => changed.replace(key, inKey), text.replace(DOUBLE, inDouble));
}

class Layer {
  strings = new Map();
  numbers = new Map();

  take(other) {
    for (const kind of ['strings', 'numbers']) for (const [key, token] of other[kind]) this[kind].set(key, token);
  }
}

class Tokens {
  library = new Layer(); // made before the first app, or while a module is loaded: for every app
  elders = new Layer(); // made for the apps before
  loading = false;

  constructor() {
    this.reset();
    const adopt = (table) => this.adopt(table);
    Object.defineProperty(globalThis, '__cdkTokenMap', { get() {}, set: adopt, configurable: true, enumerable: true });
    const load = Module._load;
    Module._load = (name, parent, isMain) => {
      if (this.loading) return load.call(Module, name, parent, isMain);
      this.collect(true);
      try {
        return load.call(Module, name, parent, isMain);
      } finally {
        this.collect(false);
      }
    };
  }

  reset() {
    this.app = new Layer();
    this.real = []; // by the app's number
    this.own = new Map(); // the app's number by the real one
    this.foreign = [];
    this.collect(false);
  }

  adopt(table) {
    Object.defineProperty(globalThis, '__cdkTokenMap', { value: table });
    this.table = table;
    table.tokenCounter = FIRST;
    this.collect(this.loading);
    const { lookupToken, lookupNumberToken } = table;
    // What is not found fails as the library has it.
    table.lookupToken = (key) => table.stringTokenMap.get(key) ?? this.find('strings', key) ?? lookupToken.call(table, key);
    table.lookupNumberToken = (value) => this.find('numbers', index(value)) ?? lookupNumberToken.call(table, value);
  }

  // Where the library puts new tokens from now on.
  collect(loading) {
    this.loading = loading;
    if (!this.table) return;
    const layer = loading ? this.library : this.app;
    this.table.stringTokenMap = layer.strings;
    this.table.numberTokenMap = layer.numbers;
  }

  find(kind, key) {
    const change = (number) => this.real[number] ?? number;
    const real = kind === 'numbers' ? change(key) : renumbered(`\${Token[${key}]}`, change).slice(8, -2);
    const own = this.app[kind].get(real) ?? this.library[kind].get(real);
    if (own) return own;
    const other = this.elders[kind].get(real);
    if (other) this.foreign.push(`token ${real}`);
    return other;
  }

  // To the app: its own number for a real one.
  shown(number) {
    if (number >= NEVER) return number - NEVER;
    if (number < FIRST) return number;
    if (!this.own.has(number)) {
      // Numbers have run out: the app sees the real one, and its verdict needs a fresh kernel.
      if (this.real.length === FIRST) this.foreign.push('too many tokens');
      this.own.set(number, this.real.length === FIRST ? number : this.real.push(number) - 1);
    }
    return this.own.get(number);
  }

  // From the app: the real number for one that it names.
  meant(number) {
    if (number < FIRST) return this.real[number] ?? number;
    return this.own.has(number) || number >= NEVER ? number : number + NEVER;
  }

  // The last app has ended. Returns which tokens of other apps it reached.
  next() {
    const { foreign } = this;
    this.elders.take(this.app);
    this.reset();
    return foreign.slice(0, 10);
  }

  // From now on the apps are those of others.
  settle() {
    this.next();
    this.library.take(this.elders);
    this.elders = new Layer();
  }
}

const tokens = new Tokens();
globalThis[Symbol.for('steelyard.tokens')] = tokens;

const mentioned = (bytes) => bytes.includes('Token') || bytes.includes('e+289');

function translated(bytes, ...how) {
  return mentioned(bytes) ? Buffer.from(renumbered(bytes.toString('latin1'), ...how), 'latin1') : bytes;
}

const { readSync, writeSync } = fs;
let waiting = Buffer.alloc(0);

// A message is a line, and none comes before the last one is answered.
fs.readSync = (handle, buffer, ...rest) => {
  if (handle !== CHANNEL) return readSync(handle, buffer, ...rest);
  if (waiting.length === 0) {
    const chunks = [];
    for (;;) {
      const chunk = buffer.subarray(0, readSync(handle, buffer));
      const ended = chunk.length === 0 || chunk.at(-1) === 10;
      if (ended && chunks.length === 0 && !mentioned(chunk)) return chunk.length;
      chunks.push(Buffer.from(chunk));
      if (ended) break;
    }
    waiting = translated(Buffer.concat(chunks), (number) => tokens.meant(number));
  }
  const size = waiting.copy(buffer);
  waiting = waiting.subarray(size);
  return size;
};

fs.writeSync = (handle, bytes, ...rest) => {
  if (handle !== CHANNEL) return writeSync(handle, bytes, ...rest);
  const given = bytes.subarray(rest[0] ?? 0);
  const whole = translated(given, (number) => tokens.shown(number), [KEY, KEY_IN_ERROR]);
  for (let at = 0; at < whole.length; ) at += writeSync(handle, whole, at);
  return given.length;
};
