/**
 * Prefixes of ids that no entity declares: ids that are never stored, and ids of agents, which are also parsed from
 * container tasks and volume names by code that must not import the domain. Every other prefix is the `id` of its
 * entity.
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
