'use strict';
// Loaded before the jsii runtime, in every Node.
const fs = require('fs');

// The package cache is mounted read-only, so its "last used" stamp cannot be written; only that error is swallowed.
const stamp = fs.lutimesSync;
fs.lutimesSync = (...words) => {
  try {
    stamp(...words);
  } catch (error) {
    if (!['EROFS', 'EPERM', 'EACCES'].includes(error.code)) throw error;
  }
};
