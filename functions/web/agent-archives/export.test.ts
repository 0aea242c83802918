import { expect, it } from 'vitest'
import { bootstrapToken } from '#shared/agents/fleet/bootstrap/token.ts'
import { agentAiKey } from '#shared/agents/record/ai-key.ts'
import { setCredential } from '#shared/agents/record/credentials/set.ts'
import { gatewayToken } from '#shared/agents/record/secrets.ts'
import { writeNotes } from '#shared/agents/workspace/memory/write.ts'
import { createBrokerCredential } from '#shared/tools/broker/create.ts'
import { filesIn } from '#tests/support/conversations/archive-scenes.ts'
import { restoreWorld } from '#tests/support/conversations/restore-world.ts'

const { world, scenes, archives, ada } = await restoreWorld()

it('an export is a zip of readable files with a file name', async () => {
  const id = await scenes.full()
  const { table } = world
  const notes = { Tea: 'black', 'day.md': 'Monday' }
  await writeNotes({ table }, { agent: await scenes.agentOf(id), notes })
  const path = `/api/agents/${id}/export`
  const answer = await world.call('GET', path, { session: ada.session })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/zip'])
  const { subdomain } = await scenes.agentOf(id)
  expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${subdomain}.zip"`)
  const files = await filesIn(new Uint8Array(await answer.arrayBuffer()))
  expect(Object.keys(files).sort()).toEqual([
    'README.md',
    'agent.json',
    'conversations.jsonl',
    'memory/Tea.md',
    'memory/day.md.md',
    'memory/sea.md',
    'memory/tea~2.md',
    'policy.json',
    'schedules.json',
    'skills.json',
    expect.stringMatching(/^skills\/[\w-]+\/SKILL\.md$/),
    'system-prompt.md',
  ])
  expect(files['README.md']).toMatch(/^# Bo\n/)
  expect(files['system-prompt.md']).toBe('You are Bo')
  expect([files['memory/Tea.md'], files['memory/tea~2.md']]).toEqual(['black', 'green'])
  expect(JSON.parse(files['agent.json'] ?? '')).toEqual({
    format: 'agent-archive',
    version: 1,
    name: 'Bo',
    model: 'claude-opus-4-6',
    plan: 'label',
    aiProvider: 'anthropic',
    config: { mood: { tone: 'dry' } },
  })
  expect(JSON.parse(files['schedules.json'] ?? '')).toEqual([
    {
      name: 'Check',
      description: null,
      cronSchedule: '0 7 * * *',
      timezone: 'UTC',
      prompt: 'Well?',
      enabled: true,
    },
  ])
  const lines = (files['conversations.jsonl'] ?? '').trim().split('\n')
  const messages = ['one', 'two', 'three'].map((content) => expect.objectContaining({ content }))
  expect(lines.map((line) => JSON.parse(line))).toEqual(messages)
})

it('an export does not contain the agent’s secrets', async () => {
  const whsec = `whsec_${Buffer.from('a secret of webhooks, in base64').toString('base64')}`
  const config = {
    telegramToken: '12345:telegram-secret',
    discordBotToken: 'discord-secret-of-a-bot',
    whatsappToken: 'whatsapp-secret-of-a-bot',
    webhookSecret: whsec,
    webhookUrl: 'https://hooks.example/T000/hook-secret?token=query-secret',
    systemPrompt: 'You are Bo',
  }
  const id = await scenes.newAgent(config)
  const encryptionKey = String(world.fleet.services.config.WALLET_ENCRYPTION_KEY)
  const agent = await scenes.agentOf(id)
  const input = { agent, key: 'GITHUB_TOKEN', value: 'credential-secret' }
  await setCredential({ table: world.table, encryptionKey }, input)
  const brokered = {
    name: 'crm',
    hosts: ['crm.example'],
    header: 'x-key: {value}',
    value: 'crm-key',
  }
  await createBrokerCredential(
    { ...world.fleet.services, owner: ada.id, encryptionKey, allowed: [] } as never,
    { agentId: id, ...brokered },
  )
  const full = await scenes.agentOf(id)
  const secrets = [
    ...Object.values(config).filter((value) => value !== config.systemPrompt),
    'hook-secret',
    'query-secret',
    'GITHUB_TOKEN',
    'credential-secret',
    'crm.example',
    'crm-key',
    encryptionKey,
    await gatewayToken(encryptionKey, id, full.tokenVersion),
    await agentAiKey(encryptionKey, full, full.generation),
    await bootstrapToken(encryptionKey, { agentId: id, generation: full.generation }),
    ...Object.values(full.secrets ?? {}),
    // The mask of a secret.
    '••••',
    // The prefix of encrypted values.
    'v1.',
  ]
  expect(Object.keys(full.secrets ?? {})).toHaveLength(4)
  const twin = await archives.copy(id)
  for (const each of [id, twin.id]) {
    const zip = await archives.take(each)
    const all = JSON.stringify(await filesIn(zip)) + Buffer.from(zip).toString('latin1')
    for (const secret of secrets) expect(all).not.toContain(secret)
    expect(all).toContain('You are Bo')
  }
  const { config: kept, secrets: sealed } = await scenes.agentOf(twin.id)
  expect([kept, sealed]).toEqual([{ systemPrompt: 'You are Bo' }, undefined])
})

it('an export has the same bytes while the agent is unchanged', async () => {
  const id = await scenes.full()
  expect(await archives.take(id)).toEqual(await archives.take(id))
})

it('omits the oldest messages if it exceeds the size, and can be imported', async () => {
  const id = await scenes.newAgent()
  const noise = () => Buffer.from(crypto.getRandomValues(new Uint8Array(65_000))).toString('base64')
  for (let i = 0; i < 80; i++) await scenes.say(id, `${i} ${noise()}`)
  const zip = await archives.take(id)
  expect(zip.length).toBeLessThan(4 * 1_048_576)
  const files = await filesIn(zip)
  const first = /"content":"(\d+) /.exec(files['conversations.jsonl'] ?? '')
  expect(Number(first?.[1])).toBe(40)
  expect((await archives.bring(zip)).status).toBe(201)
})

it('an export is rejected if its memory alone is too large', async () => {
  const id = await scenes.newAgent()
  const { table } = world
  // Random Chinese characters, which compress poorly.
  const noise = () =>
    Array.from(crypto.getRandomValues(new Uint16Array(20_000)), (n) => 0x4e00 + (n & 0x3fff))
      .map((code) => String.fromCharCode(code))
      .join('')
  for (let i = 0; i < 160; i += 40) {
    const notes = Array.from({ length: 40 }, (_, j) => [`note-${i + j}`, noise()] as const)
    await writeNotes(
      { table },
      { agent: await scenes.agentOf(id), notes: Object.fromEntries(notes) },
    )
  }
  const answer = await world.call('GET', `/api/agents/${id}/export`, { session: ada.session })
  expect([answer.status, await answer.json()]).toEqual([
    413,
    { error: 'The agent’s memory is larger than an archive' },
  ])
})

it('requires its owner’s session or a key that may read', async () => {
  const id = await scenes.full()
  const path = `/api/agents/${id}/export`
  const eve = await world.newUser('eve@b.co')
  expect((await world.call('GET', path, { session: eve.session })).status).toBe(404)
  expect((await world.call('GET', path)).status).toBe(401)
  expect((await world.call('GET', path, { session: `${ada.id}.wrong` })).status).toBe(401)
})
