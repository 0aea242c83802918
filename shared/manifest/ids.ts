/**
 * What ids begin with that no row of its own declares: those of what is never stored, and an agent's, which is read by
 * rooms that may import nothing of the domain, off tasks of containers and names of volumes. Every other prefix is the
 * `id` of its entity.
 */
export const idPrefixes = {
  agent: 'agt',
  session: 'ses',
  request: 'req',
  swarmRun: 'swr',
  completion: 'chatcmpl',
  call: 'call',
} as const
