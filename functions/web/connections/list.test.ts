import { afterAll, beforeAll, expect, it } from 'vitest'
import * as group from '#functions/web/connections.ts'
import { createLog } from '#shared/platform/log.ts'
import { openConnection } from '#shared/tools/connections/open.ts'
import { connectionRows, connectionToolRows } from '#shared/tools/connections/rows.ts'
import { type Keys, startKeys } from '#tests/support/accounts/keys.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { callerOf } from '#tests/support/http/caller.ts'

let accounts: Keys
beforeAll(async () => {
  accounts = await startKeys()
})
afterAll(() => accounts.close())

it('lists the connections of an agent to its owner alone', async () => {
  const { table } = accounts
  const services = { table, encryptionKey: undefined, allowed: [] }
  const call = callerOf(group, services)
  const ada = await accounts.signUp('ada@b.co')
  const bob = await accounts.signUp('bob@b.co')
  const { id: agentId } = await putAgent(table, ada.id)
  const key = { userId: ada.id, agentId, name: 'notes' }
  const createdAt = new Date().toISOString()
  const url = 'https://mcp.example.com/mcp'
  await table.put(
    connectionRows.put(key, {
      name: 'notes',
      url,
      createdAt,
      state: 'connected',
      allow: ['read'],
      readOnly: ['read'],
      revision: 1,
    }),
  )
  const tools = [
    { name: 'read', description: 'Reads a note', declared: '{"name":"read"}' },
    { name: 'drop', declared: '{"name":"drop"}' },
  ]
  await table.put(connectionToolRows.put(key, { readAt: createdAt, tools }))

  const path = `/api/agents/${agentId}/connections`
  const answer = await call('GET', path, { session: ada.session })
  expect(await answer.json()).toEqual({
    connections: [
      {
        name: 'notes',
        url,
        state: 'connected',
        createdAt,
        tools: [
          { name: 'read', description: 'Reads a note', allowed: true },
          { name: 'drop', description: '', allowed: false },
        ],
      },
    ],
  })
  expect((await call('GET', path, { session: bob.session })).status).toBe(404)
  const agent = { userId: ada.id, agentId }
  const opened = await openConnection({ ...services, log: createLog() }, { agent, name: 'notes' })
  expect(opened).toMatchObject({ url, headers: {} })
})
