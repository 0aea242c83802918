import * as z from 'zod'
import { taskTypes } from './tiers.ts'

const tokens = z.number().int().min(0)

/** The query of POST /api/ai/estimate-cost. */
export const costQuestion = z.object({
  model: z.string().min(1).max(200),
  inputTokens: tokens,
  outputTokens: tokens,
})

export type CostQuestion = z.output<typeof costQuestion>

/** The body of POST /api/ai/models/select. */
export const modelQuestion = z.object({
  taskType: z
    .enum(taskTypes, { error: `taskType must be one of ${taskTypes.join(', ')}` })
    .default('general'),
})

/** The model that a call would try first, and its provider. */
export const selectedModel = z
  .object({ id: z.string(), provider: z.string() })
  .meta({ id: 'SelectedModel' })

/** spec.md, Model (AI list). Null if unknown. */
export const modelDescription = z
  .object({
    id: z.string(),
    name: z.string().describe('The id if the provider has no other name'),
    provider: z.string().describe('The provider that serves it'),
    description: z.string().nullable(),
    tags: z
      .array(z.string())
      .describe(
        'The task types that use the model; also vision and tools if the provider reports them',
      ),
    inputCost: z.number().nullable().describe('USD per million tokens'),
    outputCost: z.number().nullable().describe('USD per million tokens'),
    contextWindow: z.number().nullable().describe('Tokens'),
    available: z.boolean().describe('True if the provider lists the model'),
  })
  .meta({ id: 'Model' })

export type ModelDescription = z.output<typeof modelDescription>
