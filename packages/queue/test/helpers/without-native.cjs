// node --require without-native.cjs …: as where msgpackr-extract was not built.
const Module = require('node:module')

const load = Module._load
Module._load = function (request, ...rest) {
  if (request.includes('msgpackr-extract')) throw new Error(`${request} was not built`)
  return load.call(this, request, ...rest)
}
