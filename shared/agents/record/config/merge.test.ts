import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anyCharacter } from '#tests/support/platform/any-character.ts'
import type { Agent } from '../agent.ts'
import { mergeConfig } from './merge.ts'
import { agentConfig, type ConfigChange } from './schema.ts'
import { sealChange } from './seal.ts'
import { mask, secretNames } from './secrets.ts'
import { showConfig } from './show.ts'

const ctx = { config: { WALLET_ENCRYPTION_KEY: 'a key that is long enough for the tests' } }

/** The fields of an agent that a config change reads and writes. */
const blank = { id: 'agt_1', plan: 'label', aiProvider: 'router', model: 'm', config: {} } as Agent

const token = fc.stringMatching(/^[!-~]{1,40}$/)
const clearing = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })

/** Changes that the schema accepts: known keys, secrets and unknown keys, sometimes removed. */
const change: fc.Arbitrary<ConfigChange> = fc
  .record(
    {
      systemPrompt: clearing(fc.string({ unit: anyCharacter })),
      spendCapUsd: clearing(fc.integer({ min: 0, max: 1000 })),
      sleepAfterMinutes: clearing(fc.integer({ min: 1, max: 1000 })),
      telegramToken: clearing(token),
      discordBotToken: clearing(token),
      whatsappToken: clearing(token),
      mood: clearing(fc.jsonValue({ maxDepth: 3 })),
      other: clearing(fc.string()),
    },
    { requiredKeys: [] },
  )
  .map((given) => agentConfig.safeParse(given))
  .filter(({ success }) => success)
  .map(({ data }) => data as ConfigChange)

async function after(agent: Agent, ...changes: ConfigChange[]): Promise<Agent> {
  let current = agent
  for (const one of changes) current = mergeConfig(current, await sealChange(ctx, current, one))
  return current
}

it('a config after any changes shows the last value of each key, its secrets masked', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 5 }), async (changes) => {
      const all = Object.entries(Object.assign({}, ...changes) as ConfigChange)
      const expected = all
        .filter(([, value]) => value !== null)
        .map(([name, value]) =>
          secretNames.some((secret) => secret === name)
            ? [name, mask(String(value))]
            : [name, value],
        )
      const agent = await after(blank, ...changes)
      expect(await showConfig(ctx, agent)).toEqual(Object.fromEntries(expected))
      const secrets = all.filter(([name]) => secretNames.some((secret) => secret === name))
      for (const [name] of secrets) expect(agent.config).not.toHaveProperty(name)
    }),
  )
})

it('an update with equal or masked values changes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(change, async (given) => {
      const agent = await after(blank, given)
      expect(await after(agent, given)).toBe(agent)
      const shown = agentConfig.parse(await showConfig(ctx, agent))
      expect(await after(agent, shown)).toBe(agent)
    }),
  )
})

it('concurrent changes are all merged, in any order', async () => {
  await fc.assert(
    fc.asyncProperty(change, change, async (first, second) => {
      const [a, b] = [await sealChange(ctx, blank, first), await sealChange(ctx, blank, second)]
      const agent = mergeConfig(mergeConfig(blank, a), b)
      expect(await showConfig(ctx, agent)).toEqual(
        await showConfig(ctx, await after(blank, first, second)),
      )
    }),
  )
})
