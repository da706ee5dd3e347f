'use strict';
// Loaded before the jsii runtime. The package cache is mounted read-only, so its "last used" stamp cannot be written;
// that is the only error swallowed here.
const fs = require('fs');
const stamp = fs.lutimesSync;
fs.lutimesSync = (...words) => {
  try {
    stamp(...words);
  } catch (error) {
    if (!['EROFS', 'EPERM', 'EACCES'].includes(error.code)) throw error;
  }
};
