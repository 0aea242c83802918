/**
 * The parts of Node's modules that packages of workers require. On workerd, modules of Node are available only to imports
 * of `node:` names.
 */
export { createHash, createHmac } from 'node:crypto'
export { parse } from 'node:querystring'
