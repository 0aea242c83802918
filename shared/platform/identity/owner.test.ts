import { expect, it } from 'vitest'
import type { Actor } from './actor.ts'
import { ownerFor } from './owner.ts'

const internal = {
  type: 'internal',
  email: undefined,
  role: undefined,
  profile: undefined,
} as const
const rows = { agent: undefined, owner: undefined }

it.each<[string, Actor, string | undefined]>([
  ['a user', { type: 'user', user: { id: 'usr_1' } as never, via: 'key' }, 'usr_1'],
  ['a trusted caller for a user', { ...internal, userId: 'usr_1' }, 'usr_1'],
  ['a trusted caller for no user', { ...internal, userId: undefined }, undefined],
  ['an agent', { type: 'agent', agentId: 'agt_1', userId: 'usr_1', generation: 1, rows }, 'usr_1'],
  [
    'an agent of the platform',
    { type: 'agent', agentId: 'agt_1', userId: null, generation: 1, rows },
    undefined,
  ],
  ['a proven agent', { type: 'proven-agent', agentId: 'agt_1' }, undefined],
  ['anyone', { type: 'public' }, undefined],
])('%s works on the rows of its owner', (_, actor, owner) => {
  expect(ownerFor(actor)).toBe(owner)
})
