/**
 * Prefixes of ids that no entity declares. Most of these ids are never stored. The id of an agent is here because code
 * that must not import the domain reads it from tasks and volume names. Every other prefix is the `id` of its entity.
 */
export const idPrefixes = {
  agent: 'agt',
  session: 'ses',
  request: 'req',
  swarmRun: 'swr',
  completion: 'chatcmpl',
  call: 'call',
  message: 'msg',
  response: 'resp',
  reasoning: 'rs',
  functionCall: 'fc',
  customToolCall: 'ctc',
  toolSearchCall: 'tsc',
} as const
