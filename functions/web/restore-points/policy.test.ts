import { beforeEach, describe, expect, it } from 'vitest'
import { keyHashes } from '#shared/accounts/keys/hashes.ts'
import type { Policy } from '#shared/permits/policy/policy.ts'
import { auditRows } from '#shared/platform/identity/rows.ts'
import { restoreWorld } from '#tests/support/conversations/restore-world.ts'
import { callerOf } from '#tests/support/http/caller.ts'
import { platformOver } from '#tests/support/http/platform-over.ts'
import * as keys from '../keys.ts'

const { world, scenes, ada } = await restoreWorld()

const open: Policy = { preset: 'open', rules: [] }
const locked: Policy = { preset: 'locked', rules: [] }

let bearers: Record<'plain' | 'spender', Record<string, string>>
beforeEach(async () => {
  const services = { table: world.table, hashes: keyHashes({ cost: 4 }), adminEmails: [] }
  const own = platformOver(callerOf<never>(keys as never, services as never), ada).keys
  const bearer = async (scopes: ('write' | 'money')[]) => ({
    authorization: `Bearer ${(await own.create({ name: 'key', scopes })).key}`,
  })
  bearers = { plain: await bearer(['write']), spender: await bearer(['write', 'money']) }
})

async function restored(from: Policy, to: Policy, by: 'plain' | 'spender') {
  const id = await scenes.newAgent()
  await scenes.setPolicy(id, to)
  const { id: snapshotId } = await scenes.snapshot(id)
  await scenes.setPolicy(id, from)
  const before = await changes()
  const path = `/api/agents/${id}/restore`
  const answer = await world.call('POST', path, { headers: bearers[by], body: { snapshotId } })
  expect(answer.status).toBe(202)
  await world.work()
  return { policy: (await scenes.stateOf(id)).policy, audited: (await changes()) - before }
}

async function changes() {
  const { items } = await world.table.query({
    pk: auditRows.pk({ userId: ada.id }),
    beginsWith: auditRows.prefix(),
  })
  return items.filter((item) => auditRows.parse(item).action === 'policy.changed').length
}

describe('a restore of an agent', () => {
  it('restores its policy, with an entry in the audit', async () => {
    expect(await restored(open, locked, 'plain')).toEqual({ policy: locked, audited: 1 })
    expect(await restored(locked, open, 'spender')).toEqual({ policy: open, audited: 1 })
    expect(await restored(locked, locked, 'plain')).toEqual({ policy: locked, audited: 0 })
  })

  it('keeps a stricter policy for payments, by a key without the scope money', async () => {
    expect(await restored(locked, open, 'plain')).toEqual({ policy: locked, audited: 0 })
  })
})
