'use strict';
// Loaded before the jsii runtime.
const crypto = require('crypto');
const fs = require('fs');
const path = require('path');

// The package cache is mounted read-only, so its "last used" stamp cannot be written; only that error is swallowed.
const stamp = fs.lutimesSync;
fs.lutimesSync = (...words) => {
  try {
    stamp(...words);
  } catch (error) {
    if (!['EROFS', 'EPERM', 'EACCES'].includes(error.code)) throw error;
  }
};

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
