/**
 * What the ids of each noun begin with, so that an id says what it names wherever it turns up. One list, because ids are
 * read where their noun is not known: in keys, in tasks of containers, in names of volumes.
 */
export const idPrefixes = {
  user: 'usr',
  agent: 'agt',
  key: 'key',
  message: 'msg',
  session: 'ses',
  task: 'tsk',
  swarm: 'swm',
  order: 'ord',
  usage: 'use',
  request: 'req',
  completion: 'chatcmpl',
} as const

export type IdKind = keyof typeof idPrefixes
