import fc from 'fast-check'
import { expect, it } from 'vitest'
import { catalogue } from '#shared/agents/workspace/skills/catalogue.ts'
import { defaultPolicy } from '#shared/permits/policy/policy.ts'
import { anyCharacter } from '#tests/support/platform/any-character.ts'
import type { SnapshotContent } from '../restore-points/content.ts'
import { contentOf } from './import.ts'
import { portable } from './portable.ts'
import { readArchive } from './read.ts'
import { writeArchive } from './write.ts'

const text = fc.string({ unit: anyCharacter, maxLength: 60 }).map((given) => given.toWellFormed())
const words = text.filter((given) => given.trim() !== '' && !/[\uFFFE\uFFFF\p{Cc}]/u.test(given))
const name = words.map((given) => given.trim())
const key = fc.stringMatching(/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,12}$/)
const time = fc
  .date({ min: new Date('2020-01-01'), max: new Date('2026-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString())
const value = fc.oneof(words, fc.boolean(), fc.integer(), fc.array(words, { maxLength: 3 }))
const unknown = fc.dictionary(fc.stringMatching(/^x[a-z]{1,8}$/), value, { maxKeys: 4 })

const skills = fc.subarray([...catalogue]).chain((some) =>
  fc.tuple(
    ...some.map(({ id, name: title, description, version, document }) =>
      fc.boolean().map((enabled) => ({
        skillId: id,
        name: title,
        description,
        version,
        document,
        enabled,
        installedAt: '',
      })),
    ),
  ),
)

const tasks = fc.array(
  fc.record({
    id: fc.constant('tsk'),
    name,
    description: fc.option(words),
    cronSchedule: fc.constantFrom('0 7 * * *', '*/5 * * * 1-5', '@daily'),
    timezone: fc.constantFrom('UTC', 'Europe/London'),
    prompt: name,
    // An import disables all schedules.
    enabled: fc.constant(false),
    createdAt: time,
  }),
  { maxLength: 4 },
)

const messages = fc
  .array(
    fc.record(
      {
        sender: fc.constantFrom('user' as const, 'agent' as const),
        content: text,
        timestamp: time,
        platform: fc.constantFrom('web', 'telegram', 'schedule'),
        topic: words,
        model: fc.option(words),
        truncated: fc.constant(true as const),
        cancelled: fc.constant(true as const),
        reason: fc.option(words),
        generation: fc.nat(),
      },
      { requiredKeys: ['sender', 'content', 'timestamp', 'platform'] },
    ),
    { maxLength: 12 },
  )
  .map((given) =>
    given
      .toSorted((a, b) => a.timestamp.localeCompare(b.timestamp))
      .map((row, i) => ({ seed: `${i}`, row: { ...row, id: `msg_${i}`, agentId: 'agt_a' } })),
  )

const policy = fc.record({
  preset: fc.constantFrom('open' as const, 'guarded' as const, 'locked' as const),
  rules: fc.array(
    fc.record(
      {
        action: fc.constantFrom('message.send' as const, 'exec' as const),
        when: fc.record({ perDay: fc.integer({ min: 1, max: 9 }) }),
        then: fc.constantFrom('allow' as const, 'ask' as const),
      },
      { requiredKeys: ['action', 'then'] },
    ),
    { maxLength: 3 },
  ),
})

const contents: fc.Arbitrary<SnapshotContent> = fc.record({
  version: fc.constant(1 as const),
  agent: fc.record({
    id: fc.constant('agt_a'),
    name,
    model: words,
    plan: fc.constantFrom('solo', 'label', 'network'),
    aiProvider: words,
    config: fc
      .tuple(unknown, fc.option(words))
      .map(([config, systemPrompt]) =>
        systemPrompt === null ? config : Object.assign(config, { systemPrompt }),
      ),
    running: fc.boolean(),
  }),
  notes: fc.uniqueArray(fc.record({ key, text, updatedAt: time }), {
    selector: (note) => note.key,
    maxLength: 8,
  }),
  skills: skills as unknown as fc.Arbitrary<SnapshotContent['skills']>,
  tasks,
  policy,
  messages,
  cut: fc.boolean(),
})

const byKey = (a: { key: string }, b: { key: string }) => (a.key < b.key ? -1 : 1)

it('an archive is the same after import and export, byte by byte', async () => {
  await fc.assert(
    fc.asyncProperty(contents, async (given) => {
      const content = portable({ ...given, notes: given.notes.toSorted(byKey) })
      const zip = await writeArchive(content)
      const next = await contentOf('agt_b', await readArchive(zip))
      const { messages: said, notes, agent } = next
      expect(notes.toSorted(byKey).map(({ key: k, text: t }) => [k, t])).toEqual(
        content.notes.map(({ key: k, text: t }) => [k, t]),
      )
      expect(agent.config).toEqual(content.agent.config)
      expect(next.policy ?? defaultPolicy).toEqual(content.policy)
      // The table sorts messages by these seeds.
      const seeds = said.map(({ seed }) => seed)
      expect(seeds.toSorted()).toEqual(seeds)
      const again = await writeArchive({ ...next, notes: notes.toSorted(byKey) })
      expect(again).toEqual(zip)
    }),
    { numRuns: 60 },
  )
})
