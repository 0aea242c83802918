import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'
import { actions, outcomes, presets } from './effect.ts'

/** The policy of an agent. The agent's row has `hasPolicy` if it differs from the default. */
export const policyRows = entity({
  name: 'agent’s policy',
  pk: 'user#{userId}',
  sk: 'policy#{agentId}',
  schema: () =>
    z.object({
      preset: z.enum(presets),
      rules: z.array(
        z.object({
          action: z.enum(actions),
          match: z.record(z.string(), z.union([z.string(), z.array(z.string())])).optional(),
          when: z
            .object({
              maxUsd: z.string().optional(),
              perDay: z.number().optional(),
              hours: z
                .object({ from: z.string(), to: z.string(), timezone: z.string().optional() })
                .optional(),
            })
            .optional(),
          then: z.enum(outcomes),
        }),
      ),
      /** Approvals that also hold for the same effect for a time. They are not shown and not copied. */
      remembered: z
        .array(
          z.object({
            action: z.enum(actions),
            target: z.record(z.string(), z.string()),
            /** Micro-USD, as a decimal string. */
            maxMicroUsd: z.string().optional(),
            /** Epoch milliseconds. */
            until: z.number(),
          }),
        )
        .optional(),
      revision: z.number(),
    }),
})

/** The uses of a rule with `perDay` on one UTC day. The rule is the hash of its content. Expires after two days. */
export const ruleCountRows = entity({
  name: 'uses of a policy’s rule',
  pk: 'user#{userId}',
  sk: 'policy-uses#{agentId}#{date}#{rule}',
  schema: () => z.object({ count: z.number() }),
})
