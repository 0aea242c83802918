import * as z from 'zod'
import { once } from '#shared/platform/once.ts'
import { actions, outcomes, presets } from './effect.ts'
import { rule } from './rule-schema.ts'

const maxRules = 100
const maxCharacters = 16_384

const preset = z.enum(presets, `preset must be one of ${presets.join(', ')}`)

/** Each effect of the agent reads all rules, so their size is limited. */
const rules = once(() =>
  z
    .array(rule(), 'rules must be a list')
    .max(maxRules, `rules must have at most ${maxRules} entries`)
    .refine(
      (all) => JSON.stringify(all).length <= maxCharacters,
      `rules must have at most ${maxCharacters} characters as JSON`,
    )
    .describe('The first rule that matches decides; if none does, the preset decides'),
)

export const policyChange = once(() =>
  z.object({ preset, rules: rules() }).meta({
    id: 'PolicyChange',
    examples: [
      {
        preset: 'guarded',
        rules: [
          {
            action: 'broker.request',
            match: { host: 'api.example.com', method: ['POST', 'PATCH'] },
            when: { perDay: 20 },
            then: 'allow',
          },
        ],
      },
    ],
  }),
)

export const policyView = once(() =>
  z.object({ preset: z.enum(presets), rules: z.array(rule()) }).meta({ id: 'Policy' }),
)

export const policyTest = once(() =>
  z
    .object({
      days: z
        .int('days must be a whole number')
        .min(1, 'days must be at least 1')
        .max(30, 'days must be at most 30'),
      preset: preset.optional().describe('Default: the current one'),
      rules: rules().optional().describe('Default: the current ones'),
    })
    .meta({ id: 'PolicyTest', examples: [{ days: 30, preset: 'locked' }] }),
)

export const policyTestResult = once(() =>
  z
    .object({
      days: z.number(),
      counts: z.object({ allow: z.number(), ask: z.number(), deny: z.number() }),
      records: z.array(
        z
          .object({
            at: z.string(),
            action: z.enum(actions),
            target: z.record(z.string(), z.string()),
            then: z.enum(outcomes),
            rule: z
              .union([z.int(), z.enum([...presets, 'remembered'])])
              .describe('The rule’s number, or the preset'),
          })
          .meta({ id: 'PolicyRecord' }),
      ),
      sentences: z.array(z.string()).describe('The policy in words'),
    })
    .meta({ id: 'PolicyTestResult' }),
)
